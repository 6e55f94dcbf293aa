"""All mutants: mistakes that a careless hand might make, which the tests must see."""

from classes import OF_CLASSES
from dimension import DIMENSION
from drawings import DRAWINGS
from findings import FINDINGS
from laplace import LAPLACE
from library import LIBRARY
from numerics import NUMERICS
from reference import REFERENCE_EVIDENCE
from scores import SCORES
from scripts import WORKFLOW
from worth import SIDE_BY_SIDE

MUTANTS = (
    *LIBRARY,
    *NUMERICS,
    *REFERENCE_EVIDENCE,
    *SCORES,
    *OF_CLASSES,
    *DIMENSION,
    *LAPLACE,
    *FINDINGS,
    *DRAWINGS,
    *SIDE_BY_SIDE,
    *LAPLACE,
    *OF_CLASSES,
    *DIMENSION,
    *WORKFLOW,
)
