"""BIC and Cheeseman-Stutz with the effective dimension."""

from math import log

import pytest

from latentdag import Prior, Structure
from latentdag.scores import compute
from latentdag.scores.base import Task

# effective dimension, and free parameters without those of childless hidden variables
DIMENSIONS = {
    "0-0-0-0": (16, 16),
    "0-0-1-1": (23, 25),  # 5 x 5 tables of rank 2
    "0-0-0-1": (16, 21),  # a cause of one child
    "1-1-1-1": (33, 33),
    "0-0-12-12": (31, 42),  # of rank 4
    "1-12-12-2": (50, 50),
}


def test_values(cases):
    task = Task([Structure.from_label(x) for x in DIMENSIONS], cases[:80], Prior(0.8, 1.3))
    methods = ("map", "cs", "bic_dim", "cs_dim")
    found, _ = compute(task, methods, {"restarts": 8, "hits": 2})
    scores = {(s.structure.label, s.method): s.score for s in found}
    for label, (dimension, free) in DIMENSIONS.items():
        fit, cs, bic_dim, cs_dim = (scores[label, method] for method in methods)
        assert bic_dim == pytest.approx(fit - dimension / 2 * log(80), abs=1e-9)
        assert cs_dim == pytest.approx(cs + (free - dimension) / 2 * log(80), abs=1e-9)
