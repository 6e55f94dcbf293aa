"""The search against enumeration; structures of several families counted, against all of them
listed, and ranked together, against sums written out; which score to trust, against the committed
tables, and which is chosen unasked.
"""

import re
from collections import Counter
from itertools import combinations, count
from math import exp, fsum, inf, isnan, nan
from pathlib import Path

import numpy as np
import oracles
import pandas as pd
import pytest

from latentdag import Counts, Family, Parameters, Structure, enumerate_structures, simulate
from latentdag.ranking import scoring, trust
from latentdag.ranking.beam import beginnings, climb, neighbours, search_families
from latentdag.ranking.prior import (
    PRIORS,
    class_of,
    log_prior,
    model_of,
    number_of_classes,
    number_of_structures,
)
from latentdag.ranking.rank import all_structures, rank_structures
from latentdag.ranking.ranking import Ranking
from latentdag.ranking.trust import AUTOMATIC, ORDER, choose, likely_scored, most_trusted
from latentdag.scores import METHODS, SPECS, Score, score, score_structures

FAMILY = Family((2, 2), (2, 2, 2, 2))


@pytest.fixture(scope="module")
def cases() -> np.ndarray:
    rng = np.random.default_rng(11)
    true = Structure.from_label("1-1-12-2", FAMILY)
    return simulate(true, oracles.random_parameters(true, rng), 300, rng)[0]


def labels_near(label: str, family: Family) -> set[str]:
    return {s.canonical().label for s in neighbours(Structure.from_label(label, family))}


@pytest.mark.parametrize(
    ("label", "hidden", "near", "far"),
    [
        # a link added, removed, led to another cause; two causes joined; every one differs
        (
            "1-1-0-2", (2, 2), ("12-1-0-2", "1-0-0-2", "1-2-0-2", "1-1-0-1"),
            ("1-1-0-2", "12-12-0-2", "1-1-12-2"),
        ),
        ("1-1-2-2", (2, 2), ("1-1-1-1",), ()),  # joined: two links change at once
        ("1-1-1-0", (2, 2), ("12-12-1-0", "1-1-2-0", "1-1-12-2"), ()),  # beside, split off
        # causes of two and of three states change places, those of as many do not
        ("1-1-1-1", (2, 3), ("2-2-2-2",), ()),
        ("1-1-2-12", (2, 3), ("2-2-1-12",), ()),
        # a child of the split cause keeps its other causes: 1-1-3-23-2, renamed
        ("1-1-1-12-2", (2, 2, 2), ("1-1-2-23-3",), ()),
    ],
)  # fmt: skip
def test_neighbours_are_one_move_away(label, hidden, near, far):
    found = labels_near(label, Family(hidden, (2,) * (label.count("-") + 1)))
    assert set(near) <= found and found.isdisjoint(far)


@pytest.mark.parametrize(("children", "parts"), [(6, {1: 6, 2: 15, 3: 10}), (7, {1: 7, 2: 21})])
def test_a_split_divides_six_children_in_every_way_and_more_in_pairs(children, parts):
    """A single one is led to the other cause. Of six, 3 and 3 are 10 ways."""
    near = labels_near("-".join("1" * children), Family((2, 2), (2,) * children))
    of_two_causes = [s for s in near if "0" not in s and "12" not in s and "2" in s]
    assert Counter(min(s.count("1"), s.count("2")) for s in of_two_causes) == parts


def test_idle_causes_of_as_many_states_are_tried_once():
    few, many = (Family((2,) * k, (2,) * 6) for k in (2, 6))
    one_cause = ((0,), (0,), (0,), (), (), ())
    numbers = [len(list(neighbours(Structure(one_cause, family)))) for family in (few, many)]
    assert numbers[0] == numbers[1]


def test_a_wide_beam_is_enumeration(cases):
    """Same scores, to the bit, each once."""
    how = {"restarts": 3, "seed": 5}
    ranking = rank_structures(cases, [FAMILY], "bic", search=200, prior="families", **how)
    everyone = enumerate_structures(FAMILY)
    scores = score_structures(cases, everyone, "bic", **how)
    assert len(ranking.scores) == len(everyone)
    assert {s.structure: s.score for s in ranking.scores} == {s.structure: s.score for s in scores}
    assert ranking.prior == "families"
    (reached,) = search_families(cases, [FAMILY], "bic", restarts=1, stop=lambda: True)
    assert reached.rounds == 1 and len(reached.scores) == 2  # the starts


def test_a_search_stops_within_a_round(cases, monkeypatch):
    """While it lists neighbours or scores them; what is scored by then has the same score."""
    monkeypatch.setattr(scoring, "AT_ONCE", 1)
    (whole,) = search_families(cases, [FAMILY], "bic", restarts=1)
    scores = {s.structure: s.score for s in whole.scores}
    numbers = set()
    for most in range(0, 140, 7):
        calls = count(1)
        how = {"restarts": 1, "stop": lambda calls=calls, most=most: next(calls) > most}
        (part,) = search_families(cases, [FAMILY], "bic", **how)
        assert next(calls) <= most + 3
        assert {s.structure: s.score for s in part.scores}.items() <= scores.items()
        numbers.add(len(part.scores))
    assert len(numbers) > 4 and max(numbers) < len(scores)


@pytest.mark.parametrize("method", ["bic", "laplace"])
def test_a_narrow_beam_finds_the_best_and_scores_fewer(cases, method):
    everyone = enumerate_structures(FAMILY)
    best = max(score_structures(cases, everyone, method, restarts=4), key=lambda own: own.score)
    ranking = rank_structures(cases, [FAMILY], method, search=2, restarts=4)
    assert max(s.score for s in ranking.scores) == best.score
    assert len(ranking.scores) < len(everyone)
    of_all = log_prior(ranking.structures, [FAMILY], "classes")
    assert ranking.log_prior.tolist() == of_all.tolist()  # scored or not
    weights = ranking.weights.tolist()
    assert weights == sorted(weights, reverse=True)
    near = {n.canonical() for n in neighbours(best.structure)}
    assert near <= set(ranking.structures)  # all around the best was scored


def beam(values: dict[Structure, float], starts: list[Structure], width: int):
    """`climb` with known scores: what it scored, best first, and how often it was asked."""
    asked = []

    def scores(new: list[Structure]) -> list[Score]:
        asked.append(list(new))
        return [Score(s, values[s]) for s in new]

    assert climb(scores, starts, width)[1] == len(asked)
    reached = [s for new in asked for s in new]
    assert len(set(reached)) == len(reached)  # each once
    return sorted((values[s] for s in reached), reverse=True)


def test_one_start_more_is_never_worse_and_a_wider_beam_seldom():
    everyone = enumerate_structures(Family((2, 2, 2), (2, 2, 2, 2)))
    rng = np.random.default_rng(3)
    more, wider = [], []
    for _ in range(40):
        values = dict(zip(everyone, rng.normal(size=len(everyone)), strict=True))
        starts = [everyone[i] for i in rng.integers(len(everyone), size=4)]
        one, wide = (beam(values, starts[-1:], width) for width in (1, 5))
        assert set(beam(values, starts, 5)) >= set(wide)
        more.append(beam(values, starts, 1)[0] - one[0])
        wider.append(wide[0] - one[0])
    assert min(more) == 0 and max(more) > 0
    assert np.mean(np.greater_equal(wider, 0)) > 0.9 and np.mean(wider) > 0.1


def test_a_structure_without_a_score_leads_nowhere():
    everyone = enumerate_structures(FAMILY)
    values = {s: -np.inf if s.n_links == 1 else float(-s.n_links) for s in everyone}
    without = {s: np.nan if np.isinf(v) else v for s, v in values.items()}
    assert len(beam(without, everyone[:1], 1)) == len(beam(values, everyone[:1], 1))


def test_starts_are_those_promised():
    family = Family((2, 2, 3), (2,) * 5)
    first = beginnings(family, 40, np.random.default_rng(0))
    assert [s.label for s in first[:2]] == ["0-0-0-0-0", "1-1-1-1-1"]
    assert {len(p) for s in first[2:] for p in s.parents} == {1}
    assert {p for s in first[2:] for p in s.parents} == {(0,), (1,), (2,)}
    assert len(first) == 42
    assert [s.label for s in beginnings(Family((), (2, 2)), 3, np.random.default_rng(0))] == ["0-0"]


def test_the_seed_is_that_of_scores_and_starts(cases):
    family = Family((2, 2, 2), FAMILY.observed)
    how = {"width": 1, "starts": 2, "restarts": 2}
    a, b, c = (search_families(cases, [family], "bic", seed=s, **how)[0] for s in (1, 1, 2))
    assert a == b
    assert {s.structure for s in a.scores} != {s.structure for s in c.scores}


def test_a_model_of_several_families_is_scored_once_as_itself(cases):
    """By the first family that reaches it, and with the streams of the model: a sampler's score of
    it is that of `score`.
    """
    own = [Family(hidden, FAMILY.observed) for hidden in ((2,), (3, 2))]
    first, second = search_families(cases, own, "ais", width=1, seed=4, steps=8, chains=2)
    of_both = [s.structure for s in (*first.scores, *second.scores)]
    assert len(set(of_both)) == len(of_both) and [model_of(s) for s in of_both] == of_both
    assert {(), (2,)} == {s.structure.family.hidden for s in first.scores}
    assert {(3,), (2, 3)} == {s.structure.family.hidden for s in second.scores}
    for s in (*first.scores[-2:], *second.scores[-2:]):
        assert s == score(cases, s.structure, "ais", seed=4, steps=8, chains=2)
    ranking = rank_structures(cases, own, "ais", search=1, seed=4, steps=8, chains=2)
    assert set(ranking.scores) == {*first.scores, *second.scores}


def test_more_variables_than_can_be_enumerated():
    """Two causes of three observed variables each: found, from one start."""
    family = Family((2, 2, 2), (2,) * 8)
    true = Structure.from_label("1-1-1-2-2-2-0-0", family)
    with pytest.raises(ValueError, match="at most 2"):
        enumerate_structures(family)
    with_cause, without = np.array([[0.85, 0.15], [0.15, 0.85]]), np.array([[0.5, 0.5]])
    observed = tuple(with_cause if parents else without for parents in true.parents)
    parameters = Parameters((np.array([0.5, 0.5]),) * 3, observed)
    cases, _ = simulate(true, parameters, 1000, np.random.default_rng(2))
    ranking = rank_structures(cases, [family], "bic", search=1, restarts=3)
    assert ranking.structures[0] == true


@pytest.mark.parametrize(
    ("name", "value"), [("width", 0), ("starts", -1), ("seed", -1), ("width", 1.5)]
)
def test_wrong_arguments_are_named(cases, name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        search_families(cases, [FAMILY], "laplace", **{name: value})


CASES = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
ONE, THREE, TWO = (Family(hidden, (2, 2, 2)) for hidden in ((2,), (3,), (2, 2)))


@pytest.fixture(scope="module")
def exact() -> Ranking:
    """By the evidence itself."""
    return rank_structures(CASES, [TWO, THREE, ONE], "exact", prior="structures")


def test_what_is_the_same_model_counts_once(exact):
    """Two binary causes of which one has no children are one, no causes are none."""
    labels = Counter((s.family.hidden, s.label) for s in exact.structures)
    assert set(labels.values()) == {1}
    of_one = {s.label for s in enumerate_structures(ONE)} - {"0-0-0"}
    for causes in ((2,), (3,)):
        assert {label for hidden, label in labels if hidden == causes} == of_one
    assert [label for hidden, label in labels if hidden == ()] == ["0-0-0"]
    both = {
        s.label for s in enumerate_structures(TWO) if {"1", "2"} <= set(s.label) or "12" in s.label
    }
    assert {label for hidden, label in labels if hidden == (2, 2)} == both
    in_order = all_structures([ONE, THREE, TWO])
    assert in_order == all_structures([TWO, ONE, THREE])  # whatever their order
    assert set(all_structures([TWO])) == set(enumerate_structures(TWO))


@pytest.mark.parametrize("prior", ["structures", "families", "classes"])
def test_the_prior_is_uniform_over_what_it_says(prior):
    """And probabilities are proportional to prior times evidence; the highest comes first."""
    found = rank_structures(CASES, [ONE, THREE, TWO], "exact", prior=prior)

    def group(s: Structure):
        if prior == "structures":
            return s
        children = Counter(i for parents in s.parents for i in parents)
        if prior == "families":
            return tuple(sorted(s.family.hidden[i] for i in children))
        # a cause with one child adds nothing to the distributions
        kept = [i for i, n in children.items() if n > 1]
        tables = [[tuple(int(i in p) for p in s.parents), s.family.hidden[i]] for i in kept]
        return str(sorted(tables))

    groups = [group(s) for s in found.structures]
    beforehand = {g: 1 / (len(set(groups)) * groups.count(g)) for g in groups}
    # no cause, one of 2 or of 3 states, two; of the 4 sets of children 1 + 4 + 4 + 10 choices
    n_groups = {"structures": len(found.structures), "families": 4, "classes": 19}
    assert len(set(groups)) == n_groups[prior]
    assert np.exp(found.log_prior) == pytest.approx([beforehand[g] for g in groups])
    values = [score(CASES, s, "exact").score for s in found.structures]
    weights = np.array([beforehand[g] for g in groups]) * np.exp(values)
    assert np.diff(np.log(weights)).max() < 1e-12
    assert found.probabilities == pytest.approx(weights / weights.sum(), rel=1e-9)


def test_marginals(exact):
    """Sums over the structures that say so."""
    p = dict(zip(exact.structures, exact.probabilities, strict=True))
    of_causes = Counter()
    for s in p:
        children = Counter(i for parents in s.parents for i in parents)
        kept = [s.family.hidden[i] for i, n in children.items() if n > 1]  # others are absorbed
        of_causes[tuple(sorted(kept))] += p[s]
    causes = exact.causes()
    sums = {
        tuple(map(int, re.findall(r"\d", r.states))): r.probability for r in causes.itertuples()
    }
    assert sums == pytest.approx(dict(of_causes))
    assert causes["probability"].tolist() == sorted(of_causes.values(), reverse=True)
    assert causes["n_causes"].tolist() == list(map(len, sums))
    pairs = exact.pairs().set_index(["first", "second"])["probability"]
    assert len(pairs) == 3 and pairs.is_monotonic_decreasing
    for i, j in combinations(range(3), 2):
        share = fsum(p[s] for s in p if set(s.parents[i]) & set(s.parents[j]))
        assert pairs[f"y{i + 1}", f"y{j + 1}"] == pytest.approx(share)
    classes = exact.classes().set_index("class")
    assert classes["probability"].sum() == pytest.approx(1)
    assert classes["members"].sum() == len(p)
    private = Structure.from_label("1-0-0", ONE)  # absorbed: no cause
    of_none = fsum(p[s] for s in p if class_of(s).n_links == 0)
    assert classes["probability"]["0-0-0 (none)"] == pytest.approx(of_none) and of_none > p[private]


def test_links_are_shares_of_the_structures_with_these_causes(exact):
    """Of one cause no name has to be matched: p(link) is a sum."""
    p = dict(zip(exact.structures, exact.probabilities, strict=True))
    links = exact.links()
    links = links[links["states"] == "2"].set_index("variable")["probability"]
    with_one = {s: p[s] for s in p if class_of(s).family.hidden == (2,)}
    for j in range(3):
        share = fsum(p[s] for s in with_one if class_of(s).parents[j]) / fsum(with_one.values())
        assert links[f"y{j + 1}"] == pytest.approx(share)


def test_a_ranking_in_ten_lines(exact):
    assert len(repr(exact).splitlines()) == 10
    assert repr(exact.structures[0]) == exact.structures[0].label
    assert f"<td>{exact.names[0]}</td>" in exact._repr_html_()
    first = exact.to_frame().iloc[0]
    assert first["structure"] == exact.names[0]
    assert first["probability"] == exact.probabilities[0]


def test_without_a_score_or_a_posterior():
    structures = enumerate_structures(ONE)[:3]
    values = (-1.0, -2.0, nan)
    scores = tuple(Score(s, v, method="bic") for s, v in zip(structures, values, strict=True))
    p = Ranking.of(scores[::-1], [ONE], "structures").probabilities
    assert isnan(p[2]) and p[:2] == pytest.approx([1 / (1 + exp(-1)), 1 / (1 + exp(1))])
    fits = tuple(Score(s, v, method="map") for s, v in zip(structures, values, strict=True))
    without = Ranking.of(fits, [ONE], "structures")
    assert np.isnan(without.probabilities).all() and without.causes()["probability"].isna().all()
    assert [s.score for s in without.scores[:2]] == [-1.0, -2.0]
    found = rank_structures(CASES, [ONE], "map", restarts=2)
    assert [s.score for s in found.scores] == sorted((s.score for s in found.scores), reverse=True)
    assert found.scores[0].score > -inf


def test_it_stops_after_some_structures():
    family, stop = Family((2, 2), (2, 2, 2, 2)), iter([False, True])
    cases = np.column_stack([CASES, CASES[:, 0]])
    found = rank_structures(cases, [family], "bic", restarts=1, stop=lambda: next(stop))
    assert len(found.scores) == 128  # two parts, of 136


def test_wrong_arguments():
    with pytest.raises(ValueError, match="unknown prior 'flat': it must be one of structures, fam"):
        rank_structures(CASES, [ONE], prior="flat")
    for families in ([], [ONE, Family((2,), (2, 2))]):
        with pytest.raises(ValueError, match="one or more with the same observed variables"):
            rank_structures(CASES, families)
    with pytest.raises(ValueError, match="families must be a sequence of Family, got Family"):
        rank_structures(CASES, ONE)


SETS = [
    [(2, 2)],
    [(2, 3)],
    [(2, 2, 2)],
    [(3, 2, 2)],
    [(2,), (3,), (4,), (2, 2)],
    [(2, 2, 3), (3, 3), (4,)],
    [(2, 3), (3, 2, 3), (5, 2)],
]


def families(hidden, observed):
    return [Family(own, observed) for own in hidden]


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("observed", [(2, 3, 2, 2), (2, 2), (5,)])
def test_every_structure_is_counted_once(hidden, observed):
    own = families(hidden, observed)
    listed = all_structures(own)
    assert number_of_structures(own) == len(listed)
    assert number_of_classes(own) == len({PRIORS["classes"](s) for s in listed})


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_a_prior_is_shared_by_the_members_of_a_group(hidden, prior):
    own = families(hidden, (2, 3, 2))
    listed = all_structures(own)
    members = Counter(PRIORS[prior](s) for s in listed)
    expected = [1 / (len(members) * members[PRIORS[prior](s)]) for s in listed]
    found = log_prior(listed, own, prior)
    assert np.exp(found) == pytest.approx(expected, rel=1e-12)
    assert log_prior([model_of(s) for s in listed], own, prior).tolist() == found.tolist()


def test_families_that_are_too_large_to_be_listed():
    """136 structures of 78 classes in the paper's family; 5 causes of 12 variables in no order."""
    paper = Family()
    assert number_of_structures([paper]) == len(enumerate_structures(paper)) == 136
    assert number_of_classes([paper]) == 78
    many = number_of_structures([Family((2,) * 5, (2,) * 12)])
    # all 2^60 labelled ones over the 120 orders of causes, and few that are the same in two orders
    assert 1 < many / (2**60 / 120) < 1.003


def test_an_unknown_prior():
    with pytest.raises(ValueError, match="unknown prior 'links': it must be one of structures"):
        log_prior(enumerate_structures(), [Family()], "links")


POPULATION = Path(__file__).parents[2] / "results/published/draws-of-the-paper/population.csv"


def test_the_order_has_every_score_from_which_a_posterior_follows():
    assert sorted(ORDER) == sorted(m for m, spec in SPECS.items() if spec.posterior)
    assert [m for m in AUTOMATIC if SPECS[m].side is not SPECS["bic"].side] == [
        "exact", "reference", "tempered_smc", "vb"
    ]  # fmt: skip
    assert "bic" not in AUTOMATIC


@pytest.mark.parametrize("column", ["mean_absolute_error", "brier"])
def test_the_order_is_that_of_the_study_of_many_draws(column):
    """Of two scores the more trusted one is not much worse by either measure."""
    table = pd.read_csv(POPULATION)
    table = table[table["by"] == "structure"]
    worth = table.groupby("method")[column].mean().dropna()
    # AIS: its chains are too short later; BIC by dimension: its Brier score alone is good
    known = [m for m in ORDER if m in worth and m not in ("ais", "bic_dim")]
    assert len(known) >= 7
    for i, better in enumerate(known):
        for other in known[i + 1 :]:
            assert worth[better] < worth[other] * (1.2 if column == "brier" else 1.3), other
    assert worth["cs_lr"] < worth["laplace"] < worth["vb_lr"] < worth["vb"] < worth["cs"]


@pytest.mark.parametrize(
    ("methods", "best"),
    [
        (METHODS, "reference"),
        (("exact", "ais"), "exact"),
        (("ais", "vb", "cs", "bic", "bic_ml"), "ais"),
        (("ais", "vb", "laplace", "cs_lr"), "cs_lr"),
        (("bic_ml", "cs", "bic"), "cs"),
        (("map", "bic", "ml"), "bic"),
    ],
)
def test_the_most_trusted_method(methods, best):
    assert most_trusted(methods) == most_trusted(methods[::-1]) == best


def counts(n: int, patterns: int = 16, seed: int = 0) -> Counts:
    """``n`` cases of at most so many patterns of four binary variables."""
    rng = np.random.default_rng(seed)
    codes = np.array(list(np.ndindex(2, 2, 2, 2)))[:patterns]
    numbers = rng.multinomial(n - patterns, np.full(patterns, 1 / patterns)) + 1
    return Counts.of(codes, numbers)


TOO_MUCH = dict.fromkeys(["exact", "reference", "tempered_smc"], "is too much work")


@pytest.mark.parametrize(
    ("n", "hidden", "n_structures", "method"),
    [
        (10, (2, 2), 100_000, "exact"),  # 4^10 = 2^20 completions
        (11, (2, 2), 136, "reference"),
        (125, (2, 2), 500, "reference"),  # a million units
        (125, (2, 2), 501, "laplace"),
        (
            60_000,
            (2, 2),
            45,
            "tempered_smc",
        ),  # 16 x 16 x 8 units and 20,000 more for each structure
        (60_000, (2, 2), 46, "laplace"),
        (60_000, (9,), 1, "laplace"),  # 9! ways to name its states
    ],
)
def test_the_choice_is_by_the_size_of_the_work(n, hidden, n_structures, method):
    """And of nothing else: no clock is asked."""
    found = choose(counts(n, min(n, 16)), [Family((2,), (2,) * 4), Family(hidden, (2,) * 4)],
                   n_structures)  # fmt: skip
    passed = AUTOMATIC[: AUTOMATIC.index(method)]
    assert found == (method, {name: TOO_MUCH[name] for name in passed})


def test_what_the_reference_is_not_done_for():
    _, why_not = choose(counts(10**7), [FAMILY], 1)
    assert why_not["reference"] == "is not done for as many cases"


def test_what_a_search_is_likely_to_score():
    """Within a factor of 2 of the mean of each family of the measured searches."""
    table = pd.read_csv(POPULATION.parents[1] / "experiments/searches.csv")
    scored = table[(table["search"] == "beam") & (table["method"] == "laplace")]
    for name, mean in scored.groupby("family")["scored"].mean().items():
        causes, variables = map(int, name.split(" x "))
        likely = likely_scored([Family((2,) * causes, (2,) * variables)], 5)
        assert mean / 2 < likely < mean * 2
    assert likely_scored([Family((2, 2), (2,) * 6)], 5) == 5 * 2 * 6**3 // 4 + 1
    assert likely_scored([FAMILY, FAMILY], 100) == 2 * 136  # never more than there are
    assert likely_scored([Family((), (2, 2))], 1) == 1


def test_a_score_without_a_place_is_trusted_least(monkeypatch):
    monkeypatch.setattr(trust, "ORDER", tuple(m for m in ORDER if m not in ("vb", "cs")))
    assert most_trusted(["vb", "cs", "bic"]) == "bic"
    assert most_trusted(["vb", "cs"]) == "vb"
