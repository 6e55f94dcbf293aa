"""When a claim of the paper agrees, differs or cannot be tested."""

import pandas as pd
import pytest

from latentdag.study.paper import claims
from latentdag.study.paper.beal_ghahramani import (
    of_annealing,
    of_cheeseman_stutz,
    of_pruning,
    of_steps,
    of_the_bounds,
    of_the_figure,
    of_the_ranks,
    of_times,
)
from latentdag.study.paper.claims import AGREES, DIFFERS, NOT_TESTABLE
from latentdag.study.paper.numbers import PAPER

EARLIER, LATER, NEVER = (f"{DIFFERS}: {how}" for how in ("earlier", "later", "not reached"))


@pytest.mark.parametrize(
    ("found", "sizes", "verdict"),
    [
        (480, (10, 480, 1120), AGREES),
        (480, (1120, 480, 10), AGREES),
        (480, (480, 1120), NOT_TESTABLE),  # it may be so from far fewer cases on
        (480, (10, 480), AGREES),
        (80, (10, 80, 480), EARLIER),
        (10, (10, 480), EARLIER),
        (80, (10, 80, 400), NOT_TESTABLE),  # at 480 it may not be so again
        (1120, (10, 480, 1120), LATER),
        (1120, (10, 500, 1120), LATER),
        (1120, (10, 400, 1120), NOT_TESTABLE),  # from 480 on, for all that is known
        (560, (560, 1120), NOT_TESTABLE),
        (None, (10, 480), NEVER),
        (None, (10, 1120), NEVER),
        (None, (10, 80), NOT_TESTABLE),
        (10, (10,), NOT_TESTABLE),
        (480, (480,), NOT_TESTABLE),
        (None, (480,), NEVER),
    ],
)
def test_a_size_from_which_something_holds(found, sizes, verdict):
    assert claims.of_first(found, 480, sizes) == verdict


@pytest.mark.parametrize(
    ("found", "tried", "verdict"),
    [
        (512, (256, 512, 1024, 2048), AGREES),
        (2000, (1000, 2000), AGREES),
        (2048, (1024, 2048), f"{DIFFERS}: later"),
        (2048, (512, 2048), NOT_TESTABLE),
        (499, (250, 499, 998, 1996), f"{DIFFERS}: sooner"),
        (256, (256, 512), NOT_TESTABLE),
        (None, (64, 512), NOT_TESTABLE),
        (None, (64, 1024), f"{DIFFERS}: not reached"),
    ],
)
def test_a_number_of_steps_is_rough(found, tried, verdict):
    assert claims.of_first(found, 1000, tried, claims.FACTOR, ("sooner", "later")) == verdict


def test_ratios_agree_within_a_factor_of_two():
    assert claims.of_ratio(2.0, 4.0) == claims.of_ratio(8.0, 4.0) == AGREES
    assert claims.of_ratio(1.99, 4.0) == f"{DIFFERS}: smaller"
    assert claims.of_ratio(8.01, 4.0) == f"{DIFFERS}: larger"


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (80, 480, AGREES),
        (80, None, AGREES),
        (480, 80, DIFFERS),
        (None, 480, DIFFERS),
        (480, 480, DIFFERS),
        (None, None, NOT_TESTABLE),
        (10, 10, NOT_TESTABLE),  # both from the first size on
    ],
)
def test_fewer_cases(a, b, verdict):
    assert claims.of_fewer(a, b, first=10) == verdict


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((9, 1, 0), AGREES),
        ((8, 1, 0), DIFFERS),
        ((1, 1, 8), AGREES),
        ((1, 0, 0), AGREES),
        ((0, 0, 9), NOT_TESTABLE),
        ((0, 0, 0), NOT_TESTABLE),
    ],
)
def test_almost_always_leaves_a_tenth(counts, verdict):
    assert claims.of_almost_always(*counts) == verdict


def test_an_order_is_kept_at_nine_tenths_of_the_sizes():
    assert claims.of_order(pd.Series([True] * 9 + [False])) == AGREES
    assert claims.of_order(pd.Series([True] * 8 + [False])) == DIFFERS


def test_a_verdict_needs_something_to_test():
    assert [claims.verdict(a, t) for a in (True, False) for t in (True, False)] == [
        AGREES,
        NOT_TESTABLE,
        DIFFERS,
        NOT_TESTABLE,
    ]
    assert claims.NOT_TESTABLE in claims.RULES.replace("*", "")


@pytest.mark.parametrize(
    ("growth", "verdict"),
    [
        (0.0, AGREES),
        (0.49, AGREES),
        (-0.49, AGREES),
        (0.5, NOT_TESTABLE),  # as one parameter too many would make it
        (-7.7, NOT_TESTABLE),  # far from settled
        (None, NOT_TESTABLE),
    ],
)
def test_a_limit_is_seen_or_not_reached(growth, verdict):
    assert claims.of_bounded(growth) == verdict


@pytest.mark.parametrize(
    ("weights", "steps", "n", "verdict"),
    [
        ([-9.0, -4.0], 64, PAPER.n, AGREES),
        ([-20.0, -4.0], 262144, PAPER.n, DIFFERS),
        ([-20.0, -4.0], 64, PAPER.n, NOT_TESTABLE),  # more steps may still bring them together
        ([-4.0], 262144, PAPER.n, NOT_TESTABLE),  # one chain is always within itself
        ([-9.0, -4.0], 64, 80, NOT_TESTABLE),  # of another size than the paper's
    ],
)
def test_chains_converge_when_all_of_several_are_together(weights, steps, n, verdict):
    runs = pd.DataFrame({"log_weight": weights, "chain": range(len(weights))})
    runs = runs.assign(n=n, steps=steps, start="prior", transition="metropolis")
    (claim,) = of_annealing(runs, {})
    assert claim.claim == "all AIS chains converge" and claim.verdict == verdict


def scores_of_bounds(slope, online):
    """Scores of three sizes: VB's error has this slope, and online VB's bound is so far below."""
    rows = [
        {"draw": 0, "n": n, "structure": s, "method": method, "score": score, "n_parameters": d}
        for n in (10, 80, 480)
        for s, d, noise in (("a", 18, 0.1), ("b", 22, -0.2), ("c", 34, 0.1), ("d", 50, 0.0))
        for method, score in (
            ("reference", -10.0 * n),
            ("vb", -10.0 * n - 3.0 + slope * d + noise),
            ("vb_online", -10.0 * n - 3.0 + slope * d + noise - online * (n == 480)),
        )
    ]
    return pd.DataFrame(rows).assign(standard_error=float("nan"))


def test_vb_is_biased_where_its_error_falls_with_the_number_of_parameters():
    biased, online = of_the_bounds(scores_of_bounds(-0.25, 1.5))
    assert biased.here == (
        "VB minus reference changes by -0.25 to -0.25 nats per parameter; it decreases by more "
        "than two standard errors at 3 of 3 sizes"
    )
    assert biased.verdict == online.verdict == AGREES
    assert online.here.startswith("its bound is 1.50 nats below VB's at n = 480")
    unbiased, online = of_the_bounds(scores_of_bounds(0.001, 0.9))
    assert "more than two standard errors at 0 of 3 sizes" in unbiased.here
    assert unbiased.verdict == online.verdict == DIFFERS
    _, online = of_the_bounds(scores_of_bounds(-0.25, 0.0))
    assert online.verdict == NOT_TESTABLE


def test_claims_on_bounds_need_their_scores():
    scores = scores_of_bounds(-0.25, 1.5)
    assert [c.claim for c in of_the_bounds(scores[scores["method"] != "vb_online"])] == [
        "VB is biased to simpler models"
    ]
    assert [c.claim for c in of_the_bounds(scores[scores["method"] != "reference"])] == [
        "online VB underfits"
    ]
    assert not list(of_the_bounds(scores[scores["structure"] < "c"].query("method != 'vb_online'")))


def ranks_by(**of_method):
    """The ranks of each score at 10, 80, 480 and 1120 cases."""
    rows = [
        {"draw": 0, "n": n, "method": m, "rank": r, "rank_low": r, "rank_high": r}
        for m, ranks in of_method.items()
        for n, r in zip((10, 80, 480, 1120), ranks, strict=True)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("vb", "ais", "reliable", "approaches", "both", "smallest"),
    [
        ((9, 2, 1, 1), (5, 1, 1, 3), AGREES, AGREES, "n = 480", AGREES),
        ((9, 1, 3, 2), (5, 1, 1, 1), DIFFERS, DIFFERS, "n = 80", EARLIER),
        ((9, 2, 2, 1), (5, 1, 2, 1), DIFFERS, AGREES, "n = 1120", LATER),
        ((9, 2, 2, 2), (5, 3, 2, 2), NOT_TESTABLE, NOT_TESTABLE, "never", NEVER),
        ((9, 2, 2, 1), (5, 3, 1, 1), DIFFERS, DIFFERS, "n = 1120", LATER),
        ((9, 2, 2, 2), (5, 3, 2, 1), DIFFERS, NOT_TESTABLE, "never", NEVER),
    ],
)
def test_vb_against_ais(vb, ais, reliable, approaches, both, smallest):
    """VB approaches AIS with twice its cases: 1120 is more than twice 480; twice 1120 is beyond."""
    found = {c.claim: c for c in of_the_ranks(ranks_by(vb=vb, ais=ais))}
    assert found["VB locks on to the true structure more reliably than AIS"].verdict == reliable
    near = found["VB approaches AIS in finding the true structure"]
    assert near.verdict == approaches and near.source == "paper, summary, sentence 5"
    size = found["the smallest size at which VB and AIS both rank it first"]
    assert (size.here, size.verdict) == (both, smallest)
    assert size.source.endswith("Scoring all possible structures, sentence 6")


def test_vb_against_cs_as_the_sequel_has_it():
    ranks = ranks_by(vb=(4, 3, 1, 1), cs=(9, 3, 5, 1))
    scores = pd.DataFrame(
        [
            {"n": 10, "structure": s, "method": m, "score": score}
            for s, both in {"a": (-1.0, -3.0), "b": (-2.0, -2.0), "c": (-4.0, -5.5)}.items()
            for m, score in zip(("vb", "cs"), both, strict=True)
        ]
    )
    fewer, higher, bound = of_cheeseman_stutz(ranks, scores)
    assert (fewer.here, fewer.verdict) == ("n = 480 against n = 1120", AGREES)
    assert higher.here == "better at 2 of 4 sizes, worse at 0, equal at 2"
    assert bound.here == "VB is not below CS in 3 of 3 fits; VB - CS: median 1.50 nats"
    assert higher.verdict == bound.verdict == AGREES
    scores.loc[scores["structure"] == "b", "score"] = [-2.0, -1.9]
    late = ranks_by(vb=(4, 3, 2, 1), cs=(1, 2, 5, 1))
    fewer, higher, bound = of_cheeseman_stutz(late, scores)
    assert [c.verdict for c in (fewer, higher, bound)] == [DIFFERS] * 3
    assert bound.here.startswith("VB is not below CS in 2 of 3 fits")
    assert len([*of_cheeseman_stutz(ranks[ranks["method"] == "vb"], scores[:0])]) == 0


@pytest.mark.parametrize(("gap", "verdict"), [(9.9, AGREES), (10.1, DIFFERS)])
def test_vb_is_close_to_ais_on_the_scale_of_the_figure(gap, verdict):
    """A tenth of the range of all scores that the figure shows, which is 100 nats here."""
    values = {"map": (0, -9, -9), "bic": (-100, -99, -90), "ais": (-50, -40, -30)}
    values["vb"] = tuple(a - g for a, g in zip(values["ais"], (gap, 30, 1), strict=True))
    values["laplace"] = (500, 0, 0)  # which their figure does not show
    rows = [
        {"draw": 0, "n": 480, "structure": s, "method": m, "score": float(v), "n_parameters": d}
        for m, of_method in values.items()
        for s, d, v in zip("abc", (18, 50, 66), of_method, strict=True)
    ]
    at_n = pd.DataFrame(rows).assign(standard_error=float("nan"))
    (close,) = [c for c in of_the_figure(at_n, 480, "b") if "appears close" in c.claim]
    assert close.verdict == verdict and close.here.startswith(
        f"median AIS - VB {gap:.2f} nats, 10%"
    )
    (other,) = [c for c in of_the_figure(at_n, 80, "b") if "appears close" in c.claim]
    assert other.verdict == NOT_TESTABLE


def test_ais_is_timed_by_the_chain():
    seconds = {"bic": 2.0, "vb": 6.0, "ais": 9600.0}
    times = pd.DataFrame(
        [{"n": 480, "method": m, "seconds": s} for m, s in seconds.items()]
    ).assign(paper_seconds=[PAPER.seconds[m] for m in seconds])
    _, one = of_times(times)
    _, each = of_times(times, chains=16)
    assert one.here == "1600.0 times as long" and one.verdict == f"{DIFFERS}: larger"
    assert each.here == "100.0 times as long for each of 16 chains, 1600.0 for all"
    assert each.verdict == AGREES  # the paper: 95.7


@pytest.mark.parametrize(("vbem", "verdict"), [((1.5, 3.9), AGREES), ((1.5, 4.1), DIFFERS)])
def test_the_cost_of_a_vb_e_step(vbem, verdict):
    rows = [(s, n, t) for s, both in (("VBEM iteration", vbem), ("EM iteration", (1, 2)))
            for n, t in zip((80, 480), both, strict=True)]  # fmt: skip
    steps = pd.DataFrame(rows, columns=["step", "n", "microseconds"])
    (claim,) = of_steps(steps)
    assert claim.verdict == verdict
    ratios = f"1.50, {vbem[1] / 2:.2f}"
    assert (
        claim.here
        == f"an iteration of VBEM takes {ratios} times as long as one of EM at n = 80, 480"
    )
    assert not list(of_steps(steps[steps["step"] == "EM iteration"]))


def test_online_vb_leaves_more_states_nearly_empty():
    rows = [
        (80, "vb", 2, 0, 0),
        (80, "vb_online", 2, 2, 2),
        (480, "vb", 2, 1, 1),
        (480, "vb", 4, 1, 1),
        (480, "vb_online", 2, 0, 1),
        (480, "vb_online", 4, 1, 2),
    ]
    pruned = pd.DataFrame(rows, columns=["n", "method", "n_states", "pruned", "rare"])
    (claim,) = of_pruning(pruned)
    assert claim.verdict == AGREES
    assert claim.here == (
        "of 6 states at n = 480, online VB leaves 3 with less than 1 % of the cases, and VB 2 "
        "(with less than one case: online VB 1, VB 2)"
    )
    (claim,) = of_pruning(pruned[:5])
    assert claim.verdict == DIFFERS
    assert not list(of_pruning(pruned[pruned["method"] == "vb"])) and not list(
        of_pruning(pruned[:0])
    )
