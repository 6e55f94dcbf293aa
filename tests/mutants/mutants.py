"""All mutants: mistakes that a careless hand might make, which the tests must see."""

from annealing import ANNEALING
from bounds import BOUNDS
from bridge import OF_BRIDGE
from classes import OF_CLASSES
from dimension import DIMENSION
from drawings import DRAWINGS
from findings import FINDINGS
from findings_ch import OF_CHICKERING_AND_HECKERMAN
from fits import OF_FITS
from laplace import LAPLACE
from library import LIBRARY
from meanfield import MEAN_FIELD
from numerics import NUMERICS
from optima import OPTIMA
from over_draws import OVER_DRAWS
from overhead import OVERHEAD
from population import OF_POPULATIONS
from reference import REFERENCE_EVIDENCE
from scores import SCORES
from scripts import WORKFLOW
from starts import STARTS
from worth import SIDE_BY_SIDE

MUTANTS = (
    *LIBRARY,
    *NUMERICS,
    *OF_FITS,
    *ANNEALING,
    *REFERENCE_EVIDENCE,
    *SCORES,
    *OPTIMA,
    *STARTS,
    *LAPLACE,
    *DIMENSION,
    *MEAN_FIELD,
    *BOUNDS,
    *OF_BRIDGE,
    *OF_CLASSES,
    *FINDINGS,
    *OF_CHICKERING_AND_HECKERMAN,
    *DRAWINGS,
    *SIDE_BY_SIDE,
    *OF_POPULATIONS,
    *OVER_DRAWS,
    *OVERHEAD,
    *WORKFLOW,
)
