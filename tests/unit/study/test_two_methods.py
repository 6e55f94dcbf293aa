"""Reference and bridge held against each other, and the evidence that follows: by hand."""

from math import hypot, nan, sqrt

import pandas as pd
import pytest
from made_up import assert_rows, named

from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.evidence import (
    agreement,
    compared,
    disagreements,
    evidence,
    join_evidence,
    read_with_evidence,
    taken,
)
from latentdag.study.schema.tables import write


def table(rows):
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "restarts"]
    return pd.DataFrame(rows, columns=columns).reindex(columns=TABLES["scores"].columns)


SCORES = table(
    [
        (1, 80, "a", "bridge", -9.0, 0.4, 8),
        (0, 480, "b", "reference", -20.0, 0.3, 16),
        (0, 80, "a", "reference", -10.0, 0.3, 16),
        (0, 80, "a", "bridge", -10.5, 0.4, 8),  # z = -1; the reference is the more exact
        (0, 480, "b", "bridge", -19.9, 0.1, 8),  # agrees, and more exact
        (1, 80, "a", "reference", -11.0, 0.3, 16),  # z = 4
        (0, 480, "a", "reference", -30.0, 0.12, 16),
        (0, 480, "a", "bridge", -30.65, 0.05, 8),  # z = -5; more exact, but does not agree
        (0, 480, "c", "reference", -30.0, 0.0, 16),
        (0, 480, "c", "bridge", -30.0, 1e-15, 8),  # no hidden variable
        (0, 80, "c", "reference", -12.0, 0.2, 16),  # alone
        (0, 80, "d", "bridge", -13.0, 0.2, 8),
        (0, 80, "e", "reference", nan, nan, 16),
        (0, 80, "e", "bridge", -14.0, 0.2, 8),
        (0, 80, "a", "vb", -15.0, nan, nan),
        (0, 480, "b", "vb", -25.0, nan, nan),
    ]
)


def test_the_pairs_that_have_both():
    error = hypot(0.3, 0.1)
    names = ("difference", "error", "z", "bridge_error", "reference_runs")
    expected = {
        (0, 80, "a"): (-0.5, 0.5, -1.0, 0.4, 16),
        (0, 480, "a"): (-0.65, 0.13, -5.0, 0.05, 16),
        (0, 480, "b"): (0.1, error, 0.1 / error, 0.1, 16),
        (1, 80, "a"): (2.0, 0.5, 4.0, 0.4, 16),
    }
    found = compared(SCORES)
    assert_rows(found, named(names, expected))
    by_size = {
        80: {"pairs": 2, "mean": 0.75, "mean_square": sqrt(17 / 2), "beyond": 1, "largest": 4.0},
        480: {"mean": -0.275, "mean_square": sqrt((25 + 0.1) / 2), "beyond": 1, "largest": -5.0},
    }
    by_size[80] |= {"structure": "a", "bridge": 0}
    by_size[480] |= {"structure": "a", "bridge": 1}
    assert_rows(agreement(found), by_size)
    assert list(disagreements(found).index) == [(0, 480, "a"), (1, 80, "a")]


EVIDENCE = pd.DataFrame(
    [
        (0, 480, "b", -19.9, 0.1, "bridge"),
        (0, 80, "a", -10.0, 0.3, "reference"),
        (1, 80, "a", -11.0, 0.3, "reference"),
        (0, 480, "a", -30.0, 0.12, "reference"),
        (0, 480, "c", -30.0, 0.0, "reference"),
        (0, 80, "c", -12.0, 0.2, "reference"),
        (0, 80, "e", nan, nan, "reference"),
    ],
    columns=TABLES["evidence"].columns,
)


def test_the_evidence_is_the_more_exact_of_two_that_agree(tmp_path):
    pd.testing.assert_frame_equal(evidence(SCORES), EVIDENCE)
    expected = SCORES[SCORES["method"] != "bridge"].copy()
    expected.loc[1, ["score", "standard_error"]] = -19.9, 0.1
    pd.testing.assert_frame_equal(join_evidence(SCORES, EVIDENCE), expected)
    assert SCORES.loc[1, "score"] == -20.0  # the table itself stays
    # every row by its own draw, size and structure, whatever their order and number
    known = EVIDENCE.assign(log_evidence=range(7), standard_error=0.5)
    read = join_evidence(SCORES, known.iloc[:0:-1])
    assert read["score"].tolist() == [-20.0, 1, 2, 3, 4, 5, 6, -15.0, -25.0]
    assert read["standard_error"].tolist()[:7] == [0.3, *[0.5] * 6]
    files = tmp_path / "scores.csv", tmp_path / "evidence.csv"
    write(files[0], "scores", SCORES.assign(n_parameters=9, reason=""))
    write(files[1], "evidence", EVIDENCE)
    read = read_with_evidence(*files)["score"].tolist()
    assert read == pytest.approx(expected["score"].tolist(), nan_ok=True)


def test_without_a_reference_the_scores_are_read_without_the_bridge():
    others = SCORES[SCORES["method"] != "reference"]
    expected = SCORES[SCORES["method"] == "vb"]
    assert evidence(others).empty
    for known in (evidence(others), None):
        pd.testing.assert_frame_equal(join_evidence(others, known), expected)


@pytest.mark.parametrize(
    ("errors", "runs", "is_taken"),
    [
        ((0.3, 0.1), (16, 8), True),
        ((0.3, 0.1), (16, 7), False),  # too few runs
        ((0.3, 0.1), (7, 8), False),
        ((0.5, 0.36), (16, 8), False),  # runs that spread by more than a nat
        ((0.5, 0.3), (16, 9), True),
        ((0.1, 0.3), (16, 9), False),  # the less exact
    ],
)
def test_what_could_be_chance_is_not_taken(errors, runs, is_taken):
    rows = zip(("reference", "bridge"), errors, runs, strict=True)
    scores = table([(2, 80, "f", method, -10.0, error, number) for method, error, number in rows])
    assert len(taken(compared(scores))) == is_taken
    assert evidence(scores)["standard_error"].tolist() == [errors[is_taken]]
