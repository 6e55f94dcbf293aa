"""Checks on data and settings, each with its message; cells of the table of counts; missing values:
a variable that is never observed, and what must not change.
"""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from latentdag import METHODS, Family, Structure, draw_parameters, read_table, score, simulate
from latentdag.data.counts import Counts, cell_counts, check_cases
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA, Prior
from latentdag.scores import SPECS, settings_used

FAMILY = Family()
TRUE = Structure.from_label("1-12-12-2")
GOOD = np.array([[0, 1, 2, 3], [4, 4, 4, 4], [0, 0, 0, 0]])


def changed(row, column, value):
    cases = GOOD.astype(float)
    cases[row, column] = value
    return cases


BAD = [
    (GOOD[:, :3], r"shape \(n, 4\).*got \(3, 3\)"),
    (GOOD[0], r"shape \(n, 4\).*got \(4,\)"),
    (GOOD[None], r"shape \(n, 4\)"),
    (np.empty((0, 4), dtype=int), "empty"),
    (np.where(GOOD == 2, None, "x"), "must be integers counted from 0, got 'x' in row 0"),
    (changed(2, 0, np.inf), "row 2, column y1: inf"),
    (changed(2, 3, 5), "row 2, column y4: 5.0 is not an integer from 0 to 4"),
    (changed(2, 1, -1).astype(int), "row 2, column y2: -1 is not an integer from 0 to 4"),
    (changed(0, 1, 1.5), "row 0, column y2: 1.5"),
    (GOOD.astype(str), "must be integers"),
    (np.where(GOOD == 2, None, True), "must be integers counted from 0, got True in row 0"),
    (GOOD > 0, "must be integers"),
]


@pytest.mark.parametrize(("cases", "message"), BAD)
def test_bad_cases_name_row_and_column(cases, message):
    with pytest.raises(ValueError, match=message):
        check_cases(cases, FAMILY)


def test_integers_of_every_kind_are_taken():
    for cases in (GOOD.tolist(), *map(GOOD.astype, (np.uint8, np.int64, np.float32, np.uint64))):
        checked = check_cases(cases, FAMILY)
        assert checked.dtype == np.int64 and np.array_equal(checked, GOOD)


@pytest.mark.parametrize("method", METHODS)
def test_alpha_out_of_range_is_refused(method):
    values = (0, -1.0, np.nan, np.inf, 0.0099, 1.01e12)
    for name, alpha in product(("alpha", "alpha_hidden"), values):
        message = f"{name} must lie from 0.01 to 1e+12, got {alpha}: below, Monte Carlo errors"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            score(GOOD, TRUE, method, **{name: alpha})


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT])
def test_every_way_to_say_that_a_value_is_missing(missing):
    cases = GOOD.astype(object)
    cases[1, 2] = missing
    expected = GOOD.copy()
    expected[1, 2] = -1
    for table in (cases, pd.DataFrame(cases).convert_dtypes()):
        assert np.array_equal(check_cases(table, FAMILY), expected)
    assert cell_counts(expected, FAMILY).has_missing
    assert not cell_counts(GOOD, FAMILY).has_missing


def test_counts_are_sorted_and_different(monkeypatch):
    counts = Counts.of(np.array([[1, -1], [0, 2], [1, -1], [0, -1]]), np.array([2, 3, 4, 0]))
    assert counts.patterns.tolist() == [[0, 2], [1, -1]]
    assert counts.numbers.tolist() == [3, 6]
    assert counts.n == 9
    assert [m.tolist() for m in counts.margins((2, 3))] == [[3, 6], [0, 0, 3]]
    monkeypatch.setattr("latentdag.data.counts.MAX_CASES", 9)  # as many are taken
    assert Counts.of(counts.one_by_one()).numbers.tolist() == [3, 6]


def test_rows_too_long_for_one_integer_are_sorted_as_rows():
    """Of 84 values and ten variables there are more than 2^63, and less than 2^64."""
    rows = np.random.default_rng(1).integers(84, size=(200, 10)) - 1
    rows[50:100] = rows[:50]
    counts = Counts.of(rows)
    assert counts.patterns.tolist() == sorted(map(list, {tuple(r) for r in rows.tolist()}))
    assert counts.n == 200
    assert counts.numbers.max() == 2


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (Counts(GOOD + 2, np.array([1, 1, 1])), "cases row 0, column y4: 5 is not an integer"),
        (Counts(GOOD, np.array([1.0, 1, 1])), "the numbers of Counts must be integers, one for"),
        (Counts(GOOD, np.array([1, 1])), "the numbers of Counts must be integers, one for each"),
        (Counts(GOOD, np.array([1, 0, 1])), "the numbers of Counts must be from 1"),
        (Counts(GOOD, np.array([2**52, 2**52, 1])), "at most 2^53 in all"),
    ],
)
def test_counts_of_a_users_are_checked(counts, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        score(counts, TRUE, "map")
    check_cases(Counts(GOOD, np.array([2**52, 2**52 - 1, 1])), FAMILY)  # as many are taken


def test_counts_in_any_order_are_the_same(cases):
    counts = cell_counts(cases[:30], FAMILY)
    shuffled = Counts(counts.patterns[::-1], counts.numbers[::-1])
    assert score(shuffled, TRUE, "map") == score(cases[:30], TRUE, "map")


def test_a_method_that_takes_case_after_case_says_from_which_n_it_does_not():
    counts = Counts(GOOD, np.array([10**12, 5, 7]))
    for method, limit in (("reference", "100,000"), ("vb_online", "10,000,000")):
        words = f"^{method} takes one case .* above {limit} cases; there are 1,000,000,000,012"
        with pytest.raises(ValueError, match=words):
            score(counts, TRUE, method)
        assert SPECS[method].job.most_cases == int(limit.replace(",", ""))
    with pytest.raises(ValueError, match="exact: 1000000000012 cases are too many"):
        score(counts, TRUE, "exact")


def test_values_with_names_are_for_read_table():
    frame = pd.DataFrame({"a": ["0", "b"], "b": ["x", "y"]})
    with pytest.raises(ValueError, match="got '0' in row 0; read_table takes values with names"):
        check_cases(frame, Family((2,), (2, 2)))
    assert check_cases(read_table(frame).cases, Family((2,), (2, 2))).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("alpha", [2, np.float32(2), np.int32(2), MIN_ALPHA, MAX_ALPHA])
def test_a_prior_has_floats_and_that_of_hidden_variables_is_the_other_unless_given(alpha):
    """Compiled code has a version for each type; the limits belong to the range."""
    prior = Prior(alpha)
    assert type(prior.alpha) is type(prior.alpha_hidden) is float
    assert (prior.alpha, prior.alpha_hidden) == (alpha, alpha)
    assert Prior(0.5, alpha).alpha_hidden == alpha


PRIOR = Prior(0.7, 1.4)


def some_missing(structure, n, share, seed=0):
    """Cases from the prior as users give them, nan where a value is missing."""
    rng = np.random.default_rng(seed)
    cases, _ = simulate(structure, draw_parameters(structure, PRIOR, rng), n, rng)
    return np.where(rng.random(cases.shape) < share, np.nan, cases)


def used(method, **settings):
    """Those of the settings that the method has."""
    return {name: settings[name] for name in settings_used(method) if name in settings}


SUMS = ("map", "vb", "exact", "cs", "vb_mf", "vb_online", "cs_lr", "vb_lr")


@pytest.mark.parametrize("method", SUMS)
def test_a_variable_that_is_never_observed_is_as_if_it_were_not_there(method):
    """The prior of its table integrates to 1."""
    structure = Structure.from_label("1-1-12-2", Family((2, 2), (2, 3, 2, 2)))
    cases = some_missing(structure, 9, 0.15, seed=3)
    cases[:, 1] = np.nan
    without = Structure.from_label("1-12-2", Family((2, 2), (2, 2, 2)))
    settings = used(method, restarts=40, max_iterations=3000)
    expected = score(np.delete(cases, 1, axis=1), without, method, **settings).score
    assert score(cases, structure, method, **settings).score == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("ais", "tempered_smc")])
def test_deleting_nothing_changes_nothing(method):
    structure = Structure.from_label("1-12-2", Family((2, 2), (2, 3, 2)))
    cases = some_missing(structure, 8, 0.0, seed=5)
    whole = cases.astype(int)
    settings = used(method, restarts=4, particles=4, runs=2, steps=99)
    expected = score(whole, structure, method, **settings)
    if method != "vb_online":
        assert score(Counts.of(whole), structure, method, **settings) == expected
    assert score(cases, structure, method, **settings) == expected
    assert score(cases.astype(object), structure, method, **settings) == expected
    one_less = np.where(np.arange(24).reshape(8, 3) == 4, np.nan, cases)
    assert score(one_less, structure, method, **settings).score != expected.score
