"""Fits of a table: published statistics, and sums written out."""

import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import oracles
import pandas as pd
import pytest
import yaml

from latentdag import Family, Parameters, Structure, estimate, fit, read_table, score, simulate
from latentdag.analysis.estimates import sort_states
from latentdag.analysis.fit import OFTEN, Fit, starting_often
from latentdag.analysis.fit_tables import TABLES, names_of_variables
from latentdag.data.counts import MISSING, Counts
from latentdag.data.tables import Table
from latentdag.model.parameters import cell_probabilities

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
MODULE = sys.modules[Fit.__module__]
# Latent class models as they were published, by the example of `workflow/config/examples` whose
# table they are of, and the number of classes. Numbers are equal to the digits that are given.
PUBLISHED = {
    # Goodman (1974), Biometrika 61, 215-231; ln likelihoods of poLCA's help page "values"
    ("role-conflict", 2): {"n_cases": 216, "g2": "2.720", "log_likelihood": "-504.4677"},
    ("role-conflict", 3): {"log_likelihood": "-503.3011"},
    # output of poLCA 1.4; of three classes Linzer & Lewis (2011), J. Stat. Softw. 42(10), sec. 5.1
    ("carcinoma", 2): {
        **{"log_likelihood": "-317.2568", "g2": "62.36543", "x2": "92.64814"},
        **{"aic": "664.5137", "bic": "706.0739", "degrees_of_freedom": 127 - 15},
    },
    # its X2 is 20.50335: near the maximum the likelihood is flat, and X2 is not
    ("carcinoma", 3): {
        **{"n_cases": 118, "log_likelihood": "-293.705", "g2": "15.26171", "x2": "20.5034"},
        **{"aic": "633.410", "bic": "697.1357", "degrees_of_freedom": 127 - 23},
    },
    # its X2, 10.086, is not yet that of the optimum
    ("carcinoma", 4): {"log_likelihood": "-289.2858", "g2": "6.423", "x2": "10.084"},
    # StepMix 3.0 (Morin et al. 2025), run by the project; one member cast no vote
    ("house-votes", 2): {"n_cases": 434, "log_likelihood": "-3104.6978"},
    ("house-votes", 3): {"log_likelihood": "-2959.4391"},
    ("house-votes", 4): {"log_likelihood": "-2892.3989"},
}
CLASS_SIZES = {
    ("role-conflict", 2): [0.279, 0.721],
    ("carcinoma", 2): [0.4988, 0.5012],
    ("carcinoma", 3): [0.1817, 0.3736, 0.4447],
}
FAMILY = Family((2, 2), (2, 3, 2))
STRUCTURE = Structure.from_label("1-12-2", FAMILY)


def example(name: str) -> Table:
    """The table of an example, read as its configuration says."""
    text = (ROOT / f"workflow/config/examples/{name}.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)["data"]
    beside, file = data.pop("beside", None), ROOT / data.pop("file")
    columns = [column for column in read_table(file, **data).names if column != beside]
    return read_table(file, columns=columns, **data)


@pytest.mark.parametrize(("name", "classes"), PUBLISHED)
def test_latent_classes_are_fitted_as_published(name, classes):
    table = example(name)
    everyone = Structure(((0,),) * len(table.names), table.family((classes,)))
    best = fit(table.cases, everyone)
    for quantity, published in PUBLISHED[name, classes].items():
        digits = len(str(published).partition(".")[2])
        assert f"{getattr(best, quantity):.{digits}f}" == str(published), quantity
    if sizes := CLASS_SIZES.get((name, classes)):
        half = 0.5 * 10.0 ** -len(f"{sizes[0]}".partition(".")[2])
        assert sorted(best.parameters.hidden[0]) == pytest.approx(sizes, abs=half)


def test_the_votes_are_beside_the_parties_of_their_source():
    """The share of Democrats of those against and for the fourth proposal, as UCI prints it."""
    votes = pd.read_csv(ROOT / "workflow/data/house_votes_1984.csv")
    shares = (votes["party"] == "democrat").groupby(votes.iloc[:, 4]).mean()
    assert shares[["n", "y"]].tolist() == pytest.approx([0.99, 0.08], abs=6e-3)


PARTLY = Counts.of(
    np.array([[0, 1, 1], [1, -1, 0], [1, 2, -1], [-1, -1, 1]]), np.array([4, 3, 2, 5])
)
COUNTS = {
    "complete": Counts.of_table(np.random.default_rng(3).integers(4, size=FAMILY.observed)),
    "incomplete": PARTLY,
}


@pytest.fixture(params=product(COUNTS, [True, False]), ids=str)
def model(request, monkeypatch) -> Fit:
    """Parameters that are no fit, and counts of some patterns; with products of probabilities, and
    with sums of logarithms, as where there are many variables.
    """
    counts, of_logarithms = COUNTS[request.param[0]], request.param[1]
    monkeypatch.setattr(MODULE, "MOST_FACTORS", 0 if of_logarithms else 9)
    parameters = oracles.random_parameters(STRUCTURE, np.random.default_rng(3))
    return Fit(STRUCTURE, parameters, "ml", counts, p_value=0.25, replicates=3, restarts=7)


def test_statistics_are_sums_written_out(model):
    """The ln likelihood, AIC and BIC are of all cases, G2 and X2 of complete ones. The model has
    10 dimensions: y1 and y3 are independent, 2, and y2 is free given these, 4 x 2.
    """
    n, counts = model.counts.n, model.counts
    observed = list(zip(counts.patterns, counts.numbers, strict=True))
    p = {tuple(y): oracles.joint(STRUCTURE, model.parameters, y).sum() for y, _ in observed}
    log_likelihood = sum(k * log(p[tuple(y)]) for y, k in observed)
    complete = [(k, p[tuple(y)]) for y, k in observed if min(y) >= 0]
    n_complete = sum(k for k, _ in complete)
    expected = [n_complete * q for _, q in complete]
    x2 = sum((k - e) ** 2 / e for (k, _), e in zip(complete, expected, strict=True))
    (row,) = TABLES["fit"](model, None)
    assert row == {
        "structure": "1-12-2",
        "method": "ml",
        "cases": n,
        "complete_cases": n_complete,
        "log_likelihood": pytest.approx(log_likelihood),
        "G2": pytest.approx(2 * sum(k * log(k / n_complete / q) for k, q in complete)),
        "X2": pytest.approx(x2 + n_complete - sum(expected)),
        "degrees_of_freedom": 12 - 1 - 10,
        "n_parameters": 14,
        "dimension": 10,
        "AIC": pytest.approx(-2 * log_likelihood + 20),
        "BIC": pytest.approx(-2 * log_likelihood + 10 * log(n)),
        "AIC_parameters": pytest.approx(-2 * log_likelihood + 28),
        "BIC_parameters": pytest.approx(-2 * log_likelihood + 14 * log(n)),
        "restarts": 7,
        "restarts_at_best": 0,
        "converged": True,
        "p_value": 0.25,
        "p_error": 0.25,
        "replicates": 3,
    }


def test_residuals_are_those_of_tables_of_two(model):
    """Of the cases in which both are observed."""
    residuals = {(i, j): value for i, j, value in model.residuals()}
    assert list(residuals) == [(0, 1), (0, 2), (1, 2)]
    cells = oracles.cell_probabilities(STRUCTURE, model.parameters)
    for (i, j), value in residuals.items():
        p = cells.sum(axis=3 - i - j)
        counted = np.zeros_like(p)
        for y, k in zip(model.counts.patterns[:, [i, j]], model.counts.numbers, strict=True):
            counted[tuple(y)] += k if min(y) >= 0 else 0
        expected = counted.sum() * p
        x2 = ((counted - expected) ** 2 / expected).sum()
        assert value == pytest.approx(x2 / np.prod(np.subtract(p.shape, 1)))


def test_memberships_are_by_the_rule_of_bayes(model):
    assert list(map(tuple, model.states)) == oracles.hidden_states(STRUCTURE)
    for y, p, entropy in zip(
        model.counts.patterns, model.memberships, model.entropies, strict=True
    ):
        joint = oracles.joint(STRUCTURE, model.parameters, y)
        assert p == pytest.approx(joint / joint.sum())
        assert entropy == pytest.approx(-sum(q * log(q) for q in p))


def test_rows_of_parameters_and_of_residuals_are_those_of_their_variables(model):
    table = Table(("a", "b", "c"), (("n", "y"), ("k", "l", "m"), ("u", "v")), PARTLY)
    rows = TABLES["parameters"](model, table)
    p = {(r["variable"], r["given"], r["value"]): r["probability"] for r in rows}
    (_, s2), (a, b, c) = model.parameters.hidden, model.parameters.observed
    assert (p["s2", "", "2"], p["a", "s1 = 2", "n"]) == (s2[1], a[1, 0])
    assert (p["b", "s1 = 2, s2 = 1", "m"], p["c", "s2 = 2", "u"]) == (b[2, 2], c[1, 0])
    residuals = [tuple(row.values()) for row in TABLES["residuals"](model, table)]
    expected = [("abc"[i], "abc"[j], value) for i, j, value in model.residuals()]
    assert residuals == sorted(expected, key=lambda row: row[2], reverse=True)


def test_a_cell_that_the_fit_excludes():
    """One that does not occur adds nothing; one that does makes the statistics infinite."""
    structure = Structure.from_label("0-1", Family((2,), (2, 2)))
    certain = Parameters((np.array([0.5, 0.5]),), (np.array([[1.0, 0.0]]), np.eye(2)))
    without, with_one = (
        Fit(structure, certain, "ml", Counts.of_table(np.array([[3, 3], [k, 0]]))) for k in (0, 1)
    )
    assert without.x2 == 0 and (without.entropies == 0).all()
    assert with_one.log_likelihood == -np.inf
    with np.errstate(divide="ignore"):
        assert with_one.x2 == np.inf


def test_the_bootstrap_rejects_a_wrong_structure_and_spares_the_right_one():
    """p is at most 0.1 in a tenth of the tables of the right one: in more than 6 of 20 by chance
    once in 400 times.
    """
    family = Family((2,), (3, 3, 3))
    right, wrong = Structure.from_label("1-1-1", family), Structure.from_label("0-0-0", family)
    rng = np.random.default_rng(5)
    parameters = oracles.random_parameters(right, rng)
    p = {right: [], wrong: []}
    for seed in range(20):
        cases, _ = simulate(right, parameters, 1000, rng)
        for s, p_values in p.items():
            p_values.append(fit(cases, s, replicates=19, restarts=2, seed=seed).p_value)
    assert sum(x <= 0.1 for x in p[right]) <= 6 and np.mean(p[right]) > 0.3
    assert max(p[wrong]) == 1 / 20


@pytest.fixture(scope="module")
def incomplete() -> np.ndarray:
    """240 cases: y1 is missing in the first 70, y3 in those from 50 to 89."""
    rng = np.random.default_rng(12)
    cases, _ = simulate(STRUCTURE, oracles.random_parameters(STRUCTURE, rng), 240, rng)
    cases = cases.astype(float)
    cases[:70, 0] = cases[50:90, 2] = np.nan
    return cases


PRIOR = {"alpha": 0.7, "alpha_hidden": 3.0, "max_iterations": 900}
SETTINGS = PRIOR | {"restarts": 3, "hits": 2}


def test_replicates_miss_what_the_cases_miss(incomplete, monkeypatch):
    """And are fitted with the same settings, but for the number of restarts."""
    fitted = []

    def recorded(cases, structure, method, **settings):
        fitted.append(cases)
        assert (structure, method, settings) == (STRUCTURE, "map", PRIOR | {"seed": seed})
        return estimate(cases, structure, method, **settings)

    monkeypatch.setattr(MODULE, "estimate", recorded)
    for seed in (4, 5):
        fit(incomplete, STRUCTURE, "map", replicates=3, seed=seed, **PRIOR)
    for replicate in fitted:
        n_missing = Counter()
        for pattern, number in zip(replicate.patterns, replicate.numbers, strict=True):
            n_missing[tuple(np.flatnonzero(pattern == MISSING))] += number
        assert n_missing == {(): 150, (0,): 50, (0, 2): 20, (2,): 20}
    assert len({replicate.numbers.tobytes() for replicate in fitted}) == len(fitted) == 6


def test_without_complete_cases_there_is_nothing_to_compare(incomplete):
    few = fit(incomplete[50:90], STRUCTURE, replicates=3, **SETTINGS)
    assert np.isnan([few.g2, few.x2, few.p_value, few.p_error]).all()
    assert (few.n_complete, few.replicates) == (0, 0)


def test_the_tables_are_as_they_were(incomplete, golden):
    """Names that other columns or causes have are marked."""
    names = "s1", "cases", "y", "most_probable", "entropy", "converged", "p(s1 = 1, s2 = 2)"
    table = Table(names[:3], (("a", "b"), ("c", "d", "e"), ("f", "g")), PARTLY)
    of_map = fit(incomplete, STRUCTURE, "map", replicates=4, draws=20, seed=4, **SETTINGS)
    frames = {name: pd.DataFrame(make(of_map, table)) for name, make in TABLES.items()}
    golden("fit.csv", ((name, c, frame[c]) for name, frame in frames.items() for c in frame))
    marked = names_of_variables(of_map, replace(table, names=names))
    assert marked == [name if name == "y" else f"{name} (variable)" for name in names]


@pytest.mark.parametrize("settings", [{"hits": None}, {"restarts": 8}, {"hits": 1}])
def test_a_fit_starts_often_and_tells_how_often_it_reached_the_best(settings):
    """Unless restarts or hits are given."""
    counts = Counts.of(np.random.default_rng(5).integers(3, size=(60, 4)))
    s = Structure.from_label("1-1-1-1", Family((4,), (3, 3, 3, 3)))
    often = settings if any(settings.values()) else {"restarts": 512, "hits": 64}
    expected, best = score(counts, s, "ml", seed=3, **often), fit(counts, s, seed=3, **settings)
    assert best.restarts == expected.restarts
    assert best.restarts_at_best == expected.restarts_at_best
    assert best.log_likelihood == pytest.approx(expected.score, abs=1e-6)


def test_a_fit_of_more_than_64_variables_starts_less_often():
    wide = (Structure(((0,),) * n, Family((2,), (2,) * n)) for n in (64, 65))
    assert [starting_often({"hits": None}, s) for s in wide] == [OFTEN, {"hits": None}]


def test_the_p_value_counts_what_is_as_large_and_the_cases_own_table(incomplete, monkeypatch):
    of_cases = fit(incomplete, STRUCTURE, **SETTINGS).g2
    g2 = of_cases + np.array([-0.1, 0.0, 0.1, -2.0, 5.0, -1.0])
    monkeypatch.setattr(
        MODULE,
        "_simulated_g2",
        lambda best, seed, settings, replicates, report: [g2[r] for r in replicates],
    )
    of_replicates = fit(incomplete, STRUCTURE, replicates=6, **SETTINGS)
    assert of_replicates.p_value == pytest.approx((1 + 3) / (1 + 6))
    assert of_replicates.p_error == pytest.approx((4 / 7 * 3 / 7 / 6) ** 0.5)


def test_states_are_numbered_by_falling_probability():
    """In all of a fit alike: the numbers of its states are those of its draws."""
    family = Family((2, 3), (2, 3, 4))
    structure = Structure.from_label("1-12-2", family)
    rng = np.random.default_rng(9)
    truth = oracles.random_parameters(structure, rng)
    cases, _ = simulate(structure, truth, 4000, rng)
    of_map = fit(cases, structure, "map", draws=100)
    sorted_ = sort_states(structure, truth)
    for parameters in (of_map.parameters, sorted_, of_map.draws.mean()):
        assert all((np.diff(p) <= 0).all() for p in parameters.hidden)
    # only names have changed
    cells = oracles.cell_probabilities(structure, truth)
    assert oracles.cell_probabilities(structure, sorted_) == pytest.approx(cells)
    s = [np.argsort(-p) for p in truth.hidden]
    assert sorted_.observed[1][3 * 1 + 2] == pytest.approx(truth.observed[1][3 * s[0][1] + s[1][2]])
    assert sorted_.observed[2][0] == pytest.approx(truth.observed[2][s[1][0]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"restrats": 5}, "did you mean 'restarts'"),
        ({"draws": 20, "chains": 2}, "'chains' is no setting of ml; known are restarts"),
        ({"hits": 0}, "hits must be at least 1, got 0"),
        ({"replicates": 2.5}, "replicates must be an integer, got 2.5"),
        ({"replicates": 1, "hits": 0}, "at most 10,000,000 cases are simulated"),
    ],
)
def test_what_a_fit_refuses(settings, message):
    """Before any work."""
    counts = Counts.of(np.array([[0, 0, 0], [1, 2, 1]]), np.array([1, 10**7]))
    with pytest.raises(ValueError, match=message):
        fit(counts, STRUCTURE, **settings)


@pytest.mark.parametrize("label", ["2-12-1", "0-2-2", "12-12-12"])
def test_an_estimate_has_the_likelihood_of_its_score(label):
    data = np.random.default_rng(0).integers(2, size=(60, 3))
    structure = Structure.from_label(label, Family((2, 2), (2, 2, 2)))
    how = {"restarts": 4, "alpha": 1.7, "alpha_hidden": 0.6}
    for method in ("ml", "map"):
        reduced, parameters = estimate(data, structure, method, **how)
        assert reduced == structure.canonical().without_childless()
        cells = cell_probabilities(reduced, parameters)
        assert cells.sum() == pytest.approx(1)
        log_likelihood = np.log(cells[tuple(data.T)]).sum()
        expected = score(data, structure, method, **how).score
        assert log_likelihood == pytest.approx(expected, abs=1e-6)
    with pytest.raises(ValueError, match="unknown estimate 'vb'"):
        estimate(data, structure, "vb")
