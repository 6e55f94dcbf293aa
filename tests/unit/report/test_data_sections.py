"""Every number of the summary of one's own data, on tables in which no two cells are alike."""

import re
from itertools import combinations, permutations
from math import exp, hypot, log
from statistics import median

import made_up
import numpy as np
import pandas as pd
import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.report.data import (
    best_by_each_score,
    common_causes,
    how_many_causes,
    how_well_they_fit,
    posterior_over_classes,
    posterior_over_structures,
    the_data,
)
from latentdag.report.data_summary import write_data_summary
from latentdag.report.markdown import label
from latentdag.scores import METHODS, SPECS
from latentdag.search.structure_prior import log_prior
from latentdag.study.one_draw import errors, posterior
from latentdag.study.own_data import marginals
from latentdag.study.schema.candidates import classes_by_name
from latentdag.study.schema.columns import TABLES

FAMILY = Family((2, 2), (3, 2, 4))
NAMES = ["job|trade", "party", "age"]
STRUCTURES = {s.label: s for s in enumerate_structures(FAMILY)}
RNG = np.random.default_rng(8)


def scores_table():
    rows = []
    for method in ("reference", "map", "bic", "vb", "ais", "ml"):
        for structure in STRUCTURES.values():
            noisy = SPECS[method].monte_carlo
            rows.append(
                {
                    "draw": 0,
                    "n": 40,
                    "structure": structure.label,
                    "method": method,
                    "score": -120 + 2 * RNG.normal(),
                    "standard_error": RNG.uniform(0.1, 0.9) if noisy else np.nan,
                    "n_parameters": structure.n_parameters,
                    "iterations": np.nan if noisy else 30.0,
                    "converged": None if noisy else True,
                    "restarts": 8.0,
                    "restarts_at_best": np.nan if noisy else 5.0,
                    "log_prior": np.nan,
                    "reason": "",
                }
            )
    table = pd.DataFrame(rows, columns=TABLES["scores"].columns)
    return table.sample(frac=1, random_state=1).reset_index(drop=True)


SCORES = scores_table()
VARIABLES = pd.DataFrame(
    [
        (j + 1, name, code, f"{name[0]}{code}", 10 * j + code)
        for j, (name, k) in enumerate(zip(NAMES, FAMILY.observed, strict=True))
        for code in range(k)
    ],
    columns=TABLES["variables"].columns,
)
PARAMETERS = pd.DataFrame(
    [
        (
            structure,
            kind,
            variable,
            given,
            value,
            *RNG.random(3),
            RNG.integers(90, 4000),
            RNG.random(),
        )
        for structure in STRUCTURES
        for kind in ("ml", "map")
        for variable, given, values in (
            ("s1", "", "12"),
            ("party", "s1 = 1", ["no", "yes"]),
            ("party", "s1 = 2", ["no", "yes"]),
        )
        for value in values
    ],
    columns=TABLES["parameters"].columns,
)
FREE = 3 * 2 * 4 - 1  # degrees of freedom of the table
FULL = ("1-12-12", "12-1-12", "12-12-12")  # the second is not among the ten most probable
STRUCTURES_TABLE = pd.DataFrame(
    [
        (
            *(s, m.n_links, m.n_parameters, FREE if s in FULL else m.n_links),
            *(m.absorbed().label, "2,2"),
        )
        for s, m in STRUCTURES.items()
    ],
    columns=TABLES["structures"].own_columns,
)
BEST_BY = {"1-1-1": "bic vb", "1-12-2": "ais", "0-1-1": "laplace"}
P_VALUES = (0.125, 0.25, 0.5)
FIT = pd.DataFrame(
    [
        (s, by, -60.5 - i, 12.25 + i, 13.5 + i, 9 - i, 7 + i, 6 + i, 80.5 + i, 90.25 + i,
         P_VALUES[i], P_VALUES[i] / 4, 40, 28)
        for i, (s, by) in enumerate(BEST_BY.items())
    ],
    columns=TABLES["fit"].columns,
)  # fmt: skip
RESIDUALS = pd.DataFrame(
    [
        (s, *pair, value)
        for s, values in zip(BEST_BY, permutations([0.25, 1.5, 6.75]), strict=False)
        for pair, value in zip(combinations(NAMES, 2), values, strict=True)
    ],
    columns=TABLES["residuals"].columns,
)
# 12 patterns, two causes of two states each
STATES = ["s1 = 1, s2 = 1", "s1 = 1, s2 = 2", "s1 = 2, s2 = 1", "s1 = 2, s2 = 2"]
SHARES = RNG.dirichlet(np.ones(4), 12)
COUNTS = RNG.permutation(np.arange(1, 13))
MEMBERSHIP = pd.DataFrame(
    [
        ("1-1-1", i, f"j{i}, p, a", COUNTS[i], state, p, p == own.max(), 0.1 * i)
        for i, own in enumerate(SHARES)
        for state, p in zip(STATES, own, strict=True)
    ],
    columns=TABLES["membership"].columns,
)
DIMENSION = dict(zip(STRUCTURES, STRUCTURES_TABLE["dimension"], strict=True))
CLASS_OF = dict(zip(STRUCTURES_TABLE["structure"], STRUCTURES_TABLE["class"], strict=True))
PUBLISHED = pd.DataFrame(
    [
        (source, posterior, quantity, round(RNG.random(), 3), RNG.random())
        for source, posterior in (("a book (1974)", 3), ("a book (1974)", 2), ("another", 2))
        for quantity in ("BIC", "class size", "class size")
    ],
    columns=TABLES["published"].columns,
)
POSTERIOR = posterior.posterior(SCORES)
TEXT = write_data_summary(
    {"data": {"file": "t.csv"}, "equally_probable": "structures"},
    FAMILY.observed,
    scores=SCORES,
    structures=STRUCTURES_TABLE,
    posterior=POSTERIOR,
    causes=marginals.causes(POSTERIOR, STRUCTURES),
    links=marginals.links(POSTERIOR, STRUCTURES, NAMES),
    classes=posterior.classes(SCORES, STRUCTURES_TABLE),
    variables=VARIABLES,
    parameters=PARAMETERS,
    membership=MEMBERSHIP,
    fit=FIT,
    residuals=RESIDUALS,
    errors=errors.errors(SCORES),
    published=PUBLISHED,
)


def tables(title):
    """The tables of a section, each as lists of cells by row, header first."""
    (found,) = re.findall(rf"^##? {re.escape(title)}.*?\n\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)
    blocks = [b.splitlines() for b in found.split("\n\n") if b.startswith("|")]
    return [
        [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block]
        for block in blocks
    ]


def of_method(method):
    return {r["structure"]: r for r in made_up.rows(SCORES, method=method)}


def probability(method, structure):
    own = {s: r["score"] for s, r in of_method(method).items()}
    return 1 / sum(exp(v - own[structure]) for v in own.values())


MASS = {s: probability("reference", s) for s in STRUCTURES}
BELIEVED = ["bic", "vb", "ais", "reference"]


def test_the_data():
    assert (
        "\n40 cases of 3 observed variables; hidden variables: s1 with 2 values, s2 with 2" in TEXT
    )
    ((_, _, *rows),) = tables("In short")
    assert rows == [
        ["y1", "job\\|trade", "j0 (0); j1 (1); j2 (2)"],
        ["y2", "party", "p0 (10); p1 (11)"],
        ["y3", "age", "a0 (20); a1 (21); a2 (22); a3 (23)"],
    ]


def test_the_best_by_each_score():
    ((_, _, *rows),) = tables(f"Best of {len(STRUCTURES)} structures, by each score")
    assert [row[0] for row in rows] == [label(m) for m in METHODS if m in BELIEVED]
    for row, m in zip(rows, BELIEVED, strict=True):
        own = of_method(m)
        best, second = sorted(own, key=lambda s: -own[s]["score"])[:2]
        score, lead = own[best]["score"], own[best]["score"] - own[second]["score"]
        noise = [own[s]["standard_error"] for s in (best, second)]
        cells = [f"{score:.2f}", f"{lead:.2f}"]
        if noise[0]:
            cells = [f"{score:.2f} ± {noise[0]:.2f}", f"{lead:.2f} ± {hypot(*noise):.2f}"]
        assert row[1:] == [best, *cells, f"{probability(m, best):.3g}"]


def test_the_posterior_by_each_score():
    (((header, _, *rows)),) = tables("Posterior over structures")
    assert header == ["structure", "class", "causes", "d", "D", *map(label, BELIEVED)]
    order = sorted(MASS, key=lambda s: -MASS[s])[:10]
    assert [row[0] for row in rows] == order
    for row, s in zip(rows, order, strict=True):
        assert row[1] == CLASS_OF[s] == STRUCTURES[s].absorbed().label
        assert row[3:5] == [str(STRUCTURES[s].n_parameters), str(DIMENSION[s])]
        assert row[5:] == [f"{probability(m, s):.3g}" for m in BELIEVED]
    share = sum(MASS[s] for s in order)
    effective = exp(-sum(p * log(p) for p in MASS.values()))
    assert f"these 10 structures hold {share:.0%} of the posterior probability" in TEXT
    left = (
        f"{len(MASS) - 10} structures with a total probability of {1 - share:.2g} are not listed."
    )
    assert f"as one over {effective:.1f} equally probable structures. {left} Structures" in TEXT


def test_what_is_not_among_the_most_probable_is_told_in_words():
    masses = pd.Series({"a": 0.6, "b": 0.396, "c": 0.003, "d": 0.001})
    words = ("class", "classes")
    told = [posterior_over_structures.others(masses, list("abcd")[:k], *words) for k in (2, 3, 4)]
    assert told == [
        "2 classes with a total probability of 0.004 are not listed. ",
        "1 class of probability 0.001 is not listed. ",
        "",
    ]


@pytest.mark.parametrize(("share", "told"), [(0.99, 3), (0.9, 4)])
def test_tables_stop_at_99_percent(share, told):
    """Three structures share most of the probability; the others have less and less."""
    by_mass = list(STRUCTURES)[::-1]
    rest = np.array([(1 - share) * 0.9 * 0.1**i for i in range(len(by_mass) - 3)])
    own = [0.5 * share, 0.3 * share, 0.2 * share + (1 - share) - rest.sum(), *rest]
    masses = pd.DataFrame({"vb": own}, index=by_mass)
    args = (masses, "vb", STRUCTURES_TABLE, STRUCTURES, NAMES)
    _, words, *_, shown = posterior_over_structures.section(*args)
    rows = [line.split(" | ")[0].removeprefix("| ") for line in shown.splitlines()[2:]]
    assert rows == by_mass[:told]
    left = f"{len(by_mass) - told} structures with a total probability of {sum(own[told:]):.2g} are"
    assert f"these {told} structures hold {sum(own[:told]):.0%} of" in words and left in words


def test_structures_with_more_parameters_than_the_table_has_degrees_of_freedom():
    assert sorted(MASS, key=MASS.get).index("12-1-12") < len(MASS) - 10
    assert (
        "A table of 24 cells has 23 degrees of freedom. Structures with more free parameters: "
        "12-12-12 (26). Saturated structures (D = 23): 1-12-12, 12-12-12." in TEXT
    )
    held = sum(MASS[s] for s in FULL)
    assert f"Saturated structures have {held:.0%} of the posterior probability." in TEXT


def test_the_posterior_over_classes():
    ((header, _, *rows),) = tables("Posterior over classes")
    last = f"{label('reference')}, equal classes"
    assert header == ["class", "causes", "members", "D", *map(label, BELIEVED), last]
    members = {}
    for s, name in CLASS_OF.items():
        members.setdefault(name, []).append(s)
    assert max(map(len, members.values())) > 3
    masses = {c: sum(MASS[s] for s in own) for c, own in members.items()}
    order = sorted(masses, key=lambda c: -masses[c])[:10]
    assert [row[0] for row in rows] == order
    mean = {c: masses[c] / len(own) for c, own in members.items()}
    equal = {c: p / sum(mean.values()) for c, p in mean.items()}
    for row, c in zip(rows, order, strict=True):
        assert row[2:4] == [str(len(members[c])), str(DIMENSION[c])]
        by_method = [sum(probability(m, s) for s in members[c]) for m in BELIEVED]
        assert row[4:-1] == [f"{p:.3g}" for p in by_method]
        assert row[-1] == f"{equal[c]:.3g}"
    first, second = (exp(-sum(p * log(p) for p in of.values())) for of in (masses, equal))
    assert f"by it {max(equal, key=equal.get)} is the most probable class." in TEXT
    told = f"over {first:.1f} equally probable classes, or {second:.1f} by the last column."
    left = sum(p for c, p in masses.items() if c not in order)
    left = f"{len(masses) - 10} classes with a total probability of {left:.2g} are not listed."
    assert f"{told} {left}\n" in TEXT


@pytest.mark.parametrize(
    ("structure", "words"),
    [
        ("1-12-2", "s1: job|trade, party; s2: party, age"),
        ("0-1-1", "s1: party, age; without a cause: job|trade"),
        ("0-0-0", "without a cause: job|trade, party, age"),
    ],
)
def test_causes_in_words(structure, words):
    from latentdag.study.schema.candidates import causes_in_words

    assert causes_in_words(Structure.from_label(structure, FAMILY), NAMES) == words


def test_of_many_variables_the_causes_have_numbers():
    from latentdag.study.schema.candidates import causes_in_words

    family = Family((2,), (2,) * 9)
    structure = Structure.from_label("1-0-1-1-1-1-1-1-0", family)
    words = "s1: y1, y3, y4, y5, y6, y7, y8; without a cause: y2, y9"
    assert causes_in_words(structure, list("abcdefghi")) == words


def test_common_causes():
    ((_, _, *rows),) = tables("Common causes")
    for row, (i, j) in zip(rows, combinations(range(3), 2), strict=True):
        parents = {s: s.split("-") for s in MASS}
        shared = sum(p for s, p in MASS.items() if set(parents[s][i]) & set(parents[s][j]) - {"0"})
        names = [NAMES[i].replace("|", "\\|"), NAMES[j].replace("|", "\\|")]
        assert row == [*names, f"{shared:.3f}"]


def test_how_many_causes():
    def mass(method, k):
        own = (s for s in STRUCTURES if sum(s.count(c) > 1 for c in "12") == k)
        return sum(probability(method, s) for s in own)

    names = ("0 causes", "1 cause", "2 causes")
    told = ", ".join(f"{name} {mass('reference', k):.3f}" for k, name in enumerate(names))
    assert f"Probability of the number of causes, by reference: {told}." in TEXT
    ((header, _, *rows),) = tables("How many causes")
    assert header == ["causes", "states", *map(label, BELIEVED)]
    order = sorted(range(3), key=lambda k: -mass("reference", k))
    while sum(mass("reference", k) for k in order[:-1]) >= 0.99:
        order.pop()
    assert [row[:2] for row in rows] == [[str(k), ["none", "2", "2,2"][k]] for k in order]
    for row, k in zip(rows, order, strict=True):
        assert row[2:] == [f"{mass(m, k):.3g}" for m in BELIEVED]
    for left in set(range(3)) - set(order):
        told = f"1 set of causes of probability {mass('reference', left):.2g} is not listed."
        assert told in TEXT
    assert "Only these causes, or fewer of them, were tried: 2,2." in TEXT


def test_what_was_not_tried_is_told():
    rows = [(0, "none", 0.1), (1, "2", 0.2), (1, "10", 0.3), (2, "2,3", 0.15), (2, "2,10", 0.25)]
    rows = [
        (n, own, method, 0.2, p / k) for n, own, p in rows for k, method in ((1, "vb"), (2, "bic"))
    ]
    table = pd.DataFrame(rows, columns=TABLES["causes"].columns)
    words = how_many_causes.section(table, "vb", ["2,3", "10", "2,10"])[1]
    assert "by VB: 0 causes 0.100, 1 cause 0.500, 2 causes 0.400. Only these causes" in words
    assert words.endswith("Only these causes, or fewer of them, were tried: 2,3; 10; 2,10.")


def test_common_causes_of_many_variables_stand_in_a_square():
    names = list("abcdefg")
    rows = [
        (first, second, method, (i + j / 10) / 10 + (method == "vb"))
        for i, first in enumerate(names)
        for j, second in enumerate(names)
        for method in ("vb", "reference")
        if i < j
    ]
    links = pd.DataFrame(rows, columns=TABLES["links"].columns)
    header, _, *lines = common_causes.section(links, "reference", names)[-1].splitlines()
    assert header == "|  |  | y2 | y3 | y4 | y5 | y6 | y7 |"
    assert lines[0] == "| y1 | a | 0.01 | 0.02 | 0.03 | 0.04 | 0.05 | 0.06 |"
    assert lines[-1] == "| y6 | f |  |  |  |  |  | 0.56 |"
    assert len(lines) == 6


def test_comparison_with_published_results():
    """A table for each model, in the order of the configuration."""
    found = tables("Comparison with published results")
    assert [header[0] for header, *_ in found] == ["3 classes", "2 classes", "2 classes"]
    cells = [row[:3] for _, _, *rows in found for row in rows]
    assert cells == [
        [row.quantity, f"{row.published:.3f}", f"{row.found:.3f}"] for row in PUBLISHED.itertuples()
    ]


def test_fitted_parameters_are_those_of_the_most_probable_structure():
    best = max(MASS, key=MASS.get)
    ((_, _, *rows),) = tables(f"Fitted parameters of {best}")
    for row, (variable, given) in zip(
        rows, [("s1", ""), ("party", "s1 = 1"), ("party", "s1 = 2")], strict=True
    ):
        at = {"structure": best, "estimate": "map", "variable": variable, "given": given}
        own = made_up.rows(PARAMETERS, **at)
        each = [f"{r['value']}: {r['mean']:.3f} ({r['low']:.3f} to {r['high']:.3f})" for r in own]
        assert row == [variable, given, "; ".join(each)]
    of_best = made_up.rows(PARAMETERS, structure=best, estimate="map")
    worth = min(r["effective_draws"] for r in of_best)
    assert f"effective number of draws is at least {worth:.0f} for each" in TEXT
    assert ("fewer than 100 effective draws is not reliable" in TEXT) == (worth < 100)


def test_how_well_the_best_structures_fit():
    first, second = tables("How well the best structures fit")
    assert first[0][0] == "structure"
    for row, (s, by), r in zip(first[2:], BEST_BY.items(), made_up.rows(FIT), strict=True):
        assert row[:2] == [s, ", ".join(label(m) for m in by.split())]
        assert row[2:5] == [f"{r[c]:.2f}" for c in ("log_likelihood", "G2", "X2")]
        assert row[5] == str(r["degrees_of_freedom"])
        assert row[6] == f"{r['p_value']:.3f} ± {r['p_error']:.3f}"
        assert row[7:] == [f"{r['AIC']:.1f}", f"{r['BIC']:.1f}"]
    saturated = FIT.assign(degrees_of_freedom=0)
    shown = how_well_they_fit.section(saturated, RESIDUALS, 40)[2].splitlines()[2:]
    assert [line.split(" | ")[5:7] for line in shown] == [["0", ""]] * len(FIT)
    assert "p = (1 + k) / 41: in k of 40 tables simulated" in TEXT
    assert "G2, X2 and p are of the 28 cases without a missing value." in TEXT
    for row, s in zip(second[2:], BEST_BY, strict=True):
        own = sorted(made_up.rows(RESIDUALS, structure=s), key=lambda r: -r["residual"])
        told = [f"{r['variable']}, {r['other']}: {r['residual']:.2f}" for r in own]
        assert row == [s, *(words.replace("|", "\\|") for words in told)]


def test_states_of_the_cases():
    sizes, patterns = tables("States of the cases by 1-1-1")
    own = made_up.rows(PARAMETERS, structure="1-1-1", estimate="map", variable="s1")
    assert [row[:2] for row in sizes[2:]] == [
        [f"s1 = {r['value']}", f"{r['mean']:.3f}"] for r in own
    ]
    assert [row[2] for row in sizes[2:]] == [f"{r['low']:.3f} to {r['high']:.3f}" for r in own]
    right = sum(c * p.max() for c, p in zip(COUNTS, SHARES, strict=True)) / COUNTS.sum()
    entropy = sum(c * 0.1 * i for i, c in enumerate(COUNTS)) / COUNTS.sum()
    assert f"{right:.0%} of the assignments are expected to be right" in TEXT
    assert f"Its mean is {entropy:.2f}, and its maximum would be {log(4):.2f}." in TEXT
    assert "The 10 most frequent patterns of values:" in TEXT
    for row, i in zip(patterns[2:], np.argsort(-COUNTS)[:10], strict=True):
        modal = int(np.argmax(SHARES[i]))
        assert row == [f"j{i}, p, a", str(COUNTS[i]), STATES[modal], f"{SHARES[i][modal]:.3f}"]


def test_how_far_from_the_evidence():
    ((_, _, *rows),) = tables("How far the scores are from the evidence")
    known = of_method("reference")
    for row, m in zip(rows, BELIEVED[:-1], strict=True):
        gaps = [r["score"] - known[s]["score"] for s, r in of_method(m).items()]
        assert row == [label(m), *(f"{v:.2f}" for v in (median(gaps), min(gaps), max(gaps)))]


def test_fits():
    (rows,) = tables("Fits")
    assert [row[0] for row in rows[2:]] == ["MAP", "ML", "VB"]
    assert all(row[1] == str(len(STRUCTURES)) for row in rows[2:])


@pytest.mark.parametrize("prior", ["families", "classes"])
def test_another_prior_in_words_and_numbers(prior):
    """The best by score and prior, which is added for the choice and not told as the score."""
    values = log_prior(list(STRUCTURES.values()), [FAMILY], prior)
    beforehand = dict(zip(STRUCTURES, values, strict=True))
    own = posterior.posterior(SCORES, pd.Series(beforehand))
    *text, shown = best_by_each_score.section(SCORES, own, prior)
    assert "are those by the score plus ln p(structure)" in text[1]
    found = [line.strip("| ").split(" | ") for line in shown.splitlines()[2:]]
    changed = 0
    for row, m in zip(found, BELIEVED, strict=True):
        score = {s: r["score"] for s, r in of_method(m).items()}
        worth = {s: score[s] + beforehand[s] for s in score}
        best, second = sorted(worth, key=lambda s: -worth[s])[:2]
        changed += best != max(score, key=score.get)
        assert row[1] == best
        assert row[2].split(" ")[0] == f"{score[best]:.2f}"
        assert row[3].split(" ")[0] == f"{worth[best] - worth[second]:.2f}"
        p = 1 / sum(exp(w - worth[best]) for w in worth.values())
        assert row[4] == f"{p:.3g}"
    assert changed
    of_classes = posterior.classes(SCORES, STRUCTURES_TABLE, pd.Series(beforehand))
    known = classes_by_name(STRUCTURES_TABLE, FAMILY.observed)
    args = (of_classes, "reference", STRUCTURES_TABLE, known, NAMES, prior)
    words, shown = posterior_over_classes.section(*args)[-2:]
    assert ("equal classes" in shown) == (prior == "families")
    told = {"families": "structures with the same causes", "classes": "classes"}
    assert f"The prior is uniform over {told[prior]}" in words
    assert f"{prior_in_words(prior)}." in the_data.section(VARIABLES, 40, ["2,2"], prior)[0]


def prior_in_words(prior):
    return {
        "families": (
            "the prior is uniform over sets of causes, by their numbers of states, and within each "
            "set over structures"
        ),
        "classes": (
            "the prior is uniform over classes of structures that describe the same distributions, "
            "and within each class over structures"
        ),
    }[prior]


def test_the_hidden_variables_of_several_families():
    words = the_data.section(VARIABLES, 40, ["none", "2", "2,3"], "structures")[0]
    assert "hidden variables, by their numbers of states: none; 2; 2,3. The label" in words
    assert "the number of states of each cause. No true structure" in words
    assert "the prior is uniform over structures." in words
