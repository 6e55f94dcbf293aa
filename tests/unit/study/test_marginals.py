"""What a posterior says of causes and of pairs of variables, against sums written out."""

from itertools import combinations
from math import exp, nan

import numpy as np
import pandas as pd
import pytest
from made_up import assert_rows, named

from latentdag import Family, Structure, enumerate_structures
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


def drawn():
    """Probabilities of the structures."""
    return dict(zip(KNOWN, RNG.dirichlet(np.ones(len(KNOWN))), strict=True))


MASS = {"bic": drawn(), "vb": drawn()}


def posterior_table(mass):
    rows = [(0, 60, s, m, p) for m, own in mass.items() for s, p in own.items()]
    table = pd.DataFrame(rows, columns=TABLES["posterior"].columns)
    return table.sample(frac=1, random_state=1)


POSTERIOR = posterior_table(MASS)


def parents(name):
    """The hidden parents of each observed variable, read off the name."""
    return [set(part) - {"0"} for part in name.split(" ")[0].split("-")]


def causes_of_class(name):
    """How many causes of a structure have two children or more."""
    own = parents(name)
    return sum(sum(cause in p for p in own) > 1 for cause in set().union(*own))


def states(name):
    """The states that a name ends with, sorted."""
    return ",".join(sorted(name.partition("(")[2].strip(")").split(",")))


def total(mass, condition):
    return sum(p for s, p in mass.items() if condition(s))


def test_causes_are_those_with_children_by_their_states():
    """Those of a class are the causes of two variables or more."""
    found = marginals.causes(POSTERIOR, KNOWN)
    expected = {
        (own, m): {
            "n_causes": 0 if own == "none" else own.count(",") + 1,
            "probability": total(MASS[m], lambda s, own=own: states(s) == own),
        }
        for own in ("none", "2", "3", "2,2", "2,3")
        for m in ("bic", "vb")
    }
    assert_rows(found.set_index(["causes", "method"]), expected)
    numbers = {
        k: {m: total(MASS[m], lambda s, k=k: causes_of_class(s) == k) for m in MASS}
        for k in (0, 1, 2)
    }
    assert_rows(marginals.number_of_causes(found), numbers)
    assert numbers[1]["vb"] > 0.01 + sum(expected[own, "vb"]["probability"] for own in "23")


def test_pairs_that_share_a_cause_are_summed_over_all_structures():
    found = marginals.links(POSTERIOR, KNOWN, NAMES)
    expected = {
        (NAMES[i], NAMES[j], m): {
            "probability": total(MASS[m], lambda s, i=i, j=j: parents(s)[i] & parents(s)[j])
        }
        for i, j in combinations(range(3), 2)
        for m in ("bic", "vb")
    }
    assert_rows(found.set_index(["first_name", "second_name", "method"]), expected)


def test_causes_that_no_class_has():
    """One of two causes is absorbed; without a score there is no probability either."""
    known = {"1-2-2 (2,3)": Structure.from_label("1-2-2", Family((2, 3), OBSERVED))}
    table = posterior_table({"bic": {"1-2-2 (2,3)": 1.0}, "vb": {"1-2-2 (2,3)": nan}})
    names, lost = ("probability", "of_classes"), (nan, nan)
    expected = {
        ("3", "bic"): (0, 1),
        ("3", "vb"): lost,
        ("2,3", "bic"): (1, 0),
        ("2,3", "vb"): lost,
    }
    found = marginals.causes(table, known).set_index(["causes", "method"])
    assert_rows(found, named(names, expected))
    shared = marginals.links(table, known, NAMES)
    assert shared.groupby("method")["probability"].agg(list)["bic"] == [0, 0, 1]
    assert shared.loc[shared["method"] == "vb", "probability"].isna().all()


@pytest.mark.parametrize("estimated", [True, False])
def test_marginals_under_several_alphas(estimated):
    """Each from the posterior under that alpha, whose prior over structures is the study's own.
    Empirical Bayes has the alpha of its most probable structure, and comes last.
    """
    beforehand, estimate = drawn(), drawn()
    of_alpha = {  # ln p(cases)
        alpha: {m: {s: 2 * RNG.normal() for s in KNOWN} for m in ("vb", "cs")}
        for alpha in (4.0, 0.25)
    }
    prior = [
        (0, 60, alpha, s, m, value, nan)
        for alpha, own in of_alpha.items()
        for m, values in own.items()
        for s, value in values.items()
    ]
    posteriors = posterior_table(MASS | ({"vb_eb": estimate} if estimated else {}))
    best = list(KNOWN).index(max(estimate, key=estimate.get))
    scores = [(s, m, i + (m == "ml"), 2 * i) for i, s in enumerate(KNOWN) for m in ("ml", "vb_eb")]
    found = marginals.marginals_by_alpha(
        pd.DataFrame(prior, columns=TABLES["prior"].columns).sample(frac=1, random_state=2),
        posteriors.assign(prior=posteriors["structure"].map(beforehand)),
        pd.DataFrame(scores, columns=["structure", "method", "alpha", "alpha_hidden"]),
        **{"methods": ["vb"], "alpha": 1.0, "alpha_hidden": 0.5, "known": KNOWN, "names": NAMES},
    )
    masses = [(1.0, 0.5, "vb", MASS["vb"])]
    for alpha, own in of_alpha.items():
        weights = {s: exp(value) * beforehand[s] for s, value in own["vb"].items()}
        mass = {s: weight / sum(weights.values()) for s, weight in weights.items()}
        masses.append((alpha, 0.5, "vb", mass))
    masses.sort(key=lambda row: row[0])
    if estimated:
        masses.append((best, 2 * best, "vb_eb", estimate))
    parts = [
        marginals.causes_and_links(posterior_table({m: mass}), KNOWN, NAMES).assign(
            alpha=alpha, alpha_hidden=alpha_hidden
        )
        for alpha, alpha_hidden, m, mass in masses
    ]
    expected = pd.concat(parts, ignore_index=True)[list(TABLES["alpha"].columns)]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_links_of_structures_whose_causes_have_other_numbers_of_states():
    """Causes have no other names then; the third structure has one cause once absorbed."""
    other = Family((2, 3), (3,) * 4)
    named = {
        "d": Structure.from_label("1-1-2-2", other),
        "e": Structure.from_label("2-2-1-1", other),
        "c": Structure.from_label("1-1-1-2", Family((2, 2), (3,) * 4)),
    }
    mass = pd.Series({"c": 0.1, "e": 0.15, "d": 0.25, "none": 0.0})
    unequal, one = marginals.most_probable_links(mass, named, 9)
    assert (unequal.causes, one.causes) == ((2, 3), (2,))
    assert unequal.probability == pytest.approx(0.4)
    assert (unequal.best, unequal.best_probability) == ("d", 0.25)
    assert unequal.links.parents == ((0, 1),) * 4
    own = {(0, j): 0.625 if j < 2 else 0.375 for j in range(4)}
    own |= {(1, j): 0.375 if j < 2 else 0.625 for j in range(4)}
    assert unequal.shares == pytest.approx(own)
    assert one.links.parents == ((0,), (0,), (0,), ()) and one.best == "c"
    assert len(marginals.most_probable_links(mass, named, 1)) == 1


def test_most_probable_structures_make_up_99_percent():
    masses = pd.DataFrame(
        {"vb": [0.004, 0.6, 0.388, nan, 0.008], "bic": [0.988, 0.002, 0.001, 0.009, 0.0]},
        index=list("abcde"),
    )
    assert marginals.most_probable(masses, "vb", 9).index.tolist() == ["b", "c", "e"]  # 0.996
    assert marginals.most_probable(masses, "vb", 2).index.tolist() == ["b", "c"]
    assert marginals.most_probable(masses, "bic", 9).index.tolist() == ["a", "d"]


def test_pairs_that_almost_certainly_share_a_cause_or_do_not():
    rows = [("a", "b", 0.95), ("a", "c", 0.94), ("b", "c", 1 - 0.95), ("b", "d", 0.06)]
    table = pd.DataFrame(rows, columns=["first_name", "second_name", "probability"])
    assert marginals.certain_pairs(table) == (4, [("a", "b")], [("b", "c")])


def test_more_parameters_than_the_table_has_degrees_of_freedom():
    """23 is not more than 23."""
    family, more = Family((2, 2), OBSERVED), {"12-12-12": 26, "1-12-12": 24}
    known = {label: Structure.from_label(label, family) for label in (*more, "0-12-12", "1-1-1")}
    assert marginals.more_than_the_table(known) == more
