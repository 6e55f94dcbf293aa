"""When a claim of the paper agrees, differs or cannot be tested, on one draw and over many."""

from itertools import product
from math import inf, isnan, nan

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import TRUE, assert_rows, assert_table, of_draw

from latentdag.study.many_draws.population import share
from latentdag.study.many_draws.recovery import recovery_table
from latentdag.study.one_draw.annealing import levels
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import beal_ghahramani as module
from latentdag.study.paper import claims, timing
from latentdag.study.paper.claims import (
    AGREES,
    BOUNDED,
    DIFFERS,
    EVENTUALLY,
    NOT_BELOW,
    NOT_TESTABLE,
)
from latentdag.study.paper.claims_held import claims_held
from latentdag.study.paper.findings import nearer_to_the_evidence, recovered_by
from latentdag.study.paper.sources import OURS
from latentdag.study.schema.columns import TABLES

EARLIER, LATER, NEVER = (f"{DIFFERS}: {how}" for how in ("earlier", "later", "not reached"))
CLOSE_MONTE_CARLO = f"{AGREES} within the Monte Carlo error"
IRREFUTABLE = (BOUNDED, NOT_BELOW, f"VB and BIC find {EVENTUALLY}")
STRUCTURES = made_up.structures_table()
SIZES = [10, 80, 480, 1120, 2560, 10240]
# of scores
COLUMNS = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]


def of_size(size, tried):
    return claims.first_verdict(size, 480, tried)


def of_steps(size, tried):
    """Within a factor of two."""
    return claims.first_verdict(size, 1000, tried, claims.FACTOR, ("sooner", "later"))


@pytest.mark.parametrize(
    ("rule", "verdict", "cases"),
    [
        (of_size, AGREES, [(480, (10, 480, 1120)), (480, (1120, 480, 10))]),
        (of_size, EARLIER, [(80, (10, 80, 480)), (10, (5, 10, 480))]),
        (of_size, LATER, [(1120, (10, 500, 1120)), (1120, (10, 480, 1120))]),
        (of_size, NEVER, [(None, (10, 480)), (None, (480,))]),
        # from far fewer on, for all that is known; not so again at 480; from 480 on; from far fewer
        (of_size, NOT_TESTABLE, [(480, (480, 1120)), (80, (10, 80, 400))]),
        (of_size, NOT_TESTABLE, [(1120, (10, 400, 1120)), (560, (560, 1120)), (None, (10, 80))]),
        (of_steps, AGREES, [(512, (256, 512, 1024, 2048)), (2000, (1000, 2000))]),
        (of_steps, LATER, [(2048, (1024, 2048))]),
        (of_steps, f"{DIFFERS}: sooner", [(499, (250, 499, 998, 1996))]),
        (of_steps, NEVER, [(None, (64, 1024))]),
        (of_steps, NOT_TESTABLE, [(2048, (512, 2048)), (256, (256, 512)), (None, (64, 512))]),
        (claims.fewer_verdict, AGREES, [(80, 480), (80, None)]),
        (claims.fewer_verdict, DIFFERS, [(480, 80), (None, 480)]),
        (claims.fewer_verdict, NOT_TESTABLE, [(None, None), (480, 480)]),
        (claims.not_many_more_verdict, AGREES, [(960, 480, 1120)]),  # twice as many
        (claims.not_many_more_verdict, DIFFERS, [(961, 480, 1120), (None, 560, 1120)]),
        (claims.not_many_more_verdict, NOT_TESTABLE, [(None, 561, 1120)]),
        (claims.not_many_more_verdict, NOT_TESTABLE, [(10, None, 1120), (None, None, 1120)]),
        (claims.almost_always_verdict, AGREES, [(9, 1, 0), (1, 1, 8)]),  # a tenth may be otherwise
        (claims.almost_always_verdict, DIFFERS, [(8, 1, 0)]),
        (claims.almost_always_verdict, NOT_TESTABLE, [(0, 0, 9)]),
        # as often as the reference is no more often; of two others the one that loses it more often
        (claims.noisy_verdict, AGREES, [((1, 2), {"vb": (0, 9), "bic": None}),
                                        ((2, 3), {"reference": (1, 2)})]),
        (claims.noisy_verdict, DIFFERS, [((1, 2), {"reference": (2, 4), "vb": (0, 1)}),
                                         ((0, 3), {"bic": (0, 1)})]),
        (claims.noisy_verdict, NOT_TESTABLE, [((1, 2), {"vb": None}), (None, {"vb": (1, 2)})]),
        (claims.order_verdict, AGREES, [(pd.Series([True] * 9 + [False]),)]),
        (claims.order_verdict, DIFFERS, [(pd.Series([True] * 8 + [False]),)]),
        # one parameter too many makes it grow by a half; -7.7 is far from settled
        (claims.bounded_verdict, AGREES, [(-0.49,)]),
        (claims.bounded_verdict, NOT_TESTABLE, [(0.5,), (-7.7,), (None,)]),
    ],
)  # fmt: skip
def test_a_rule(rule, verdict, cases):
    assert [rule(*values) for values in cases] == [verdict] * len(cases)


def ranks_by(**of_method):
    """The ranks of each score at 10, 80, 480 and 1120 cases."""
    rows = [
        (0, n, m, r, r - (m == "ais" and r == 2), r)
        for m, places in of_method.items()
        for n, r in zip((10, 80, 480, 1120), places, strict=True)
    ]
    return pd.DataFrame(rows, columns=["draw", "n", "method", "rank", "rank_low", "rank_high"])


def figure(**of_method):
    """Scores of three structures with 18, 50 and 66 parameters at 480 cases; AIS has an error."""
    rows = [
        (0, 480, s, m, float(v), 3.0 if m == "ais" else nan, d)
        for m, values in of_method.items()
        for s, d, v in zip("abc", (18, 50, 66), values, strict=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def chains(weights, n):
    """Annealing runs from the log weights of their chains by number of steps."""
    rows = [(n, steps, "prior", "metropolis", w) for steps, of in weights.items() for w in of]
    return pd.DataFrame(rows, columns=["n", "steps", "start", "transition", "log_weight"])


def bounds(slope, online):
    """Scores of three sizes: VB's error has this slope, and online VB's bound is so far below."""
    rows = [
        (0, n, s, method, score, nan, d)
        for n in (10, 80, 480)
        for s, d, noise in (("a", 18, 0.1), ("b", 22, -0.2), ("c", 34, 0.1), ("d", 50, 0.0))
        for method, score in (
            ("reference", -10.0 * n),
            ("vb", -10.0 * n - 3.0 + slope * d + noise),
            ("vb_online", -10.0 * n - 3.0 + slope * d + noise - online * (n == 480)),
        )
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def growing(slope):
    """VB minus BIC of the structure ``a`` grows by this per unit of ln n, another's by 4."""
    sizes, structures = (480, 1120, 2560), (("a", slope), ("b", 4))
    rows = [
        (n, s, m, growth * np.log(n) * (m == "vb"))
        for n, (s, growth), m in product(sizes, structures, ("vb", "bic"))
    ]
    return pd.DataFrame(rows, columns=["n", "structure", "method", "score"])


def laplace(errors: list[tuple[int, float]]) -> pd.DataFrame:
    """Scores with these errors of Laplace, by n, each of a structure of its own."""
    rows = [
        (0, n, str(k), m, -50.0 + error * (m == "laplace"))
        for k, (n, error) in enumerate(errors)
        for m in ("laplace", "reference")
    ]
    return pd.DataFrame(rows, columns=COLUMNS[:5])


TIMES = timing.timing({("map", 480): 2.0, ("vb", 480): 6.0, ("ais", 480): 9600.0})
STEPS = pd.DataFrame(
    [(step, n, k) for step, k in (("VBEM iteration", 3), ("EM iteration", 2)) for n in (80, 480)],
    columns=["step", "n", "microseconds"],
)
PRUNED = pd.DataFrame(
    [
        *((80, "vb", 2, 0, 9), (80, "vb_online", 2, 2, 2), (480, "vb", 2, 1, 1)),
        *((480, "vb", 4, 1, 1), (480, "vb_online", 2, 0, 1), (480, "vb_online", 4, 1, 2)),
    ],
    columns=["n", "method", "n_states", "pruned", "rare"],
)
VERDICTS = {"yes": AGREES, "chance": CLOSE_MONTE_CARLO, "no": DIFFERS, "?": NOT_TESTABLE}
VERDICTS |= {"earlier": EARLIER, "later": LATER, "never": NEVER}


def of_ranks(**places):
    return module.rank_claims(ranks_by(**places))


def of_figure(**scores):
    """The standard error of AIS is 3 nats."""
    return module.figure_claims(figure(**scores), 480, "b")


def without_errors(**scores):
    return module.figure_claims(figure(**scores).assign(standard_error=nan), 480, "b")


def of_cs(vb, cs, second):
    """VB is -1, -2 and -4 nats, CS -3, the ``second`` and -5.5."""
    scores = figure(vb=(-1, -2, -4), cs=(-3, second, -5.5))
    return module.cheeseman_stutz_claims(ranks_by(vb=vb, cs=cs), scores)


def of_steps_to(n):
    """By the median of the chains: the log mean weight is above BIC at every length."""
    lows = {512: -9, 1024: -4, 8192: -4, 16384: -1}
    runs = chains({steps: (low, low, 5) for steps, low in lows.items()}, n)
    return module.annealing_claims(runs, {"bic": -5.0, "vb": -2.0})


def converge(weights, steps, n=480):
    return module.annealing_claims(chains({steps: weights}, n), {})


@pytest.mark.parametrize(
    ("claimed", "verdicts"),
    [
        # the sizes of VB and BIC, VB before BIC and above it; AIS first, and noisy after that; VB
        # against AIS: more reliable, approaches it, both first; all find it eventually
        (of_ranks(vb=(9, 9, 1, 1), bic=(9, 9, 9, 1), ais=(3, 2, 1, 2)),
         "yes yes yes yes yes yes yes ? yes ?"),
        (of_ranks(vb=(9, 1, 1, 1), bic=(1, 9, 1, 1), ais=(3, 1, 1, 1)),
         "earlier earlier yes no earlier no ? yes earlier yes"),
        (of_ranks(vb=(9, 9, 9, 9), bic=(9, 9, 9, 9), ais=(3, 2, 9, 9)),  # never first
         "never never ? ? never ? ? never ?"),
        (of_ranks(vb=(9, 9, 9, 1), bic=(2, 3, 1, 1), ais=(3, 2, 9, 1)),
         "later earlier no no later ? ? yes later yes"),
        # before the paper's size of BIC
        (module.rank_claims(ranks_by(vb=(9,) * 4, bic=(9,) * 4, ais=(3,) * 4)[::4]),
         "? ? ? ? ? ? ? ? ?"),
        # VB approaches AIS with twice its cases: 1120 is more than twice 480; twice 1120 is beyond;
        # where AIS never finds it there is nothing that VB could approach
        (of_ranks(vb=(9, 2, 1, 1), ais=(5, 1, 1, 3)), "yes earlier yes yes ? yes ?"),
        (of_ranks(vb=(9, 1, 3, 2), ais=(5, 1, 1, 1)), "never earlier no no no earlier ?"),
        (of_ranks(vb=(9, 2, 2, 1), ais=(5, 1, 2, 1)), "later earlier ? ? yes later yes"),
        (of_ranks(vb=(9, 1, 1, 1), ais=(5, 1, 2, 1)), "earlier earlier yes yes yes earlier yes"),
        (of_ranks(vb=(9, 2, 2, 2), ais=(5, 3, 2, 2)), "never never ? ? never ?"),
        (of_ranks(vb=(9, 2, 2, 1), ais=(5, 3, 1, 1)), "later yes ? no no later yes"),
        (of_ranks(vb=(9, 2, 2, 2), ais=(5, 3, 2, 1)), "never later ? no ? never ?"),
        *(
            (module.small_size_claims(ranks_by(ais=ais, vb=(5, 5, 2, 2), bic=(5, 5, 4, 4))), word)
            for ais, word in (((4, 5, 9, 9), "yes"), ((6, 6, 1, 1), "no"), ((5, 5, 1, 1), "?"))
        ),
        # VB and AIS first, AIS above VB: one structure below by less than 6 nats; by 6; without an
        # error there is no verdict; nor is one on VB near AIS
        (of_figure(ais=(1, 5, 2), vb=(0, 4, 1)), "yes yes yes ?"),
        (of_figure(ais=(1, 5, -4), vb=(0, 4, 1)), "yes yes chance ?"),
        (of_figure(ais=(1, 5, -6), vb=(0, 4, 1)), "yes yes no ?"),
        (without_errors(ais=(1, 5, 2), vb=(0, 4, 1)), "yes yes ? ?"),
        (without_errors(ais=(1, 5, -6), vb=(0, 4, 1)), "yes yes ? ?"),
        (of_figure(vb=(0, 4, 1)), "yes"),
        (of_figure(vb=(4, 4, 1)), "no"),  # of equals the smaller is first
        (of_figure(map=(-1, 0, 1), bic=(1, 0, -1)), "yes yes"),
        (of_figure(map=(1, 0, -1), bic=(-1, 0, 1)), "no no"),
        # of another size than the paper's
        (module.figure_claims(figure(map=(0, 1, 2), ais=(1, 5, 2), vb=(0, 4, 1)), 80, "b"),
         "? ? ? ? ?"),
        # all chains converge
        (converge([-9, -4], 64), "yes"),
        (converge([-20, -4], 262144), "no"),
        (converge([-20, -4], 64), "?"),  # more steps may still bring them together
        (converge([-4], 262144), "?"),  # one chain is always within itself
        (converge([-9, -4], 64, 80), "?"),  # of another size than the paper's
        # steps to BIC and to VB
        (of_steps_to(480), "yes later yes"),
        (of_steps_to(80), "? ? ?"),
        # VB is biased, online VB underfits; under 2 standard errors
        (module.bound_claims(bounds(-0.25, 1.5)), "yes yes"),
        (module.bound_claims(bounds(-0.25, 0.9)), "yes no"),
        (module.bound_claims(bounds(-0.25, 0.0)), "yes ?"),
        (module.bound_claims(bounds(-0.003, 1.5)), "no yes"),
        # Laplace by the mean of both structures at the smallest size
        (module.laplace_claims(laplace([(10, -2.5), (10, 0.1), (80, 0.1)])), "yes"),
        (module.laplace_claims(laplace([(10, 1.5), (10, -0.4), (80, 9.0)])), "no"),
        (module.laplace_claims(laplace([])), ""),
        # VB minus BIC is bounded
        (module.large_size_claims(growing(0.4), "a"), "yes"),
        (module.large_size_claims(growing(0.4), "b"), "?"),
        (module.large_size_claims(growing(0.4), None), ""),
        # VB and CS: fewer cases, higher, as near
        (of_cs((4, 3, 1, 1), (9, 3, 5, 1), -2.0), "yes yes yes"),
        (of_cs((4, 3, 2, 1), (1, 2, 5, 1), -1.9), "? no no"),
        (of_cs((4, 3, 1, 2), (9, 1, 1, 2), -2.0), "? no yes"),
        # times; at every size an E step is 2 of 3
        (module.time_claims(TIMES, 16), "? ?"),
        (module.step_claims(STEPS.assign(microseconds=[3.9, 3, 2, 2])), "yes"),
        (module.step_claims(STEPS.assign(microseconds=[4.1, 3, 2, 2])), "no"),
        (module.step_claims(STEPS[2:]), ""),
        # online VB prunes, at the largest size; states with less than one case do not count
        (module.pruning_claims(PRUNED), "yes"),
        (module.pruning_claims(PRUNED[:5]), "no"),
        (module.pruning_claims(PRUNED[PRUNED["method"] == "vb"]), ""),
    ],
)  # fmt: skip
def test_claims_of_the_paper_in_their_order(claimed, verdicts):
    assert [claim.verdict for claim in claimed] == [VERDICTS[word] for word in verdicts.split()]


def test_verdicts_are_counted():
    verdicts = [AGREES, EARLIER, CLOSE_MONTE_CARLO, NOT_TESTABLE, AGREES, DIFFERS]
    assert claims.counts(claims.Claim("", "", "", v, "") for v in verdicts) == (3, 2, 1)


def test_claims_of_a_draw_and_those_that_a_study_has_besides():
    scores = of_draw(made_up.scores(), 1)
    of_truth = ranks(scores, TRUE, 7, STRUCTURES)
    of_scores = module.all_claims(scores, of_truth, TRUE, 480)
    table = module.claims_of_draw(scores, STRUCTURES, TRUE, seed=7)
    assert list(table) == list(TABLES["claims"].columns) and set(table["draw"]) == {1}
    expected = pd.DataFrame(of_scores).drop(columns="definitions")
    assert table.drop(columns="draw").to_dict("records") == expected.to_dict("records")
    assert len(of_scores) > 14
    runs = of_draw(made_up.annealing(), 1)
    more = [module.time_claims(TIMES), module.step_claims(STEPS), module.pruning_claims(PRUNED)]
    more += [module.annealing_claims(runs, levels(runs, scores)["score"])]
    every = module.all_claims(scores, of_truth, TRUE, 480, runs, TIMES, 1, STEPS, PRUNED)
    assert {*every} == {*of_scores, *(claim for part in more for claim in part)}
    assert len(every) == len(of_scores) + 7


NONE = pd.DataFrame(columns=TABLES["found"].columns)


def made_up_claims() -> pd.DataFrame:
    """Verdicts of 9 draws on five claims; the third claim is not made in draws 0 to 3."""
    verdicts = [AGREES, CLOSE_MONTE_CARLO, LATER, DIFFERS, NOT_TESTABLE]
    rng = np.random.default_rng(3)
    rows = [
        (d, c, f"paper {c}", "", rng.choice(verdicts) if c != "d" else NOT_TESTABLE, f"in {c}", "")
        for d in (5, 0, 3, 8, 1, 2, 7, 4, 6)
        for c in ("a", "b", "c", "d", *IRREFUTABLE)
        if c != "c" or d > 3
    ]
    return pd.DataFrame(rows, columns=TABLES["claims"].columns)


def test_the_share_of_draws_in_which_a_claim_holds():
    """In the order of the draw that makes most claims. One that no draw can refute has no share."""
    table = made_up_claims()
    late_first = pd.concat([of_draw(table, 0), table[table["draw"] != 0]])
    expected = {}
    for claim in ("a", "b", "c", "d", *IRREFUTABLE):
        verdicts = [r["verdict"] for r in made_up.rows(table, claim=claim)]
        tested = [v for v in verdicts if v != NOT_TESTABLE]
        holds = sum(v.startswith(AGREES) for v in tested)
        ends = (nan,) * 3 if claim in IRREFUTABLE else share(holds, len(tested))
        row = {"paper": f"paper {claim}", "source": f"in {claim}", "draws": len(tested)}
        row |= {"holds": holds, "undecided": len(verdicts) - len(tested), "ais": ""}
        expected[claim] = row | dict(zip(("share", "low", "high"), ends, strict=True))
    assert_table("claims_held", claims_held(late_first, NONE, of_sizes()), "claim", expected)
    assert claims_held(table[:0], NONE, of_sizes()).empty


def test_a_claim_of_one_size_needs_that_size():
    """Without it draws could differ from the claim, and none agree."""
    verdicts, size = [AGREES, LATER, LATER], SIZES[0]
    rows = [(d, "a", f"n = {size}", "", v, "place", "") for d, v in enumerate(verdicts)]
    rows += [(d, "b", f"n = {size} against 1120", "", DIFFERS, "place", "") for d in range(3)]
    table = pd.DataFrame(rows, columns=TABLES["claims"].columns)
    for sizes, draws, holds in ((SIZES, 3, 1), (SIZES[1:], 0, 0)):
        held = claims_held(table, NONE, of_sizes(sizes)).set_index("claim")
        assert tuple(held.loc["a", ["draws", "holds", "undecided"]]) == (draws, holds, 3 - draws)
        assert isnan(held.loc["a", "low"]) == (draws == 0)
        assert held.loc["b", "draws"] == 3


def of_sizes(sizes=SIZES) -> pd.DataFrame:
    """Verdicts by a score on which no claim is, at these sizes."""
    rows = [(0, n, "structure", "map", 1.0) for n in sizes]
    return pd.DataFrame(rows, columns=["draw", "n", "by", "method", "rank"])


def test_claims_about_ais_are_judged_for_each_of_its_scores():
    """Each on its own ranks, and the others once."""
    ranks_of = ranks_by(
        vb=(9, 9, 1, 1),
        bic=(9, 9, 9, 1),
        ais_single=(3, 9, 9, 2),
        ais=(3, 2, 1, 2),
        ais_rows=(1,) * 4,
    )
    scores = figure(map=(0, 1, 2), vb=(0, 4, 1), ais=(1, 5, -4), ais_single=(1, 5, -40))
    scores.loc[scores["method"] == "ais_single", "standard_error"] = nan
    every = module.all_claims(scores, ranks_of, "b", 480)
    verdicts = {(c.claim, c.ais): c.verdict for c in every}
    assert len(verdicts) == len(every)
    expected = {
        "the smallest size at which AIS ranks it first": (NEVER, AGREES, EARLIER),
        "AIS lies above VB for every structure": (NOT_TESTABLE, CLOSE_MONTE_CARLO, None),
    }
    for claim, of_each in expected.items():
        by_ais = (verdicts.get((claim, ais)) for ais in ("ais_single", "ais", "ais_rows"))
        assert tuple(by_ais) == of_each
    assert verdicts["VB needs fewer cases than BIC to find the true structure", ""] == AGREES
    # one score alone is as if there were no others, whatever its name
    single = [t[~t["method"].isin(["ais", "ais_rows"])] for t in (scores, ranks_of)]
    alone = module.all_claims(*single, "b", 480)
    assert [c for c in every if c.ais in ("", "ais_single")] == alone
    as_ais = (t.assign(method=t["method"].replace({"ais_single": "ais"})) for t in single)
    renamed = module.all_claims(*as_ais, "b", 480)
    assert [c._replace(ais=c.ais.removesuffix("_single")) for c in alone] == renamed


def test_shares_of_a_claim_by_each_score_of_ais():
    table = made_up_claims()
    single = table.assign(ais="ais_single", verdict=AGREES)
    held = claims_held(pd.concat([table.assign(ais="ais"), single]), NONE, of_sizes())
    of_a = held[held["claim"] == "a"].set_index("ais")
    assert list(of_a.index) == ["ais", "ais_single"] and of_a.loc["ais_single", "holds"] == 9
    alone = claims_held(table, NONE, of_sizes()).assign(ais="ais")
    pd.testing.assert_frame_equal(held[held["ais"] == "ais"].reset_index(drop=True), alone)


RANKS = {  # by score and draw, at 10, 80 and 480 cases
    "vb": [(9, 1, 1), (1, 2, 1), (9, 9, 1), (9, 1, 1)],
    "bic": [(9, 9, 1), (9, 9, 1), (9, 9, 1), (9, 9, 9)],
    "ais": [(1, 2, 1), (9, 1, nan), (9, 9, 1), (9, 9, 9)],
    "ais_single": [(1, 1, 1), (1, 1, 2)],
}


def test_found_by_all_and_lost_again():
    """In the first draws alone one score ran; a truth without a score is not first."""
    rows = [
        (d, n, by, m, r if by == "structure" else 1.0)
        for m, of_draws in RANKS.items()
        for d, places in enumerate(of_draws)
        for n, r in zip((10, 80, 480), places, strict=True)
        for by in ("structure", "class")
    ]
    table = pd.DataFrame(rows, columns=["draw", "n", "by", "method", "rank"])
    found = recovery_table(table)
    held = claims_held(made_up_claims()[:0], found, table.sample(frac=1, random_state=2))
    counts = held[["ais", "holds", "draws", "undecided"]].to_numpy().tolist()
    # all three have found it at the largest size, by each AIS; what is lost again: by each AIS, in
    # one draw first at the largest size and in one never; by VB; by BIC
    assert counts[:2] == [["ais_single", 1, 2, 0], ["ais", 2, 4, 0]]
    assert counts[2:] == [["ais_single", 1, 2, 0], ["ais", 2, 2, 2], ["", 1, 3, 1], ["", 0, 0, 4]]
    assert set(held["source"]) == {OURS}


FOUND = {  # by draw the sizes of VB and BIC
    0: (480, 1120),  # more than 1 time as many, which may be 2.3 times, and less than 14
    1: (80, 1120),  # more than 6 times
    2: (480, 2560),  # more than 2.33
    3: (1120, 480),  # less than 1
    4: (inf, inf),
    5: (480, inf),  # more than 21
    6: (2560, inf),  # more than 4
    7: (10240, inf),  # BIC is beyond 10240, and may be found at 2.3 times as many, or not
    8: (inf, 2560),  # less than 1
    9: (1120, 2560),  # more than 1
    10: (2560, 2560),  # less than 2.29
}
GRID = (0, 80, 480, 1120, 2560, 10240)
FOUND_TABLE = pd.DataFrame(
    [
        (d, by, m, nan if n == inf else n, max(size for size in GRID if size < n))
        for d, both in FOUND.items()
        for by in ("structure", "class")
        for m, n in zip(("vb", "bic"), both if by == "structure" else (10.0, 10.0), strict=True)
    ],
    columns=TABLES["found"].columns,
)


def test_where_the_papers_sizes_lie():
    none = made_up_claims()[:0]
    held = claims_held(none, FOUND_TABLE, of_sizes())
    assert held[["draws", "holds", "undecided"]].to_numpy().tolist() == [
        [11, sum(a <= 480 for a, _ in FOUND.values()), 0],
        [11, sum(b <= 1120 for _, b in FOUND.values()), 0],
        [11, sum(a <= 480 and b <= 1120 for a, b in FOUND.values()), 0],
        [7, 4, 4],
    ]
    assert held.loc[0, ["share", "low", "high"]].tolist() == list(share(4, 11))
    assert claims_held(none, FOUND_TABLE, of_sizes([10, 80, 1120, 10240])).empty
    vb = FOUND_TABLE["method"] == "vb"
    assert claims_held(none, FOUND_TABLE[vb], of_sizes()).empty
    few = FOUND_TABLE[vb | (FOUND_TABLE["draw"] < 3)]  # BIC ran in three draws alone
    assert claims_held(none, few, of_sizes())["draws"].tolist() == [3, 3, 3, 2]


def test_shares_found_at_one_size():
    rows = [
        (n, by, m, 40, n / 20000 + (by == "class"), 0.1, 0.9)
        for n, by, m in product((2560, 480, 20), ("structure", "class"), ("vb", "bic"))
    ]
    table = pd.DataFrame(rows, columns=TABLES["found_share"].columns).sample(frac=1, random_state=1)
    at_480 = recovered_by(table, 480)
    assert {m: row[["n", "number", "share"]].tolist() for m, row in at_480.items()} == {
        m: [480, 1, 0.024] for m in ("vb", "bic")
    }
    assert recovered_by(table, 1120) == {}


def test_errors_of_two_scores_are_compared_draw_by_draw():
    """AIS less VB is -1.9 +- 1, 1 +- 1 and 3 +- 1, though both errors vary by hundreds; no draw of
    the last size has both.
    """
    rows = []
    for n, mean in ((80, -1.9), (480, 1.0), (10240, 3.0)):
        for draw, (far, off) in enumerate(zip((100, 300, 700, 900), (-3, -1, 1, 3), strict=True)):
            ais = far + mean + off * np.sqrt(3 / 5)  # of these four the standard error is 1
            rows += [(draw, n, "structure", "vb", far), (draw, n, "structure", "ais", ais)]
            rows += [(draw, n, "class", "vb", 0.0), (draw, n, "class", "ais", 50.0)]
    rows += [(0, 20480, "structure", "vb", 5.0), (1, 20480, "structure", "ais", 1.0)]
    columns = ["draw", "n", "by", "method", "mean_absolute_error"]
    table = pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=1)
    where = nearer_to_the_evidence(table, "ais", "vb")
    gaps = where["gap"]
    assert gaps["mean"].to_dict() == pytest.approx({80: -1.9, 480: 1, 10240: 3})
    assert gaps["standard_error"].to_dict() == pytest.approx(dict.fromkeys((80, 480, 10240), 1))
    assert (where["nearer"], where["farther"]) == ([], [10240])
    assert nearer_to_the_evidence(table, "vb", "ais")["nearer"] == [10240]


# ---- times beside those of the paper

SECONDS = {("vb", 480): 6.0, ("map", 480): 2.0, ("ais", 480): 30.0}
SECONDS |= {("ais", 10): 1.5, ("ml", 10): 2.5, ("map", 10): 0.03}
TIMED = timing.timing(SECONDS)


def test_jobs_go_by_the_scores_of_the_paper():
    expected = {
        (n, m): {"seconds": s, "paper_seconds": p}
        for n, m, s, p in (
            (10, "bic", 0.03, None), (10, "ml", 2.5, None), (10, "ais", 1.5, None),
            (480, "bic", 2.0, 200), (480, "vb", 6.0, 575), (480, "ais", 30.0, 55000),
        )
    }  # fmt: skip
    assert_rows(TIMED.set_index(["n", "method"]), expected)


def test_times_over_each_other():
    assert timing.ratio(TIMED, "vb", "bic") == 3.0
    assert timing.ratio(TIMED, "ais", "vb") == 5.0
    none = TIMED.assign(seconds=TIMED["seconds"].where(TIMED["method"] != "bic", 0.0))
    for table in (TIMED[TIMED["method"] != "vb"], TIMED[TIMED["n"] == 10], none):
        assert timing.ratio(table, "vb", "bic") is None
