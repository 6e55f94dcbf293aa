"""A column that is no variable of the model beside the states of the causes, case by case."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from latentdag import Counts, Family, Structure
from latentdag.analysis.fit import fit
from latentdag.data.counts import MISSING
from latentdag.study.own_data.fitted import beside_rows, cross_table

STRUCTURE = Structure.from_label("1-1-1", Family((2,), (2, 3, 2)))


@pytest.fixture(scope="module")
def cases():
    """Two groups that answer differently; a few values are missing, of the group too."""
    rng = np.random.default_rng(4)
    group = rng.integers(2, size=200)
    own = rng.random((200, 3)) < np.where(group[:, None] == 1, 0.85, 0.15)
    found = np.column_stack([own, group]).astype(int)
    found[:, 1] += found[:, 1] & (rng.random(200) < 0.5)
    found[rng.random((200, 4)) < 0.1] = MISSING
    found[:3, :3] = MISSING  # nothing is known of them but the group
    return found


def test_cases_are_counted_by_their_most_probable_states(cases):
    known = (cases[:, :3] != MISSING).any(axis=1)
    found = fit(Counts.of(cases[known, :3]), STRUCTURE, "map", restarts=4)
    rows = list(beside_rows("1-1-1", found, Counts.of(cases), "party", ["left", "right"]))
    p, *tables = (*found.parameters.hidden, *found.parameters.observed)
    expected = Counter()
    for *values, group in cases.tolist():
        if group == MISSING or set(values) == {MISSING}:
            continue
        joint = [
            p[s] * np.prod([t[s][v] for t, v in zip(tables, values, strict=True) if v != MISSING])
            for s in range(2)
        ]
        expected[["left", "right"][group], f"s1 = {1 + int(np.argmax(joint))}"] += 1
    assert {(r["value"], r["states"]): r["cases"] for r in rows} == expected
    assert len(rows) == 4 and sum(expected.values()) < 200 - 3
    assert max(expected.values()) > 60 > 20 > min(expected.values())  # the groups are told apart
    assert {(r["structure"], r["variable"]) for r in rows} == {("1-1-1", "party")}


def test_the_crossed_table_keeps_the_order_and_leaves_out_empty_states():
    rows = [("b", "s1 = 2", 3), ("b", "s1 = 1", 0), ("b", "s1 = 3", 0)]
    rows += [("a", "s1 = 2", 0), ("a", "s1 = 1", 7), ("a", "s1 = 3", 0)]
    found = cross_table(pd.DataFrame(rows, columns=["value", "states", "cases"]))
    assert found.index.tolist() == ["s1 = 2", "s1 = 1"]
    assert found.columns.tolist() == ["b", "a"]
    assert found.to_numpy().tolist() == [[3, 0], [0, 7]]
