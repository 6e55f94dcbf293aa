"""Annealing runs by the length of the schedule, against plain loops."""

from math import log, nan, sqrt
from statistics import mean, median, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import TRUE, assert_rows, of_draw

from latentdag.study.one_draw import annealing

RUNS = made_up.annealing()
SCORES = made_up.scores()
STEPS = (64, 512, 1024, 4096, 8192)


def plain_length(draw, steps):
    runs = made_up.rows(RUNS, draw=draw, steps=steps)
    prior, true = ([r["log_weight"] for r in runs if r["start"] == s] for s in ("prior", "true"))
    weights = np.exp(np.array(prior) - max(prior))
    effective = weights.sum() ** 2 / (weights**2).sum()
    return {
        "chains": 3,
        "median": median(prior),
        "estimate": max(prior) + log(weights.mean()),
        "standard_error": stdev(prior) / sqrt(effective),
        "true": mean(true),
        "spread": max(prior + true) - min(prior + true),
    }


@pytest.mark.parametrize("draw", [0, 1])
def test_runs_by_length(draw):
    own = of_draw(RUNS, draw)
    expected = {steps: plain_length(draw, steps) for steps in STEPS}
    assert_rows(annealing.by_length(own), expected)
    found = annealing.by_length(own[own["start"] == "prior"])
    assert found["true"].isna().all() and found["median"].notna().all()
    found = annealing.by_length(own[(own["start"] == "true") | (own["steps"] != 1024)])
    assert found.index[found["estimate"].isna()].tolist() == [1024] and found["true"].notna().all()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((-20.0, -11.0, -10.5, -9.0), (128, 128)),
        ((-20.0, -10.5, -8.9, -9.5), (128, 512)),
        ((-10.5, -20.0, -10.5, -8.9), (64, None)),
        ((-20.0, -8.9, -11.1, -8.0), (None, None)),
        ((nan, nan, -10.0, -10.0), (256, 256)),
    ],
)
def test_steps_within_a_nat(values, expected):
    series = pd.Series(values, index=[64, 128, 256, 512])
    assert annealing.steps_within(series, -10.0) == expected
    assert annealing.steps_within(series[::-1], -10.0) == expected


@pytest.mark.parametrize("draw", [0, 1])
def test_each_kind_of_run_and_where_it_reaches_the_reference(draw):
    runs = of_draw(RUNS, draw)
    near = runs.assign(transition="hamiltonian", log_weight=runs["log_weight"] / 1000 - 480)
    small = runs.assign(n=80, structure="0-0-0")  # the reference has no score of it
    known = SCORES[(SCORES["n"] != 80) | (SCORES["method"] != "reference")]
    both = pd.concat([small, near, runs])
    kinds = [(80, "0-0-0", "metropolis"), (480, TRUE, "hamiltonian"), (480, TRUE, "metropolis")]
    by_kind = annealing.by_kind(both)
    assert list(by_kind) == kinds
    for kind, own in zip(kinds, (small, near, runs), strict=True):
        pd.testing.assert_frame_equal(by_kind[kind], annealing.by_length(own))
    level = made_up.score_of(SCORES, draw=draw, n=480, structure=TRUE, method="reference")
    expected = {
        kind: (
            3,
            *(
                (*annealing.steps_within(values, level), 8192, values[8192] - level)
                for values in (by_kind[kind]["estimate"], by_kind[kind]["median"])
            ),
        )
        for kind in kinds[1:]
    }
    assert annealing.reached(both, known) == expected


@pytest.mark.parametrize("draw", [0, 1])
def test_levels_are_those_of_the_structure_that_was_annealed(draw):
    runs = of_draw(RUNS, draw)
    rows = made_up.rows(SCORES, draw=draw, n=480, structure=TRUE)
    known = {r["method"]: r for r in rows if r["score"] is not None}
    assert ("cs" in known) == (draw == 1)
    found = annealing.levels(runs, SCORES)
    expected = {
        m: {"score": r["score"], "standard_error": r["standard_error"] or 0.0}
        for m, r in known.items()
    }
    assert_rows(found.sort_index(), dict(sorted(expected.items())))
    claimed = {m: known[m]["score"] for m in ("bic", "vb")}
    assert annealing.claimed_levels(runs, SCORES) == claimed
    without = SCORES[SCORES["method"] != "bic"]
    assert list(annealing.claimed_levels(runs, without)) == ["vb"]
