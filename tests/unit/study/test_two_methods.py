"""Reference and bridge held against each other: every number by hand, of a small table."""

from math import exp, hypot, nan, sqrt

import pandas as pd
import pytest

from latentdag.study.one_draw.distances import order_correlation
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.one_draw.score_arrays import structure_arrays
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.evidence import evidence, with_evidence
from latentdag.study.schema.two_methods import agreement, compared, disagreements, taken

# draw, n, structure, method, score, standard error, runs
ROWS = [
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
# more exact and agreed, but
NOT_TAKEN = [
    (2, 80, "f", "reference", -10.0, 0.3, 16),
    (2, 80, "f", "bridge", -10.0, 0.1, 7),  # too few runs
    (2, 80, "g", "reference", -10.0, 0.3, 7),  # the same of the reference
    (2, 80, "g", "bridge", -10.0, 0.1, 8),
    (2, 80, "h", "reference", -10.0, 0.5, 16),
    (2, 80, "h", "bridge", -10.0, 0.36, 8),  # runs that spread by more than a nat
]
COLUMNS = ["draw", "n", "structure", "method", "score", "standard_error", "restarts"]


def table(rows):
    return pd.DataFrame(rows, columns=COLUMNS).reindex(columns=TABLES["scores"].columns)


@pytest.fixture
def scores():
    return table(ROWS)


def test_the_pairs_that_have_both(scores):
    found = compared(scores)
    assert list(found.index) == [(0, 80, "a"), (0, 480, "a"), (0, 480, "b"), (1, 80, "a")]
    assert found["difference"].tolist() == pytest.approx([-0.5, -0.65, 0.1, 2.0])
    errors = [0.5, 0.13, hypot(0.3, 0.1), 0.5]
    assert found["error"].tolist() == pytest.approx(errors)
    assert found["z"].tolist() == pytest.approx([-1.0, -5.0, 0.1 / errors[2], 4.0])
    assert found["bridge_error"].tolist() == [0.4, 0.05, 0.1, 0.4]


def test_agreement_by_size(scores):
    found = agreement(compared(scores))
    assert list(found.index) == [80, 480]
    assert found["pairs"].tolist() == [2, 2]
    assert found["mean"].tolist() == pytest.approx([0.75, -0.275])
    expected = [sqrt(17 / 2), sqrt((25 + 0.1) / 2)]
    assert found["mean_square"].tolist() == pytest.approx(expected)
    assert found["beyond"].tolist() == [1, 1]
    assert found["largest"].tolist() == pytest.approx([4.0, -5.0])
    assert found["structure"].tolist() == ["a", "a"]
    assert found["bridge"].tolist() == [0, 1]


def test_those_that_do_not_agree_the_farthest_first(scores):
    assert list(disagreements(compared(scores)).index) == [(0, 480, "a"), (1, 80, "a")]


def test_the_more_exact_of_two_that_agree(scores):
    rows = [
        (0, 480, "b", -19.9, 0.1, "bridge"),
        (0, 80, "a", -10.0, 0.3, "reference"),
        (1, 80, "a", -11.0, 0.3, "reference"),
        (0, 480, "a", -30.0, 0.12, "reference"),
        (0, 480, "c", -30.0, 0.0, "reference"),
        (0, 80, "c", -12.0, 0.2, "reference"),
        (0, 80, "e", nan, nan, "reference"),
    ]
    expected = pd.DataFrame(rows, columns=TABLES["evidence"].columns)
    pd.testing.assert_frame_equal(evidence(scores), expected)


def test_statistics_read_the_evidence_as_the_reference(scores):
    expected = scores[scores["method"] != "bridge"].copy()
    expected.loc[1, ["score", "standard_error"]] = -19.9, 0.1
    pd.testing.assert_frame_equal(with_evidence(scores, evidence(scores)), expected)
    assert scores.loc[1, "score"] == -20.0  # the table itself stays
    pd.testing.assert_frame_equal(with_evidence(expected, evidence(expected)), expected)
    # every row by its own draw, size and structure, whatever their order and number
    known = evidence(scores).assign(log_evidence=range(7), standard_error=0.5)
    read = with_evidence(scores, known.iloc[:0:-1])
    assert read["score"].tolist() == [-20.0, 1, 2, 3, 4, 5, 6, -15.0, -25.0]
    assert read["standard_error"].tolist()[:7] == [0.3, *[0.5] * 6]


def test_without_a_reference_the_scores_are_read_without_the_bridge(scores):
    others = scores[scores["method"] != "reference"]
    expected = scores[scores["method"] == "vb"]
    assert evidence(others).empty
    pd.testing.assert_frame_equal(with_evidence(others, evidence(others)), expected)
    pd.testing.assert_frame_equal(with_evidence(others, None), expected)


def test_what_could_be_chance_is_not_taken():
    scores = table(NOT_TAKEN)
    pairs = compared(scores)
    assert (pairs["bridge_error"] < pairs["reference_error"]).all() and (pairs["z"] == 0).all()
    assert taken(pairs).empty
    assert evidence(scores)["method"].tolist() == ["reference"] * 3
    assert evidence(scores)["standard_error"].tolist() == [0.3, 0.3, 0.5]
    # as many runs of the bridge as are counted here, and not of the reference
    better = pairs.assign(bridge_error=0.3, bridge_runs=9.0, reference_runs=16.0)
    assert taken(better).index.get_level_values("structure").tolist() == ["h"]


def test_every_statistic_has_that_evidence(scores):
    """Errors, ranks and posteriors of both structures at n = 480, where the bridge moves one by
    0.1 nats; and no row of the bridge.
    """
    structures = pd.DataFrame({"structure": ["a", "b", "c"], "class": ["A", "B", "B"]})
    own = scores[(scores["draw"] == 0) & (scores["n"] == 480)]
    own = with_evidence(own, evidence(own))
    found = errors(own)
    assert found[["method", "structure"]].to_numpy().tolist() == [["vb", "b"]]
    assert found["error_nats"].tolist() == pytest.approx([-25.0 + 19.9])
    assert found["standard_error"].tolist() == pytest.approx([0.1])
    ranked = ranks(own, "b", 0, structures).set_index("method")
    assert set(ranked.index) == {"vb", "reference"}
    assert ranked.loc["reference", "score_true"] == -19.9
    arrays = structure_arrays(own, structures, "b")
    assert arrays.methods == ["vb", "reference"]
    assert arrays.reference.tolist() == [[-30.0, -19.9, -30.0]]
    assert arrays.reference_error.tolist() == [[0.12, 0.1, 0.0]]
    assert order_correlation(own).empty  # no score of several structures
    by_mass = exp(-30.0 + 19.9)
    p = posterior(own).set_index(["method", "structure"])["probability"]
    assert p["reference", "a"] == pytest.approx(by_mass / (1 + 2 * by_mass))
    p = classes(own, structures).set_index(["method", "class"])["probability"]
    assert p["reference", "A"] == pytest.approx(by_mass / (1 + 2 * by_mass))
    assert "bridge" not in set(p.index.get_level_values("method"))
