"""Posteriors over classes of equal distributions, against plain loops over the rows of a table.

`made_up.CLASSES` has a class of three, the true structure's of two, and one of one.
"""

from math import exp, isnan, log, nan

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import CLASSES, TRUE

from latentdag import enumerate_structures
from latentdag.engine.streams import generator
from latentdag.scores import METHODS, SPECS
from latentdag.study.one_draw import posterior as of_classes
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.ranks import rank_by_size, ranks
from latentdag.study.one_draw.sizes import found_for_good, sizes_for_good
from latentdag.study.schema.columns import TABLES

# in draw 0 a class of three that lacks a member, and the true structure's class without the true
# one; in draw 1 the latter without any
MISSING = {("bic", 80), ("cs", 480), ("reference", 10), ("ais", 1120)}
SCORES = made_up.scores(missing=MISSING)


def lost(draw, n, method, *labels):
    """The rows of some structures."""
    key = (SCORES["draw"] == draw) & (SCORES["n"] == n) & (SCORES["method"] == method)
    return key & SCORES["structure"].isin(labels)


SCORES.loc[lost(0, 480, "vb", "0-0-0"), "score"] = nan
SCORES.loc[lost(1, 480, "vb", TRUE, "1-1-2"), "score"] = nan
SCORES.loc[lost(1, 10, "cs", *CLASSES), "score"] = nan
SCORES.loc[lost(0, 10240, "vb", TRUE), "score"] -= 900  # exp of such a difference is 0
SCORES.loc[lost(0, 10240, "vb", "1-1-2", "12-12-12"), "score"] -= 1000
STRUCTURES = made_up.structures_table()
TABLE = classes(SCORES, STRUCTURES)
RANKS = ranks(SCORES, TRUE, 2003, STRUCTURES)
BELIEVED = [m for m in made_up.METHODS if SPECS[m].posterior]
KEYS = {
    (r["draw"], r["n"], r["method"]) for r in made_up.rows(SCORES, method=BELIEVED.__contains__)
}


def own_scores(draw, n, method):
    return {r["structure"]: r["score"] for r in made_up.rows(SCORES, draw=draw, n=n, method=method)}


def log_sums(own):
    """By class that has a score, ln of the sum of exp(score) over its members, and their number."""
    sums, counts = {}, {}
    for name in dict.fromkeys(CLASSES.values()):
        values = sorted(v for s, v in own.items() if CLASSES[s] == name and v is not None)
        if values:
            sums[name] = values[-1] + log(sum(exp(v - values[-1]) for v in values))
            counts[name] = len(values)
    return sums, counts


def shares(logarithms):
    """exp of each over their sum."""
    weights = {name: exp(v - max(logarithms.values())) for name, v in logarithms.items()}
    return {name: w / sum(weights.values()) for name, w in weights.items()}


def test_the_table_of_classes_by_plain_sums():
    found = {(r["draw"], r["n"], r["method"], r["class"]): r for r in made_up.rows(TABLE)}
    assert len(found) == len(TABLE) == len(KEYS) * 3
    partly = without = 0
    for key in KEYS:
        sums, counts = log_sums(own_scores(*key))
        for name in set(CLASSES.values()):
            row = found[*key, name]
            assert row["members"] == counts.get(name, 0)
            if name not in sums:
                assert row["probability"] is None and row["equal_classes"] is None
                without += 1
                continue
            partly += counts[name] < list(CLASSES.values()).count(name)
            assert row["probability"] == pytest.approx(shares(sums)[name])
            means = {c: v - log(counts[c]) for c, v in sums.items()}
            assert row["equal_classes"] == pytest.approx(shares(means)[name])
    assert partly > 3 and without == 4  # the true one's of VB in draw 1, and all three of CS
    order = [(r["draw"], r["n"], METHODS.index(r["method"])) for r in made_up.rows(TABLE)]
    assert order == sorted(order)
    names = TABLE.groupby(["draw", "n", "method"], sort=False)["class"].agg(list)
    # as the first of their members come by number of parameters
    assert all(own == ["0-0-0", "1-1-2", "12-12-12"] for own in names)


def test_a_class_is_as_probable_as_its_members_together():
    by_structure = posterior(SCORES)
    by_structure["class"] = by_structure["structure"].map(CLASSES)
    summed = by_structure.groupby(["draw", "n", "method", "class"])["probability"].sum()
    own = TABLE.set_index(["draw", "n", "method", "class"])["probability"].fillna(0.0)
    pd.testing.assert_series_equal(own.sort_index(), summed.sort_index(), atol=1e-12)


def test_a_prior_over_structures_enters_the_probability_alone():
    """And not the column of equally probable classes. A class is as probable as its members."""
    prior = {s: log(k) for k, s in enumerate(CLASSES, start=1)}
    found = classes(SCORES, STRUCTURES, pd.Series(prior))
    assert found["equal_classes"].equals(TABLE["equal_classes"])
    for row in made_up.rows(found):
        at = {key: row[key] for key in ("draw", "n", "method")}
        own = own_scores(*at.values())
        known = {s: v + prior[s] for s, v in own.items() if v is not None}
        members = [s for s in known if CLASSES[s] == row["class"]]
        if members:
            top = max(known.values())
            weight = {s: exp(v - top) for s, v in known.items()}
            expected = sum(weight[s] for s in members) / sum(weight.values())
            assert row["probability"] == pytest.approx(expected, abs=1e-12)


def test_ranks_of_the_class_by_plain_counting():
    found = {(r["draw"], r["n"], r["method"]): r for r in made_up.rows(RANKS)}
    ties = deep = 0
    for key, row in found.items():
        if key not in KEYS:
            assert row["class_rank"] is None and row["class_probability"] is None
            assert row["class_rank_low"] is None and row["class_rank_high"] is None
            assert row["best_class"] == ""
            continue
        sums, _ = log_sums(own_scores(*key))
        if not sums:
            assert row["best_class"] == "" and row["class_rank"] is None
            continue
        assert sums[row["best_class"]] == pytest.approx(max(sums.values()), abs=1e-12)
        if "1-1-2" not in sums:
            assert row["class_rank"] is None and row["class_probability"] is None
            continue
        true = sums["1-1-2"]
        assert row["class_rank"] == 1 + sum(v > true + 1e-9 for v in sums.values())
        deep += max(sums.values()) - true > 800
        assert row["class_probability"] == pytest.approx(shares(sums)["1-1-2"])
        ties += len({round(v, 9) for v in sums.values()}) < len(sums)
    assert ties > 0 and deep == 1
    # the structure has no score, its class has one
    row = found[0, 80, "bic"]
    assert row["rank"] is None and row["class_rank"] is not None


def test_its_ends_come_from_the_redrawn_scores_of_the_structures():
    """The stream and the order are those of the structure's own ends."""
    ordered = sorted(CLASSES, key=lambda s: (made_up.STRUCTURES[s], s))
    wider = moved = 0
    for row in made_up.rows(RANKS, method=lambda m: SPECS[m].monte_carlo):
        key = row["draw"], row["n"], row["method"]
        rows = {
            r["structure"]: r for r in made_up.rows(SCORES, draw=key[0], n=key[1], method=key[2])
        }
        redrawn = []
        for z in generator(2003, "rank", *key).standard_normal((2000, 6)).tolist():
            own = {
                s: None
                if rows[s]["score"] is None
                else rows[s]["score"] + rows[s]["standard_error"] * e
                for s, e in zip(ordered, z, strict=True)
            }
            sums, _ = log_sums(own)
            redrawn.append(1 + sum(v > sums["1-1-2"] for v in sums.values()))
        redrawn.sort()
        low, high = redrawn[100], redrawn[1899]
        assert row["class_rank_low"] == min(row["class_rank"], low)
        assert row["class_rank_high"] == max(row["class_rank"], high)
        wider += low < high
        moved += (low, high) != (row["rank_low"], row["rank_high"])
    assert wider > 5 and moved > 5
    for row in made_up.rows(RANKS, method=lambda m: not SPECS[m].monte_carlo):
        assert row["class_rank"] == row["class_rank_low"] == row["class_rank_high"]


def test_equal_masses_are_no_higher_whatever_the_order_of_their_members():
    rng = np.random.default_rng(0)
    numbers = np.array([0, 0, 0, 1, 1, 1, 2])
    by_order = 0
    for own in rng.normal(size=(50, 3)):
        values = np.array([*own, *own[::-1], nan])
        first, second, none = of_classes.log_masses(values, numbers)
        assert first == second and none == -np.inf
        by_order += np.logaddexp.reduce(own) != np.logaddexp.reduce(own[::-1])
    assert by_order > 5  # of these sums rounding depends on the order
    # of two classes with one mass, the one of more members
    table = pd.DataFrame(
        [
            (0, 10, s, "vb", v, nan, d)
            for d, (s, v) in enumerate(zip("abc", (0, 0, 1), strict=True))
        ],
        columns=["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"],
    )
    known = pd.DataFrame({"structure": list("abc"), "class": ["a", "a", "c"]})
    of_two, alone = made_up.rows(classes(table, known))
    assert (of_two["members"], alone["members"]) == (2, 1)
    assert of_two["probability"] == pytest.approx(2 / (2 + exp(1)))
    assert of_two["equal_classes"] == pytest.approx(1 / (1 + exp(1)))


def test_many_sets_of_scores_at_once():
    scores = np.random.default_rng(0).normal(size=(3, 4, 5))
    numbers = np.array([1, 0, 2, 1, 1])
    found = of_classes.log_masses(scores, numbers)
    assert found.shape == (3, 4, 3)
    for c in range(3):
        expected = np.log(np.exp(scores[..., numbers == c]).sum(-1))
        assert found[..., c] == pytest.approx(expected)


def test_a_structure_that_the_table_lacks_is_named():
    known = STRUCTURES[STRUCTURES["structure"] != "0-1-1"]
    with pytest.raises(KeyError, match="0-1-1"):
        classes(SCORES, known)
    with pytest.raises(KeyError, match="0-1-1"):
        ranks(SCORES, TRUE, 2003, known)


def test_nothing_comes_of_nothing():
    columns = list(TABLES["classes"].columns)
    for empty in (SCORES.iloc[:0], SCORES[SCORES["method"] == "map"]):
        found = classes(empty, STRUCTURES)
        assert list(found.columns) == columns and found.empty


def test_found_for_good_by_class():
    own = RANKS[(RANKS["draw"] == 1) & RANKS["method"].isin(BELIEVED)]
    found = sizes_for_good(own, "class_rank")
    assert set(found) == set(BELIEVED) - {"exact"}
    assert found != sizes_for_good(own)
    for m, start in found.items():
        assert start == found_for_good(rank_by_size(own, "class_rank")[m].dropna())


def test_classes_in_place_of_structures():
    for prior in ("probability", "equal_classes"):
        found = of_classes.classes_as_posterior(TABLE, prior)
        assert list(found.columns) == list(TABLES["posterior"].columns)
        for mine, row in zip(made_up.rows(found), made_up.rows(TABLE), strict=True):
            assert (mine["structure"], mine["probability"]) == (row["class"], row[prior])
            assert (mine["draw"], mine["n"], mine["method"]) == (
                row["draw"], row["n"], row["method"],
            )  # fmt: skip


def test_members_of_the_papers_classes():
    """78 of 136 structures, in the order of the table of structures."""
    table = pd.DataFrame(
        [(s.label, s.absorbed().label) for s in enumerate_structures()],
        columns=["structure", "class"],
    )
    sizes = table["class"].tolist()
    assert of_classes.class_counts(table, "1-12-12-2") == {
        **{"structures": 136, "classes": 78, "largest": "0-0-0-0", "members": 15},
        **{"several": sum(sizes.count(name) > 1 for name in set(sizes))},
        **{"of_truth": "1-12-12-2", "others": []},
    }
    one = of_classes.class_counts(table, "1-1-12-1")
    assert one["of_truth"] == "1-1-1-1"
    assert one["others"] == ["1-1-1-1", "1-1-1-12", "1-12-1-1", "12-1-1-1"]
    # each is named by its member with the fewest parameters, which comes first
    assert all(table["structure"][table["class"] == s].iloc[0] == s for s in set(sizes))


def test_no_number_is_nan_where_a_class_has_a_score():
    assert not any(isnan(p) for p in TABLE.loc[TABLE["members"] > 0, "equal_classes"])
