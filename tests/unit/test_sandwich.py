"""Stochastic bounds on both sides of the evidence hold it, as enumeration gives it."""

import numpy as np
import pytest

import latentdag
from latentdag import Family, Prior, Structure
from latentdag.analysis.sandwich import bounds, other_structures
from latentdag.scores.base import Task
from latentdag.scores.reference import JOB

FAMILY = Family((2, 2), (2, 3, 2))
SETTINGS = {setting.name: setting.default for setting in JOB.settings} | {"target": 0.02}


def test_bounds_hold_the_exact_evidence():
    structure, prior = Structure.from_label("1-12-2", FAMILY), Prior(0.7, 1.6)
    drawn = latentdag.draw_study(structure, prior, n=8, seed=3)
    task = Task([structure], drawn.cases, prior, seed=3)
    rows = list(bounds(task, drawn.states, (4, 8), SETTINGS, 16))
    assert [(row["n"], row["structure"]) for row in rows] == [(4, "1-12-2"), (8, "1-12-2")]
    for row in rows:
        alphas = {"alpha": 0.7, "alpha_hidden": 1.6}
        exact = latentdag.score(drawn.cases[: row["n"]], structure, "exact", **alphas).score
        assert row["lower"] == pytest.approx(exact, abs=4 * row["lower_error"])
        assert row["upper"] == pytest.approx(exact, abs=4 * row["upper_error"])
        assert 0 < row["lower_error"] < 0.1 and 0 < row["upper_error"] < 0.1
        assert row["gap"] == row["upper"] - row["lower"]


def test_other_structures_are_spread_and_have_several_causes():
    every = latentdag.enumerate_structures(FAMILY)
    true = Structure.from_label("1-12-2", FAMILY)
    several = [s for s in every if s != true and len(s.without_childless().family.hidden) > 1]
    assert true in every and len(several) < len(every) - 1
    places = np.linspace(0, len(several) - 1, 3).astype(int)
    assert other_structures(every, true, 3) == [several[i] for i in places]
    assert other_structures(every, true, 1000) == several
