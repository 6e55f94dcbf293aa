"""Times beside those of the paper."""

from math import isnan

import pytest
from made_up import assert_rows

from latentdag.study.paper import timing

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
