"""All mutants: mistakes that a careless hand might make, which the tests must see."""

from drawings import DRAWINGS
from findings import FINDINGS
from library import LIBRARY
from numerics import NUMERICS
from optima import OPTIMA
from reference import REFERENCE_EVIDENCE
from scores import SCORES
from scripts import WORKFLOW

MUTANTS = (
    *LIBRARY,
    *NUMERICS,
    *REFERENCE_EVIDENCE,
    *SCORES,
    *OPTIMA,
    *FINDINGS,
    *DRAWINGS,
    *WORKFLOW,
)
