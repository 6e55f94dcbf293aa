"""What a posterior says of causes and of pairs of variables, against sums written out."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from latentdag import Family, enumerate_structures
from latentdag.study.own_data import marginals
from latentdag.study.schema.candidates import name
from latentdag.study.schema.columns import TABLES

OBSERVED = (2, 4, 3)
NAMES = ["job", "party", "age"]
# the names of two families, as in a table of several; causes of 2 and of 3 states
KNOWN = {
    name(s.without_childless(), True): s
    for hidden in ((3, 2), (2, 2))
    for s in enumerate_structures(Family(hidden, OBSERVED))
}
RNG = np.random.default_rng(5)
MASS = {m: dict(zip(KNOWN, RNG.dirichlet(np.ones(len(KNOWN))), strict=True)) for m in ("bic", "vb")}
POSTERIOR = pd.DataFrame(
    [(0, 60, s, m, p) for m in MASS for s, p in MASS[m].items()],
    columns=TABLES["posterior"].columns,
).sample(frac=1, random_state=1)


def parents(structure):
    """The hidden parents of each observed variable, read off the name."""
    return [set(part) - {"0"} for part in structure.split(" ")[0].split("-")]


def test_pairs_that_share_a_cause_are_summed_over_all_structures():
    found = marginals.links(POSTERIOR, KNOWN, NAMES)
    pairs = [(i, j, m) for i, j in combinations(range(3), 2) for m in ("bic", "vb")]
    assert len({round(p, 9) for p in found["probability"]}) == 6
    for row, (i, j, m) in zip(found.itertuples(index=False), pairs, strict=True):
        expected = sum(p for s, p in MASS[m].items() if parents(s)[i] & parents(s)[j])
        assert row[:3] == (NAMES[i], NAMES[j], m)
        assert row.probability == pytest.approx(expected)


def test_causes_are_those_with_children_by_their_states():
    found = marginals.causes(POSTERIOR, KNOWN)
    by_states = {(r.causes, r.method): (r.n_causes, r.probability) for r in found.itertuples()}
    assert found["causes"].unique().tolist() == ["none", "2", "3", "2,2", "2,3"]
    for (states, m), (n_causes, probability) in by_states.items():
        # a name ends with the states of its causes, in the order of their labels
        ends = {f"({states})", f"({','.join(reversed(states.split(',')))})"}
        own = [p for s, p in MASS[m].items() if s.split(" ")[1] in ends]
        assert probability == pytest.approx(sum(own))
        assert n_causes == (0 if states == "none" else states.count(",") + 1)


def causes_of_class(name: str) -> int:
    """How many causes of a structure have two children or more."""
    own = parents(name)
    return sum(sum(cause in p for p in own) > 1 for cause in set().union(*own))


def test_a_cause_of_one_variable_is_none_of_its_class():
    found = marginals.causes(POSTERIOR, KNOWN)
    numbers = marginals.number_of_causes(found)
    for k, row in numbers.iterrows():
        for m in MASS:
            own = (p for s, p in MASS[m].items() if causes_of_class(s) == k)
            assert row[m] == pytest.approx(sum(own))
    sums = found.groupby("method")[["probability", "of_classes"]].sum()
    assert sums.to_numpy() == pytest.approx(1)
    assert (found["probability"] - found["of_classes"]).abs().max() > 0.01


def test_a_method_without_a_score_has_no_probability():
    """And one structure without a score counts as not there."""
    lost = POSTERIOR["method"] == "vb"
    first = POSTERIOR["structure"] == "1-1-1 (2)"
    table = POSTERIOR.assign(probability=POSTERIOR["probability"].mask(lost | first))
    for found in (marginals.causes(table, KNOWN), marginals.links(table, KNOWN, NAMES)):
        assert found.loc[found["method"] == "vb", "probability"].isna().all()
        assert found.loc[found["method"] == "bic", "probability"].notna().all()
    of_one = marginals.causes(table, KNOWN).set_index(["causes", "method"])["probability"]
    full = marginals.causes(POSTERIOR, KNOWN).set_index(["causes", "method"])["probability"]
    gone = full["2", "bic"] - of_one["2", "bic"]
    assert gone == pytest.approx(MASS["bic"]["1-1-1 (2)"])
