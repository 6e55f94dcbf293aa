"""The findings of Chickering & Heckerman on made-up tables, against plain loops."""

from math import hypot, isnan, log, nan, sqrt
from statistics import mean, median, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from latentdag.scores import METHODS
from latentdag.study.one_draw.posterior import posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import chickering_heckerman as findings
from latentdag.study.paper.claims import AGREES, DIFFERS, NOT_TESTABLE
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()
RANKS = ranks(SCORES, made_up.TRUE, 2003, made_up.structures_table())
POSTERIOR = posterior(SCORES)
PRIOR = made_up.prior()


def of_draw(table, draw=0):
    return table[table["draw"] == draw]


@pytest.mark.parametrize("draw", [0, 1])
def test_total_variation_is_the_largest_error_of_a_probability(draw):
    """Over all sets of structures, where their number allows to try each."""
    found = findings.total_variation(of_draw(POSTERIOR, draw))
    assert sorted(found.index) == sorted(made_up.SIZES)
    believed = {"bic", "cs", "bic_ml", "vb", "ais", "exact"}
    assert list(found) == [m for m in METHODS if m in believed]
    lost = 0
    for n in found.index:
        p = {
            m: {
                r["structure"]: r["probability"] or 0.0
                for r in made_up.rows(POSTERIOR, draw=draw, n=n, method=m)
            }
            for m in (*found, "reference")
        }
        for m in found:
            if not p[m]:
                assert isnan(found.loc[n, m])
                continue
            lost += p[m][made_up.TRUE] == 0
            gaps = [p[m][s] - p["reference"][s] for s in made_up.STRUCTURES]
            largest = max(
                abs(sum(gap for i, gap in enumerate(gaps) if chosen >> i & 1))
                for chosen in range(2 ** len(gaps))
            )
            assert found.loc[n, m] == pytest.approx(largest, abs=1e-9)
    assert lost == (2 if draw == 0 else 0)


def test_a_posterior_of_one_structure_or_without_reference_has_no_distance():
    own = of_draw(POSTERIOR)
    assert findings.total_variation(own[own["structure"] == made_up.TRUE]).empty
    assert findings.total_variation(own[own["method"] != "reference"]).empty
    assert findings.total_variation(POSTERIOR.iloc[:0]).empty


@pytest.mark.parametrize("draw", [0, 1])
def test_what_a_choice_loses(draw):
    found = findings.choices(of_draw(RANKS, draw), of_draw(SCORES, draw))
    expected = {}
    for n in made_up.SIZES:
        at = {"draw": draw, "n": n}
        known = {r["structure"]: r for r in made_up.rows(SCORES, **at, method="reference")}
        best = max(known, key=lambda s: (known[s]["score"], -made_up.STRUCTURES[s]))
        for m in set(made_up.METHODS) - {"reference"}:
            own = {
                r["structure"]: r["score"]
                for r in made_up.rows(SCORES, **at, method=m)
                if r["score"] is not None
            }
            if own:
                (row,) = made_up.rows(RANKS, **at, method=m)
                chosen = row["best_structure"]
                assert own[chosen] == max(own.values())
                regret = known[best]["score"] - known[chosen]["score"]
                error = hypot(known[best]["standard_error"], known[chosen]["standard_error"])
                expected[n, m] = regret, nan if regret == 0 and chosen == best else error
    assert len(found) == len(expected) > 30
    for r in found.itertuples():
        assert (r.regret, r.error) == pytest.approx(expected[r.n, r.method], nan_ok=True)

    over = findings.chosen(found)
    assert list(over.index) == [m for m in METHODS if m in set(found["method"])]
    for m in over.index:
        own = {n: of for (n, method), of in expected.items() if method == m}
        regrets = [regret for regret, _ in own.values()]
        row = over.loc[m]
        assert row["sizes"] == len(own) and row["best"] == regrets.count(0)
        assert row["within"] == sum(regret <= log(3) for regret in regrets)
        assert row["mean"] == pytest.approx(mean(regrets))
        assert row["largest"] == max(regrets)
        first = min(n for n in own if own[n][0] == max(regrets))
        assert row["at"] == first
        assert row["error"] == pytest.approx(own[first][1], nan_ok=True)
    assert 0 < over["within"].sum() < over["sizes"].sum()


def test_where_there_is_no_choice():
    one = of_draw(SCORES).query("structure == @made_up.TRUE")
    assert findings.choices(of_draw(RANKS), one).empty
    no_reference = of_draw(SCORES).query("method != 'reference'")
    assert findings.chosen(findings.choices(of_draw(RANKS), no_reference)).empty


@pytest.mark.parametrize("draw", [0, 1])
def test_changes_from_the_lowest_alpha_to_the_highest(draw):
    found = findings.changes(of_draw(PRIOR, draw))
    assert list(found.index) == ["bic", "cs", "vb", "reference"]

    def at(method, alpha):
        own = made_up.rows(PRIOR, draw=draw, method=method, alpha=alpha)
        return {r["structure"]: r for r in own if r["score"] is not None}

    def change(method):
        low, high = at(method, 0.5), at(method, 10.0)
        return {s: high[s]["score"] - low[s]["score"] for s in low if s in high}

    evidence = change("reference")
    for m in found.index:
        low, high, own, row = at(m, 0.5), at(m, 10.0), change(m), found.loc[m]
        assert row["structures"] == len(own) == 6 - (draw == 0 and m == "cs")
        assert row["mean"] == pytest.approx(mean(own.values()))
        assert row["deviation"] == pytest.approx(stdev(own.values()))
        scores = [[of[s]["score"] for s in own] for of in (low, high)]
        assert row["correlation"] == pytest.approx(spearmanr(*scores).statistic)
        if m == "reference":
            squares = [low[s]["standard_error"] ** 2 + high[s]["standard_error"] ** 2 for s in own]
            assert row["error"] == pytest.approx(sqrt(mean(squares)))
            assert isnan(row["apart"])
        else:
            assert isnan(row["error"])
            apart = [own[s] - evidence[s] for s in own]
            assert row["apart"] == pytest.approx(stdev(apart))


def test_changes_need_two_alphas_and_two_structures():
    own = of_draw(PRIOR)
    assert findings.changes(own[own["alpha"] == 1]).empty
    assert findings.changes(own.iloc[:0]).empty
    assert findings.changes(own[own["structure"] == made_up.TRUE]).empty
    without = findings.changes(own[own["method"] != "reference"])
    assert without["apart"].isna().all() and len(without) == 3


def boundary_tables(seed=5):
    """Errors of CS, Laplace and another of two draws, and fits with shares near the boundary."""
    rng = np.random.default_rng(seed)
    errors, fits = [], []
    for draw in (0, 1):
        for n in (80, 10):
            for s, d in made_up.STRUCTURES.items():
                share = rng.integers(0, 4) / 4  # so that some are equal
                fits.append((draw, n, s, "map", share))
                fits.append((draw, n, s, "vb", 1 - share))
                for m in ("cs", "laplace", "vb"):
                    if (m, n, d) != ("laplace", 80, 19):
                        errors.append((draw, n, s, m, 5 * rng.normal(), 0.1))
    errors = pd.DataFrame(errors, columns=TABLES["errors"].columns)
    fits = pd.DataFrame(fits, columns=[*errors.columns[:4], "near_boundary"])
    return (table.sample(frac=1, random_state=seed) for table in (errors, fits))


@pytest.mark.parametrize("draw", [0, 1])
def test_errors_in_both_halves(draw):
    errors, fits = boundary_tables()
    found = findings.near_boundary(of_draw(errors, draw), of_draw(fits, draw))
    pairs = []
    for row in made_up.rows(fits, draw=draw, method="map"):
        at = {k: row[k] for k in ("draw", "n", "structure")}
        own = {
            m: [abs(r["error_nats"]) for r in made_up.rows(errors, **at, method=m)]
            for m in ("cs", "laplace")
        }
        if all(own.values()):
            pairs.append((row["near_boundary"], *own["cs"], *own["laplace"]))
    assert len(pairs) == 11
    middle = median(share for share, *_ in pairs)
    halves = {
        "near": [pair for pair in pairs if pair[0] > middle],
        "other": [pair for pair in pairs if pair[0] <= middle],
    }
    for name, half in halves.items():
        assert len(half) > 1
        expected = [len(half), *(mean(column) for column in zip(*half, strict=True))]
        expected.append(sum(cs < laplace for _, cs, laplace in half))
        assert found.loc[name].tolist() == pytest.approx(expected)


def test_halves_that_cannot_be_told_apart_are_left_out():
    errors, fits = (of_draw(table) for table in boundary_tables())
    assert findings.near_boundary(errors, fits.assign(near_boundary=0.25)).empty
    assert findings.near_boundary(errors, fits.assign(near_boundary=nan)).empty
    assert findings.near_boundary(errors[errors["method"] != "laplace"], fits).empty
    assert findings.near_boundary(errors.iloc[:0], SCORES.iloc[:0]).empty


def test_reading_needs_both():
    rows = [("cs", 80, 9.0, 0.5), ("bic", 80, 9.0, 0.1), ("cs", 10, 9.0, 0.25)]
    cost = pd.DataFrame([*rows, ("laplace", 80, 8.0, 2.0)], columns=TABLES["cost"].columns)
    assert findings.reading(cost).to_dict("index") == {80: {"cs": 0.5, "laplace": 2.0}}
    assert findings.reading(cost.iloc[:3]).empty and findings.reading(cost.iloc[:0]).empty


def test_accurate_at_almost_all_sizes():
    sizes = {"bic": 20, "cs": 20, "laplace": 10, "vb": 20}
    within = {"bic": 17, "cs": 18, "laplace": 9, "vb": 0}
    found = findings.accurate(pd.DataFrame({"sizes": sizes, "within": within}))
    assert found.to_dict() == {"bic": False, "cs": True, "laplace": True}
    distances = pd.DataFrame(
        {"bic": [0.1, 0.11, nan], "laplace": [0.0, 0.1, 0.05]}, index=[10, 20, 40]
    )
    counted = findings.within(distances)
    assert counted.to_dict("index") == {
        "bic": {"sizes": 2, "within": 1},
        "laplace": {"sizes": 3, "within": 3},
    }
    assert findings.accurate(counted).to_dict() == {"bic": False, "laplace": True}
    assert findings.accurate(pd.DataFrame()).empty


@pytest.mark.parametrize(
    ("holds", "none", "all_but_bic"),
    [
        ({"bic": False, "cs": True, "laplace": True}, DIFFERS, AGREES),
        ({"bic": False, "cs": True, "laplace": False}, DIFFERS, DIFFERS),
        ({"bic": True, "cs": True, "laplace": True}, DIFFERS, DIFFERS),
        ({"bic": False, "cs": False, "laplace": False}, AGREES, DIFFERS),
        ({"bic": False, "cs": True}, DIFFERS, AGREES),
        ({"bic": False}, AGREES, NOT_TESTABLE),
        ({"cs": True}, DIFFERS, NOT_TESTABLE),
        ({}, NOT_TESTABLE, NOT_TESTABLE),
    ],
)
def test_verdicts(holds, none, all_but_bic):
    holds = pd.Series(holds, dtype=bool)
    assert findings.of_none(holds) == none
    assert findings.of_all_but_bic(holds) == all_but_bic
