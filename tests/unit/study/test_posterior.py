"""Posteriors over structures, on scores whose answers are known."""

from math import exp, isnan, log, nan

import made_up
import numpy as np
import pandas as pd
import pytest

from latentdag.scores import METHODS
from latentdag.study.one_draw import posterior as of_posterior
from latentdag.study.one_draw.posterior import posterior
from latentdag.study.schema.columns import TABLES

MADE_UP = made_up.scores()
BELIEVED = {"bic", "cs", "bic_ml", "vb", "ais", "exact", "reference"}


def table(*rows):
    """Rows of n, structure, method, score; b has the fewest parameters, then come a and c."""
    parameters = {"b": 18, "a": 22, "c": 22}
    columns = ["draw", "n", "structure", "method", "score", "n_parameters"]
    return pd.DataFrame([(0, *row, parameters[row[1]]) for row in rows], columns=columns)


def test_posterior_is_uniform_prior_times_evidence():
    scores = table(
        (10, "a", "reference", -1e5),
        (10, "b", "reference", -1e5 + log(3)),
        (10, "a", "vb", -5000.0),
        (10, "b", "vb", 0.0),
        (10, "a", "map", 0.0),
        (20, "c", "bic", 7.0),
        (20, "a", "bic", 7.0),
    )
    expected = [
        (0, 10, "b", "vb", 1.0),
        (0, 10, "a", "vb", 0.0),
        (0, 10, "b", "reference", 0.75),
        (0, 10, "a", "reference", 0.25),
        (0, 20, "a", "bic", 0.5),
        (0, 20, "c", "bic", 0.5),
    ]
    expected = pd.DataFrame(expected, columns=TABLES["posterior"].columns)
    pd.testing.assert_frame_equal(posterior(scores), expected)


def test_a_prior_other_than_uniform():
    """It stands beside the posterior; what has no score takes nothing of it."""
    scores = table(
        *((10, s, m, score) for m in ("vb", "map") for s, score in (("b", -3.0), ("a", -4.0))),
        (10, "c", "vb", nan),
    )
    prior = pd.Series({"a": log(0.6), "b": log(0.1), "c": log(0.3)})
    found = posterior(scores, prior)
    total = 0.1 * exp(-3) + 0.6 * exp(-4)
    assert list(found) == [*TABLES["posterior"].columns, "prior"]
    assert found["structure"].tolist() == ["b", "a", "c"]
    assert found["prior"].tolist() == pytest.approx([0.1, 0.6, 0.3])
    expected = [0.1 * exp(-3) / total, 0.6 * exp(-4) / total, nan]
    assert found["probability"].tolist() == pytest.approx(expected, nan_ok=True)


def test_the_table_of_posteriors_by_plain_sums():
    found = made_up.rows(posterior(MADE_UP))
    assert {r["method"] for r in found} == BELIEVED
    assert len(found) == len(made_up.rows(MADE_UP, method=BELIEVED.__contains__))
    for row in found:
        at = {name: row[name] for name in ("draw", "n", "method")}
        own = {r["structure"]: r["score"] for r in made_up.rows(MADE_UP, **at)}
        mine = own[row["structure"]]
        if mine is None:
            assert row["probability"] is None
        else:
            total = sum(exp(s - mine) for s in own.values() if s is not None)
            assert row["probability"] == pytest.approx(1 / total)
    order = [
        (r["draw"], r["n"], METHODS.index(r["method"]), made_up.STRUCTURES[r["structure"]])
        for r in found
    ]
    assert order == sorted(order)


def test_a_structure_without_a_score_has_no_weight():
    rows = posterior(table((10, "a", "cs", nan), (10, "b", "cs", 1.0), (10, "c", "cs", 1.0)))
    assert rows["probability"].tolist() == pytest.approx([0.5, nan, 0.5], nan_ok=True)
    none = posterior(table((10, "a", "cs", nan), (10, "b", "cs", nan)))
    assert none["probability"].isna().all()


def test_nothing_comes_of_nothing():
    empty = posterior(pd.DataFrame(columns=TABLES["scores"].columns))
    assert list(empty.columns) == list(TABLES["posterior"].columns) and empty.empty


def test_mass_of_a_structure_by_size():
    own = posterior(MADE_UP)
    own = own[own["draw"] == 0]
    mass = of_posterior.mass(own, made_up.TRUE)
    assert list(mass.index) == sorted(made_up.SIZES)
    assert list(mass) == [m for m in METHODS if m in BELIEVED]
    for row in made_up.rows(own, structure=made_up.TRUE):
        here = mass.loc[row["n"], row["method"]]
        assert here == row["probability"] or (isnan(here) and row["probability"] is None)


def test_mass_counts_from_where_it_stays():
    masses = {
        "vb": (0.9, 0.5, 0.6, 0.7),
        "reference": (0.6, 0.7, 0.8, 0.9),
        "bic": (0.9, 0.9, 0.9, 0.1),
        "cs": (0.9, nan, 0.9, 0.9),
    }
    rows = [
        (0, n, "a", m, p)
        for m, ps in masses.items()
        for n, p in zip((10, 20, 40, 80), ps, strict=True)
    ]
    rows += [(0, n, "b", m, 1 - p) for _, n, _, m, p in rows]
    rows += [(0, 10, "a", "exact", 0.8)]
    table = pd.DataFrame(rows, columns=TABLES["posterior"].columns).sample(frac=1, random_state=1)
    found = of_posterior.mass_from(table, "a")
    assert found == {"bic": None, "cs": 40, "vb": 40, "reference": 10}
    assert list(found) == ["bic", "cs", "vb", "reference"]  # exact stopped at 10
    found = of_posterior.mass_from(table, "a", share=0.65)
    assert (found["bic"], found["vb"], found["reference"]) == (None, 80, 20)
    assert of_posterior.mass_from(table, "c") == {}


def test_effective_number_of_structures():
    even = pd.Series([0.25, 0.25, 0.0, 0.25, nan, 0.25])
    assert of_posterior.effective_number(even) == pytest.approx(4)
    p = np.array([0.5, 0.3, 0.2])
    assert of_posterior.effective_number(pd.Series(p)) == pytest.approx(1 / np.prod(p**p))
