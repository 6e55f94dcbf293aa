"""What wrong structures lose in prediction, by plain loops over made-up verdicts."""

from math import nan, sqrt
from statistics import fmean, stdev

import made_up_population
import pandas as pd
import pytest
from made_up import assert_rows, registered, rows

from latentdag.study.many_draws.prediction import apart_from_the_evidence, wrong_against_true

VERDICTS = made_up_population.tables(9, (20, 80, 480), 5).verdicts
VERDICTS = VERDICTS.assign(
    # a size at which none picks the truth, and a draw without a reference at another
    top=VERDICTS["top"].mask((VERDICTS["n"] == 80) & (VERDICTS["draw"] == 3), "b"),
    lost_by_top=VERDICTS["lost_by_top"].mask((VERDICTS["n"] == 20) & (VERDICTS["draw"] == 4)),
)
KNOWN = [r for r in rows(VERDICTS, by="structure") if r["lost_by_top"] is not None]


def summary(gaps):
    error = stdev(gaps) / sqrt(len(gaps)) if len(gaps) > 1 else nan
    mean = fmean(gaps)
    sure = (mean > 2 * error) - (mean < -2 * error)
    worse = sum(g > 0 for g in gaps)
    return {"draws": len(gaps), "mean": mean, "standard_error": error, "worse": worse, "sure": sure}


def test_wrong_structures_against_the_true_one():
    gaps = {20: [], 80: []}
    for n in gaps:
        for draw in range(9):
            own = [r for r in KNOWN if r["n"] == n and r["draw"] == draw]
            true = {r["lost_by_top"] for r in own if r["top"] == r["truth"]}
            # each wrong structure once, however many scores pick it
            wrong = {r["top"]: r["lost_by_top"] for r in own if r["top"] != r["truth"]}
            if true and wrong:
                gaps[n].append(fmean(wrong.values()) - true.pop())
    assert 3 <= len(gaps[80]) < 9
    assert_rows(wrong_against_true(VERDICTS), {n: summary(own) for n, own in gaps.items()})


@pytest.mark.parametrize(("gaps", "sure"), [((1, 2, 3), 1), ((-1, -2, -3), -1), ((-1, 2, 3), 0)])
def test_a_wrong_structure_is_surely_worse_beyond_two_standard_errors(gaps, sure):
    """Of 1, 2, 3 the mean is 2 and its standard error 0.58. A wrong structure counts once."""
    table = [
        row
        for draw, gap in enumerate(gaps)
        for row in (
            (draw, "vb", "a", 5.0 + gap), (draw, "bic", "a", 5.0 + gap), (draw, "map", "", nan),
            (draw, "cs", "b", 5.0 + 3 * gap), (draw, "ais", "t", 5.0),
        )
    ]  # fmt: skip
    columns = ["draw", "method", "top", "lost_by_top"]
    verdicts = pd.DataFrame(table, columns=columns).assign(by="structure", n=20, truth="t")
    found = wrong_against_true(verdicts)
    assert_rows(found, {20: {"mean": 2 * fmean(gaps), "sure": sure}})


def test_apart_from_the_evidence():
    reference = {(r["draw"], r["n"]): r for r in KNOWN if r["method"] == "reference"}
    gaps = {(m, n): [] for m in registered(made_up_population.SCORES) for n in (20, 80)}
    for r in KNOWN:
        of_evidence = reference[r["draw"], r["n"]]
        if r["top"] != of_evidence["top"]:
            gaps[r["method"], r["n"]].append(r["lost_by_top"] - of_evidence["lost_by_top"])
    assert not gaps["reference", 20] and len({len(own) for own in gaps.values()}) > 3
    expected = {key: summary(own) for key, own in gaps.items() if own}
    assert_rows(apart_from_the_evidence(VERDICTS), expected)


def test_nothing_to_compare():
    none = VERDICTS[VERDICTS["n"] == 480]  # the largest size: no next cases
    assert wrong_against_true(none).empty
    assert apart_from_the_evidence(none).empty
    assert apart_from_the_evidence(VERDICTS[VERDICTS["method"] != "reference"]).empty
