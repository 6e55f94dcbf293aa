"""Checks on data and settings, each with its message; cells of the table of counts."""

import re

import numpy as np
import pytest

from latentdag import METHODS, Family, Structure, score
from latentdag.counts import MAX_CELLS, cell_counts, check_cases, check_cells
from latentdag.model import MAX_ALPHA, MIN_ALPHA, Prior

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
    (changed(1, 2, np.nan), "row 1, column y3: nan"),
    (changed(2, 0, np.inf), "row 2, column y1: inf"),
    (changed(2, 3, 5), "row 2, column y4: 5.0 is not an integer from 0 to 4"),
    (
        GOOD - [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]],
        "row 2, column y2: -1 is not an integer from 0 to 4",
    ),
    (changed(0, 1, 1.5), "row 0, column y2: 1.5"),
    (GOOD.astype(str), "must be integers"),
    (GOOD.astype(object), "must be integers"),
    (GOOD > 0, "must be integers"),
]


@pytest.mark.parametrize(("cases", "message"), BAD)
def test_bad_cases_name_row_and_column(cases, message):
    with pytest.raises(ValueError, match=message):
        check_cases(cases, FAMILY)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("cases", "message"), [BAD[0], BAD[3], BAD[4], BAD[6]])
def test_every_score_checks_its_cases(cases, message, method):
    with pytest.raises(ValueError, match=message):
        score(cases, TRUE, method)


def test_the_largest_table_that_is_supported():
    assert cell_counts([[999, 0], [999, 999]], Family((2,), (1000, 1000))).sum() == 2
    with pytest.raises(ValueError, match="y1 has 1000, y2 has 1001"):
        cell_counts([[0, 0]], Family((2,), (1000, 1001)))


def test_the_first_wrong_entry_is_the_one_named():
    cases = GOOD.copy()
    cases[1, 3], cases[2, 0] = 7, 9
    with pytest.raises(ValueError, match="row 1, column y4: 7"):
        check_cases(cases, FAMILY)


def test_the_limit_is_each_variables_own():
    family = Family((2,), (2, 5))
    assert check_cases([[1, 4]], family).tolist() == [[1, 4]]
    with pytest.raises(ValueError, match="row 0, column y1: 2 is not an integer from 0 to 1"):
        check_cases([[2, 1]], family)


def test_integers_of_every_kind_are_taken():
    for dtype in (np.uint8, np.int64, np.float32, np.uint64):
        assert check_cases(GOOD.astype(dtype), FAMILY).tolist() == GOOD.tolist()
    assert check_cases(GOOD.tolist(), FAMILY).dtype == np.int64


@pytest.mark.parametrize("alpha", [0, -1.0, np.nan, np.inf, 0.0099, 1.01e12])
@pytest.mark.parametrize("name", ["alpha", "alpha_hidden"])
@pytest.mark.parametrize("method", METHODS)
def test_alpha_out_of_range_is_refused(method, name, alpha):
    message = f"{name} must lie from 0.01 to 1e+12, got {alpha}: below, Monte Carlo errors"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        score(GOOD, TRUE, method, **{name: alpha})


def test_the_limits_of_alpha_belong_to_the_range():
    assert Prior(0.01, 1e12) == Prior(MIN_ALPHA, MAX_ALPHA)


def test_alpha_hidden_is_alpha_unless_given():
    assert Prior(0.5).alpha_hidden == 0.5
    assert Prior(0.5, 2.0).alpha_hidden == 2.0


def test_unknown_method_lists_the_known_ones():
    with pytest.raises(ValueError, match="unknown method 'aic'") as error:
        score(GOOD, TRUE, "aic")
    assert all(m in str(error.value) for m in METHODS)


@pytest.mark.parametrize("setting", ["restarts", "max_iterations", "hits"])
def test_settings_of_the_optimiser_must_be_positive(setting):
    with pytest.raises(ValueError, match=f"{setting} must be at least 1"):
        score(GOOD, TRUE, "vb", **{setting: 0})


@pytest.mark.parametrize("setting", ["steps", "chains"])
def test_settings_of_the_sampler_must_be_positive(setting):
    with pytest.raises(ValueError, match=f"{setting} must be at least 1"):
        score(GOOD, TRUE, "ais", **{setting: 0})


def test_exact_on_too_many_cases(cases):
    with pytest.raises(ValueError, match="exact: 40 cases are too many for structure 1-12-12-2"):
        score(cases[:40], TRUE, "exact")


def test_cells():
    counts = cell_counts([[0, 1, 2, 3], [4, 4, 4, 4], [0, 1, 2, 3]], FAMILY)
    assert counts.shape == (5, 5, 5, 5)
    assert counts[0, 1, 2, 3] == 2
    assert counts[4, 4, 4, 4] == 1
    assert counts.sum() == 3
    unequal = cell_counts([[1, 2, 0]], Family((2,), (2, 3, 4)))
    assert unequal.shape == (2, 3, 4)
    assert unequal[1, 2, 0] == 1


def test_as_many_cells_as_are_said():
    check_cells({"y1": 1000, "y2": MAX_CELLS // 1000})
    with pytest.raises(ValueError, match="at most 1,000,000"):
        check_cells({"y1": 1000, "y2": MAX_CELLS // 1000 + 1})
