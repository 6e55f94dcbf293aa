"""When a claim of the paper agrees, differs or cannot be tested, on one draw and over many."""

from itertools import product
from math import inf, nan

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import TRUE, assert_rows, of_draw

from latentdag.study.many_draws.population import share
from latentdag.study.one_draw.annealing import claimed_levels
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import beal_ghahramani as module
from latentdag.study.paper import claims
from latentdag.study.paper.claims import AGREES, BOUNDED, DIFFERS, NOT_TESTABLE
from latentdag.study.paper.claims_held import at_the_papers_sizes, claims_held
from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.columns import TABLES

EARLIER, LATER, NEVER = (f"{DIFFERS}: {how}" for how in ("earlier", "later", "not reached"))
CLOSE_MONTE_CARLO = f"{AGREES} within the Monte Carlo error"
STRUCTURES = made_up.structures_table()
SIZES = [10, 80, 480, 1120, 2560, 10240]


def of_size(found, tried):
    return claims.of_first(found, 480, tried)


def of_steps(found, tried):
    """Within a factor of two."""
    return claims.of_first(found, 1000, tried, claims.FACTOR, ("sooner", "later"))


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
        (claims.verdict, AGREES, [(True,)]),
        (claims.verdict, DIFFERS, [(False,)]),
        (claims.verdict, NOT_TESTABLE, [(True, False), (False, False)]),
        (claims.of_ratio, AGREES, [(2.0, 4.0), (8.0, 4.0)]),
        (claims.of_ratio, f"{DIFFERS}: smaller", [(1.99, 4.0)]),
        (claims.of_ratio, f"{DIFFERS}: larger", [(8.01, 4.0)]),
        (claims.of_fewer, AGREES, [(80, 480, 10), (80, None, 10)]),
        (claims.of_fewer, DIFFERS, [(480, 80, 10), (None, 480, 10), (480, 480, 10)]),
        (claims.of_fewer, NOT_TESTABLE, [(None, None, 10), (10, 10, 10)]),  # both from the first on
        (claims.of_not_many_more, AGREES, [(960, 480, 1120), (10, None, 1120)]),  # twice as many
        (claims.of_not_many_more, DIFFERS, [(961, 480, 1120), (None, 560, 1120)]),
        (claims.of_not_many_more, NOT_TESTABLE, [(None, 561, 1120), (None, None, 1120)]),
        (claims.of_almost_always, AGREES, [(9, 1, 0), (1, 1, 8)]),  # a tenth may be otherwise
        (claims.of_almost_always, DIFFERS, [(8, 1, 0)]),
        (claims.of_almost_always, NOT_TESTABLE, [(0, 0, 9)]),
        (claims.of_order, AGREES, [(pd.Series([True] * 9 + [False]),)]),
        (claims.of_order, DIFFERS, [(pd.Series([True] * 8 + [False]),)]),
        # one parameter too many makes it grow by a half; -7.7 is far from settled
        (claims.of_bounded, AGREES, [(-0.49,)]),
        (claims.of_bounded, NOT_TESTABLE, [(0.5,), (-7.7,), (None,)]),
    ],
)
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


def verdicts_of(found):
    return {claim.claim: claim.verdict for claim in found}


@pytest.mark.parametrize(
    ("vb", "ais", "reliable", "approaches", "smallest"),
    [
        ((9, 2, 1, 1), (5, 1, 1, 3), AGREES, AGREES, AGREES),
        ((9, 1, 3, 2), (5, 1, 1, 1), DIFFERS, DIFFERS, EARLIER),
        ((9, 2, 2, 1), (5, 1, 2, 1), DIFFERS, AGREES, LATER),
        ((9, 2, 2, 2), (5, 3, 2, 2), NOT_TESTABLE, NOT_TESTABLE, NEVER),
        ((9, 2, 2, 1), (5, 3, 1, 1), DIFFERS, DIFFERS, LATER),
        ((9, 2, 2, 2), (5, 3, 2, 1), DIFFERS, NOT_TESTABLE, NEVER),
    ],
)
def test_vb_against_ais(vb, ais, reliable, approaches, smallest):
    """VB approaches AIS with twice its cases: 1120 is more than twice 480; twice 1120 is beyond."""
    found = verdicts_of(module.of_the_ranks(ranks_by(vb=vb, ais=ais)))
    assert found["VB locks on to the true structure more reliably than AIS"] == reliable
    assert found["VB approaches AIS in finding the true structure"] == approaches
    assert found["the smallest size at which VB and AIS both rank it first"] == smallest


@pytest.mark.parametrize(
    ("vb", "bic", "ais", "verdicts"),
    [
        ((9, 9, 1, 1), (9, 9, 9, 1), (3, 2, 1, 2), [AGREES] * 6 + [DIFFERS]),
        (
            (9, 1, 1, 1), (1, 9, 1, 1), (3, 1, 1, 1),
            [EARLIER, EARLIER, AGREES, DIFFERS, EARLIER, DIFFERS, AGREES],
        ),
        (
            (9, 9, 9, 9), (9, 9, 9, 9), (3, 2, 9, 9),
            [NEVER, NEVER, NOT_TESTABLE, NOT_TESTABLE, NEVER, None, DIFFERS],
        ),
        (
            (9, 9, 9, 1), (2, 3, 1, 1), (3, 2, 9, 1),
            [LATER, EARLIER, DIFFERS, DIFFERS, LATER, NOT_TESTABLE, AGREES],
        ),
    ],
)  # fmt: skip
def test_from_which_size_each_score_finds_it(vb, bic, ais, verdicts):
    found = verdicts_of(module.of_the_ranks(ranks_by(vb=vb, bic=bic, ais=ais)))
    names = ["VB finds the true structure", "BIC finds the true structure", claims.VB_BEFORE_BIC]
    names += ["VB almost always ranks it higher than BIC"]
    names += ["the smallest size at which AIS ranks it first", "the AIS rank is noisy after that"]
    names += ["AIS, VB and BIC find it eventually"]
    assert [found.get(name) for name in names] == verdicts
    early = ranks_by(vb=vb, bic=bic, ais=ais).query("n < 1120")  # the paper's size of BIC
    all_first = vb[2] == bic[2] == ais[2] == 1
    eventually = verdicts_of(module.of_the_ranks(early))[names[-1]]
    assert eventually == (AGREES if all_first else NOT_TESTABLE)


@pytest.mark.parametrize(
    ("ais", "verdict"),
    [((4, 5, 9, 9), AGREES), ((6, 6, 1, 1), DIFFERS), ((5, 5, 1, 1), NOT_TESTABLE)],
)
def test_ais_at_sizes_below_the_papers(ais, verdict):
    others = {"vb": (5, 5, 2, 2), "bic": (5, 5, 4, 4)}
    (claim,) = module.of_small_sizes(ranks_by(ais=ais, **others))
    assert claim.verdict == verdict
    assert not list(module.of_small_sizes(ranks_by(**others)))


def figure(**of_method):
    """Scores of three structures with 18, 50 and 66 parameters at 480 cases; AIS has an error."""
    rows = [
        (0, 480, s, m, float(v), 3.0 if m == "ais" else nan, d)
        for m, values in of_method.items()
        for s, d, v in zip("abc", (18, 50, 66), values, strict=True)
    ]
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(("gap", "verdict"), [(9.9, AGREES), (10.1, DIFFERS)])
def test_vb_is_close_to_ais_on_the_scale_of_the_figure(gap, verdict):
    """A tenth of the range of all scores that the figure shows, which is 100 nats here; Laplace is
    not in their figure. The claims are about one size.
    """
    values = {"map": (0, -9, -9), "bic": (-100, -99, -90), "ais": (-50, -40, -30)}
    values |= {"vb": (-50 - gap, -70, -31), "laplace": (500, 0, 0)}
    found = verdicts_of(module.of_the_figure(figure(**values), 480, "b"))
    assert found["VB appears close to AIS at n = 480"] == verdict
    other = verdicts_of(module.of_the_figure(figure(**values), 80, "b"))
    assert set(other.values()) == {NOT_TESTABLE}


ABOVE, FIRST = (
    "AIS lies above VB for every structure",
    "VB puts the true structure first at n = 480",
)
RISES, FALLS = (f"{m} with the number of parameters" for m in ("MAP rises", "BIC falls"))


@pytest.mark.parametrize(
    ("scores", "verdicts"),
    [
        ({"ais": (1, 5, 2), "vb": (0, 4, 1)}, {ABOVE: AGREES, FIRST: AGREES}),
        ({"ais": (1, 5, -4), "vb": (0, 4, 1)}, {ABOVE: CLOSE_MONTE_CARLO}),  # by less than 6 nats
        ({"ais": (1, 5, -6), "vb": (0, 4, 1)}, {ABOVE: DIFFERS}),
        ({"ais": (9, 5, 2), "vb": (4, 4, 1)}, {FIRST: DIFFERS}),  # of equals the smaller is first
        ({"map": (-1, 0, 1), "bic": (1, 0, -1)}, {RISES: AGREES, FALLS: AGREES}),
        ({"map": (1, 0, -1), "bic": (-1, 0, 1)}, {RISES: DIFFERS, FALLS: DIFFERS}),
    ],
)
def test_what_the_figure_shows(scores, verdicts):
    """The standard error of AIS is 3 nats."""
    found = verdicts_of(module.of_the_figure(figure(**scores), 480, "b"))
    assert verdicts.items() <= found.items()


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
    (claim,) = module.of_annealing(runs, {})
    assert (claim.claim, claim.verdict) == ("all AIS chains converge", verdict)


@pytest.mark.parametrize(
    ("n", "bic", "vb"), [(480, AGREES, LATER), (80, NOT_TESTABLE, NOT_TESTABLE)]
)
def test_how_many_steps_reach_bic_and_vb(n, bic, vb):
    """By the median of the chains: the log mean weight is above BIC at every length."""
    steps = (512, 1024, 8192, 16384)
    rows = [
        (n, s, "prior", "metropolis", w)
        for s, low in zip(steps, (-9, -4, -4, -1), strict=True)
        for w in (low, low, 5)
    ]
    runs = pd.DataFrame(rows, columns=["n", "steps", "start", "transition", "log_weight"])
    found = verdicts_of(module.of_annealing(runs, {"bic": -5.0, "vb": -2.0}))
    assert (found["AIS chains reach BIC"], found["AIS chains pass VB"]) == (bic, vb)


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
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("slope", "online", "biased", "underfits"),
    [
        (-0.25, 1.5, AGREES, AGREES),
        (-0.25, 0.9, AGREES, DIFFERS),
        (-0.25, 0.0, AGREES, NOT_TESTABLE),
        (-0.003, 1.5, DIFFERS, AGREES),  # less than two standard errors
        (0.001, 1.5, DIFFERS, AGREES),
    ],
)
def test_what_the_bounds_are_biased_to(slope, online, biased, underfits):
    scores, names = bounds(slope, online), ("VB is biased to simpler models", "online VB underfits")
    assert verdicts_of(module.of_the_bounds(scores)) == dict(
        zip(names, (biased, underfits), strict=True)
    )
    for method, name in zip(("vb_online", "reference"), names, strict=True):
        assert list(verdicts_of(module.of_the_bounds(scores[scores["method"] != method]))) == [name]


def test_vb_minus_bic_stays_bounded():
    """Per unit of ln n the true structure's grows by 0.4, another's by 4."""
    sizes = (480, 1120, 2560)
    for truth, verdict in (("a", AGREES), ("b", NOT_TESTABLE)):
        rows = [
            (n, s, m, slope * np.log(n) * (m == "vb"))
            for n, (s, slope), m in product(sizes, (("a", 0.4), ("b", 4)), ("vb", "bic"))
        ]
        scores = pd.DataFrame(rows, columns=["n", "structure", "method", "score"])
        assert verdicts_of(module.of_large_sizes(scores, truth)) == {BOUNDED: verdict}
    assert not list(module.of_large_sizes(scores, None))


@pytest.mark.parametrize(
    ("vb", "cs", "second", "verdicts"),
    [
        ((4, 3, 1, 1), (9, 3, 5, 1), -2.0, (AGREES, AGREES, AGREES)),
        ((4, 3, 2, 1), (1, 2, 5, 1), -1.9, (DIFFERS, DIFFERS, DIFFERS)),
        ((4, 3, 1, 2), (9, 1, 1, 2), -2.0, (NOT_TESTABLE, DIFFERS, AGREES)),
    ],
)
def test_vb_against_cs_as_the_sequel_has_it(vb, cs, second, verdicts):
    """VB is -1, -2 and -4 nats, CS -3, the ``second`` and -5.5."""
    scores = figure(vb=(-1, -2, -4), cs=(-3, second, -5.5))
    found = module.of_cheeseman_stutz(ranks_by(vb=vb, cs=cs), scores)
    assert tuple(claim.verdict for claim in found) == verdicts
    assert not list(module.of_cheeseman_stutz(ranks_by(vb=vb), scores[:0]))


TIMES = pd.DataFrame(
    [(480, m, s, PAPER.seconds[m]) for m, s in (("bic", 2.0), ("vb", 6.0), ("ais", 9600.0))],
    columns=["n", "method", "seconds", "paper_seconds"],
)
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


@pytest.mark.parametrize(("chains", "verdict"), [(1, f"{DIFFERS}: larger"), (16, AGREES)])
def test_ais_is_timed_by_the_chain(chains, verdict):
    """100 times as long as VB for each of 16; the paper: 95.7."""
    found = verdicts_of(module.of_times(TIMES, chains))
    assert found == {"time of VB over that of BIC": AGREES, "time of AIS over that of VB": verdict}


@pytest.mark.parametrize(("slowest", "verdict"), [(3.9, AGREES), (4.1, DIFFERS)])
def test_the_cost_of_a_vb_e_step(slowest, verdict):
    """At every size; 2 is that of an E step."""
    times = [slowest, 3, 2, 2]
    (claim,) = module.of_steps(STEPS.assign(microseconds=times))
    assert claim.verdict == verdict and f"{slowest / 2:.2f}, 1.50" in claim.here
    assert not list(module.of_steps(STEPS[STEPS["step"] == "EM iteration"]))


def test_online_vb_leaves_more_states_nearly_empty():
    """At the largest size; states with less than one case do not count."""
    assert [c.verdict for c in module.of_pruning(PRUNED)] == [AGREES]
    assert [c.verdict for c in module.of_pruning(PRUNED[:5])] == [DIFFERS]
    assert not list(module.of_pruning(PRUNED[PRUNED["method"] == "vb"]))


def test_claims_of_a_draw_and_those_that_a_study_has_besides():
    scores = of_draw(made_up.scores(), 1)
    of_truth = ranks(scores, TRUE, 7, STRUCTURES)
    own = module.all_claims(scores, of_truth, TRUE, 480)
    found = module.claims_of_draw(scores, STRUCTURES, TRUE, seed=7)
    assert list(found) == list(TABLES["claims"].columns) and set(found["draw"]) == {1}
    assert found.drop(columns="draw").to_dict("records") == [c._asdict() for c in own]
    assert len(own) > 14
    runs = of_draw(made_up.annealing(), 1)
    more = [module.of_times(TIMES), module.of_steps(STEPS), module.of_pruning(PRUNED)]
    more += [module.of_annealing(runs, claimed_levels(runs, scores))]
    every = module.all_claims(scores, of_truth, TRUE, 480, runs, TIMES, 1, STEPS, PRUNED)
    assert {*every} == {*own, *(claim for part in more for claim in part)}
    assert len(every) == len(own) + 7


NONE = pd.DataFrame(columns=TABLES["found"].columns)


def made_up_claims() -> pd.DataFrame:
    """Verdicts of 9 draws on five claims; the third claim is not made in draws 0 to 3."""
    verdicts = [AGREES, CLOSE_MONTE_CARLO, LATER, DIFFERS, NOT_TESTABLE]
    rng = np.random.default_rng(3)
    rows = [
        (d, c, f"paper {c}", "", rng.choice(verdicts) if c != "d" else NOT_TESTABLE, f"place {c}")
        for d in (5, 0, 3, 8, 1, 2, 7, 4, 6)
        for c in ("a", "b", "c", "d", BOUNDED)
        if c != "c" or d > 3
    ]
    return pd.DataFrame(rows, columns=TABLES["claims"].columns)


def test_the_share_of_draws_in_which_a_claim_holds():
    """In the order of the draw that makes most claims. One that no draw can refute has no share."""
    table = made_up_claims()
    late_first = pd.concat([of_draw(table, 0), table[table["draw"] != 0]])
    expected = {}
    for claim in ("a", "b", "c", "d", BOUNDED):
        own = [r["verdict"] for r in made_up.rows(table, claim=claim)]
        told = [v for v in own if v != NOT_TESTABLE]
        holds = sum(v.startswith(AGREES) for v in told)
        ends = (nan,) * 3 if claim == BOUNDED else share(holds, len(told))
        row = {"paper": f"paper {claim}", "source": f"place {claim}", "draws": len(told)}
        row |= {"holds": holds, "undecided": len(own) - len(told)}
        expected[claim] = row | dict(zip(("share", "low", "high"), ends, strict=True))
    found = claims_held(late_first, NONE, SIZES)
    assert list(found) == list(TABLES["claims_held"].columns)
    assert_rows(found.set_index("claim"), expected)
    assert claims_held(table[:0], NONE, SIZES).empty


FOUND = {  # by draw the sizes of VB and BIC
    0: (480, 1120),  # just so
    1: (80, 480),  # 6 times as many
    2: (480, 2560),  # 5.3 times
    3: (1120, 480),
    4: (inf, inf),
    5: (480, inf),  # above 21
    6: (2560, inf),  # above 4
    7: (10240, inf),  # BIC is beyond 10240, and may be found at 2.3 times as many, or not
    8: (inf, 2560),
    9: (1120, 2560),  # 2.29
}
FOUND_TABLE = pd.DataFrame(
    [
        (d, by, m, nan if n == inf else n)
        for d, both in FOUND.items()
        for by in ("structure", "class")
        for m, n in zip(("vb", "bic"), both if by == "structure" else (10.0, 10.0), strict=True)
    ],
    columns=TABLES["found"].columns,
)


def test_where_the_papers_sizes_lie():
    found = claims_held(made_up_claims()[:0], FOUND_TABLE, SIZES)
    assert found[["draws", "holds", "undecided"]].to_numpy().tolist() == [
        [10, sum(a <= 480 for a, _ in FOUND.values()), 0],
        [10, sum(b <= 1120 for _, b in FOUND.values()), 0],
        [10, sum(a <= 480 and b <= 1120 for a, b in FOUND.values()), 0],
        [8, 5, 2],
    ]
    assert found.loc[0, ["share", "low", "high"]].tolist() == list(share(4, 10))
    assert claims_held(made_up_claims()[:0], FOUND_TABLE, [10, 80, 1120, 10240]).empty
    vb = FOUND_TABLE["method"] == "vb"
    assert claims_held(made_up_claims()[:0], FOUND_TABLE[vb], SIZES).empty
    few = FOUND_TABLE[vb | (FOUND_TABLE["draw"] < 3)]  # BIC ran in three draws alone
    assert claims_held(made_up_claims()[:0], few, SIZES)["draws"].tolist() == [3] * 4


@pytest.mark.parametrize(
    ("sizes", "at"),
    [
        ((2560, 480, 20, 1120), {"vb": 480, "bic": 1120}),
        ((2560, 400, 20, 560, 1000), {"vb": 400, "bic": 1000}),  # the largest below
        ((20, 640), {"vb": 20}),  # nothing as large as the paper's 1120
        ((640, 2560), {"bic": 640}),
    ],
)
def test_shares_found_at_the_papers_sizes(sizes, at):
    rows = [(n, m, 40, (n + k) / 40000, n / 80000, 0.9)
            for n in sizes for k, m in enumerate(("vb", "bic", "cs"))]  # fmt: skip
    table = pd.DataFrame(rows, columns=["n", "method", "draws", "share", "low", "high"])
    expected = {}
    for m, n in at.items():
        k = (n + ("vb", "bic").index(m)) / 40000
        row = {"n": {"vb": 480, "bic": 1120}[m], "share": k, "low": n / 80000, "high": 0.9}
        expected[m] = row | {"draws": 40, "number": round(40 * k)}
    assert_rows(at_the_papers_sizes(table.sample(frac=1, random_state=1)), expected)
    assert at_the_papers_sizes(table[table["method"] == "cs"]).empty
