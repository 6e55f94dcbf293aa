"""Numbers beside the paper's, on tables made by hand: times, and those of the findings."""

from math import isnan

import pandas as pd
import pytest
from made_up import assert_rows

from latentdag.study.paper import findings, timing
from latentdag.study.schema.columns import TABLES

SECONDS = {("vb", 480): 6.0, ("map", 480): 2.0, ("ais", 480): 30.0}
SECONDS |= {("ais", 10): 1.5, ("ml", 10): 2.5, ("map", 10): 0.03}
TIMES = timing.timing(SECONDS)


def test_jobs_go_by_the_scores_of_the_paper():
    expected = {
        (n, m): {"seconds": s, "paper_seconds": p}
        for n, m, s, p in (
            (10, "bic", 0.03, None), (10, "ml", 2.5, None), (10, "ais", 1.5, None),
            (480, "bic", 2.0, 200), (480, "vb", 6.0, 575), (480, "ais", 30.0, 55000),
        )
    }  # fmt: skip
    assert_rows(TIMES.set_index(["n", "method"]), expected)


def test_times_next_to_the_papers():
    assert timing.paper_times(TIMES)["faster"].tolist() == pytest.approx([100, 575 / 6, 55000 / 30])
    assert timing.ratio(TIMES, "vb", "bic") == pytest.approx((3.0, 575 / 200))
    assert timing.ratio(TIMES, "ais", "vb") == pytest.approx((5.0, 55000 / 575))
    none = TIMES.assign(seconds=TIMES["seconds"].where(TIMES["method"] != "bic", 0.0))
    for table in (TIMES[TIMES["method"] != "vb"], TIMES[TIMES["n"] == 10], none):
        assert timing.ratio(table, "vb", "bic") is None
    assert isnan(timing.paper_times(none)["faster"].iloc[0])


# by kind and method the number of 20 draws that have found the truth, by cases
FOUND = {
    ("class", "vb"): {480: 4, 10240: 18, 1120: 10},
    ("structure", "vb"): {480: 3, 10240: 17, 1120: 9},
    ("structure", "bic"): {480: 0, 10240: 11, 1120: 5},
    ("structure", "laplace"): {480: 6, 10240: 19, 1120: 8},
}
FOUND_SHARE = pd.DataFrame(
    [(n, *of, 20, k / 20, 0.0, 1.0) for of, counts in FOUND.items() for n, k in counts.items()],
    columns=TABLES["found_share"].columns,
)
COMPARISONS = pd.DataFrame(
    [(by, "vb", "bic", k, 2) for by, k in (("class", 15), ("structure", 14))],
    columns=["by", "method", "other", "earlier", "later"],
)


def test_what_is_found_is_that_of_structures():
    rows = findings.found_by(FOUND_SHARE, 480)
    assert {m: row["number"] for m, row in rows.items()} == {"vb": 3, "bic": 0, "laplace": 6}
    assert findings.found_by(FOUND_SHARE, 500) == {}
    assert findings.not_found(FOUND_SHARE) == {"bic": 9, "laplace": 1, "vb": 3}
    assert findings.compared(COMPARISONS, "vb", "bic")["earlier"] == 14
    assert findings.compared(COMPARISONS, "bic", "vb") is None


def test_sensitivity_in_its_order():
    assert findings.sensitivity(FOUND_SHARE, COMPARISONS) == [3, 5, 14, 2, 3, 9, 1]
    for table in (FOUND_SHARE["method"] != "laplace", FOUND_SHARE["n"] != 480):
        assert findings.sensitivity(FOUND_SHARE[table], COMPARISONS) is None
    assert findings.sensitivity(FOUND_SHARE, COMPARISONS.iloc[:0]) is None
