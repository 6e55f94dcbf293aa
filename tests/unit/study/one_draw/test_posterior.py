"""Posteriors over structures and over classes of equal distributions, and the reliability of what
they state, against plain sums.

`made_up.CLASSES` has a class of three, the true structure's of two, and one of one.
"""

from itertools import combinations
from math import exp, log, nan

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import CLASSES, IN_ORDER, TRUE, assert_rows, assert_table, by_structure, named, of_draw

from latentdag.study.one_draw import posterior as module
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.reliability_counts import reliability_counts
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores_with_gaps()
STRUCTURES = made_up.structures_table()
NAMES = ("0-0-0", "1-1-2", "12-12-12")  # of classes, as the first of their members come in order
KEYS = made_up.ran(("bic", "cs", "bic_ml", "vb", "ais", "exact", "reference"))
PRIOR = {s: log(k / 21) for k, s in enumerate(CLASSES, start=1)}


def shares(scores, prior=None):
    """exp(score) of each, times its prior, over their sum."""
    worth = {s: v + (prior or {}).get(s, 0.0) for s, v in scores.items()}
    weights = {s: exp(v - max(worth.values())) for s, v in worth.items()}
    return {s: w / sum(weights.values()) for s, w in weights.items()}


@pytest.mark.parametrize("prior", [None, PRIOR], ids=["uniform", "given"])
def test_the_posterior_over_structures(prior):
    table = posterior(SCORES, None if prior is None else pd.Series(prior))
    expected = {}
    for key in KEYS:
        at = dict(zip(("draw", "n", "method"), key, strict=True))
        p = shares(by_structure(SCORES, **at), prior)
        for s in IN_ORDER:
            expected[*key, s] = {"probability": p.get(s)}
            if prior:
                expected[*key, s]["prior"] = exp(prior[s])
    assert_rows(table.set_index(["draw", "n", "method", "structure"]), expected)
    assert list(table) == [*TABLES["posterior"].columns, *["prior"][: prior is not None]]


@pytest.mark.parametrize("prior", [None, PRIOR], ids=["uniform", "given"])
def test_the_posterior_over_classes(prior):
    """A prior over structures does not enter the column of equally probable classes."""
    table = classes(SCORES, STRUCTURES, None if prior is None else pd.Series(prior))
    expected, partly = {}, 0
    for key in KEYS:
        scores = by_structure(SCORES, **dict(zip(("draw", "n", "method"), key, strict=True)))
        p, alone = shares(scores, prior), shares(scores)
        members = {c: [s for s in scores if CLASSES[s] == c] for c in NAMES}
        means = {c: sum(alone[s] for s in of) / len(of) for c, of in members.items() if of}
        for c, of in members.items():
            expected[*key, c] = {
                "members": len(of),
                "probability": sum(p[s] for s in of) if of else None,
                "equal_classes": means[c] / sum(means.values()) if of else None,
            }
            partly += 0 < len(of) < list(CLASSES.values()).count(c)
    assert_rows(table.set_index(["draw", "n", "method", "class"]), expected)
    assert partly > 3
    assert sum(row["probability"] is None for row in expected.values()) == 4


def test_equal_masses_are_no_higher_whatever_the_order_of_their_members():
    rng = np.random.default_rng(0)
    numbers = np.array([0, 0, 0, 1, 1, 1, 2])
    by_order = 0
    for scores in rng.normal(size=(50, 3)):
        values = np.array([*scores, *scores[::-1], nan])
        first, second, none = module.log_masses(values, numbers)
        assert first == second and none == -np.inf
        by_order += np.logaddexp.reduce(scores) != np.logaddexp.reduce(scores[::-1])
    assert by_order > 5  # of these sums rounding depends on the order
    many = rng.normal(size=(3, 4, 5))
    masses = module.log_masses(many, np.array([1, 0, 2, 1, 1]))
    expected = [many[..., [1]], many[..., [0, 3, 4]], many[..., [2]]]
    assert np.exp(masses) == pytest.approx(np.stack([np.exp(v).sum(-1) for v in expected], -1))


def test_a_structure_that_the_table_lacks_is_named_and_nothing_comes_of_nothing():
    with pytest.raises(KeyError, match="0-1-1"):
        classes(SCORES, STRUCTURES[STRUCTURES["structure"] != "0-1-1"])
    for empty in (SCORES.iloc[:0], SCORES[SCORES["method"] == "map"]):
        assert list(classes(empty, STRUCTURES)) == list(TABLES["classes"].columns)
        assert list(posterior(empty)) == list(TABLES["posterior"].columns)
        assert classes(empty, STRUCTURES).empty and posterior(empty).empty


# ---- reliability

STATED = made_up.scores()
CERTAIN = (STATED["method"] == "vb") & (STATED["n"] == 80) & (STATED["structure"] == TRUE)
STATED["score"] += 900.0 * CERTAIN
# whether the observed variables 1 and 2, 1 and 3, 2 and 3 have a parent in common
SHARING = {
    s: [bool({*a} & {*b} - {"0"}) for a, b in combinations(s.split("-"), 2)] for s in IN_ORDER
}


def statements(draw, n, method):
    """What each statement is about, its probability, and whether it is true."""
    scores = by_structure(STATED, draw=draw, n=n, method=method)
    p = dict.fromkeys(IN_ORDER, 0.0) | shares(scores)
    for s in p:
        yield "structure", p[s], s == TRUE
    for c in set(CLASSES.values()):
        yield "class", sum(p[s] for s in p if CLASSES[s] == c), c == CLASSES[TRUE]
    for i in range(3):
        yield "shared cause", sum(p[s] for s in p if SHARING[s][i]), SHARING[TRUE][i]


@pytest.mark.parametrize("draw", [0, 1])
def test_the_counts_of_one_draw(draw):
    """Number of statements, sum of their probabilities and number that are true, in order."""
    expected = {}
    for n, m in [(n, m) for d, n, m in KEYS if d == draw]:
        for what, p, true in sorted(statements(draw, n, m)):
            key = n, m, what, min(int(p * 10 + 1e-12), 9)  # tenths; 1 is in the last
            number, total, count = expected.get(key, (0, 0.0, 0))
            expected[key] = number + 1, total + p, count + true
    expected = named(("number", "sum_probability", "number_true"), expected)
    counts = reliability_counts(of_draw(STATED, draw), STRUCTURES, TRUE)
    assert set(counts["draw"]) == {draw}
    assert_table("reliability_counts", counts, ["n", "method", "what", "bin"], expected)
