"""All mutants: mistakes that a careless hand might make, which the tests must see."""

from drawings import DRAWINGS
from findings import FINDINGS
from library import LIBRARY
from meanfield import MEAN_FIELD
from numerics import NUMERICS
from reference import REFERENCE_EVIDENCE
from scores import SCORES
from scripts import WORKFLOW

MUTANTS = (
    *LIBRARY,
    *NUMERICS,
    *MEAN_FIELD,
    *REFERENCE_EVIDENCE,
    *SCORES,
    *FINDINGS,
    *DRAWINGS,
    *WORKFLOW,
)
