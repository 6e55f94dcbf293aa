"""The claims of Beal & Ghahramani (2003), of the thesis and of their sequel (2006), each with what
this run found, a verdict, and its place in the source (`latentdag.study.paper.sources`).

`claims.csv` has them for every draw of a population, the summary of a study for its own draw.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from latentdag.engine.significance import CLAIMED
from latentdag.study.one_draw import at_one_size, score_differences
from latentdag.study.one_draw.annealing import length_statistics, levels
from latentdag.study.one_draw.errors import SLACK, errors, slopes
from latentdag.study.one_draw.ranks import beats, rank_by_size, ranks
from latentdag.study.one_draw.sizes import first_recovery, for_good, lost_again
from latentdag.study.paper import claims, definitions, sources, timing
from latentdag.study.paper.claims import Claim, verdict
from latentdag.study.paper.numbers import AIS_SCORES, BEST_FIRST, PAPER, STEADY
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.words import counted, joined, label, listing, place, plus_minus

# the scores that claims of one draw depend on
READ = (*AIS_SCORES, *BEST_FIRST, "map", "cs", "laplace", "vb_online", "reference")
AIS = label("ais")
# what a source says of VB against another score: that VB finds the true structure at fewer cases,
# and that VB ranks it higher; the rule of this claim, and its definition; the source of both
SUPERIOR = {
    "bic": (
        (claims.VB_BEFORE_BIC, f"n = {PAPER.vb_from} against {PAPER.bic_from}"),
        ("VB almost always ranks it higher than BIC", "yes"),
        (claims.almost_always_verdict, definitions.ALMOST_ALWAYS),
        sources.FINDS,
    ),
    "cs": (
        ("VB needs fewer cases than CS to find the true structure", "VB is superior"),
        ("VB ranks the true structure higher than CS", "VB is superior"),
        (claims.mostly_verdict, definitions.SUPERIOR),
        sources.SUPERIOR,
    ),
}
EM, VBEM = "EM iteration", "VBEM iteration"  # steps of the table of the benchmark


def claims_of_draw(
    scores: pd.DataFrame, structures: pd.DataFrame, true_structure: str, seed: int
) -> pd.DataFrame:
    """The table `claims` of one draw, a DataFrame, from the tables ``scores`` and ``structures``:
    all claims about ranks, sizes and errors, for the structure ``true_structure``. The length of
    annealing and times do not depend on the draw.

    ``seed`` is the root seed of the study; see `latentdag.study.one_draw.ranks.ranks`.
    """
    scores = scores[scores["method"].isin(READ)]
    of_truth = ranks(scores, true_structure, seed, structures)
    (draw,) = scores["draw"].unique()
    table = pd.DataFrame(
        all_claims(scores, of_truth, true_structure, PAPER.n), columns=Claim._fields
    )
    return table.assign(draw=draw)[list(TABLES["claims"].columns)]


def all_claims(
    scores: pd.DataFrame,
    ranks: pd.DataFrame,
    truth: str | None,
    n: int,
    annealing: pd.DataFrame | None = None,
    times: pd.DataFrame | None = None,
    chains: int = 1,
    steps: pd.DataFrame | None = None,
    pruned: pd.DataFrame | None = None,
) -> list[Claim]:
    """A list of every `Claim` that the tables of one draw, DataFrames, decide, in the paper's
    order. ``truth`` is the true structure, ``n`` the size of the claims about Figure 1 right. In
    ``times`` AIS ran ``chains`` chains; ``steps`` is the benchmark of steps, ``pruned`` the table
    of states without cases. Claims about the scores of AIS are judged for each of `AIS_SCORES` that
    the tables have.
    """
    rows = _for_each_ais(scores, ranks, truth, n)
    if annealing is not None:
        rows += annealing_claims(annealing, levels(annealing, scores)["score"])
    if times is not None:
        rows += time_claims(times, chains)
    if steps is not None:
        rows += step_claims(steps)
    rows += [*laplace_claims(scores), *large_size_claims(scores, truth), *bound_claims(scores)]
    if pruned is not None:
        rows += pruning_claims(pruned)
    return [*rows, *cheeseman_stutz_claims(ranks, scores)]


def _for_each_ais(
    scores: pd.DataFrame, ranks: pd.DataFrame, truth: str | None, n: int
) -> list[Claim]:
    """The claims about ranks and about Figure 1 right; those that name AIS once for each score that
    plays it, one after the other.
    """
    present = {*scores["method"], *ranks["method"]}
    by_claim: dict[str, list[Claim]] = {}
    for ais in [m for m in AIS_SCORES if m in present] or [""]:
        of_ranks, of_scores = (_played_by(ais, table) for table in (ranks, scores))
        at_n = of_scores[of_scores["n"] == n]
        for claim in (
            *rank_claims(of_ranks),
            *small_size_claims(of_ranks),
            *figure_claims(at_n, n, truth),
        ):
            names_ais = AIS in claim.claim
            if names_ais or claim.claim not in by_claim:
                claim = claim._replace(ais=ais if names_ais else "")
                by_claim.setdefault(claim.claim, []).append(claim)
    return [claim for of_claim in by_claim.values() for claim in of_claim]


def _played_by(ais: str, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table with a column ``method``, of one of `AIS_SCORES` alone, as ``ais``."""
    rows = table[(table["method"] == ais) | ~table["method"].isin(AIS_SCORES)]
    return rows.assign(method=rows["method"].replace(ais, "ais"))


def rank_claims(ranks: pd.DataFrame) -> Iterator[Claim]:
    """Yields each `Claim` on the size from which a score ranks the true structure first, from
    ``ranks``, the table of ranks of one draw.
    """
    if ranks.empty:
        return
    wide = rank_by_size(ranks)
    for m, paper in (("vb", PAPER.vb_from), ("bic", PAPER.bic_from)):
        if m in wide:
            places = wide[m].dropna()
            start, n = for_good(places == 1), places.index[-1]
            result = f"n = {start}" if start else f"never (rank {place(places[n])} at n = {n})"
            judged = claims.first_verdict(start, paper, places.index)
            claim = f"the smallest size at which {label(m)} finds the true structure"
            words = definitions.FINDS, definitions.SMALLEST
            yield Claim(claim, f"n = {paper}", result, judged, sources.FINDS, words)
    yield from _vb_against(wide, "bic")
    if "ais" in wide:
        yield from _first_by_ais(wide, rank_by_size(ranks, "rank_low")["ais"])
    yield from _vb_against_ais(wide.reindex(columns=["vb", "ais"]).dropna())
    last = wide.iloc[-1].dropna()
    shown = [m for m in BEST_FIRST if m in last]
    if shown:
        n, all_first = wide.index[-1], (last[shown] == 1).all()
        result = ", ".join(f"{label(m)} rank {place(last[m])}" for m in shown) + f" at n = {n}"
        claim = f"{listing([*map(label, shown)])} find{'s' * (len(shown) == 1)} {claims.EVENTUALLY}"
        judged = verdict(True, testable=all_first)
        yield Claim(claim, "yes", result, judged, sources.EVENTUALLY, (definitions.EVENTUALLY,))


def _vb_against(wide: pd.DataFrame, other: str) -> Iterator[Claim]:
    fewer, higher, (rule, definition), source = SUPERIOR[other]
    both = wide.reindex(columns=["vb", other]).dropna()
    if both.empty:
        return
    a, b = for_good(both["vb"] == 1), for_good(both[other] == 1)
    result = f"{_size(a)} against {_size(b)}" if a or b else "neither finds it"
    judged = claims.fewer_verdict(a, b)
    yield Claim(*fewer, result, judged, source, (definitions.FINDS, definitions.FEWER))
    better, worse, equal = beats(both["vb"], both[other])
    sizes = counted(len(both), "size")
    result = f"better at {better} of {sizes}, worse at {worse}, equal at {equal}"
    yield Claim(*higher, result, rule(better, worse, equal), source, (definition,))


def _vb_against_ais(both: pd.DataFrame) -> Iterator[Claim]:
    if both.empty:
        return
    sizes, first = both.index, first_recovery(both.max(axis=1))
    a, b = for_good(both["vb"] == 1), for_good(both["ais"] == 1)
    result = f"VB: {_size(a)}; AIS: {_size(b)}"
    claim = "VB locks on to the true structure more reliably than AIS"
    judged = claims.fewer_verdict(a, b)
    yield Claim(claim, "yes", result, judged, sources.RELIABLE, (definitions.RELIABLY,))
    claim = "VB approaches AIS in finding the true structure"
    judged = claims.not_many_more_verdict(a, b, sizes.max())
    yield Claim(claim, "yes", result, judged, sources.APPROACHES, (definitions.APPROACHES,))
    claim = "the smallest size at which VB and AIS both rank it first"
    judged = claims.first_verdict(first, PAPER.n, sizes)
    says = f"n = {PAPER.n}"
    yield Claim(claim, says, _size(first), judged, sources.SMALLEST, (definitions.SMALLEST,))


def _first_by_ais(wide: pd.DataFrame, low: pd.Series) -> Iterator[Claim]:
    """From the ranks, n by method, and the lower ends that the Monte Carlo errors of AIS allow, nan
    where it has none.
    """
    places = wide["ais"].dropna()
    first = first_recovery(places)
    claim, says = "the smallest size at which AIS ranks it first", f"n = {PAPER.ais_first}"
    judged = claims.first_verdict(first, PAPER.ais_first, places.index)
    yield Claim(claim, says, _size(first), judged, sources.SMALL_SIZES, (definitions.SMALLEST,))
    if first is None:
        return
    later = places[places.index > first]
    lost = later[later > 1]
    result = f"not first at {len(lost)} of {counted(len(later), 'larger size')}"
    if later.empty:
        result = "first at the largest size alone"
    elif len(lost):
        result += f" (worst rank {place(lost.max())} at n = {lost.idxmax()}"
        if low[lost.index].notna().all():
            result += f"; within its Monte Carlo error of first at {(low[lost.index] == 1).sum()}"
        result += ")"
    base = {m: lost_again(wide[m].dropna()) for m in STEADY if m in wide}
    if any(base.values()):
        result += "; base rate: "
        result += ", ".join(f"{label(m)} {of[0]} of {of[1]}" for m, of in base.items() if of)
    judged = claims.noisy_verdict(lost_again(places), base)
    claim = "the AIS rank is noisy after that"
    yield Claim(claim, "yes", result, judged, sources.EVENTUALLY, (definitions.NOISY,))


def small_size_claims(ranks: pd.DataFrame) -> Iterator[Claim]:
    """Yields a `Claim` on AIS against VB and BIC at sizes below the paper's, from ``ranks``, the
    table of ranks of one draw; none where it lacks AIS, both others or such sizes.
    """
    wide = rank_by_size(ranks)
    methods = [m for m in BEST_FIRST if m in wide]
    wide = wide.loc[wide.index < PAPER.n, methods].dropna()
    if len(methods) < 2 or methods[0] != "ais" or wide.empty:
        return
    medians, others = wide.median(), methods[1:]
    result = f"median rank over {_all(len(wide), 'size', 'the')} below {PAPER.n}: "
    result += ", ".join(f"{label(m)} {place(medians[m])}" for m in methods)
    above, testable = (medians["ais"] < medians[others]).all(), medians.nunique() > 1
    claim = f"small n: AIS ranks it above {' and '.join(map(label, others))}"
    yield Claim(claim, "yes", result, verdict(above, testable), sources.SMALL_SIZES)


def figure_claims(at_n: pd.DataFrame, n: int, truth: str | None) -> Iterator[Claim]:
    """Yields each `Claim` on Figure 1 right, from ``at_n``, the scores of one draw at ``n`` cases;
    ``truth`` is the true structure. Not testable at another size than the paper's.
    """
    testable = n == PAPER.n
    elsewhere = "" if testable else f", at n = {PAPER.n}"
    says, best = f"yes{elsewhere}", at_one_size.best_structures(at_n, truth)
    for m in (m for m in ("vb", "ais") if m in best.index and not np.isnan(best["rank"][m])):
        r = best.loc[m]
        result = r["best"]
        if np.isinf(r["rank"]):
            result += "; the true one has no score"
        elif r["best"] != truth:
            gap = plus_minus(r["behind"], r["behind_error"])
            result += f", {gap} nats above the true one (rank {place(r['rank'])})"
        claim = f"{label(m)} puts the true structure first at n = {n}"
        yield Claim(claim, says, result, verdict(r["best"] == truth, testable), sources.SMALLEST)
    if {"ais", "vb"} <= set(at_n["method"]):
        gap = score_differences.score_gap(at_n, "ais", "vb").droplevel("n")
        if len(gap):
            of_ais = at_n[at_n["method"] == "ais"].set_index("structure")
            error = of_ais.loc[gap.index, "standard_error"].astype(float)
            yield _ais_above_vb(gap, error, f"all{elsewhere}", testable)
            result = f"median AIS - VB {gap.median():.2f} nats"
            claim, judged = f"VB appears close to AIS at n = {n}", claims.NOT_TESTABLE  # no number
            yield Claim(claim, says, result, judged, sources.CLOSE, (definitions.CLOSE,))
    for m, sign, verb in (("map", 1, "rises"), ("bic", -1, "falls")):
        trend = at_one_size.parameter_trend(at_n, m)
        if not np.isnan(trend):
            claim = f"{label(m)} {verb} with the number of parameters"
            result, judged = f"rank correlation {trend:+z.2f}", verdict(sign * trend > 0, testable)
            yield Claim(claim, says, result, judged, sources.TRENDS)


def _ais_above_vb(gap: pd.Series, error: pd.Series, says: str, testable: bool) -> Claim:
    """From AIS - VB and the standard error of AIS by structure, in nats. Not testable without
    errors: a draw could agree by gaps above 0, and none differ, so that the draws that agree would
    be chosen for it.
    """
    others, sure = (gap <= 0).sum(), error.notna().all()
    beyond = (gap < -CLAIMED * error).sum()
    result = (
        f"{len(gap) - others} of {len(gap)}; AIS - VB from {gap.min():.2f} to {gap.max():.2f} "
        f"nats, median {gap.median():.2f}"
    )
    if others and sure:
        result += f"; below by more than {CLAIMED:g} standard errors: {beyond}"
    judged = verdict(beyond == 0, testable and sure)
    if others and judged == claims.AGREES:
        judged += " within the Monte Carlo error"
    claim = "AIS lies above VB for every structure"
    return Claim(claim, says, result, judged, sources.ABOVE, (definitions.ABOVE,))


def annealing_claims(annealing: pd.DataFrame, levels: Mapping[str, float]) -> Iterator[Claim]:
    """Yields each `Claim` on how long annealing must be, from ``annealing``, the runs of one draw
    and n, and from ``levels``, the scores in nats to reach, by method
    (`latentdag.study.one_draw.annealing.levels`).
    """
    testable = (annealing["n"] == PAPER.n).all()  # the runs may be at another size than Figure 1
    reach = (("bic", PAPER.steps_to_bic, "approach"), ("vb", PAPER.steps_to_vb, "pass"))
    for transition, runs in annealing.groupby("transition"):
        lengths = length_statistics(runs)
        name = "" if transition == "metropolis" else f" ({transition})"
        prior = lengths.dropna(subset="estimate")
        for m, paper, verb in reach:
            if m not in levels or prior.empty:
                continue
            steps, of_mean = (for_good(prior[c] > levels[m]) for c in ("median", "estimate"))
            result = "never" if steps is None else f"{steps} steps"
            result += f" (log mean weight: {'never' if of_mean is None else of_mean})"
            judged = claims.first_verdict(
                steps, paper, prior.index, claims.FACTOR, ("sooner", "later")
            )
            if not testable:
                judged = claims.NOT_TESTABLE
            claim, says = f"AIS chains{name} {verb} {label(m)}", f"about {paper} steps"
            yield Claim(claim, says, result, judged, sources.STEPS, (definitions.STEPS,))
        longest, spread = lengths.index[-1], lengths["spread"].iloc[-1]
        n_chains = (runs["steps"] == longest).sum()
        result = f"at {longest} steps {_all(n_chains, 'chain')} within {spread:.1f} nats"
        together = spread <= claims.CONVERGED
        decisive = n_chains > 1 and (together or longest >= PAPER.longest_schedule)
        judged = verdict(together, testable and decisive)
        claim = f"all AIS chains{name} converge"
        yield Claim(claim, "yes", result, judged, sources.CONVERGE, (definitions.CONVERGE,))


def large_size_claims(scores: pd.DataFrame, truth: str | None) -> Iterator[Claim]:
    """Yields the `Claim` on VB minus BIC as n grows, from the table ``scores`` of one draw, for the
    true structure ``truth``; none where that lacks either score.
    """
    gap = score_differences.score_gap(scores, "vb", "bic")
    if truth not in gap.index.get_level_values("structure"):
        return
    gaps = gap.xs(truth, level="structure")
    result = f"{gaps.iloc[-1]:.2f} nats at n = {gaps.index[-1]}"
    first, last, growth = score_differences.growth(gap, truth)
    if growth is not None:
        result = f"{gaps[first]:.2f} nats at n = {first}, {gaps[last]:.2f} at {last}: "
        result += f"{growth:+z.2f} per unit of ln n"
    judged = claims.bounded_verdict(growth)
    yield Claim(claims.BOUNDED, "yes", result, judged, sources.BOUNDED, (definitions.BOUNDED,))


def bound_claims(scores: pd.DataFrame) -> Iterator[Claim]:
    """Yields each `Claim` on the bias of VB's bounds, from the table ``scores`` of one draw."""
    n_parameters = scores.drop_duplicates("structure").set_index("structure")["n_parameters"]
    lines = slopes(errors(scores[scores["method"].isin(["vb", "reference"])]), n_parameters)
    if len(lines):
        slope, sure = lines["slope"], lines["slope"] < -CLAIMED * lines["slope_error"]
        result = (
            f"VB minus reference changes by {slope.max():+z.2f} to {slope.min():+z.2f} nats per "
            f"parameter; it decreases by more than two standard errors at {sure.sum()} of "
            f"{counted(len(sure), 'size')}"
        )
        claim, judged = "VB is biased to simpler models", claims.order_verdict(sure)
        yield Claim(claim, "suggested", result, judged, sources.BIASED, (definitions.BIASED,))
    gap = score_differences.score_gap(scores, "vb_online", "vb")
    if len(gap):
        by_size = gap.groupby(level="n").mean()
        n, lost = by_size.index[-1], -by_size.iloc[-1]
        result = (
            f"its bound is {lost:.2f} nats below VB's at n = {n}, in the mean over the structures"
        )
        judged = verdict(lost > claims.UNDERFITS, testable=(by_size < -SLACK).any())
        claim = "online VB underfits"
        yield Claim(claim, "yes", result, judged, sources.UNDERFITS, (definitions.UNDERFIT,))


def pruning_claims(pruned: pd.DataFrame) -> Iterator[Claim]:
    """Yields the `Claim` on whether online VB leaves more states without cases than VB, at the
    largest size of the table ``pruned``, which has the columns n, method, n_states, pruned and
    rare.
    """
    n = pruned["n"].max()
    totals = pruned[pruned["n"] == n].groupby("method")[["n_states", "pruned", "rare"]].sum()
    if not {"vb", "vb_online"} <= set(totals.index):
        return
    vb, online = totals.loc["vb"], totals.loc["vb_online"]
    result = (
        f"of {online['n_states']} states at n = {n}, online VB leaves {online['rare']} with less "
        f"than 1 % of the cases, and VB {vb['rare']} (with less than one case: online VB "
        f"{online['pruned']}, VB {vb['pruned']})"
    )
    judged = verdict(online["rare"] > vb["rare"])
    claim = "online VB prunes itself too much"
    yield Claim(claim, "yes", result, judged, sources.UNDERFITS, (definitions.PRUNES,))


def laplace_claims(scores: pd.DataFrame) -> Iterator[Claim]:
    """Yields the `Claim` on Laplace's approximation for few cases, from ``scores`` of one draw."""
    gap = score_differences.score_gap(scores, "laplace", "reference")
    if len(gap):
        n = gap.index.get_level_values("n").min()
        error = gap[n].abs().mean()
        result = f"mean absolute error {error:.2f} nats at n = {n}"
        judged = verdict(error > claims.INACCURATE)
        claim, words = "Laplace is inaccurate for few cases", (definitions.INACCURATE_FOR_FEW,)
        yield Claim(claim, "can be so", result, judged, sources.LAPLACE, words)


def cheeseman_stutz_claims(ranks: pd.DataFrame, scores: pd.DataFrame) -> Iterator[Claim]:
    """Yields each `Claim` on VB against CS, as the sequel's abstract has it, from the tables
    ``ranks`` and ``scores`` of one draw.
    """
    yield from _vb_against(rank_by_size(ranks), "cs")
    if gaps := score_differences.score_gaps(scores, "vb", "cs"):
        says = "can always be nearer"
        result = (
            f"VB is not below CS in {gaps['number'] - gaps['below']} of "
            f"{counted(gaps['number'], 'fit')}; VB - CS: median {gaps['median']:.2f} nats"
        )
        yield Claim(claims.NOT_BELOW, says, result, verdict(gaps["below"] == 0), sources.NOT_BELOW)


def time_claims(times: pd.DataFrame, chains: int = 1) -> Iterator[Claim]:
    """Yields each `Claim` on relative cost at the size for which the paper gives its times, from
    the table ``times``, in which AIS ran ``chains`` chains; the paper, as we read sec. 4.1, one.
    Not judged: our ratios change with the program and with what else the machine does.
    """
    for a, b, runs in (("vb", "bic", 1), ("ais", "vb", chains)):
        ours = timing.ratio(times, a, b)
        if ours is not None:
            result = f"{ours / runs:.1f} times as long"
            if runs > 1:
                result += f" for each of {runs} chains, {ours:.1f} for all"
            claim = f"time of {label(a)} over that of {label(b)}"
            says, judged = f"{PAPER.seconds[a]} s against {PAPER.seconds[b]} s", claims.NOT_TESTABLE
            yield Claim(claim, says, result, judged, sources.TIMES, (definitions.TIMES,))


def step_claims(steps: pd.DataFrame) -> Iterator[Claim]:
    """Yields the `Claim` on the cost of a VB-E step, from ``steps``, the table `benchmark`. Its
    iterations also have an M step.
    """
    wide = steps.pivot(index="n", columns="step", values="microseconds")
    if not {EM, VBEM} <= set(wide):
        return
    ratios = (wide[VBEM] / wide[EM]).dropna()
    if len(ratios):
        result = (
            f"an iteration of VBEM takes {', '.join(f'{r:.2f}' for r in ratios)} times as long as "
            f"one of EM at n = {joined(ratios.index)}"
        )
        judged = verdict(ratios.between(1 / claims.FACTOR, claims.FACTOR).all())
        claim = "a VB-E step costs about as much as an E step"
        yield Claim(claim, "yes", result, judged, sources.E_STEP, (definitions.AS_MUCH,))


def _size(n: int | None) -> str:
    """A number of cases in words; None is never."""
    return "never" if n is None else f"n = {n}"


def _all(count: int, noun: str, word: str = "all") -> str:
    return f"the one {noun}" if count == 1 else f"{word} {counted(count, noun)}"
