"""What wrong structures lose in prediction, by plain loops over made-up verdicts."""

from statistics import fmean, stdev

import made_up_population
import numpy as np
import pandas as pd
import pytest

from latentdag.scores import METHODS
from latentdag.study.many_draws.prediction import apart_from_the_evidence, wrong_against_true

VERDICTS = made_up_population.tables(9, (20, 80, 480), 5).verdicts
VERDICTS = VERDICTS.assign(
    # a size at which none picks the truth, and a draw without a reference at another
    top=VERDICTS["top"].mask((VERDICTS["n"] == 80) & (VERDICTS["draw"] == 3), "b"),
    lost_by_top=VERDICTS["lost_by_top"].mask((VERDICTS["n"] == 20) & (VERDICTS["draw"] == 4)),
)
ROWS = [r for r in VERDICTS.to_dict("records") if r["by"] == "structure"]
ROWS = [r for r in ROWS if not np.isnan(r["lost_by_top"])]


def expected(gaps):
    """draws, mean, standard_error, worse"""
    error = stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else np.nan
    return pytest.approx((len(gaps), fmean(gaps), error, sum(g > 0 for g in gaps)), nan_ok=True)


def assert_rows(found, gaps):
    assert {key for key, own in gaps.items() if own} == set(found.index)
    for key, row in found.iterrows():
        assert tuple(row[["draws", "mean", "standard_error", "worse"]]) == expected(gaps[key])


def test_wrong_against_true():
    gaps = {20: [], 80: []}
    for n in gaps:
        for draw in range(9):
            own = [r for r in ROWS if r["n"] == n and r["draw"] == draw]
            true = {r["lost_by_top"] for r in own if r["top"] == r["truth"]}
            # each wrong structure once, however many scores pick it
            wrong = {r["top"]: r["lost_by_top"] for r in reversed(own) if r["top"] != r["truth"]}
            if true and wrong:
                gaps[n].append(fmean(wrong.values()) - true.pop())
    assert 3 <= len(gaps[80]) < 9
    assert_rows(wrong_against_true(VERDICTS), gaps)


def test_a_wrong_structure_counts_once():
    rows = [
        (0, 20, "vb", "a", "t", 0.5),
        (0, 20, "bic", "a", "t", 0.5),
        (0, 20, "cs", "b", "t", 0.2),
        (0, 20, "ais", "t", "t", 0.1),
        (0, 20, "map", "", "t", np.nan),
    ]
    columns = ["draw", "n", "method", "top", "truth", "lost_by_top"]
    found = wrong_against_true(pd.DataFrame(rows, columns=columns).assign(by="structure"))
    assert found.loc[20, "mean"] == pytest.approx((0.4 + 0.1) / 2)


def test_apart_from_the_evidence():
    gaps = {(m, n): [] for m in made_up_population.SCORES for n in (20, 80)}
    reference = {(r["draw"], r["n"]): r for r in ROWS if r["method"] == "reference"}
    for r in ROWS:
        beside = reference[r["draw"], r["n"]]
        if r["top"] != beside["top"]:
            gaps[r["method"], r["n"]].append(r["lost_by_top"] - beside["lost_by_top"])
    assert not gaps["reference", 20] and len({len(own) for own in gaps.values()}) > 3
    found = apart_from_the_evidence(VERDICTS)
    assert_rows(found, gaps)
    methods = list(dict.fromkeys(m for m, _ in found.index))
    assert methods == [m for m in METHODS if m in methods]


def test_nothing_to_compare():
    none = VERDICTS[VERDICTS["n"] == 480]  # the largest size: no next cases
    assert wrong_against_true(none).empty
    assert apart_from_the_evidence(none).empty
    assert apart_from_the_evidence(VERDICTS[VERDICTS["method"] != "reference"]).empty
