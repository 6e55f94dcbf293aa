"""What wrong structures lose in prediction, on verdicts made by hand."""

from math import nan, sqrt
from statistics import fmean, stdev

import pandas as pd
import pytest
from made_up import assert_rows

from latentdag.study.many_draws.prediction import apart_from_the_evidence, wrong_against_true


def verdicts(rows):
    """Rows of draw, n, method, pick, and nats lost by it; the truth is t."""
    columns = ["draw", "n", "method", "top", "lost_by_top"]
    table = pd.DataFrame(rows, columns=columns).assign(by="structure", truth="t")
    return pd.concat([table.assign(by="class", top="c"), table])


VERDICTS = verdicts(
    [
        (1, 80, "vb", "a", 0.5), (1, 80, "bic", "a", 0.5), (1, 80, "cs", "b", 0.2),
        (1, 80, "ais", "t", 0.1), (1, 80, "reference", "t", 0.1),
        (2, 80, "vb", "t", 0.3), (2, 80, "reference", "a", 0.2), (2, 80, "map", "", nan),
        (3, 80, "vb", "a", 0.4), (3, 80, "reference", "a", 0.4),  # no score picks the truth
        (1, 480, "vb", "a", nan), (1, 480, "reference", "t", nan),  # the largest size
        (1, 20, "vb", "a", 0.2), (1, 20, "reference", "t", 0.4),
    ]
)  # fmt: skip


def summary(*gaps):
    error = stdev(gaps) / sqrt(len(gaps)) if len(gaps) > 1 else nan
    return {"draws": len(gaps), "mean": fmean(gaps), "standard_error": error}


def test_wrong_structures_against_the_true_one():
    """A wrong structure counts once per draw, however many scores pick it."""
    expected = {20: summary(-0.2) | {"worse": 0}, 80: summary(0.35 - 0.1, -0.1) | {"worse": 1}}
    assert_rows(wrong_against_true(VERDICTS), expected)


@pytest.mark.parametrize(
    ("gaps", "sure"),
    [((2, 3, 4), 1), ((-2, -3, -4), -1), ((1, 2, 3), 0), ((-1, -2, -3), 0), ((-1, 2, 3), 0)],
)
def test_a_wrong_structure_is_surely_worse_by_students_t(gaps, sure):
    """The standard error of 1, 2, 3 is 0.58; with 2 degrees of freedom 4.3 of it are sure."""
    rows = [(draw, 20, "vb", "a", 5.0 + gap) for draw, gap in enumerate(gaps)]
    found = wrong_against_true(verdicts(rows + [(draw, 20, "ais", "t", 5.0) for draw in range(3)]))
    assert_rows(found, {20: summary(*gaps) | {"sure": sure}})


def test_apart_from_the_evidence():
    expected = {
        ("bic", 80): summary(0.4),
        ("cs", 80): summary(0.1),
        ("vb", 20): summary(-0.2) | {"worse": 0},
        ("vb", 80): summary(0.4, 0.1) | {"worse": 2},
    }
    assert_rows(apart_from_the_evidence(VERDICTS), expected)
    none = VERDICTS[VERDICTS["n"] == 480]
    for nothing in (none, VERDICTS[VERDICTS["method"] != "reference"]):
        assert apart_from_the_evidence(nothing).empty
    assert wrong_against_true(none).empty
