"""How far scores are from the reference, and the reference from the exact evidence."""

from math import hypot, inf, nan
from statistics import mean, median

import made_up
import numpy as np
import pandas as pd
import pytest

from latentdag.scores import METHODS
from latentdag.study.one_draw import errors as of_errors
from latentdag.study.one_draw import evidence_checks
from latentdag.study.one_draw.errors import errors
from latentdag.study.schema.columns import TABLES

COLUMNS = ("draw", "n", "structure", "method", "score", "standard_error", "n_parameters")
MADE_UP = made_up.scores()
JUDGED = {"bic", "cs", "bic_ml", "vb", "ais", "exact"}


def table(*rows):
    """Rows of n, structure, method, score, standard error; b has the fewest parameters, then come a
    and c.
    """
    parameters = {"b": 18, "a": 22, "c": 22}
    return pd.DataFrame([(0, *row, parameters[row[1]]) for row in rows], columns=COLUMNS)


SCORES = table(
    (10, "a", "vb", -12.0, nan),
    (10, "b", "vb", -9.0, nan),
    (10, "a", "ais", -10.0, 0.4),
    (10, "b", "ais", -8.0, nan),
    (10, "a", "map", -5.0, nan),
    (10, "a", "bic", -20.0, nan),
    (10, "a", "exact", -10.6, nan),
    (10, "b", "exact", -8.0, nan),
    (10, "a", "reference", -10.5, 0.3),
    (10, "b", "reference", -8.0, 0.0),
    (20, "a", "bic", -30.0, nan),
    (20, "c", "cs", -3.0, nan),
    (20, "c", "reference", -1.0, 0.2),
    (20, "c", "bic_ml", -4.0, nan),
    (20, "c", "vb", nan, nan),
)


def test_errors_are_score_minus_reference_with_both_standard_errors():
    expected = [
        (0, 10, "a", "bic", -9.5, 0.3),
        (0, 10, "b", "vb", -1.0, 0.0),
        (0, 10, "a", "vb", -1.5, 0.3),
        (0, 10, "b", "ais", 0.0, 0.0),
        (0, 10, "a", "ais", 0.5, 0.5),
        (0, 10, "b", "exact", 0.0, 0.0),
        (0, 10, "a", "exact", -0.1, 0.3),
        (0, 20, "c", "cs", -2.0, 0.2),
        (0, 20, "c", "bic_ml", -3.0, 0.2),
    ]
    expected = pd.DataFrame(expected, columns=TABLES["errors"].columns)
    pd.testing.assert_frame_equal(errors(SCORES), expected)
    pd.testing.assert_frame_equal(errors(SCORES.sample(frac=1, random_state=3)), expected)


def test_the_table_of_errors_by_plain_subtraction():
    found = made_up.rows(errors(MADE_UP))
    expected = {}
    for row in made_up.rows(MADE_UP, method=JUDGED.__contains__):
        at = {name: row[name] for name in ("draw", "n", "structure")}
        (reference,) = made_up.rows(MADE_UP, **at, method="reference")
        if row["score"] is not None:
            expected[(*at.values(), row["method"])] = (
                row["score"] - reference["score"],
                hypot(row["standard_error"] or 0.0, reference["standard_error"]),
            )
    assert len(found) == len(expected)
    for row in found:
        values = row["error_nats"], row["standard_error"]
        key = row["draw"], row["n"], row["structure"], row["method"]
        assert values == pytest.approx(expected[key], abs=1e-12)
    order = [
        (r["draw"], r["n"], METHODS.index(r["method"]), made_up.STRUCTURES[r["structure"]])
        for r in found
    ]
    assert order == sorted(order)


def test_every_judged_score_has_errors_but_the_reference():
    assert set(of_errors.JUDGED) >= JUDGED
    assert not {"map", "ml", "reference"} & set(of_errors.JUDGED)


def test_statistics_over_the_structures():
    own = errors(MADE_UP)
    own = own[own["draw"] == 1]
    middle, absolute = of_errors.error_by_size(own, "median"), of_errors.mean_absolute(own)
    assert list(middle.columns) == [m for m in METHODS if m in JUDGED]
    assert list(middle.index) == sorted(made_up.SIZES)
    differ = 0
    for n in middle.index:
        for m in middle:
            values = [r["error_nats"] for r in made_up.rows(own, n=n, method=m)]
            if not values:
                assert m == "exact" and n not in made_up.EXACT_SIZES
                assert np.isnan(middle.loc[n, m]) and np.isnan(absolute.loc[n, m])
                continue
            assert middle.loc[n, m] == pytest.approx(median(values))
            assert absolute.loc[n, m] == pytest.approx(mean(abs(v) for v in values))
            differ += abs(abs(middle.loc[n, m]) - absolute.loc[n, m]) > 0.1
    assert differ > 10
    spread = of_errors.spread(own)
    values = [r["error_nats"] for r in made_up.rows(own, method="vb")]
    assert spread.loc["vb"].tolist() == pytest.approx([median(values), min(values), max(values)])
    assert list(spread.index) == list(middle.columns)


def test_slopes_of_errors():
    """By the closed form of a line through points, at each size and for each score by itself."""
    rng = np.random.default_rng(0)
    d = pd.Series([18, 22, 22, 34, 50, 66], index=list("abcdef"))
    parts = {
        (n, m): pd.DataFrame(
            {"n": n, "method": m, "structure": d.index, "error_nats": rng.normal(size=len(d))}
        ).sample(frac=1, random_state=1)
        for n in (10, 80)
        for m in ("vb", "ais")
    }
    few = parts[80, "ais"][:2].assign(method="cs")
    alike = parts[80, "ais"][parts[80, "ais"]["structure"].isin(["b", "c"])].assign(method="map")
    found = of_errors.slopes(pd.concat([*parts.values(), few, alike, alike]), d)
    assert set(found.index) == set(parts)
    for key, part in parts.items():
        y = part.set_index("structure")["error_nats"][d.index].to_numpy()
        x, y = d.to_numpy() - d.mean(), y - y.mean()
        slope = (x @ y) / (x @ x)
        left = y - slope * x
        assert found.loc[key, "slope"] == pytest.approx(slope)
        assert found.loc[key, "slope_error"] == pytest.approx(np.sqrt(left @ left / 4 / (x @ x)))
    assert of_errors.slopes(few, d).empty


def test_bounds_above_the_reference_are_counted():
    rows = [
        ("vb", -1.0, 0.1), ("vb", 0.29, 0.1), ("vb", 0.31, 0.1), ("vb", 5.0, 0.0),
        ("vb", 9e-6, 0.0), ("cs", 0.5, 0.2), ("ais", 9.0, 0.1), ("bic", 9.0, 0.1),
    ]  # fmt: skip
    found = pd.DataFrame(rows, columns=["method", "error_nats", "standard_error"])
    found = evidence_checks.above_reference(found)
    assert found.to_dict("index") == {
        "cs": {"above": 0, "pairs": 1},
        "vb": {"above": 2, "pairs": 5},
    }


def test_z_scores_leave_out_what_is_exact_and_expose_what_is_not():
    z = evidence_checks.z_scores(SCORES)
    assert z.index.tolist() == [(0, 10, "a")] and z.iloc[0] == pytest.approx(0.1 / 0.3)
    wrong = SCORES.assign(score=SCORES["score"] - 1e-3 * (SCORES["method"] == "reference"))
    assert evidence_checks.z_scores(wrong).loc[(0, 10, "b")] == -inf
    rounded = SCORES.assign(score=SCORES["score"] + 1e-6 * (SCORES["method"] == "reference"))
    assert len(evidence_checks.z_scores(rounded)) == 1
    # an error too small to divide by still counts: 1e-5 nats are two of 5e-6, and ten of 1e-6
    near = (SCORES["method"] == "reference") & (SCORES["structure"] == "b")
    shifted = SCORES.assign(score=SCORES["score"] + 1e-5 * near)
    for error, length in ((5e-6, 1), (1e-6, 2)):
        noisy = shifted.assign(standard_error=SCORES["standard_error"].mask(near, error))
        assert len(evidence_checks.z_scores(noisy)) == length


def test_z_scores_pair_each_reference_with_the_exact_value_beside_it():
    z = evidence_checks.z_scores(MADE_UP)
    assert len(z) == 2 * len(made_up.STRUCTURES)
    for (draw, n, structure), value in z.items():
        at = {"draw": draw, "n": n, "structure": structure}
        (reference,) = made_up.rows(MADE_UP, **at, method="reference")
        gap = reference["score"] - made_up.score_of(MADE_UP, **at, method="exact")
        assert value == pytest.approx(gap / reference["standard_error"])


def test_targets_are_by_size_and_the_farthest_above_is_first():
    errors = {10: 0.1, 640: 0.11, 641: 0.2, 2560: 0.5, 2561: 0.51, 10240: nan, 9999: 0.4}
    rows = [(n, "a", "reference", 0.0, e) for n, e in errors.items()]
    scores = table(*rows, (640, "a", "ais", 0.0, 9.0))
    found = evidence_checks.missed_targets(scores, 0.1)
    assert found["n"].tolist() == [2560, 640, 2561, 10240]
    assert found["excess"].tolist() == pytest.approx([2.0, 1.1, 1.02, nan], nan_ok=True)
    assert evidence_checks.missed_targets(scores, 0.15)["n"].tolist() == [2560, 10240]
    held = scores[scores["standard_error"].notna()]
    assert evidence_checks.missed_targets(held, 10.0).empty


def test_without_references_there_is_nothing_to_say():
    scores = SCORES[SCORES["method"] != "reference"]
    assert errors(scores).empty and evidence_checks.z_scores(scores).empty
    empty = pd.DataFrame(columns=TABLES["scores"].columns)
    assert list(errors(empty).columns) == list(TABLES["errors"].columns)
