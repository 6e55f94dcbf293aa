"""What the figures draw: bands over draws and structures, levels, and places of structures, against
plain loops.
"""

from math import nan
from statistics import median

import made_up
import pandas as pd
import pytest
from made_up import STRUCTURES, TRUE

from latentdag.study.many_draws.population import rank_bands
from latentdag.study.one_draw import annealing, errors
from latentdag.study.one_draw.at_one_size import all_scores
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.schema.frames import quantiles

SCORES = made_up.scores()
ERRORS = errors.errors(SCORES)
RANKS = ranks(SCORES, TRUE, 2003, made_up.structures_table())


def plain_quantile(values, level):
    """Between two values in order, interpolated linearly."""
    values = sorted(values)
    place = level * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def test_quantiles_leave_out_what_is_nan():
    rows = [("b", 3.0), ("a", 10.0), ("b", nan), ("b", 1.0), ("a", nan), ("b", 2.0), ("c", nan)]
    table = pd.DataFrame(rows, columns=["group", "value"])
    found = quantiles(table, "value", ["group"], {"low": 0.25, "high": 1.0})
    assert list(found.columns) == ["low", "high"] and list(found.index) == ["a", "b", "c"]
    assert found.loc["a"].tolist() == [10.0, 10.0]
    assert found.loc["b"].tolist() == [1.5, 3.0]
    assert found.loc["c"].isna().all()


def test_the_band_of_one_draw_is_of_its_monte_carlo_error():
    found = rank_bands(RANKS[RANKS["draw"] == 1])
    rows = made_up.rows(RANKS, draw=1)
    assert len(found) == len(rows) and list(found.columns) == ["middle", "low", "high"]
    for r in rows:
        own = found.loc[(r["method"], r["n"])]
        assert own.tolist() == [r["rank"], r["rank_low"], r["rank_high"]]
    assert list(found.loc["ais"].index) == sorted(made_up.SIZES)
    assert (found["low"] < found["high"]).any()


def test_two_draws_are_several():
    found = rank_bands(RANKS)
    places = [made_up.rows(RANKS, draw=d, n=80, method="vb")[0]["rank"] for d in (0, 1)]
    assert found.loc[("vb", 80), "middle"] == median(places)


def test_the_band_of_several_draws_holds_four_fifths_of_them():
    places = {10: (90, 2, 1, 10, 3), 480: (5, 5, nan, 7, 4), 80: (1, 1, 1, 1, 2)}
    rows = [
        (d, n, m, r + (m == "bic"), 1.0, 99.0)
        for n, own in places.items()
        for d, r in enumerate(own)
        for m in ("vb", "bic")
    ]
    columns = ["draw", "n", "method", "rank", "rank_low", "rank_high"]
    found = rank_bands(pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=3))
    for m in ("vb", "bic"):
        assert list(found.loc[m].index) == [10, 80, 480]
        for n, own in places.items():
            known = [r + (m == "bic") for r in own if r == r]
            expected = [plain_quantile(known, q) for q in (0.1, 0.5, 0.9)]
            assert found.loc[(m, n), ["low", "middle", "high"]].tolist() == pytest.approx(expected)
            assert found.loc[(m, n), "middle"] == median(known)


@pytest.mark.parametrize("draw", [0, 1])
def test_quartiles_over_the_structures(draw):
    own = ERRORS[ERRORS["draw"] == draw]
    found = errors.quartiles_by_size(own, TRUE)
    assert len(found) == len(own[["n", "method"]].drop_duplicates())
    lost = 0
    for (m, n), row in found.iterrows():
        values = {r["structure"]: r["error_nats"] for r in made_up.rows(own, method=m, n=n)}
        expected = [plain_quantile(values.values(), q) for q in (0, 0.25, 0.5, 0.75, 1)]
        levels = row[["lowest", "lower", "median", "upper", "highest"]].tolist()
        assert levels == pytest.approx(expected)
        assert row["true"] == pytest.approx(values.get(TRUE, nan), nan_ok=True)
        lost += TRUE not in values
    assert lost == (2 if draw == 0 else 0)
    assert errors.quartiles_by_size(own, None)["true"].isna().all()


@pytest.mark.parametrize("draw", [0, 1])
def test_the_evidence_cancels_in_vb_minus_bic(draw):
    own = ERRORS[ERRORS["draw"] == draw]
    found = errors.vb_minus_bic(own)
    pairs = 0
    for n in made_up.SIZES:
        for s in STRUCTURES:
            at = {"draw": draw, "n": n, "structure": s}
            vb, bic = (made_up.score_of(SCORES, **at, method=m) for m in ("vb", "bic"))
            rows = made_up.rows(found, n=n, structure=s)
            if bic is None:
                assert not rows
                continue
            pairs += 1
            assert rows[0]["error_nats"] == pytest.approx(vb - bic) and rows[0]["method"] == "vb"
    assert len(found) == pairs == 30 - (draw == 0)
    assert errors.vb_minus_bic(own[own["method"] != "bic"]).empty


@pytest.mark.parametrize("draw", [0, 1])
def test_levels_are_those_of_the_structure_that_was_annealed(draw):
    runs = made_up.annealing(draws=(draw,), n=480)
    found = annealing.levels(runs, SCORES)
    rows = made_up.rows(SCORES, draw=draw, n=480, structure=TRUE)
    known = {r["method"]: r for r in rows if r["score"] is not None}
    assert set(found.index) == set(known) and ("cs" in known) == (draw == 1)
    for m, r in known.items():
        assert found.loc[m].tolist() == [r["score"], r["standard_error"] or 0.0]
    expected = {m: known[m]["score"] for m in ("bic", "vb")}
    assert annealing.claimed_levels(runs, SCORES) == expected
    without = SCORES[SCORES["method"] != "bic"]
    assert list(annealing.claimed_levels(runs, without)) == ["vb"]


@pytest.mark.parametrize("guide", ["vb", "bic"])
def test_structures_side_by_side(guide):
    structures = made_up.structures_table().sample(frac=1, random_state=8)
    at_n = SCORES[(SCORES["draw"] == 0) & (SCORES["n"] == 80)].dropna(subset="score")
    scores, errors, best, about, true = all_scores(at_n, structures, guide)
    in_order = sorted(STRUCTURES, key=lambda s: (STRUCTURES[s], s))
    assert list(about.index) == list(scores.index) == in_order
    assert true == TRUE
    for m in scores:
        of_method = {r["structure"]: r for r in made_up.rows(at_n, method=m)}
        for s in STRUCTURES:
            r = of_method.get(s, {"score": nan, "standard_error": nan})
            assert scores.loc[s, m] == pytest.approx(r["score"], nan_ok=True)
            error = nan if r["standard_error"] is None else r["standard_error"]
            assert errors.loc[s, m] == pytest.approx(error, nan_ok=True)
        assert best[m] == max(
            (s for s in in_order if s in of_method), key=lambda s: of_method[s]["score"]
        )
    assert scores["bic"].isna().sum() == 1
    guided = {r["structure"]: r["score"] for r in made_up.rows(at_n, method=guide)}
    for s, own in about.iterrows():
        alike = [o for o in STRUCTURES if STRUCTURES[o] == STRUCTURES[s]]
        alike.sort(key=lambda o: (guided.get(o, float("inf")), o))
        assert own["n_parameters"] == STRUCTURES[s]
        assert own["aside"] == alike.index(s) - (len(alike) - 1) / 2
    unknown = structures.assign(is_true=False)
    assert all_scores(at_n, unknown, guide)[-1] is None
