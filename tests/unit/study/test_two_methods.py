"""Reference and bridge held against each other: every number by hand, of a small table."""

from math import hypot, nan, sqrt

import pandas as pd
import pytest

from latentdag.report.study import two_methods_for_the_evidence
from latentdag.study.columns import TABLES
from latentdag.study.two_methods import best_evidence, by_size, compared, disagreements

# draw, n, structure, method, score, standard error
ROWS = [
    (1, 80, "a", "bridge", -9.0, 0.4),
    (0, 480, "b", "reference", -20.0, 0.3),
    (0, 80, "a", "reference", -10.0, 0.3),
    (0, 80, "a", "bridge", -10.5, 0.4),  # z = -1; the reference is the more exact
    (0, 480, "b", "bridge", -19.9, 0.1),  # agrees, and more exact
    (1, 80, "a", "reference", -11.0, 0.3),  # z = 4
    (0, 480, "a", "reference", -30.0, 0.12),
    (0, 480, "a", "bridge", -30.65, 0.05),  # z = -5; more exact, but does not agree
    (0, 480, "c", "reference", -30.0, 0.0),
    (0, 480, "c", "bridge", -30.0, 1e-15),  # no hidden variable
    (0, 80, "c", "reference", -12.0, 0.2),  # alone
    (0, 80, "d", "bridge", -13.0, 0.2),
    (0, 80, "e", "reference", nan, nan),
    (0, 80, "e", "bridge", -14.0, 0.2),
    (0, 80, "a", "vb", -15.0, nan),
]


@pytest.fixture
def scores():
    columns = ["draw", "n", "structure", "method", "score", "standard_error"]
    return pd.DataFrame(ROWS, columns=columns).reindex(columns=TABLES["scores"].columns)


def test_the_pairs_that_have_both(scores):
    found = compared(scores)
    assert list(found.index) == [(0, 80, "a"), (0, 480, "a"), (0, 480, "b"), (1, 80, "a")]
    assert found["difference"].tolist() == pytest.approx([-0.5, -0.65, 0.1, 2.0])
    errors = [0.5, 0.13, hypot(0.3, 0.1), 0.5]
    assert found["error"].tolist() == pytest.approx(errors)
    assert found["z"].tolist() == pytest.approx([-1.0, -5.0, 0.1 / errors[2], 4.0])
    assert found["bridge_error"].tolist() == [0.4, 0.05, 0.1, 0.4]


def test_by_size(scores):
    found = by_size(compared(scores))
    assert list(found.index) == [80, 480]
    assert found["pairs"].tolist() == [2, 2]
    assert found["mean"].tolist() == pytest.approx([0.75, -0.275])
    expected = [sqrt(17 / 2), sqrt((25 + 0.1) / 2)]
    assert found["mean_square"].tolist() == pytest.approx(expected)
    assert found["beyond"].tolist() == [1, 1]
    assert found["largest"].tolist() == pytest.approx([4.0, -5.0])
    assert found["structure"].tolist() == ["a", "a"]
    assert found["bridge"].tolist() == [0, 2]


def test_those_that_do_not_agree_the_farthest_first(scores):
    assert list(disagreements(compared(scores)).index) == [(0, 480, "a"), (1, 80, "a")]


def test_the_more_exact_of_two_that_agree(scores):
    best = best_evidence(scores).set_index(["draw", "n", "structure"])
    assert set(best["method"]) == {"reference"} and len(best) == 7
    assert tuple(best.loc[(0, 480, "b"), ["score", "standard_error"]]) == (-19.9, 0.1)
    own = scores[scores["method"] == "reference"].set_index(["draw", "n", "structure"])
    others = [pair for pair in own.index if pair != (0, 480, "b")]
    pd.testing.assert_frame_equal(best.loc[others], own.loc[others])


def test_the_section_has_these_numbers(scores):
    title, words, table, line = two_methods_for_the_evidence.section(scores)
    assert title == "## Two methods for the evidence"
    assert table.splitlines()[2:] == [
        "| 80 | 2 | +0.750 | 2.92 | 1 | +4.00 (a) | 0 |",
        "| 480 | 2 | -0.275 | 3.54 | 1 | -5.00 (a) | 2 |",
    ]
    assert line.startswith("- Over 4 pairs: root mean square 3.24; 2 beyond 3: ")
    assert line.count("± ") == 2 and "(-0.65 ± 0.13 nats)" in line and "(+2.00 ± 0.50 nats)" in line
    assert "combined standard error" in words


def test_no_section_without_both(scores):
    assert two_methods_for_the_evidence.section(scores[scores["method"] != "bridge"]) == []
