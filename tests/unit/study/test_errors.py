"""Errors of scores, score minus evidence, and their statistics, against plain loops."""

from math import hypot, nan, sqrt
from statistics import mean, median

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import IN_ORDER, SIZES, STRUCTURES, TRUE, assert_rows, by_structure, of_draw

from latentdag.study.one_draw import errors as module
from latentdag.study.one_draw.errors import AS_MANY, FEWER, MORE, errors
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()
ERRORS = errors(SCORES)
JUDGED = made_up.registered(("bic", "cs", "bic_ml", "vb", "ais", "exact"))
# links that are not those which the labels say
LINKS = {"1-1-0": 5, "0-0-0": 2, "1-12-2": 4, "1-1-2": 3, "12-12-12": 6, "0-1-1": 3}
LINKS_TABLE = pd.DataFrame({"structure": LINKS.keys(), "n_links": LINKS.values()})
KINDS = {FEWER: (2, 3), AS_MANY: (4,), MORE: (5, 6)}


def by_size_and_method(draw):
    """The errors by structure for each n and method that has any, in the order of the registry."""
    for n in sorted(SIZES):
        for m in JUDGED:
            if values := by_structure(ERRORS, "error_nats", draw=draw, n=n, method=m):
                yield n, m, values


def test_the_table_of_errors():
    """A score or an evidence without a standard error has none."""
    exact = (SCORES["n"] == 80) & SCORES["method"].isin(["reference", "ais"])
    scores = SCORES.assign(standard_error=SCORES["standard_error"].mask(exact))
    expected = {}
    for draw in (0, 1):
        for n in sorted(SIZES):
            for m in JUDGED:
                at = {"draw": draw, "n": n}
                values, evidence = (by_structure(scores, **at, method=k) for k in (m, "reference"))
                own, known = (
                    by_structure(scores, "standard_error", **at, method=k) for k in (m, "reference")
                )
                for s in values:
                    expected[draw, n, s, m] = {
                        "error_nats": values[s] - evidence[s],
                        "standard_error": hypot(own.get(s, 0.0), known.get(s, 0.0)),
                    }
    found = errors(scores)
    assert list(found) == list(TABLES["errors"].columns)
    assert_rows(found.set_index(["draw", "n", "structure", "method"]), expected)
    without = scores[scores["method"] != "reference"]
    assert errors(without).empty and list(errors(without)) == list(found)
    assert not {"map", "ml", "reference"} & set(module.JUDGED)


@pytest.mark.parametrize("draw", [0, 1])
def test_statistics_over_the_structures(draw):
    own = of_draw(ERRORS, draw)
    middle, absolute = module.error_by_size(own, "median"), module.mean_absolute(own)
    assert list(middle) == list(absolute) == JUDGED and list(middle.index) == sorted(SIZES)
    quartiles, fewer, overall = {}, {}, {m: [] for m in JUDGED}
    for n, m, own_errors in by_size_and_method(draw):
        values = sorted(own_errors.values())
        assert middle.loc[n, m] == pytest.approx(median(values))
        assert absolute.loc[n, m] == pytest.approx(mean(map(abs, values)))
        levels = np.interp(np.linspace(0, len(values) - 1, 5), range(len(values)), values)
        names = ("lowest", "lower", "median", "upper", "highest")
        quartiles[m, n] = dict(zip(names, levels, strict=True)) | {
            "true": own_errors.get(TRUE, nan)
        }
        overall[m] += values
        if len(values) < 6:
            fewer[n, m] = len(values)
    ordered = dict(sorted(quartiles.items()))
    assert_rows(module.quartiles_by_size(own, TRUE), ordered)
    assert module.quartiles_by_size(own, None)["true"].isna().all()
    for some in (own, own[(own["n"] != 10) | (own["structure"] != TRUE)]):  # fewer by all methods
        assert module.fewer_structures(some).stack().dropna().to_dict() == fewer
    assert fewer == ({(80, "bic"): 5, (480, "cs"): 5} if draw == 0 else {})
    ends = {m: {"median": median(v), "min": min(v), "max": max(v)} for m, v in overall.items()}
    assert_rows(module.spread(own), ends)


@pytest.mark.parametrize("draw", [0, 1])
def test_the_evidence_cancels_in_vb_minus_bic(draw):
    own, expected = of_draw(ERRORS, draw), {}
    for n in sorted(SIZES):
        vb, bic = (by_structure(SCORES, draw=draw, n=n, method=m) for m in ("vb", "bic"))
        expected |= {
            (n, s): {"error_nats": vb[s] - bic[s], "method": "vb"} for s in IN_ORDER if s in bic
        }
    assert len(expected) == 30 - (draw == 0)
    assert_rows(module.vb_minus_bic(own).set_index(["n", "structure"]), expected)
    assert module.vb_minus_bic(own[own["method"] != "bic"]).empty


@pytest.mark.parametrize("draw", [0, 1])
def test_errors_by_the_number_of_links(draw):
    expected = {(m, kind): dict.fromkeys(sorted(SIZES), nan) for m in JUDGED for kind in KINDS}
    for n, m, own_errors in by_size_and_method(draw):
        for kind, links in KINDS.items():
            values = [e for s, e in own_errors.items() if LINKS[s] in links]
            expected[m, kind][n] = mean(values) if values else nan
    assert_rows(module.by_links(of_draw(ERRORS, draw), LINKS_TABLE, TRUE), expected)


def test_groups_of_links_that_no_structure_is_in():
    few = LINKS_TABLE[LINKS_TABLE["n_links"] <= 4]
    groups = {"0-0-0": FEWER, "1-12-2": AS_MANY, "1-1-2": FEWER, "0-1-1": FEWER}
    assert module.link_groups(few, TRUE).to_dict() == groups
    own = ERRORS[(ERRORS["draw"] == 1) & ERRORS["structure"].isin(few["structure"])]
    assert set(module.by_links(own, few, TRUE).index.get_level_values("links")) == {FEWER, AS_MANY}
    assert module.link_counts(ERRORS, LINKS_TABLE, TRUE) == {FEWER: 3, AS_MANY: 1, MORE: 2}
    assert module.link_counts(own, LINKS_TABLE, TRUE) == {FEWER: 3, AS_MANY: 1}


def test_slopes_are_those_of_least_squares():
    """By the closed form of a line through points, for each size and score by itself."""
    d = pd.Series(STRUCTURES, dtype=float)
    expected = {}
    for n, m, own_errors in by_size_and_method(0):
        x, y = d[[*own_errors]].to_numpy(), np.array([*own_errors.values()])
        x, y = x - x.mean(), y - y.mean()
        slope = (x @ y) / (x @ x)
        left = y - slope * x
        error = sqrt(left @ left / (len(x) - 2) / (x @ x))
        expected[n, m] = {"slope": slope, "slope_error": error}
    own = of_draw(ERRORS, 0)
    assert_rows(module.slopes(own, d).sort_index(), dict(sorted(expected.items())))
    assert module.slopes(own[own["structure"].isin(["0-0-0", TRUE])], d).empty  # too few
    assert module.slopes(own, pd.Series(9.0, d.index)).empty  # all alike


@pytest.mark.parametrize("draw", [0, 1])
def test_the_farthest_of_all_structures_and_sizes(draw):
    expected = {}
    for m in JUDGED:
        rows = made_up.rows(ERRORS, draw=draw, method=m)
        row = min(rows, key=lambda r: (-abs(r["error_nats"]), r["n"], r["structure"]))
        names = ("n", "structure", "error_nats", "standard_error")
        expected[m] = {name: row[name] for name in names}
    assert {row["error_nats"] > 0 for row in expected.values()} == {True, False}
    assert_rows(module.worst(of_draw(ERRORS, draw)), expected)
