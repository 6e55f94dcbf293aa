"""All mutants: mistakes that a careless hand might make, which the tests must see."""

from bounds import BOUNDS
from classes import OF_CLASSES
from dimension import DIMENSION
from drawings import DRAWINGS
from findings import FINDINGS
from findings_ch import OF_CHICKERING_AND_HECKERMAN
from laplace import LAPLACE
from library import LIBRARY
from meanfield import MEAN_FIELD
from numerics import NUMERICS
from optima import OPTIMA
from reference import REFERENCE_EVIDENCE
from scores import SCORES
from scripts import WORKFLOW
from worth import SIDE_BY_SIDE

MUTANTS = (
    *LIBRARY,
    *NUMERICS,
    *REFERENCE_EVIDENCE,
    *SCORES,
    *OPTIMA,
    *LAPLACE,
    *DIMENSION,
    *MEAN_FIELD,
    *BOUNDS,
    *OF_CLASSES,
    *FINDINGS,
    *OF_CHICKERING_AND_HECKERMAN,
    *DRAWINGS,
    *SIDE_BY_SIDE,
    *WORKFLOW,
)
