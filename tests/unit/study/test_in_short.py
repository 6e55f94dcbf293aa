"""What a section of the summary says in one line of many numbers, against plain loops."""

from math import isnan, log, nan
from statistics import mean, median, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import STRUCTURES, TRUE

from latentdag.report.summary import write_summary
from latentdag.study.one_draw import (
    annealing,
    distances,
    errors,
    evidence_checks,
    fits,
    score_differences,
)
from latentdag.study.one_draw.ranks import ranks

SCORES = made_up.scores()
ERRORS = errors.errors(SCORES)
RANKS = ranks(SCORES, TRUE, 2003, made_up.structures_table())


def of_draw(table, draw):
    return table[table["draw"] == draw]


def test_fits_that_did_not_converge_by_size():
    of_fits = fits.fits(SCORES)
    found = fits.not_converged_by_size(of_fits)
    expected = {}
    for r in made_up.rows(of_fits):
        if r["converged"] is False:
            expected.setdefault((r["draw"], r["n"], r["job"]), []).append(r["structure"])
    assert [(r.draw, r.n, r.job) for r in found.itertuples()] == sorted(expected)
    for r in found.itertuples():
        assert r.structures == expected[r.draw, r.n, r.job]
    assert len({r.draw for r in found.itertuples()}) == 2


def test_structures_without_a_score_by_reason():
    reasons = {(0, "bic"): "no maximum", (1, "bic"): "a minimum", (1, "ais"): "a minimum"}
    table = SCORES.copy()
    for (draw, method), reason in reasons.items():
        lost = (table["draw"] == draw) & (table["method"] == method) & (table["structure"] == TRUE)
        table.loc[lost, ["score", "reason"]] = nan, reason
    found = fits.lost_by_reason(table)
    assert list(found) == [
        ("bic", "a minimum"), ("bic", "no maximum"), ("cs", "no maximum"), ("ais", "a minimum"),
    ]  # fmt: skip
    for (m, reason), rows in found.items():
        draws = [d for (d, method), why in reasons.items() if (method, why) == (m, reason)]
        expected = [(d, n) for d in draws for n in sorted(made_up.SIZES)] or [(0, 480)]
        assert [(r.draw, r.n) for r in rows.itertuples()] == expected
        assert set(rows["structure"]) == {TRUE}


@pytest.mark.parametrize("draw", [0, 1])
def test_runs_of_each_kind_and_where_they_reach_the_reference(draw):
    runs = made_up.annealing(draws=(draw,))
    near = runs.assign(transition="hamiltonian", log_weight=runs["log_weight"] / 1000 - 480)
    small = runs.assign(n=80, structure="0-0-0")  # the reference has no score of it
    known = SCORES[(SCORES["n"] != 80) | (SCORES["method"] != "reference")]
    both = pd.concat([small, near, runs])
    of_kinds = annealing.by_kind(both)
    kinds = [(80, "0-0-0", "metropolis"), (480, TRUE, "hamiltonian"), (480, TRUE, "metropolis")]
    assert list(of_kinds) == kinds
    for kind, own in zip(kinds, (small, near, runs), strict=True):
        pd.testing.assert_frame_equal(of_kinds[kind], annealing.by_length(own))
    found = annealing.reached(both, known)
    assert list(found) == kinds[1:]
    level = made_up.score_of(SCORES, draw=draw, n=480, structure=TRUE, method="reference")
    for kind, (chains, *reaches) in found.items():
        assert chains == 3
        for (first, for_good, longest, last), column in zip(
            reaches, ("estimate", "median"), strict=True
        ):
            gaps = (of_kinds[kind][column] - level).to_dict()
            steps = [n for n, gap in gaps.items() if abs(gap) <= 1]
            good = [n for n in steps if all(abs(g) <= 1 for m, g in gaps.items() if m >= n)]
            assert first == (steps[0] if steps else None)
            assert for_good == (good[0] if good else None)
            assert longest == 8192 and last == pytest.approx(gaps[8192])


def test_the_reference_against_exact_in_short():
    table = SCORES.copy()
    claims = (table["method"] == "reference") & (table["structure"] == "0-0-0")
    table.loc[claims, "standard_error"] = 0.0  # it says that it is exact, and is not
    found = evidence_checks.against_exact(table)
    z = {}
    for r in made_up.rows(table, method="exact"):
        at = {name: r[name] for name in ("draw", "n", "structure")}
        (own,) = made_up.rows(table, **at, method="reference")
        gap = own["score"] - r["score"]
        z[tuple(at.values())] = gap / own["standard_error"] if own["standard_error"] else gap
    certain = {key: gap for key, gap in z.items() if key[2] == "0-0-0"}
    assert sorted(found["wrong"]) == sorted((s, n) for (_, n, s), gap in certain.items() if gap)
    z = {key: value for key, value in z.items() if key not in certain}
    assert found["number"] == len(z) == 10 and found["sizes"] == [10]
    assert found["mean"] == pytest.approx(mean(z.values()))
    assert found["deviation"] == pytest.approx(stdev(z.values()))
    farthest = max(z, key=lambda key: abs(z[key]))
    assert found["largest"] == pytest.approx(z[farthest]) and found["structure"] == farthest[2]
    of_farthest = {"draw": farthest[0], "n": 10, "structure": farthest[2]}
    (row,) = made_up.rows(table, **of_farthest, method="reference")
    (exact,) = made_up.rows(table, **of_farthest, method="exact")
    assert found["nats"] == pytest.approx(row["score"] - exact["score"])
    assert found["error"] == row["standard_error"]
    errors = [
        own["standard_error"]
        for d, n, s in z
        for own in made_up.rows(table, draw=d, n=n, structure=s, method="reference")
    ]
    assert found["usual_error"] == pytest.approx(mean(errors))
    none = evidence_checks.against_exact(table[table["method"] != "exact"])
    assert none == {"wrong": [], "number": 0, "sizes": []}


def test_what_exact_evidence_says_at_each_size():
    more = pd.concat([SCORES, SCORES[SCORES["n"] == 10].assign(n=20)])
    found = evidence_checks.exact_checks(more)
    assert list(found) == [10, 20]
    at_10 = SCORES[SCORES["n"] == 10]
    both = evidence_checks.with_exact(at_10)
    for gaps, noise, bounds in found.values():
        pd.testing.assert_frame_equal(gaps, evidence_checks.exact_gaps(both))
        assert bounds == evidence_checks.bounds_kept(both)
        (row,) = noise.itertuples()  # neither of a score without an error nor the reference
        assert row.Index == "ais"
        z = evidence_checks.in_standard_errors(at_10, "ais").tolist()
        assert row.number == len(z) == 12
        assert row.mean == pytest.approx(mean(z))
        assert row.mean_square == pytest.approx((sum(v**2 for v in z) / len(z)) ** 0.5)
        assert row.largest == pytest.approx(max(map(abs, z)))
        assert row.beyond == sum(abs(v) > 2 for v in z) > 0
        assert row.expected == pytest.approx(0.0455 * 12)
    gaps, noise, _ = evidence_checks.exact_checks(at_10.assign(standard_error=nan))[10]
    assert noise.empty and len(gaps)


@pytest.mark.parametrize("truth", [TRUE, None])
def test_the_largest_gap_of_the_true_structure_and_of_all_others(truth):
    table = made_up.sandwich().reset_index(drop=True)
    rows = made_up.rows(evidence_checks.sandwich_gaps(table, truth))
    assert all(r["of_truth"] == (r["structure"] == truth) for r in rows)
    for whether in {r["of_truth"] for r in rows}:
        gaps = [r["gap"] for r in rows if r["of_truth"] == whether]
        (largest,) = (r["gap"] for r in rows if r["of_truth"] == whether and r["largest"])
        assert largest == max(gaps)
    assert len({r["of_truth"] for r in rows}) == (1 if truth is None else 2)


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize(("a", "b"), [("ais", "vb"), ("bic", "vb")])
def test_which_is_nearer(draw, a, b):
    measures = distances.measures(*(of_draw(t, draw) for t in (ERRORS, RANKS, SCORES)))
    found = distances.nearer(measures, a, b)
    assert list(found) == list(distances.MEASURES)
    for what, by in measures.items():
        known = [n for n in by.index if by.loc[n, [a, b]].notna().all()]
        sizes = [n for n in known if by.loc[n, a] < by.loc[n, b]]
        worse = [n for n in known if by.loc[n, a] > by.loc[n, b]]
        expected = (len(sizes), len(worse), len(known) - len(sizes) - len(worse), sizes)
        assert found[what] == expected
    rank_of_truth = distances.MEASURES[1]
    for one in (a, b):
        some = measures | {rank_of_truth: measures[rank_of_truth].drop(columns=one)}
        assert list(distances.nearer(some, a, b)) == [distances.MEASURES[0], distances.MEASURES[2]]


def test_sizes_by_what_limits_vb():
    limits = distances.vb_limits(of_draw(RANKS, 1))
    found = distances.sizes_by_limit(limits)
    assert sorted(n for sizes in found.values() for n in sizes) == sorted(made_up.SIZES)
    for what, sizes in found.items():
        assert sizes == [n for n in limits.index if limits.loc[n, "limited_by"] == what]


@pytest.mark.parametrize("draw", [0, 1])
def test_variants_in_short(draw):
    found = score_differences.rank_gaps(of_draw(RANKS, draw), "bic", "bic_ml")
    gap = score_differences.rank_gap(of_draw(RANKS, draw), "bic", "bic_ml").to_dict()
    assert found["sizes"] == len(gap) == 5 - (draw == 0)
    assert found["differ"] == sum(g > 0 for g in gap.values())
    assert found["mean"] == pytest.approx(mean(gap.values()))
    assert found["largest"] == max(gap.values()) == gap[found["at"]]
    scores = of_draw(SCORES, draw).copy()
    close = (scores["method"] == "cs") & (scores["structure"] == "0-0-0")
    vb = {r["n"]: r["score"] for r in made_up.rows(scores, method="vb", structure="0-0-0")}
    scores.loc[close, "score"] = scores.loc[close, "n"].map(vb) + 5e-6  # rounding is no crossing
    found = score_differences.score_gaps(scores, "vb", "cs")
    gap = score_differences.score_gap(scores, "vb", "cs").tolist()
    assert found["number"] == len(gap)
    assert (found["lowest"], found["highest"]) == (min(gap), max(gap))
    assert found["median"] == pytest.approx(median(gap))
    assert found["below"] == sum(g < -1e-5 for g in gap) < sum(g < 0 for g in gap)
    assert score_differences.score_gaps(scores[scores["method"] != "cs"], "vb", "cs") == {}
    assert score_differences.rank_gaps(RANKS[:0], "vb", "cs") == {}


@pytest.mark.parametrize("draw", [0, 1])
def test_growth_in_short(draw):
    scores = of_draw(SCORES, draw)
    assert score_differences.growth_in_short(scores, TRUE, "bic") == {}  # 10240 stands alone
    scores = scores[scores["n"] <= 80]
    found = score_differences.growth_in_short(scores, TRUE, "cs")
    assert (found["first"], found["last"]) == (10, 80)
    growth = {}
    for s in STRUCTURES:
        at = {(n, m): made_up.score_of(scores, n=n, structure=s, method=m)
              for n in (10, 80) for m in ("vb", "cs")}  # fmt: skip
        gaps = [at[n, "vb"] - at[n, "cs"] for n in (10, 80)]
        growth[s] = (gaps[1] - gaps[0]) / log(8)
    assert found["true"] == pytest.approx(growth[TRUE])
    assert found["median"] == pytest.approx(median(growth.values()))
    assert found["lowest"] == pytest.approx(min(growth.values()))
    assert found["highest"] == pytest.approx(max(growth.values()))
    assert growth[found["slowest"]] == pytest.approx(found["lowest"])
    assert growth[found["fastest"]] == pytest.approx(found["highest"])
    assert isnan(score_differences.growth_in_short(scores, None, "cs")["true"])


def test_where_a_method_has_fewer_structures_than_others():
    found = errors.fewer_structures(of_draw(ERRORS, 0))
    told = {(n, m): v for n, row in found.iterrows() for m, v in row.items() if not np.isnan(v)}
    assert told == {(80, "bic"): 5, (480, "cs"): 5}
    assert errors.fewer_structures(of_draw(ERRORS, 1)).isna().all(axis=None)


def test_how_many_structures_have_fewer_links():
    structures = made_up.structures_table()
    links = dict(zip(structures["structure"], structures["n_links"], strict=True))
    some = ERRORS[ERRORS["structure"] != "12-12-12"]
    for table, scored in ((ERRORS, STRUCTURES), (some, set(STRUCTURES) - {"12-12-12"})):
        signs = [(links[s] > links[TRUE]) - (links[s] < links[TRUE]) for s in scored]
        kinds = {errors.FEWER: -1, errors.AS_MANY: 0, errors.MORE: 1}
        expected = {kind: signs.count(sign) for kind, sign in kinds.items() if sign in signs}
        assert errors.link_counts(table, structures, TRUE) == expected


def test_a_table_that_no_study_has():
    with pytest.raises(TypeError, match="no study has the table rank"):
        write_summary({}, rank=RANKS)


def test_the_largest_of_many_ratios_by_chance():
    """Of Student's t, by simulation: 40 ratios from 5 runs and 60 from 9."""
    runs = pd.Series([5.0] * 40 + [9.0] * 60)
    found = evidence_checks.largest_by_chance(runs, 7.0)
    assert (found["fewest"], found["most"]) == (5, 9)
    rng = np.random.default_rng(4)
    draws = [abs(rng.standard_t(df, (20_000, k))) for df, k in ((4, 40), (8, 60))]
    largest = np.concatenate(draws, axis=1).max(axis=1)
    assert found["median"] == pytest.approx(np.median(largest), rel=0.02)
    assert found["high"] == pytest.approx(np.quantile(largest, 0.95), rel=0.06)
    assert found["probability"] == pytest.approx((largest >= 7.0).mean(), abs=0.01)
    assert evidence_checks.largest_by_chance(runs, 0.0)["probability"] == 1
    assert evidence_checks.largest_by_chance(pd.Series([16.0, 1.0]), 3.0) == {}
    assert evidence_checks.largest_by_chance(runs[:0], 3.0) == {}
