"""Studies of one's own data: the table of structures, their names in it, the search for them;
what a posterior says of causes and of pairs of variables, against sums written
out; and rows about fits, on tables made by hand.
"""

import dataclasses
from collections import Counter
from itertools import product
from math import exp, log, nan, sqrt

import numpy as np
import pandas as pd
import pytest
from made_up import assert_rows, named

from latentdag import Counts, Family, Parameters, Structure, Table, enumerate_structures
from latentdag.analysis import fit_tables
from latentdag.analysis.fit import Fit
from latentdag.data.counts import MISSING
from latentdag.ranking.beam import Reached
from latentdag.ranking.names import name, structure_of
from latentdag.ranking.prior import class_of, log_prior, model_of
from latentdag.ranking.rank import all_structures
from latentdag.ranking.ranking import described, probable_links
from latentdag.scores.base import Score
from latentdag.study.own_data import fitted, marginals, searched
from latentdag.study.schema import candidates, tables
from latentdag.study.schema.columns import TABLES

OBSERVED = (2, 4, 3)


def of(label, hidden, observed=OBSERVED):
    return Structure.from_label(label, Family(hidden, observed))


def families(*hidden):
    return [Family(states, OBSERVED) for states in hidden]


def classes_of(table):
    """The structures that the names of the classes in the table of structures stand for."""
    pairs = zip(table["class"], table["hidden"], strict=True)
    return {name: structure_of(name, hidden, OBSERVED) for name, hidden in pairs}


def test_a_row_of_several_families():
    """Two causes, the first of one variable alone: the class has one cause, of two variables."""
    row = described(of("1-2-2", (2, 3)), several=True)
    assert classes_of(pd.DataFrame([row])) == {"0-1-1 (3)": of("0-1-1", (3,))}
    expected = {"structure": "1-2-2 (2,3)", "class": "0-1-1 (3)", "hidden": "2,3", "n_links": 3}
    expected["n_parameters"] = 1 + 2 + 2 * 1 + 3 * 3 + 3 * 2
    assert row == expected | {"dimension": 1 + 3 * 4 - 1}  # p(y1), and any 4 x 3 table


@pytest.mark.parametrize(
    ("hidden", "number"),
    [(((3, 2),), 64), (((2, 2),), 36), (((3, 2), (2, 3), (2, 2), (12,)), 1 + 3 * 7 + 7 * 7 + 28)],
)
def test_the_table_gives_its_structures_back(hidden, number, tmp_path):
    """Of several families each model once, in whatever order its causes are; sorted by their
    parameters.
    """
    several, structures = len(hidden) > 1, all_structures(families(*hidden))
    assert len(structures) == len(set(structures)) == number
    numbers = [s.without_childless().n_parameters for s in structures]
    assert numbers == sorted(numbers)
    tables.write(
        tmp_path / "structures.csv", "structures", [described(s, several) for s in structures]
    )
    table = tables.read(tmp_path / "structures.csv", "structures")
    assert list(candidates.by_name(table, OBSERVED).values()) == structures
    classes = classes_of(table)
    absorbed = {class_of(s) if several else s.absorbed() for s in structures}
    assert set(classes.values()) == absorbed and len(classes) < number
    if several:
        assert {"1-1-0 (12)", "0-0-0 (none)"} <= set(classes)
        assert all(set().union(*s.parents) == set(range(len(s.family.hidden))) for s in structures)
    else:
        assert set(structures) == set(enumerate_structures(*families(*hidden)))


@pytest.fixture
def search(monkeypatch):
    """What `searched` makes of made-up scores, by family and label."""

    def search(by_family, prior="structures", keep=99):
        def search_families(codes, families, method, **settings):
            assert (codes, method, settings) == ("codes", "bic", {"width": 4, "only_used": True})
            reached = []
            for rounds, family in enumerate(families, start=4):
                form = model_of if len(families) > 1 else Structure.canonical
                scores = [
                    Score(form(of(label, family.hidden)), value, method="bic")
                    for label, value in by_family[family.hidden].items()
                ]
                reached.append(Reached(family, scores, rounds))
            return reached

        monkeypatch.setattr(searched, "search_families", search_families)
        return searched.searched("codes", families(*by_family), prior, "bic", keep, width=4)

    return search


def test_as_many_structures_as_hold_nearly_all_are_kept(search):
    """exp(-4), exp(-8) and exp(-12) of the best: one other is needed for 99.9 %. They are in the
    order of the table of structures: by parameters.
    """
    scores = {"1-1-1": -3.0, "0-0-0": -15.0, "0-1-1": -7.0, "1-1-2": -11.0, "1-2-1": nan}
    structures, (row,) = search({(2, 2): scores})
    assert [s.label for s in structures] == ["0-1-1", "1-1-1"]
    share = (1 + exp(-4)) / sum(exp(-k) for k in (0, 4, 8, 12))
    expected = {"hidden": "2,2", "method": "bic", "rounds": 4, "scored": 5, "kept": 2}
    assert row == expected | {"probability": pytest.approx(share)} and share > 0.999
    structures, _ = search({(2, 2): scores}, keep=1)
    assert [s.label for s in structures] == ["1-1-1"]


def test_a_search_of_two_families_has_a_row_for_each(search):
    two, three = {"1-1-1": -3.0, "0-0-0": -4.0}, {"1-1-1": -3.2, "1-12-2": -3.4}
    structures, rows_of_search = search({(2,): two, (3, 2): three})
    expected = {of("1-1-1", (2,)), of("0-0-0", ()), of("1-1-1", (3,)), of("2-12-1", (2, 3))}
    assert set(structures) == expected
    weights = np.array([exp(0) + exp(-1), exp(-0.2) + exp(-0.4)])
    expected = {"hidden": ["2", "3,2"], "rounds": [4, 5], "scored": 2, "kept": 2}
    expected = pd.DataFrame(expected | {"probability": weights / weights.sum()})
    pd.testing.assert_frame_equal(pd.DataFrame(rows_of_search)[list(expected)], expected)


@pytest.mark.parametrize("prior", ["families", "classes"])
def test_the_prior_of_a_search_is_that_over_all_structures(search, prior):
    """Not over those found: one of the few structures with one cause has more of it."""
    scores = {"1-1-1": -9.0, "1-1-2": -3.0, "1-2-1": -3.1, "0-0-0": -9.5}
    structures, (row,) = search({(2, 2): scores}, prior, keep=2)
    priors = log_prior([of(label, (2, 2)) for label in scores], families((2, 2)), prior)
    worth = {s: v + p for (s, v), p in zip(scores.items(), priors, strict=True)}
    kept = sorted(worth, key=worth.get)[-2:]
    assert {s.label for s in structures} == set(kept)
    total = sum(map(exp, worth.values()))
    assert row["probability"] == pytest.approx(sum(exp(worth[s]) for s in kept) / total)


# ---- causes and pairs

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
    rows = [(0, 60, s, m, p) for m, of_method in mass.items() for s, p in of_method.items()]
    table = pd.DataFrame(rows, columns=TABLES["posterior"].columns)
    return table.sample(frac=1, random_state=1)


def states(structure_name):
    """The states that a name ends with, sorted."""
    return ",".join(sorted(structure_name.partition("(")[2].strip(")").split(",")))


def causes_of_class(structure_name):
    """How many causes of a structure have two children or more."""
    parents = structure_name.partition(" ")[0].split("-")
    return sum(sum(cause in p for p in parents) > 1 for cause in "12")


def test_causes_are_those_with_children_by_their_states():
    """Those of a class are the causes of two variables or more."""

    def total(m, condition):
        return sum(p for s, p in MASS[m].items() if condition(s))

    causes = marginals.causes(posterior_table(MASS), KNOWN)
    expected = {
        (of_name, m): {
            "n_causes": 0 if of_name == "none" else of_name.count(",") + 1,
            "probability": total(m, lambda s, of_name=of_name: states(s) == of_name),
        }
        for of_name in ("none", "2", "3", "2,2", "2,3")
        for m in ("bic", "vb")
    }
    assert_rows(causes.set_index(["causes", "method"]), expected)
    numbers = {
        k: {m: total(m, lambda s, k=k: causes_of_class(s) == k) for m in MASS} for k in (0, 1, 2)
    }
    assert_rows(marginals.number_of_causes(causes), numbers)
    assert numbers[1]["vb"] > 0.01 + sum(expected[states, "vb"]["probability"] for states in "23")


def test_causes_that_no_class_has():
    """One of two causes is absorbed; without a score there is no probability either."""
    structures = {"1-2-2 (2,3)": of("1-2-2", (2, 3))}
    table = posterior_table({"bic": {"1-2-2 (2,3)": 1.0}, "vb": {"1-2-2 (2,3)": nan}})
    names, lost = ("probability", "of_classes"), (nan, nan)
    expected = {("3", "bic"): (0, 1), ("3", "vb"): lost}
    expected |= {("2,3", "bic"): (1, 0), ("2,3", "vb"): lost}
    causes = marginals.causes(table, structures).set_index(["causes", "method"])
    assert_rows(causes, named(names, expected))
    shared = marginals.links(table, structures, NAMES)
    pairs = shared[shared["method"] == "bic"].drop(columns="method").to_numpy().tolist()
    assert pairs == [["job", "party", 0], ["job", "age", 0], ["party", "age", 1]]
    assert shared.loc[shared["method"] == "vb", "probability"].isna().all()


@pytest.mark.parametrize("estimated", [True, False])
def test_marginals_under_several_alphas(estimated):
    """Each from the posterior under that alpha, whose prior over structures is the study's own.
    Empirical Bayes has the alpha of its most probable structure, and comes last.
    """
    beforehand, estimate = drawn(), drawn()
    prior = [
        (0, 60, alpha, s, m, 2 * RNG.normal(), nan)
        for alpha, m, s in product((4.0, 0.25), ("vb", "cs"), KNOWN)
    ]
    prior = pd.DataFrame(prior, columns=TABLES["prior"].columns)
    posteriors = posterior_table(MASS | ({"vb_eb": estimate} if estimated else {}))
    best = list(KNOWN).index(max(estimate, key=estimate.get))
    scores = [(s, m, i + (m == "ml"), 2 * i) for i, s in enumerate(KNOWN) for m in ("ml", "vb_eb")]
    by_alpha = marginals.marginals_by_alpha(
        prior.sample(frac=1, random_state=2),
        posteriors.assign(prior=posteriors["structure"].map(beforehand)),
        pd.DataFrame(scores, columns=["structure", "method", "alpha", "alpha_hidden"]),
        methods=["vb"],
        alpha=1.0,
        alpha_hidden=0.5,
        structures_by_name=KNOWN,
        names=NAMES,
    )
    masses = {(1.0, 0.5, "vb"): MASS["vb"]}
    for alpha, rows_of_alpha in prior[prior["method"] == "vb"].groupby("alpha"):
        weights = np.exp(rows_of_alpha.set_index("structure")["score"]) * pd.Series(beforehand)
        masses[alpha, 0.5, "vb"] = (weights / weights.sum()).to_dict()
    masses = dict(sorted(masses.items()))
    if estimated:
        masses[best, 2 * best, "vb_eb"] = estimate
    parts = []
    for (alpha, alpha_hidden, m), mass in masses.items():
        of = posterior_table({m: mass})
        causes = marginals.causes(of, KNOWN).drop(columns="probability")
        causes = causes.rename(columns={"of_classes": "probability"})
        for part in (causes, marginals.links(of, KNOWN, NAMES)):
            parts.append(part.assign(alpha=alpha, alpha_hidden=alpha_hidden))
    expected = pd.concat(parts, ignore_index=True)[list(TABLES["alpha"].columns)]
    expected = expected.fillna(dict.fromkeys(("causes", "first_name", "second_name"), ""))
    pd.testing.assert_frame_equal(by_alpha, expected, check_dtype=False)


def test_links_of_structures_whose_causes_have_other_numbers_of_states():
    """Causes have no other names then; the third structure has one cause once absorbed."""
    other = Family((2, 3), (3,) * 4)
    structures = {
        "d": Structure.from_label("1-1-2-2", other),
        "e": Structure.from_label("2-2-1-1", other),
        "c": Structure.from_label("1-1-1-2", Family((2, 2), (3,) * 4)),
    }
    unequal, one = probable_links({"c": 0.1, "e": 0.15, "d": 0.25, "none": 0.0}, structures)
    assert (unequal.causes, one.causes) == ((2, 3), (2,))
    assert unequal.probability == pytest.approx(0.4)
    assert (unequal.best, unequal.best_probability) == ("d", 0.25)
    assert unequal.links.parents == ((0, 1),) * 4
    shares = {(i, j): 0.625 if (i == 0) == (j < 2) else 0.375 for i in (0, 1) for j in range(4)}
    assert unequal.shares == pytest.approx(shares)
    assert one.links.parents == ((0,), (0,), (0,), ()) and one.best == "c"
    assert unequal.best_parameters == structures["d"].n_parameters


def test_the_parameter_of_a_binary_cause_without_children_does_not_count():
    structure = Structure.from_label("1-1-1-1", Family((2, 2), (3,) * 4))
    (links,) = probable_links({"a": 1.0}, {"a": structure})
    assert links.best_parameters == structure.n_parameters - 1


def test_most_probable_structures_make_up_99_percent():
    masses = pd.DataFrame(
        {"vb": [0.004, 0.6, 0.388, nan, 0.008], "bic": [0.988, 0.002, 0.001, 0.009, 0.0]},
        index=list("abcde"),
    )
    assert marginals.most_probable(masses, "vb", 9).index.tolist() == ["b", "c", "e"]  # 0.996
    assert marginals.most_probable(masses, "vb", 2).index.tolist() == ["b", "c"]
    assert marginals.most_probable(masses, "bic", 9).index.tolist() == ["a", "d"]


def test_certain_pairs_and_those_about_which_the_data_say_least():
    rows = [("a", "b", 0.95), ("a", "c", 0.94), ("b", "c", 0.2), ("b", "d", 1 - 0.95)]
    rows += [("c", "d", 0.6), ("a", "d", 0.06)]
    table = pd.DataFrame(rows, columns=["first_name", "second_name", "probability"])
    assert marginals.certain_pairs(table) == (6, [("a", "b")], [("b", "d")])
    pairs = [r.first_name + r.second_name for r in marginals.uncertain_pairs(table)]
    assert pairs == ["cd", "bc", "ac", "ad"]


def test_causes_by_alpha_are_those_of_one_score_without_the_estimated_alpha():
    rows = [
        (alpha, 1.0, method, *statement, 10 * i + alpha + 0.1 * (method == "laplace"))
        for alpha, methods in ((2.0, "vb laplace"), (0.5, "vb laplace"), (9.0, "vb_eb"))
        for method in methods.split()
        for i, statement in enumerate((("2", "", ""), ("none", "", ""), ("", "a", "b")))
    ]
    table = pd.DataFrame(rows, columns=TABLES["alpha"].columns)
    of_laplace = marginals.probabilities_by_alpha(table, "laplace")
    assert_rows(of_laplace, {"2": {0.5: 0.6, 2.0: 2.1}, "none": {0.5: 10.6, 2.0: 12.1}})
    of_vb = marginals.probabilities_by_alpha(table[table["method"] != "laplace"], "reference")
    assert_rows(of_vb, {"2": {0.5: 0.5, 2.0: 2.0}, "none": {0.5: 10.5, 2.0: 12.0}})


# ---- fits

FAMILY = Family((2,), (2, 2))
COUNTS = Counts.of_table(np.array([[40, 10], [10, 40]]))
TABLE = Table(("first", "second"), (("no", "yes"), ("low", "high")), COUNTS)
ROWS = np.array([[0.9, 0.1], [0.2, 0.8]])


def one_cause(counts):
    """A MAP fit of two variables with one cause, whose states are told by both alike."""
    parameters = Parameters((np.array([0.75, 0.25]),), (ROWS, ROWS))
    return Fit(Structure.from_label("1-1", FAMILY), parameters, "map", counts)


def memberships(counts, table):
    return list(fitted.membership_rows("1-1", one_cause(counts), table))


def test_rows_of_a_fit_without_draws():
    """Its numbers are those of the tables of the command."""
    fit = dataclasses.replace(one_cause(COUNTS), p_value=0.2, replicates=99)
    row = fitted.fit_row("1-1 (2)", ["vb", "ais"], fit, TABLE)
    (expected,) = fit_tables.statistics(fit, TABLE)
    assert set(row) == set(TABLES["fit"].columns)
    assert (row["structure"], row["best_by"]) == ("1-1 (2)", "vb ais")
    names = ("G2", "X2", "BIC", "p_value", "replicates")
    assert {name: row[name] for name in names} == {name: expected[name] for name in names}
    rows = list(fitted.parameter_rows("a", fit, TABLE))
    assert all(set(row) == set(TABLES["parameters"].columns) for row in rows)
    empty = {"structure": "a"} | dict.fromkeys(("mean", "low", "high", "effective_draws"))
    assert rows == [empty | of_command for of_command in fit_tables.parameters(fit, TABLE)]


def test_memberships_and_how_certain_they_are():
    table = pd.DataFrame(memberships(COUNTS, TABLE))
    assert set(table) == {*TABLES["membership"].columns, *TABLE.names}
    # of the patterns the joint probabilities with each state
    joint = np.array([[0.81, 0.04], [0.09, 0.16], [0.09, 0.16], [0.01, 0.64]]) * [0.75, 0.25]
    p, cases = joint / joint.sum(axis=1, keepdims=True), np.array([40, 10, 10, 40])
    entropy = -(p * np.log(p)).sum(axis=1)
    patterns = {"pattern": [1, 2, 3, 4], "cases": cases, "entropy": entropy}
    patterns |= {"first": ["no", "no", "yes", "yes"], "second": ["low", "high", "low", "high"]}
    expected = pd.DataFrame(patterns).loc[np.repeat(range(4), 2)].reset_index(drop=True)
    expected["values"] = expected["first"] + ", " + expected["second"]
    expected["states"] = ["s1 = 1", "s1 = 2"] * 4
    expected = expected.assign(probability=p.ravel(), modal=p.ravel() > 0.5)
    pd.testing.assert_frame_equal(table[list(expected)], expected, check_dtype=False, rtol=1e-6)
    assert fitted.share_right(table) == pytest.approx(cases @ p.max(axis=1) / 100)


def test_the_most_probable_of_three_states_is_modal_below_a_half():
    counts = Counts.of_table(np.ones((2, 2), dtype=int))
    parameters = Parameters((np.array([0.4, 0.35, 0.25]),), (np.full((3, 2), 0.5),) * 2)
    fit = Fit(Structure.from_label("1-1", Family((3,), (2, 2))), parameters, "map", counts)
    rows = list(fitted.membership_rows("1-1", fit, TABLE))
    assert [row["modal"] for row in rows] == [True, False, False] * 4


def test_a_missing_value_has_a_name():
    """Whatever a variable is called, and an empty text that is a level is none that is missing."""
    counts = Counts(np.array([[MISSING, 1], [0, 0]]), np.array([3, 2]))
    table = Table(("cases", "entropy"), (("", "yes"), ("low", "high")), counts)
    rows = memberships(counts, table)
    assert {r["values"] for r in rows} == {"(missing), high", ", low"}
    columns = ["cases (variable)", "entropy (variable)", "cases"]
    of_command = fit_tables.memberships(one_cause(counts), table)
    for of in (rows, of_command):
        of_patterns = pd.DataFrame(of)[columns].drop_duplicates().to_numpy().tolist()
        assert sorted(of_patterns) == [["", "high", 3], ["", "low", 2]]


def test_structures_that_a_score_puts_first():
    """Likelihoods count for nothing, nor do structures without a score; 1 nat is less than
    ln(0.6875 / 0.0625). The score of the best is without its prior.
    """
    values = {"map": (9.0, 1.0, 2.0), "bic": (-3.0, -1.0, -2.0), "vb": (nan, -5.0, -4.0)}
    rows = [
        (0, 9, s, m, v, nan, 3)
        for m, of_method in (values | {"ais": values["bic"]}).items()
        for s, v in zip("abc", of_method, strict=True)
    ]
    scores = pd.DataFrame(rows, columns=TABLES["scores"].columns[:7])
    posterior = pd.DataFrame({"structure": list("abc"), "prior": [0.25, 0.0625, 0.6875]})
    equal = fitted.log_priors(posterior, "structures")
    assert fitted.chosen(scores, equal) == {"b": ["bic", "ais"], "c": ["vb"]}
    unequal = fitted.log_priors(posterior, "families")
    assert fitted.chosen(scores, unequal) == {"c": ["bic", "vb", "ais"]}
    best = fitted.best_by_score(scores, unequal)
    assert best.loc["bic", "lead"] == pytest.approx(log(11) - 1)


def test_parameters_stand_by_the_causes_of_their_variables():
    """Values and states in the order of the table; of two values the second; a variable that is
    called as a cause would be is one where there is no such cause.
    """
    one, both = ["s1 = 1", "s1 = 2"], ["s1 = 1, s2 = 1", "s1 = 1, s2 = 2"]
    variables = {"s1": ("12", [""]), "s2": ("12", [""]), "s3": ("zya", one), "b": ("yn", both)}
    variables |= {"c": ("ny", one), "alone": ("pq", [""])}
    rows = [
        (variable, states, value, 100 * j + 10 * g + v)
        for j, (variable, (values, of_causes)) in enumerate(variables.items())
        for g, states in enumerate(of_causes)
        for v, value in enumerate(values)
    ]
    table = pd.DataFrame(rows, columns=["variable", "given", "value", "shown"])
    tables, left_out = fitted.by_parents(table, 2)
    assert left_out == 0
    of_s3 = [("s3", value, [200 + v, 210 + v]) for v, value in enumerate("zya")]
    assert tables == [
        {"states": tuple(one), "rows": [*of_s3, ("c", "y", [401, 411])]},
        {"states": tuple(both), "rows": [("b", "n", [301, 311])]},
        {"states": ("",), "rows": [("alone", "q", [501])]},
    ]


def test_the_scores_that_a_page_shows():
    """The most trusted one, those asked for, those of the study's, and the rest: four in all."""
    ran = ["map", "cs", "bic", "ais", "vb"]
    assert fitted.shown_scores(ran, "ais", ()) == ["ais", "vb", "bic", "map"]
    assert fitted.shown_scores(ran, "ais", ["cs", "exact"]) == ["ais", "cs", "vb", "bic"]


def test_cases_are_counted_by_a_column_and_their_most_probable_states():
    """A case without a value there, or without any in the model, does not count."""
    rng = np.random.default_rng(4)
    cases = rng.integers(-1, 2, size=(60, 3))  # the last is the column
    assert MISSING == -1
    fit = one_cause(Counts.of(cases[(cases[:, :2] != MISSING).any(axis=1), :2]))
    rows = list(fitted.crossed_rows("1-1", fit, Counts.of(cases), "party", ["left", "right"]))
    expected = Counter()
    for *values, code in cases.tolist():
        if code != MISSING and set(values) != {MISSING}:
            first, second = (
                p * np.prod([row[v] for v in values if v != MISSING])
                for p, row in zip((0.75, 0.25), ROWS, strict=True)
            )
            expected[("left", "right")[code], f"s1 = {1 + (second > first)}"] += 1
    assert len(expected) == 4 and sum(expected.values()) == 41
    table = pd.DataFrame(rows).set_index(["value", "states"])
    assert set(table["structure"]) == {"1-1"} and set(table["variable"]) == {"party"}
    assert len(table) == 4 and table["cases"].to_dict() == expected
    share = table["cases"] / table.groupby("states")["cases"].transform("sum")
    assert table["share"].tolist() == pytest.approx(share.tolist())


def test_association_of_states_and_values():
    """V^2 = X2 / N = (ad - bc)^2 / (the four totals); a value that no case has does not count."""
    v = abs(30 * 15 - 10 * 5) / sqrt(40 * 20 * 35 * 25)
    assert fitted.association(pd.DataFrame([[30, 0, 10], [5, 0, 15]])) == pytest.approx(v)
    assert fitted.association(pd.DataFrame(np.diag([3, 4, 5]))) == pytest.approx(1)
    assert np.isnan(fitted.association(pd.DataFrame([[3, 0], [4, 0]])))
