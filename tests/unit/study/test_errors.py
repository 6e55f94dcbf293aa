"""Errors of scores, score minus evidence, and their statistics, by hand."""

from math import hypot

import made_up
import numpy as np
import pandas as pd
import scipy
from made_up import assert_rows, by_structure, named

from latentdag.study.one_draw import errors as module
from latentdag.study.one_draw.errors import AS_MANY, FEWER, MORE, errors
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()
JUDGED = made_up.registered(("bic", "cs", "bic_ml", "vb", "ais", "exact"))
# structures a to d, of which b is true, and all but c have errors of BIC at 80 cases
VALUES = {
    (10, "bic"): {"a": 1.0, "b": -3.0, "c": 2.0, "d": 5.0},
    (10, "vb"): {"a": 0.5, "b": -1.0, "c": 1.5, "d": 2.0},
    (80, "bic"): {"a": -1.0, "b": -2.0, "d": -5.0},
    (80, "vb"): {"a": -0.5, "b": -1.0, "c": -6.0, "d": 1.0},
}
ERRORS = pd.DataFrame(
    [(0, n, s, m, e, 0.1) for (n, m), own in VALUES.items() for s, e in own.items()],
    columns=TABLES["errors"].columns,
).sample(frac=1, random_state=1)
LINKS = pd.DataFrame({"structure": list("abcde"), "n_links": [2, 4, 1, 3, 9]})


def test_the_table_of_errors():
    """A score or an evidence without a standard error has none."""
    exact = (SCORES["n"] == 80) & SCORES["method"].isin(["reference", "ais"])
    scores = SCORES.assign(standard_error=SCORES["standard_error"].mask(exact))
    expected = {}
    for draw, n in ((draw, n) for draw in (0, 1) for n in sorted(made_up.SIZES)):
        values, error = (
            {m: by_structure(scores, c, draw=draw, n=n, method=m) for m in (*JUDGED, "reference")}
            for c in ("score", "standard_error")
        )
        for m, s in ((k, s) for k in JUDGED for s in values[k]):
            both = [error[k].get(s, 0.0) for k in (m, "reference")]
            gap = values[m][s] - values["reference"][s]
            expected[draw, n, s, m] = {"error_nats": gap, "standard_error": hypot(*both)}
    found = errors(scores)
    assert list(found) == list(TABLES["errors"].columns)
    assert_rows(found.set_index(["draw", "n", "structure", "method"]), expected)
    without = scores[scores["method"] != "reference"]
    assert errors(without).empty and list(errors(without)) == list(found)


def test_statistics_over_the_structures():
    absolute = {10: (11 / 4, 5 / 4), 80: (8 / 3, 8.5 / 4)}
    assert_rows(module.mean_absolute(ERRORS), named(("bic", "vb"), absolute))
    middle = {10: (1.5, 1.0), 80: (-2.0, -0.75)}
    assert_rows(module.error_by_size(ERRORS, "median"), named(("bic", "vb"), middle))
    assert module.fewer_structures(ERRORS).stack().dropna().to_dict() == {(80, "bic"): 3}
    both = ERRORS[(ERRORS["n"] == 10) | (ERRORS["structure"] != "c")]  # fewer by all methods
    assert module.fewer_structures(both).isna().all(axis=None)
    overall = {"bic": (-1.0, -5.0, 5.0), "vb": (0.0, -6.0, 2.0)}
    assert_rows(module.spread(ERRORS), named(("median", "min", "max"), overall))
    farthest = {"bic": (10, "d", 5.0, 0.1), "vb": (80, "c", -6.0, 0.1)}  # of equals at fewer cases
    names = ("n", "structure", "error_nats", "standard_error")
    assert_rows(module.worst(ERRORS), named(names, farthest))


def test_errors_by_the_number_of_links():
    means = {("bic", FEWER): (8 / 3, -3.0), ("bic", AS_MANY): (-3.0, -2.0)}
    means |= {("vb", FEWER): (4 / 3, -5.5 / 3), ("vb", AS_MANY): (-1.0, -1.0)}
    assert_rows(module.errors_by_links(ERRORS, LINKS, "b"), named((10, 80), means))
    assert module.link_groups(LINKS, "b")["e"] == MORE
    assert module.link_counts(ERRORS, LINKS, "b") == {FEWER: 3, AS_MANY: 1}


def test_slopes_are_those_of_least_squares():
    """For each size and score by itself."""
    d = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 5.0})
    expected = {}
    for key, own in VALUES.items():
        x = np.column_stack([d[[*own]], np.ones(len(own))])
        (slope, _), left, *_ = scipy.linalg.lstsq(x, [*own.values()])
        error = np.sqrt(left / (len(own) - 2) * np.linalg.inv(x.T @ x)[0, 0])
        expected[key] = {"slope": slope, "slope_error": error}
    assert_rows(module.slopes(ERRORS, d), expected)
    assert module.slopes(ERRORS[ERRORS["structure"] < "c"], d).empty  # too few
    assert module.slopes(ERRORS, pd.Series(9.0, d.index)).empty  # all alike
