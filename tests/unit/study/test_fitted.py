"""Rows about fits, on tables made by hand."""

from math import log

import numpy as np
import pandas as pd
import pytest

from latentdag import Counts, Family, Parameters, Structure, Table
from latentdag.analysis import fit_tables
from latentdag.analysis.fit import Fit
from latentdag.data.counts import MISSING
from latentdag.study.own_data.fitted import (
    certainty,
    chosen,
    fit_row,
    largest_residuals,
    log_priors,
    membership_rows,
    parameter_rows,
    residual_rows,
)
from latentdag.study.schema.columns import TABLES

FAMILY = Family((2,), (2, 2))
COUNTS = Counts.of_table(np.array([[40, 10], [10, 40]]))
TABLE = Table(("first", "second"), (("no", "yes"), ("low", "high")), COUNTS)


def independent() -> Fit:
    half = np.array([[0.5, 0.5]])
    structure = Structure.from_label("0-0", FAMILY).without_childless()
    return Fit(structure, Parameters((), (half, half)), "ml", COUNTS, 0.2, 99)


def test_independence_in_a_table_of_two():
    """25 cases are expected in each cell."""
    row = fit_row("0-0 (none)", ["vb", "ais"], independent(), TABLE)
    assert set(row) == set(TABLES["fit"].columns)
    assert row["structure"] == "0-0 (none)" and row["best_by"] == "vb ais"
    assert row["log_likelihood"] == pytest.approx(100 * log(0.25))
    assert row["G2"] == pytest.approx(2 * (80 * log(40 / 25) + 20 * log(10 / 25)))
    assert row["X2"] == pytest.approx(4 * 15**2 / 25)
    assert (row["degrees_of_freedom"], row["dimension"], row["n_parameters"]) == (1, 2, 2)
    assert row["AIC"] == pytest.approx(-200 * log(0.25) + 4)
    assert row["BIC"] == pytest.approx(-200 * log(0.25) + 2 * log(100))
    assert (row["p_value"], row["replicates"], row["complete_cases"]) == (0.2, 99, 100)
    (residual,) = residual_rows("a", independent(), TABLE)
    pair = {"structure": "a", "variable": "first", "other": "second"}
    assert residual == pair | {"residual": pytest.approx(36.0)}


def test_a_missing_value_has_a_name():
    counts = Counts(np.array([[MISSING, 1], [0, 0]]), np.array([3, 2]))
    structure = Structure.from_label("1-1", FAMILY)
    rows = np.array([[0.9, 0.1], [0.2, 0.8]])
    fit = Fit(structure, Parameters((np.array([0.75, 0.25]),), (rows, rows)), "map", counts)
    # whatever a variable is called, and an empty text that is a level is none that is missing
    table = Table(("cases", "entropy"), (("", "yes"), ("low", "high")), counts)
    values = [r["values"] for r in membership_rows("1-1", fit, table)]
    assert sorted(set(values)) == ["(missing), high", ", low"]
    own = {
        (r["cases (variable)"], r["entropy (variable)"]) for r in membership_rows("1", fit, table)
    }
    assert own == {("", "high"), ("", "low")}
    of_command = fit_tables.memberships(fit, table)
    told = [(r["cases (variable)"], r["entropy (variable)"], r["cases"]) for r in of_command]
    assert sorted(told) == [("", "high", 3), ("", "low", 2)]


def test_memberships_by_hand():
    structure = Structure.from_label("1-1", FAMILY)
    rows = np.array([[0.9, 0.1], [0.2, 0.8]])
    fit = Fit(structure, Parameters((np.array([0.75, 0.25]),), (rows, rows)), "map", COUNTS)
    found = list(membership_rows("1-1", fit, TABLE))
    assert all(set(row) == {*TABLES["membership"].columns, *TABLE.names} for row in found)
    assert [(r["first"], r["second"]) for r in found[2:5]] == [
        ("no", "high"), ("no", "high"), ("yes", "low")
    ]  # fmt: skip
    assert [(r["pattern"], r["values"], r["cases"], r["states"]) for r in found] == [
        (1, "no, low", 40, "s1 = 1"), (1, "no, low", 40, "s1 = 2"),
        (2, "no, high", 10, "s1 = 1"), (2, "no, high", 10, "s1 = 2"),
        (3, "yes, low", 10, "s1 = 1"), (3, "yes, low", 10, "s1 = 2"),
        (4, "yes, high", 40, "s1 = 1"), (4, "yes, high", 40, "s1 = 2"),
    ]  # fmt: skip
    first = 0.75 * 0.9**2 / (0.75 * 0.9**2 + 0.25 * 0.2**2)
    assert found[0]["probability"] == pytest.approx(first) and found[0]["modal"]
    assert found[1]["probability"] == pytest.approx(1 - first) and not found[1]["modal"]
    entropy = -first * log(first) - (1 - first) * log(1 - first)
    assert found[0]["entropy"] == found[1]["entropy"] == pytest.approx(entropy)
    last = 0.25 * 0.8**2 / (0.75 * 0.1**2 + 0.25 * 0.8**2)
    middle = 0.75 * 0.09 / (0.75 * 0.09 + 0.25 * 0.16)
    assert found[7]["modal"] and found[7]["probability"] == pytest.approx(last)
    told = certainty(pd.DataFrame(found))
    assert told.right == pytest.approx((40 * first + 20 * middle + 40 * last) / 100)
    assert told.most == pytest.approx(log(2))
    entropies = [r["entropy"] for r in found[::2]]
    assert told.entropy == pytest.approx(np.average(entropies, weights=[40, 10, 10, 40]))
    parameters = list(parameter_rows("1-1", fit, TABLE))
    assert all(set(row) == set(TABLES["parameters"].columns) for row in parameters)
    assert {(r["variable"], r["given"], r["value"]): r["probability"] for r in parameters} == {
        ("s1", "", "1"): 0.75, ("s1", "", "2"): 0.25,
        ("first", "s1 = 1", "no"): 0.9, ("first", "s1 = 1", "yes"): 0.1,
        ("first", "s1 = 2", "no"): 0.2, ("first", "s1 = 2", "yes"): 0.8,
        ("second", "s1 = 1", "low"): 0.9, ("second", "s1 = 1", "high"): 0.1,
        ("second", "s1 = 2", "low"): 0.2, ("second", "s1 = 2", "high"): 0.8,
    }  # fmt: skip
    assert {r["low"] for r in parameters} == {None} and {r["estimate"] for r in parameters} == {
        "map"
    }


def test_structures_that_a_score_puts_first():
    """Likelihoods count for nothing, nor do structures without a score."""
    values = {
        "map": {"a": 9.0, "b": 1.0, "c": 2.0},
        "bic": {"a": -3.0, "b": -1.0, "c": -2.0},
        "vb": {"a": np.nan, "b": -5.0, "c": -4.0},
        "ais": {"a": -3.0, "b": -1.0, "c": -2.0},
    }
    rows = [
        {"draw": 0, "n": 9, "structure": s, "method": m, "score": v, "standard_error": np.nan}
        | {"n_parameters": 3}
        for m, own in values.items()
        for s, v in own.items()
    ]
    scores = pd.DataFrame(rows)
    posterior = pd.DataFrame({"structure": list("abc"), "prior": [0.25, 0.0625, 0.6875]})
    equal = log_priors(posterior, "structures")
    assert chosen(scores, equal) == {"b": ["bic", "ais"], "c": ["vb"]}
    # 1 nat is less than ln(0.6875 / 0.0625)
    unequal = log_priors(posterior, "families")
    assert unequal["c"] == log(0.6875)
    assert chosen(scores, unequal) == {"c": ["bic", "vb", "ais"]}


def test_the_largest_residuals_of_each_structure():
    rows = [("b", "x", "y", 1.0), ("b", "x", "z", 3.0), ("b", "y", "z", 2.0)]
    rows += [("a", "x", "y", 0.5), ("a", "x", "z", 9.0), ("a", "y", "z", 8.0)]
    table = pd.DataFrame(rows, columns=TABLES["residuals"].columns)
    found = largest_residuals(table, 2)
    assert {s: own["residual"].tolist() for s, own in found.items()} == {
        "b": [3.0, 2.0],
        "a": [9.0, 8.0],
    }
    assert list(found) == ["b", "a"] and found["a"]["other"].tolist() == ["z", "z"]
