"""When a claim of the paper agrees, differs or cannot be tested."""

import pandas as pd
import pytest

from latentdag.study.paper import claims
from latentdag.study.paper.beal_ghahramani import of_annealing, of_the_bounds
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
        "its error changes by -0.25 to -0.25 nats per parameter, surely downwards at 3 of 3 sizes"
    )
    assert biased.verdict == online.verdict == AGREES
    assert online.here.startswith("its bound is 1.50 nats below VB's at n = 480")
    unbiased, online = of_the_bounds(scores_of_bounds(0.001, 0.9))
    assert "surely downwards at 0 of 3 sizes" in unbiased.here
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
