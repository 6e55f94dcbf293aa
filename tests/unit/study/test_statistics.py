"""The smaller statistics of a study: on tables made by hand, and against plain loops."""

from math import hypot, inf, isnan, log, nan
from statistics import mean, median, stdev
from types import MappingProxyType

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import STRUCTURES, TRUE
from scipy.stats import spearmanr

from latentdag.scores import METHODS
from latentdag.study.many_draws import sizes_found
from latentdag.study.one_draw import (
    annealing,
    at_one_size,
    distances,
    evidence_checks,
    fits,
    score_differences,
)
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import timing
from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.frames import root_mean_square

SCORES = made_up.scores()
RANKS = ranks(SCORES, TRUE, 2003, made_up.structures_table())


class TestFigure:
    """The scores of all structures at one size."""

    @pytest.mark.parametrize(("draw", "n"), [(0, 80), (0, 480), (1, 10)])
    def test_best_structures(self, draw, n):
        at_n = SCORES[(SCORES["draw"] == draw) & (SCORES["n"] == n)]
        found = at_one_size.best_structures(at_n, TRUE)
        assert list(found.index) == [m for m in METHODS if m in set(at_n["method"])]
        for m, row in found.iterrows():
            own = {r["structure"]: r for r in made_up.rows(at_n, method=m)}
            order = sorted(
                (s for s in own if own[s]["score"] is not None),
                key=lambda s: (-own[s]["score"], STRUCTURES[s], s),
            )
            best, second = own[order[0]], own[order[1]]
            assert (row["best"], row["score"]) == (order[0], best["score"])
            errors = [r["standard_error"] for r in (best, second, own[TRUE])]
            noisy = errors[0] is not None
            assert row["lead"] == best["score"] - second["score"]
            if noisy:
                assert row["standard_error"] == errors[0]
                assert row["lead_error"] == pytest.approx(hypot(*errors[:2]))
            else:
                assert isnan(row["standard_error"]) and isnan(row["lead_error"])
            rank = made_up.plain_rank(SCORES, draw, n, m)
            if rank == inf:
                assert row["rank"] == inf and isnan(row["behind"])
                continue
            assert row["rank"] == rank
            assert row["behind"] == best["score"] - own[TRUE]["score"]
            if noisy and order[0] != TRUE:
                assert row["behind_error"] == pytest.approx(hypot(errors[0], errors[2]))
            else:
                assert isnan(row["behind_error"])

    def test_where_no_truth_is_known(self):
        at_n = SCORES[(SCORES["draw"] == 1) & (SCORES["n"] == 80)]
        found = at_one_size.best_structures(at_n)
        assert found[["rank", "behind", "behind_error"]].isna().all(axis=None)
        assert found["lead"].notna().all()
        alone = at_n[at_n["structure"] == TRUE]
        assert at_one_size.best_structures(alone)["lead"].isna().all()

    def test_above_counts_what_is_below_beyond_its_error(self):
        rows = [
            ("a", -1.0, 0.4, -2.0), ("b", -3.0, 0.4, -2.0), ("c", -2.5, 0.4, -2.0),
            ("d", -2.0, nan, -2.0), ("e", -2.1, nan, -2.0), ("f", nan, nan, -2.0),
        ]  # fmt: skip
        table = [(s, "ais", v, e) for s, v, e, _ in rows] + [(s, "vb", w, 9.0) for s, *_, w in rows]
        columns = ["structure", "method", "score", "standard_error"]
        found = at_one_size.gap_between(pd.DataFrame(table, columns=columns), "ais", "vb")
        assert found["gap"].tolist() == pytest.approx([1.0, -1.0, -0.5, 0.0, -0.1])
        assert found["beyond"].tolist() == [False, True, False, False, True]

    @pytest.mark.parametrize("method", ["map", "bic", "ais"])
    def test_trend_with_the_number_of_parameters(self, method):
        at_n = SCORES[(SCORES["draw"] == 0) & (SCORES["n"] == 80)]
        own = [r for r in made_up.rows(at_n, method=method) if r["score"] is not None]
        expected = spearmanr([r["score"] for r in own], [r["n_parameters"] for r in own])
        assert at_one_size.parameter_trend(at_n, method) == pytest.approx(expected.statistic)
        assert isnan(at_one_size.parameter_trend(at_n[at_n["structure"] == TRUE], method))


class TestAnnealing:
    def test_by_length(self):
        runs = made_up.annealing()
        found = annealing.by_length(runs[runs["draw"] == 1])
        assert found.index.tolist() == [64, 512, 1024, 4096, 8192]
        for steps, row in found.iterrows():
            of = {"draw": 1, "steps": steps}
            prior = [r["log_weight"] for r in made_up.rows(runs, **of, start="prior")]
            true = [r["log_weight"] for r in made_up.rows(runs, **of, start="true")]
            weights = np.exp(np.array(prior) - max(prior))
            effective = weights.sum() ** 2 / sum(weights**2)
            error = stdev(prior) / np.sqrt(effective)
            assert row["chains"] == 3
            assert row["median"] == pytest.approx(median(prior))
            assert row["estimate"] == pytest.approx(max(prior) + log(weights.mean()))
            assert row["standard_error"] == pytest.approx(error)
            assert row["true"] == pytest.approx(mean(true))
            assert row["spread"] == pytest.approx(max(prior + true) - min(prior + true))

    def test_runs_of_one_kind_alone(self):
        runs = made_up.annealing(draws=(0,))
        found = annealing.by_length(runs[runs["start"] == "prior"])
        assert found["true"].isna().all() and found["median"].notna().all()
        found = annealing.by_length(runs[runs["start"] == "true"])
        assert found["estimate"].isna().all() and found["true"].notna().all()

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ((-20.0, -11.0, -10.5, -9.0), (128, 128)),
            ((-20.0, -10.5, -8.9, -9.5), (128, 512)),
            ((-10.5, -20.0, -10.5, -8.9), (64, None)),
            ((-20.0, -8.9, -11.1, -8.0), (None, None)),
            ((nan, nan, -10.0, -10.0), (256, 256)),
        ],
    )
    def test_steps_within_a_nat(self, values, expected):
        series = pd.Series(values, index=[64, 128, 256, 512])
        assert annealing.steps_within(series, -10.0) == expected
        assert annealing.steps_within(series[::-1], -10.0) == expected


class TestTiming:
    seconds = MappingProxyType(
        {
            ("vb", 480): 12.0,
            ("map", 480): 4.0,
            ("ais", 10): 3.0,
            ("ml", 10): 5.0,
            ("ais", 480): 60.0,
            ("map", 10): 0.06,
        }
    )

    def test_jobs_go_by_the_scores_of_the_paper(self):
        found = timing.timing(self.seconds, draws=2)
        assert made_up.rows(found) == [
            {"n": n, "method": m, "seconds": s, "paper_seconds": p}
            for n, m, s, p in (
                (10, "bic", 0.03, None), (10, "ml", 2.5, None), (10, "ais", 1.5, None),
                (480, "bic", 2.0, 200), (480, "vb", 6.0, 575), (480, "ais", 30.0, 55000),
            )
        ]  # fmt: skip

    def test_beside_the_paper(self):
        found = timing.beside_paper(timing.timing(self.seconds, draws=2))
        assert found["faster"].tolist() == pytest.approx([100, 575 / 6, 55000 / 30])
        table = timing.timing(self.seconds, draws=2)
        assert timing.ratio(table, "vb", "bic") == pytest.approx((3.0, 575 / 200))
        assert timing.ratio(table, "ais", "vb") == pytest.approx((5.0, 55000 / 575))
        assert timing.ratio(table[table["method"] != "vb"], "vb", "bic") is None
        assert timing.ratio(table[table["n"] == 10], "vb", "bic") is None
        none = table.assign(seconds=table["seconds"].where(table["method"] != "bic", 0.0))
        assert timing.ratio(none, "vb", "bic") is None
        assert isnan(timing.beside_paper(none)["faster"].iloc[0])


class TestFits:
    def test_each_fit_counts_once(self):
        found = fits.fits(SCORES)
        assert set(found["job"]) == {"map", "ml", "vb"}
        keys = [(r["draw"], r["n"], r["structure"], r["job"]) for r in made_up.rows(found)]
        assert len(keys) == len(set(keys)) == 2 * 5 * 6 * 3

    def test_convergence(self):
        of_fits = fits.fits(SCORES)
        found = fits.convergence(of_fits)
        assert found.index.tolist() == ["map", "ml", "vb"]
        for job, row in found.iterrows():
            own = made_up.rows(SCORES, method=job)
            failed = {(r["draw"], r["n"], r["structure"]) for r in own if not r["converged"]}
            assert row.tolist() == [len(own), len(failed)] and 0 < len(failed) < len(own)
            lost = made_up.rows(fits.not_converged(of_fits), job=job)
            assert {(r["draw"], r["n"], r["structure"]) for r in lost} == failed

    def test_restarts_at_the_best(self):
        found = fits.at_best(fits.fits(SCORES))
        assert found.index.tolist() == ["map", "ml", "vb"]
        for job, row in found.iterrows():
            own = made_up.rows(SCORES, method=job)
            hits = sorted(r["restarts_at_best"] for r in own)
            restarts = [r["restarts"] for r in own]
            place = 0.1 * (len(hits) - 1)
            low = hits[int(place)]
            tenth = low + (hits[int(place) + 1] - low) * (place - int(place))
            assert row.to_dict() == pytest.approx(
                {
                    "fits": len(own),
                    "fewest_restarts": min(restarts),
                    "most_restarts": max(restarts),
                    "fewest": hits[0],
                    "tenth": tenth,
                    "median": median(hits),
                    "share": median(r["restarts_at_best"] / r["restarts"] for r in own),
                    "once": sum(h == 1 for h in hits),
                }
            )

    def test_structures_without_a_score(self):
        found = made_up.rows(fits.without_score(SCORES))
        lost = {(r["draw"], r["n"], r["structure"], r["method"]) for r in found}
        assert lost == {(0, n, TRUE, m) for m, n in made_up.MISSING}


def test_gaps_between_bounds():
    table = made_up.sandwich()
    found = evidence_checks.sandwich_gaps(table.reset_index(drop=True))
    assert len(found) == len(table)
    sizes = [abs(r["gap"]) for r in made_up.rows(found)]
    assert sizes == sorted(sizes, reverse=True)
    for row in made_up.rows(found):
        error = hypot(row["lower_error"], row["upper_error"])
        assert row["error"] == pytest.approx(error)
        assert row["gap"] == pytest.approx(row["upper"] - row["lower"])
        assert row["wide"] == (row["gap"] > 1)
        assert row["crossed"] == (row["gap"] < -3 * error - 1e-5)
    assert 0 < found["wide"].sum() < len(found) and 0 < found["crossed"].sum() < len(found)
    exact_bounds = pd.DataFrame(
        {"lower_error": [nan, nan], "upper_error": [nan, 0.0], "gap": [-9e-6, -1.1e-5]}
    ).assign(structure=TRUE)
    assert sorted(evidence_checks.sandwich_gaps(exact_bounds)["crossed"]) == [False, True]


class TestExact:
    at_10 = SCORES[SCORES["n"] == 10]

    def test_gaps(self):
        found = evidence_checks.exact_gaps(evidence_checks.with_exact(self.at_10))
        kept = {"bic", "cs", "bic_ml", "vb", "ais", "reference"}
        assert list(found.index) == [m for m in METHODS if m in kept]
        for m, row in found.iterrows():
            pairs = []
            for r in made_up.rows(self.at_10, method=m):
                at = {name: r[name] for name in ("draw", "structure")}
                pairs.append((r["score"], made_up.score_of(self.at_10, **at, method="exact")))
            gap = [a - b for a, b in pairs]
            assert row.tolist() == pytest.approx(
                [
                    len(gap),
                    mean(gap),
                    np.std(gap, ddof=1),
                    min(gap),
                    max(gap),
                    spearmanr(*zip(*pairs, strict=True)).statistic,
                ]
            )

    def test_in_standard_errors(self):
        found = evidence_checks.in_standard_errors(self.at_10, "ais")
        assert len(found) == 12
        for (draw, n, structure), z in found.items():
            at = {"draw": draw, "n": n, "structure": structure}
            (own,) = made_up.rows(self.at_10, **at, method="ais")
            gap = own["score"] - made_up.score_of(self.at_10, **at, method="exact")
            assert z == pytest.approx(gap / own["standard_error"])
        assert root_mean_square(pd.Series([3.0, -4.0])) == pytest.approx(12.5**0.5)
        without = self.at_10.assign(standard_error=0.0)
        assert evidence_checks.in_standard_errors(without, "ais").empty

    def test_bounds_kept(self):
        found = evidence_checks.bounds_kept(evidence_checks.with_exact(self.at_10))
        assert [row[:2] for row in found] == [("cs", "vb"), ("cs", "exact"), ("vb", "exact")]
        for low, high, kept, pairs in found:
            count = 0
            for r in made_up.rows(self.at_10, method=low):
                at = {name: r[name] for name in ("draw", "structure")}
                count += r["score"] <= made_up.score_of(self.at_10, **at, method=high) + 1e-5
            assert (kept, pairs) == (count, 12) and 0 < count < 12

    def test_only_structures_that_have_an_exact_one(self):
        assert evidence_checks.with_exact(SCORES[SCORES["n"] == 80]).empty
        some = self.at_10[(self.at_10["method"] != "exact") | (self.at_10["structure"] == TRUE)]
        assert set(evidence_checks.with_exact(some).index.get_level_values("structure")) == {TRUE}


def test_variants_side_by_side():
    own = RANKS[RANKS["draw"] == 0]
    found = score_differences.rank_gap(own, "bic", "bic_ml")
    assert 80 not in found.index and len(found) == 4  # where one has no rank there is no gap
    for n, gap in found.items():
        a, b = (made_up.plain_rank(SCORES, 0, n, m) for m in ("bic", "bic_ml"))
        assert gap == abs(a - b)
    own = SCORES[SCORES["draw"] == 0]
    found = score_differences.score_gap(own, "vb", "cs")
    assert len(found) == 5 * 6 - 1
    for (n, s), gap in found.items():
        at = {"draw": 0, "n": n, "structure": s}
        a, b = (made_up.score_of(SCORES, **at, method=m) for m in ("vb", "cs"))
        assert gap == a - b
    assert score_differences.score_gap(own[own["method"] != "cs"], "vb", "cs").empty
    assert score_differences.rank_gap(RANKS[:0], "vb", "cs").empty


def test_quantiles_over_draws():
    starts = {0: 480, 1: 80, 2: 1120, 3: None, 4: 10}
    sizes = (480, 80, 1120, 10)
    rows = []
    for draw, start in starts.items():
        for n in sizes:
            vb = 1 if start is not None and n >= start else 7 + draw
            rows += [(draw, n, "vb", vb), (draw, n, "bic", 9.0 if n < 1120 else nan)]
        rows.append((draw, 10, "exact", 1))
    table = pd.DataFrame(rows, columns=["draw", "n", "method", "rank"]).sample(
        frac=1, random_state=0
    )
    found = sizes_found.quantiles_over_draws(table, below=480)
    assert found.index.tolist() == ["bic", "vb"]  # exact did not run at the largest size
    vb = found.loc["vb"]
    # starts in order: 10, 80, 480, 1120, never
    assert (vb["start_0.1"], vb["start_0.5"], vb["start_0.9"]) == (10, 480, inf)
    assert (vb["never"], found.loc["bic", "never"]) == (1, 5)
    # median ranks at 10 and 80 by draw: 7, (8 + 1) / 2, 9, 10, 1
    assert (vb["rank_0.1"], vb["rank_0.5"], vb["rank_0.9"]) == (1, 7, 10)
    assert found.loc["bic", "start_0.1"] == inf and found.loc["bic", "rank_0.5"] == 9
    assert sizes_found.quantiles_over_draws(table, below=10)["rank_0.5"].isna().all()


def test_the_data_or_the_bound_limit_vb():
    limited = distances.limited_by
    assert limited(1, 5, 4, 6) == limited(1, 1, 1, 1) == distances.NOTHING
    assert limited(2, 1, 1, 1) == distances.BOUND
    assert limited(6, 5, 4, 6) == distances.DATA and limited(7, 5, 4, 6) == distances.BOTH
    assert limited(2, 1, 1, 2) == limited(9, 3, 1, 4) == distances.UNDECIDED
    assert limited(inf, 3, 2, 4) == distances.BOTH
    found = distances.vb_limits(RANKS[RANKS["draw"] == 1])
    assert list(found.index) == sorted(made_up.SIZES)
    for n, row in found.iterrows():
        (own,) = made_up.rows(RANKS, draw=1, n=n, method="reference")
        vb = made_up.plain_rank(SCORES, 1, n, "vb")
        ends = own["rank"], own["rank_low"], own["rank_high"]
        assert (row["rank"], row["low"], row["high"], row["vb"]) == (*ends, vb)
        assert row["limited_by"] == limited(vb, *ends)
    assert found["limited_by"].nunique() > 1
    assert distances.vb_limits(RANKS[RANKS["method"] != "reference"]).empty


def test_the_papers_numbers():
    """Beal & Ghahramani (2003), sec. 4.2."""
    assert (PAPER.n, PAPER.vb_from, PAPER.bic_from, PAPER.ais_first) == (480, 480, 1120, 480)
    assert (PAPER.steps_to_bic, PAPER.steps_to_vb) == (1000, 5000)
    assert PAPER.seconds == {"bic": 200, "vb": 575, "ais": 55000}
