"""Reliability of statements about structures, by plain loops over made-up scores."""

from itertools import combinations
from math import exp

import made_up
import numpy as np
import pandas as pd
import pytest

from latentdag import enumerate_structures
from latentdag.scores import METHODS, SPECS
from latentdag.study.many_draws.population import share
from latentdag.study.many_draws.reliability import reliability
from latentdag.study.one_draw.reliability_counts import EDGES, reliability_counts, sharing
from latentdag.study.schema.columns import TABLES

STRUCTURES = made_up.structures_table()
KINDS = ("structure", "class", "shared cause")
# pairs of observed variables (1, 2), (1, 3), (2, 3) with a common parent, by eye
SHARING = {
    "1-1-0": (1, 0, 0),
    "0-0-0": (0, 0, 0),
    "1-12-2": (1, 0, 1),
    "1-1-2": (1, 0, 0),
    "12-12-12": (1, 1, 1),
    "0-1-1": (0, 0, 1),
}


def statements(draw: int, table: pd.DataFrame):
    """n, method, kind, probability, and whether it is true: of each statement."""
    own = made_up.rows(table, draw=draw)
    for n in made_up.SIZES:
        for m in made_up.METHODS:
            scores = {r["structure"]: r["score"] for r in own if r["n"] == n and r["method"] == m}
            scores = {s: v for s, v in scores.items() if v is not None}
            if not scores or not SPECS[m].posterior:
                continue
            total = sum(exp(v + n) for v in scores.values())
            p = {s: exp(scores[s] + n) / total if s in scores else 0.0 for s in SHARING}
            for s in SHARING:
                yield n, m, "structure", p[s], s == made_up.TRUE
            for c in set(made_up.CLASSES.values()):
                mass = sum(p[s] for s in p if made_up.CLASSES[s] == c)
                yield n, m, "class", mass, c == made_up.CLASSES[made_up.TRUE]
            for i in range(3):
                mass = sum(p[s] for s in p if SHARING[s][i])
                yield n, m, "shared cause", mass, bool(SHARING[made_up.TRUE][i])


def binned(draws, table):
    found = {}
    for draw in draws:
        for n, m, what, p, true in statements(draw, table):
            place = min(int(p * 10 + 1e-12), 9)
            number, total, count = found.get((n, METHODS.index(m), what, place), (0, 0.0, 0))
            found[n, METHODS.index(m), what, place] = number + 1, total + p, count + true
    return dict(sorted(found.items()))


def of_draw(table, draw):
    return reliability_counts(table[table["draw"] == draw], STRUCTURES, made_up.TRUE)


@pytest.mark.parametrize("draw", [0, 1])
def test_the_counts_by_plain_loops(draw):
    table = made_up.scores()
    found, right = of_draw(table, draw), binned([draw], table)
    assert list(found.columns) == list(TABLES["reliability_counts"].columns)
    assert set(found["draw"]) == {draw} and set(found["what"]) == set(KINDS)
    keys = [(n, METHODS[m], what, b) for n, m, what, b in right]
    names = ["n", "method", "what", "bin"]
    assert [tuple(row) for row in found[names].to_numpy()] == keys
    values = found[["number", "sum_probability", "number_true"]].to_numpy(float)
    assert values == pytest.approx(np.array(list(right.values()), dtype=float), abs=1e-12)
    # each method names one true structure and one true class
    total = found.groupby(["n", "method", "what"])["number_true"].sum().unstack()
    assert (total[["structure", "class"]] == 1).all(axis=None)
    assert (total["shared cause"] == 2).all()


def test_all_draws_joined_by_plain_loops():
    table = made_up.scores(draws=range(6))
    counts = [of_draw(table, draw) for draw in (3, 1, 0, 5, 2, 4)]
    found, right = reliability(pd.concat(counts)), binned(range(6), table)
    assert list(found.columns) == list(TABLES["reliability"].columns)
    keys = [(n, METHODS[m], what, b) for n, m, what, b in right]
    assert [tuple(row) for row in found[["n", "method", "what", "bin"]].to_numpy()] == keys
    for row, (number, total, true) in zip(found.to_dict("records"), right.values(), strict=True):
        assert row["number"] == number
        assert row["mean_probability"] == pytest.approx(total / number)
        ends = row["share_true"], row["low"], row["high"]
        assert ends == share(true, number) and ends[0] == true / number


def test_bins_are_tenths_and_one_is_in_the_last():
    bins = np.digitize([0.0, 0.0999999, 0.1, 0.3, 0.7, 0.9, 0.95, 1.0, 1.0 + 1e-15], EDGES)
    assert bins.tolist() == [0, 0, 1, 3, 7, 9, 9, 9, 9]


def test_a_common_cause_of_every_structure():
    for structure in enumerate_structures():
        parents = [set(p) for p in structure.parents]
        right = [bool(a & b) for a, b in combinations(parents, 2)]
        assert sharing(structure.label) == right
    assert sharing("0-0") == [False] and sharing("12-2-3") == [True, False, False]
