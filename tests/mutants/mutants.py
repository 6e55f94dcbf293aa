"""All mutants: mistakes that a careless hand might make, which the tests must see."""

from drawings import DRAWINGS
from findings import FINDINGS
from findings_ch import OF_CHICKERING_AND_HECKERMAN
from library import LIBRARY
from numerics import NUMERICS
from reference import REFERENCE_EVIDENCE
from scores import SCORES
from scripts import WORKFLOW

MUTANTS = (
    *(*LIBRARY, *NUMERICS, *REFERENCE_EVIDENCE, *SCORES, *FINDINGS, *DRAWINGS, *WORKFLOW),
    *OF_CHICKERING_AND_HECKERMAN,
)
