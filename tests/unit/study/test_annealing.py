"""Annealing runs by the length of the schedule, against plain loops."""

from math import log, nan, sqrt
from statistics import mean, median, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import assert_rows, of_draw

from latentdag.study.one_draw import annealing

RUNS, SCORES = made_up.annealing(), made_up.scores()


def plain_length(draw, steps):
    runs = made_up.rows(RUNS, draw=draw, steps=steps)
    prior, true = ([r["log_weight"] for r in runs if r["start"] == s] for s in ("prior", "true"))
    weights = np.exp(np.array(prior) - max(prior))
    effective = weights.sum() ** 2 / (weights**2).sum()
    row = {"chains": 3, "median": median(prior), "estimate": max(prior) + log(weights.mean())}
    row |= {"standard_error": stdev(prior) / sqrt(effective), "true": mean(true)}
    return row | {"spread": max(prior + true) - min(prior + true)}


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
    assert annealing.steps_within(series[::-1], -10.0) == expected


@pytest.mark.parametrize("draw", [0, 1])
def test_runs_by_length(draw):
    runs = of_draw(RUNS, draw)
    lengths = annealing.length_statistics(runs)
    assert_rows(lengths, {n: plain_length(draw, n) for n in (64, 512, 1024, 4096, 8192)})
    found = annealing.length_statistics(runs[(runs["start"] == "true") | (runs["steps"] != 1024)])
    assert found.index[found["estimate"].isna()].tolist() == [1024] and found["true"].notna().all()
