"""The evidence: reference and tempered SMC held against each other, and both against exact values,
targets and bounds, by hand.
"""

from math import hypot, inf, nan
from statistics import stdev

import numpy as np
import pandas as pd
import pytest
from made_up import assert_rows, named

from latentdag.study.one_draw import evidence_checks
from latentdag.study.schema import evidence
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.tables import write

COLUMNS = ["draw", "n", "structure", "method", "score", "standard_error", "restarts"]

# ---- two methods


def table(rows):
    return pd.DataFrame(rows, columns=COLUMNS).reindex(columns=TABLES["scores"].columns)


SCORES = table(
    [
        (1, 80, "a", "tempered_smc", -9.0, 0.4, 8),
        (0, 480, "b", "reference", -20.0, 0.3, 16),
        (0, 80, "a", "reference", -10.0, 0.3, 16),
        (0, 80, "a", "tempered_smc", -10.5, 0.4, 8),  # z = -1; the reference is the more exact
        (0, 480, "b", "tempered_smc", -19.9, 0.1, 8),  # agrees, and more exact
        (1, 80, "a", "reference", -11.0, 0.3, 16),  # z = 4
        (0, 480, "a", "reference", -30.0, 0.12, 16),
        (0, 480, "a", "tempered_smc", -30.65, 0.05, 8),  # z = -5; more exact, but does not agree
        (0, 480, "c", "reference", -30.0, 0.0, 16),
        (0, 480, "c", "tempered_smc", -30.0, 1e-15, 8),  # no hidden variable
        (0, 80, "c", "reference", -12.0, 0.2, 16),  # alone
        (0, 80, "d", "tempered_smc", -13.0, 0.2, 8),
        (0, 80, "e", "reference", nan, nan, 16),
        (0, 80, "e", "tempered_smc", -14.0, 0.2, 8),
        (0, 80, "a", "vb", -15.0, nan, nan),
        (0, 480, "b", "vb", -25.0, nan, nan),
    ]
)


def test_the_pairs_that_have_both():
    error = hypot(0.3, 0.1)
    names = ("difference", "error", "z", "tempered_smc_error", "reference_runs")
    expected = {
        (0, 80, "a"): (-0.5, 0.5, -1.0, 0.4, 16),
        (0, 480, "a"): (-0.65, 0.13, -5.0, 0.05, 16),
        (0, 480, "b"): (0.1, error, 0.1 / error, 0.1, 16),
        (1, 80, "a"): (2.0, 0.5, 4.0, 0.4, 16),
    }
    pairs = evidence.compared(SCORES)
    assert_rows(pairs, named(names, expected))
    assert list(evidence.disagreements(pairs).index) == [(0, 480, "a"), (1, 80, "a")]


EVIDENCE = pd.DataFrame(
    [
        (0, 480, "b", -19.9, 0.1, "tempered_smc"),
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
    pd.testing.assert_frame_equal(evidence.evidence(SCORES), EVIDENCE)
    expected = SCORES[SCORES["method"] != "tempered_smc"].copy()
    expected.loc[1, ["score", "standard_error"]] = -19.9, 0.1
    pd.testing.assert_frame_equal(evidence.join_evidence(SCORES, EVIDENCE), expected)
    assert SCORES.loc[1, "score"] == -20.0  # the table itself stays
    # every row by its own draw, size and structure, whatever their order and number
    numbered = EVIDENCE.assign(log_evidence=range(7), standard_error=0.5)
    joined = evidence.join_evidence(SCORES, numbered.iloc[:0:-1])
    assert joined["score"].tolist() == [-20.0, 1, 2, 3, 4, 5, 6, -15.0, -25.0]
    assert joined["standard_error"].tolist()[:7] == [0.3, *[0.5] * 6]
    files = tmp_path / "scores.csv", tmp_path / "evidence.csv"
    write(files[0], "scores", SCORES.assign(n_parameters=9, reason=""))
    write(files[1], "evidence", EVIDENCE)
    read = evidence.read_with_evidence(*files)["score"].tolist()
    assert read == pytest.approx(expected["score"].tolist(), nan_ok=True)


def test_without_a_reference_the_scores_are_read_without_tempered_smc():
    others = SCORES[SCORES["method"] != "reference"]
    expected = SCORES[SCORES["method"] == "vb"]
    assert evidence.evidence(others).empty
    for none in (evidence.evidence(others), None):
        pd.testing.assert_frame_equal(evidence.join_evidence(others, none), expected)


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
    rows = zip(("reference", "tempered_smc"), errors, runs, strict=True)
    scores = table([(2, 80, "f", method, -10.0, error, number) for method, error, number in rows])
    assert len(evidence.taken(evidence.compared(scores))) == is_taken
    assert evidence.evidence(scores)["standard_error"].tolist() == [errors[is_taken]]


# ---- checks

CHECKED = pd.DataFrame(
    [
        *((0, 10, s, "exact", v, nan, nan) for s, v in zip("abc", (-10, -12, -15), strict=True)),
        (0, 10, "a", "reference", -9.6, 0.2, 8), (0, 10, "b", "reference", -12.3, 0.1, 16),
        (0, 10, "c", "reference", -15.5, 0.0, 16),  # it says that it is exact, and is not
        (0, 10, "a", "ais", -11.0, 0.25, 8), (0, 10, "b", "ais", -12.4, 0.4, 8),
        (0, 80, "a", "reference", -90.0, 0.9, 8),
    ],
    columns=COLUMNS,
)  # fmt: skip


@pytest.mark.parametrize(
    ("gap", "error", "z"),
    [
        (0.1, 0.3, 0.1 / 0.3),
        (0.0, 0.0, None),  # exact itself, and right
        (0.0, nan, None),
        (-1e-3, 0.0, -inf),  # and wrong
        (1e-3, nan, None),  # without an error nothing is said
        (1e-6, 0.0, None),  # rounding
        (1e-5, 5e-6, None),  # an error too small to divide by still counts
        (1e-5, 1e-6, inf),
    ],
)
def test_z_of_a_reference_that_is_exact_itself(gap, error, z):
    rows = [(1, 20, "a", "exact", -8.0, nan), (1, 20, "a", "reference", -8.0 + gap, error)]
    rows += [(1, 80, "a", "reference", 0.0, 0.1), (1, 20, "b", "exact", 0.0, nan)]
    pairs = evidence_checks.exact_pairs(pd.DataFrame(rows, columns=COLUMNS[:-1]))
    assert evidence_checks.z_scores(pairs).to_dict() == (
        {} if z is None else {(1, 20, "a"): pytest.approx(z)}
    )


def test_the_reference_against_exact_in_short():
    ratios = evidence_checks.exact_ratios(CHECKED)
    assert [ratios.pop(k) for k in ("wrong", "sizes", "structure")] == [[("c", 10)], [10], "b"]
    expected = {"number": 2, "mean": -0.5, "deviation": stdev((2, -3)), "largest": -3.0}
    expected |= {"nats": -0.3, "error": 0.1, "lowest": -0.5, "highest": 0.4}
    expected |= evidence_checks.largest_by_chance(pd.Series([8.0, 16.0]), 3.0)
    assert ratios == pytest.approx(expected)
    none = evidence_checks.exact_ratios(CHECKED[CHECKED["method"] != "exact"])
    assert none == {"wrong": [], "number": 0, "sizes": []}


def test_the_largest_of_many_ratios_by_chance():
    """Of Student's t, by simulation: 40 ratios from 5 runs and 60 from 9."""
    runs = pd.Series([5.0] * 40 + [9.0] * 60)
    by_chance = evidence_checks.largest_by_chance(runs, 7.0)
    assert (by_chance["fewest"], by_chance["most"]) == (5, 9)
    rng = np.random.default_rng(4)
    draws = [abs(rng.standard_t(df, (20_000, k))) for df, k in ((4, 40), (8, 60))]
    largest = np.concatenate(draws, axis=1).max(axis=1)
    assert by_chance["probability"] == pytest.approx((largest >= 7.0).mean(), abs=0.01)
    assert evidence_checks.largest_by_chance(runs, 0.0)["probability"] == 1
    assert evidence_checks.largest_by_chance(pd.Series([16.0, 1.0]), 3.0) == {}
    assert evidence_checks.largest_by_chance(runs[:0], 3.0) == {}


def test_gaps_between_bounds():
    rows = [("t", 0.3, 0.4, 2.0), ("a", 0.3, 0.4, -1.6), ("b", 0.3, 0.4, -1.4)]
    rows += [("t", 0.1, nan, 1.0), ("c", 0.0, 0.0, -1.1e-5), ("d", 0.0, 0.0, -9e-6)]
    rows += [("e", 0.1, nan, -0.9)]
    columns = ["structure", "lower_error", "upper_error", "gap"]
    table = pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=1)
    bounds = evidence_checks.sandwich_gaps(table).sort_index()
    assert bounds["error"].tolist() == pytest.approx([0.5, 0.5, 0.5, nan, 0, 0, nan], nan_ok=True)
    assert bounds.index[bounds["crossed"]].tolist() == [1, 4]
    assert bounds.index[bounds["largest"]].tolist() == [0]
