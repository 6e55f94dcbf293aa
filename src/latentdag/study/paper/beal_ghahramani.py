"""The claims of Beal & Ghahramani (2003), of the thesis and of their sequel (2006), each with what
this run found, a verdict, and its place in the source (`latentdag.study.paper.sources`).

`claims.csv` has them for every draw of a population, the summary of a study for its own draw.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from latentdag.study.one_draw import at_one_size, score_differences
from latentdag.study.one_draw.annealing import by_length, claimed_levels
from latentdag.study.one_draw.errors import SLACK, errors, slopes
from latentdag.study.one_draw.ranks import beats, rank_by_size, ranks
from latentdag.study.one_draw.sizes import first_found, found_for_good, stays_above
from latentdag.study.paper import claims, sources, timing
from latentdag.study.paper.claims import Claim, verdict
from latentdag.study.paper.numbers import BEST_FIRST, METHODS, PAPER
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.words import at_size, counted, joined, label, place, plus_minus

# the scores that claims of one draw depend on
READ = (*BEST_FIRST, "map", "cs", "vb_online", "reference")
# two claims about VB against another score, each with the source's words: VB finds the true
# structure at fewer cases, and VB ranks it higher; the rule of the second claim; the source of both
SUPERIOR = {
    "bic": (
        (claims.VB_BEFORE_BIC, f"n = {PAPER.vb_from} against {PAPER.bic_from}"),
        ("VB almost always ranks it higher than BIC", "yes"),
        claims.of_almost_always,
        sources.FINDS,
    ),
    "cs": (
        ("VB needs fewer cases than CS to find the true structure", "VB is superior"),
        ("VB ranks the true structure higher than CS", "VB is superior"),
        claims.of_mostly,
        sources.SUPERIOR,
    ),
}
EM, VBEM = "EM iteration", "VBEM iteration"  # steps of the table of the benchmark


def claims_of_draw(
    scores: pd.DataFrame, structures: pd.DataFrame, true_structure: str, seed: int
) -> pd.DataFrame:
    """The table of claims of one draw from its scores and the structures: all claims about ranks,
    sizes and errors. The length of annealing and times do not depend on the draw.

    ``seed`` is the root seed of the study; see `latentdag.study.one_draw.ranks.ranks`.
    """
    scores = scores[scores["method"].isin(READ)]
    of_truth = ranks(scores, true_structure, seed, structures)
    rows = all_claims(scores, of_truth, true_structure, PAPER.n)
    (draw,) = scores["draw"].unique()
    table = [{"draw": draw} | claim._asdict() for claim in rows]
    return pd.DataFrame(table, columns=TABLES["claims"].columns)


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
    """All claims that the tables of one draw can tell about, in the paper's order.

    ``truth`` is the true structure, ``n`` the size of the claims about Figure 1 right. ``times`` is
    the table of times, in which AIS ran ``chains`` chains; ``steps`` the table of the benchmark of
    steps; ``pruned`` that of states without cases.
    """
    found = [
        *of_the_ranks(ranks),
        *of_small_sizes(ranks),
        *of_the_figure(scores[scores["n"] == n], n, truth),
    ]
    if annealing is not None:
        found += of_annealing(annealing, claimed_levels(annealing, scores))
    if times is not None:
        found += of_times(times, chains)
    if steps is not None:
        found += of_steps(steps)
    found += of_large_sizes(scores, truth)
    found += of_the_bounds(scores)
    if pruned is not None:
        found += of_pruning(pruned)
    return [*found, *of_cheeseman_stutz(ranks, scores)]


def of_the_ranks(ranks: pd.DataFrame) -> Iterator[Claim]:
    """From which size each score finds the true structure: from the table of ranks of one draw."""
    if ranks.empty:
        return
    wide = rank_by_size(ranks)
    for m, paper, words in (("vb", PAPER.vb_from, "after"), ("bic", PAPER.bic_from, "at")):
        if m in wide:
            places_by_n = wide[m].dropna()
            start = found_for_good(places_by_n)
            yield Claim(
                f"{label(m)} finds the true structure",
                f"{words} {paper} cases",
                _from(start, places_by_n),
                claims.of_first(start, paper, places_by_n.index),
                sources.FINDS,
            )
    yield from _vb_against(wide, "bic")
    if "ais" in wide:
        yield from _first_by_ais(ranks[ranks["method"] == "ais"])
    both = _both(wide, "ais")
    if len(both):
        yield from _vb_against_ais(both["vb"], both["ais"])
    last = wide.iloc[-1].dropna()
    shown = [m for m in BEST_FIRST if m in last]
    if shown:
        n, found = wide.index[-1], (last[shown] == 1).all()
        places = ", ".join(f"{label(m)} rank {place(last[m])}" for m in shown)
        *names, name = (label(m) for m in shown)
        who = f"{', '.join(names)} and {name} find" if names else f"{name} finds"
        yield Claim(
            f"{who} it eventually",
            "yes",
            f"{places} at n = {n}",
            verdict(found, testable=found or n >= PAPER.bic_from),
            sources.EVENTUALLY,
        )


def _both(wide: pd.DataFrame, other: str) -> pd.DataFrame:
    """The ranks by VB and by ``other`` at the sizes that have both."""
    return wide.reindex(columns=["vb", other]).dropna()


def _vb_against(wide: pd.DataFrame, other: str) -> Iterator[Claim]:
    both, (fewer, higher, rule, source) = _both(wide, other), SUPERIOR[other]
    if both.empty:
        return
    a, b = found_for_good(both["vb"]), found_for_good(both[other])
    found = f"{at_size(a)} against {at_size(b)}"
    yield Claim(*fewer, found, claims.of_fewer(a, b, both.index.min()), source)
    better, worse, equal = beats(both["vb"], both[other])
    sizes = counted(len(both), "size")
    found = f"better at {better} of {sizes}, worse at {worse}, equal at {equal}"
    yield Claim(*higher, found, rule(better, worse, equal), source)


def _vb_against_ais(vb: pd.Series, ais: pd.Series) -> Iterator[Claim]:
    a, b = found_for_good(vb), found_for_good(ais)
    yield Claim(
        "VB locks on to the true structure more reliably than AIS",
        "yes",
        f"VB: {at_size(a)}; AIS: {at_size(b)}",
        claims.of_fewer(a, b, vb.index.min()),
        sources.RELIABLE,
    )
    yield Claim(
        "VB approaches AIS in finding the true structure",
        "yes",
        f"VB: {at_size(a)}; AIS: {at_size(b)}",
        claims.of_not_many_more(a, b, vb.index.max()),
        sources.APPROACHES,
    )
    both = first_found(np.maximum(vb, ais))
    yield Claim(
        "the smallest size at which VB and AIS both rank it first",
        f"n = {PAPER.n}",
        at_size(both),
        claims.of_first(both, PAPER.n, vb.index),
        sources.SMALLEST,
    )


def _first_by_ais(ranks: pd.DataFrame) -> Iterator[Claim]:
    places = rank_by_size(ranks)["ais"]
    first = first_found(places)
    yield Claim(
        "the smallest size at which AIS ranks it first",
        f"n = {PAPER.ais_first}",
        at_size(first),
        claims.of_first(first, PAPER.ais_first, places.index),
        sources.SMALL_SIZES,
    )
    if first is None:
        return
    later = places[places.index > first]
    lost = later[later > 1]
    words = f"not first at {len(lost)} of {counted(len(later), 'larger size')}"
    if len(lost):
        within = int((rank_by_size(ranks, "rank_low")["ais"][lost.index] == 1).sum())
        words += (
            f" (worst rank {place(lost.max())} at n = {lost.idxmax()}; within its Monte Carlo "
            f"error of first at {within})"
        )
    yield Claim(
        "the AIS rank is noisy after that",
        "yes",
        words if len(later) else "first at the largest size alone",
        verdict(len(lost) > 0, testable=len(later) > 0),
        sources.EVENTUALLY,
    )


def of_small_sizes(ranks: pd.DataFrame) -> Iterator[Claim]:
    """AIS against VB and BIC at sizes below the paper's: from the table of ranks of one draw."""
    wide = rank_by_size(ranks)
    methods = [m for m in BEST_FIRST if m in wide]
    wide = wide.loc[wide.index < PAPER.n, methods].dropna()
    if len(methods) < 2 or methods[0] != "ais" or wide.empty:
        return
    medians = wide.median()
    words = ", ".join(f"{label(m)} {place(medians[m])}" for m in methods)
    others = medians.drop("ais")
    yield Claim(
        f"small n: AIS ranks it above {' and '.join(map(label, others.index))}",
        "yes",
        f"median rank over {_all(len(wide), 'size', 'the')} below {PAPER.n}: {words}",
        verdict((medians["ais"] < others).all(), testable=medians.nunique() > 1),
        sources.SMALL_SIZES,
    )


def of_the_figure(at_n: pd.DataFrame, n: int, truth: str | None) -> Iterator[Claim]:
    """What Figure 1 right shows: from the scores of one draw at ``n`` cases."""
    testable = n == PAPER.n
    paper = "yes" if testable else f"yes, at n = {PAPER.n}"
    best = at_one_size.best_structures(at_n, truth)
    methods = set(at_n["method"])
    for m in (m for m in ("vb", "ais") if m in best.index and not np.isnan(best["rank"][m])):
        r = best.loc[m]
        words = r["best"]
        if np.isinf(r["rank"]):
            words += "; the true one has no score"
        elif r["best"] != truth:
            gap = plus_minus(r["behind"], r["behind_error"])
            words += f", {gap} nats above the true one (rank {place(r['rank'])})"
        yield Claim(
            f"{label(m)} puts the true structure first at n = {n}",
            paper,
            words,
            verdict(r["best"] == truth, testable),
            sources.SMALLEST,
        )
    gaps = at_one_size.gap_between(at_n, "ais", "vb") if {"ais", "vb"} <= methods else at_n.iloc[:0]
    if len(gaps):
        yield _ais_above_vb(gaps, "all" if testable else f"all, at n = {PAPER.n}", testable)
        yield _vb_close_to_ais(gaps["gap"], at_n, n, paper, testable)
    for m, sign, verb in (("map", 1, "rises"), ("bic", -1, "falls")):
        found = at_one_size.parameter_trend(at_n, m)
        if not np.isnan(found):
            yield Claim(
                f"{label(m)} {verb} with the number of parameters",
                paper,
                f"rank correlation {found:+z.2f}",
                verdict(sign * found > 0, testable),
                sources.TRENDS,
            )


def _ais_above_vb(gaps: pd.DataFrame, paper: str, testable: bool) -> Claim:
    gap, beyond = gaps["gap"], int(gaps["beyond"].sum())
    others = int((gap <= 0).sum())
    words = (
        f"{len(gap) - others} of {len(gap)}; AIS - VB from {gap.min():.2f} to {gap.max():.2f} "
        f"nats, median {gap.median():.2f}"
    )
    if others:
        words += f"; below by more than 2 standard errors: {beyond}"
    found = verdict(beyond == 0, testable)
    if others and found == claims.AGREES:
        found += " within the Monte Carlo error"
    return Claim("AIS lies above VB for every structure", paper, words, found, sources.ABOVE)


def _vb_close_to_ais(
    gap: pd.Series, at_n: pd.DataFrame, n: int, paper: str, testable: bool
) -> Claim:
    """As their figure shows it: in units of the range of all scores that are drawn there."""
    drawn = at_n.loc[at_n["method"].isin(METHODS), "score"].astype(float)
    middle, height = gap.median(), drawn.max() - drawn.min()
    words = f"median AIS - VB {middle:.2f} nats, {middle / height:.0%} of the figure's range"
    if not height > 0:
        words = f"median AIS - VB {middle:.2f} nats"
    return Claim(
        f"VB appears close to AIS at n = {n}",
        paper,
        words,
        verdict(abs(middle) <= claims.CLOSE * height, testable and height > 0),
        sources.CLOSE,
    )


def of_annealing(annealing: pd.DataFrame, levels: Mapping[str, float]) -> Iterator[Claim]:
    """How long annealing must be: from the annealing runs of one draw and n; ``levels`` are the
    structure's scores by method.
    """
    testable = (annealing["n"] == PAPER.n).all()  # the runs may be at another size than Figure 1
    for transition, runs in annealing.groupby("transition"):
        found = by_length(runs)
        name = "" if transition == "metropolis" else f" ({transition})"
        prior = found.dropna(subset="estimate")
        for m, paper, verb in (
            ("bic", PAPER.steps_to_bic, "reach"),
            ("vb", PAPER.steps_to_vb, "pass"),
        ):
            if m not in levels or prior.empty:
                continue
            steps = stays_above(prior["median"], levels[m])
            of_mean = stays_above(prior["estimate"], levels[m])
            yield Claim(
                f"AIS chains{name} {verb} {label(m)}",
                f"about {paper} steps",
                f"{'never' if steps is None else f'{steps} steps'} "
                f"(log mean weight: {'never' if of_mean is None else of_mean})",
                claims.of_first(steps, paper, prior.index, claims.FACTOR, ("sooner", "later"))
                if testable
                else claims.NOT_TESTABLE,
                sources.STEPS,
            )
        longest = found.index[-1]
        n_chains = int((runs["steps"] == longest).sum())
        spread = found["spread"].iloc[-1]
        together = spread <= claims.CONVERGED
        yield Claim(
            f"all AIS chains{name} converge",
            "yes",
            f"at {longest} steps {_all(n_chains, 'chain')} within {spread:.1f} nats",
            verdict(
                together,
                testable and n_chains > 1 and (together or longest >= PAPER.longest_schedule),
            ),
            sources.CONVERGE,
        )


def of_large_sizes(scores: pd.DataFrame, truth: str | None) -> Iterator[Claim]:
    """VB minus BIC as n grows: from the table of scores of one draw."""
    found = score_differences.difference_by_size(scores, truth)["true"].dropna()
    if found.empty:
        return
    growth = score_differences.growth(scores).get(truth)
    words = f"{found.iloc[-1]:.2f} nats at n = {found.index[-1]}"
    if growth is not None:
        first, last = score_differences.growth_window(scores)
        words = f"{found[first]:.2f} nats at n = {first}, {found[last]:.2f} at {last}: "
        words += f"{growth:+z.2f} per unit of ln n"
    yield Claim(claims.BOUNDED, "yes", words, claims.of_bounded(growth), sources.BOUNDED)


def of_the_bounds(scores: pd.DataFrame) -> Iterator[Claim]:
    """What VB's bounds are biased to: from the table of scores of one draw."""
    n_parameters = scores.drop_duplicates("structure").set_index("structure")["n_parameters"]
    found = slopes(errors(scores[scores["method"].isin(["vb", "reference"])]), n_parameters)
    if len(found):
        slope = found["slope"].droplevel("method")
        sure = slope < -claims.SURE * found["slope_error"].droplevel("method")
        yield Claim(
            "VB is biased to simpler models",
            "yes",
            f"VB minus reference changes by {slope.max():+z.2f} to {slope.min():+z.2f} nats per "
            f"parameter; it decreases by more than two standard errors at {sure.sum()} of "
            f"{counted(len(sure), 'size')}",
            claims.of_order(sure),
            sources.BIASED,
        )
    gap = score_differences.score_gap(scores, "vb_online", "vb")
    if len(gap):
        by_size = gap.groupby(level="n").mean()
        n, lost = by_size.index[-1], -by_size.iloc[-1]
        yield Claim(
            "online VB underfits",
            "yes",
            f"its bound is {lost:.2f} nats below VB's at n = {n}, in the mean over the structures",
            verdict(lost > claims.UNDERFITS, testable=(by_size < -SLACK).any()),
            sources.UNDERFITS,
        )


def of_pruning(pruned: pd.DataFrame) -> Iterator[Claim]:
    """Whether online VB leaves more states without cases than VB: from the table of pruned states,
    at its largest size.
    """
    n = pruned["n"].max()
    totals = pruned[pruned["n"] == n].groupby("method")[["n_states", "pruned", "rare"]].sum()
    if not {"vb", "vb_online"} <= set(totals.index):
        return
    vb, online = totals.loc["vb"], totals.loc["vb_online"]
    yield Claim(
        "online VB prunes itself too much",
        "yes",
        f"of {online['n_states']} states at n = {n}, online VB leaves {online['rare']} with less "
        f"than 1 % of the cases, and VB {vb['rare']} (with less than one case: online VB "
        f"{online['pruned']}, VB {vb['pruned']})",
        verdict(online["rare"] > vb["rare"]),
        sources.UNDERFITS,
    )


def of_cheeseman_stutz(ranks: pd.DataFrame, scores: pd.DataFrame) -> Iterator[Claim]:
    """VB against CS, as the abstract of the sequel has it: from the tables of ranks and of scores
    of one draw.
    """
    yield from _vb_against(rank_by_size(ranks), "cs")
    if gaps := score_differences.score_gaps(scores, "vb", "cs"):
        yield Claim(
            "VB is at least as near to the evidence as CS",
            "can always be made so",
            f"VB is not below CS in {gaps['number'] - gaps['below']} of "
            f"{counted(gaps['number'], 'fit')}; "
            f"VB - CS: median {gaps['median']:.2f} nats",
            verdict(gaps["below"] == 0),
            sources.NOT_BELOW,
        )


def of_times(times: pd.DataFrame, chains: int = 1) -> Iterator[Claim]:
    """Relative cost at the size for which the paper gives its times: from the table of times, in
    which AIS ran ``chains`` chains. The paper ran one (sec. 4.1).
    """
    for a, b, runs in (("vb", "bic", 1), ("ais", "vb", chains)):
        found = timing.ratio(times, a, b)
        if found is not None:
            here, paper = found
            words = f"{here / runs:.1f} times as long"
            if runs > 1:
                words += f" for each of {runs} chains, {here:.1f} for all"
            yield Claim(
                f"time of {label(a)} over that of {label(b)}",
                f"{PAPER.seconds[a]} s against {PAPER.seconds[b]} s",
                words,
                claims.of_ratio(here / runs, paper),
                sources.TIMES,
            )


def of_steps(steps: pd.DataFrame) -> Iterator[Claim]:
    """The cost of a VB-E step: from the table of the benchmark of steps, whose iterations also have
    an M step.
    """
    wide = steps.pivot(index="n", columns="step", values="microseconds")
    if not {EM, VBEM} <= set(wide):
        return
    ratios = (wide[VBEM] / wide[EM]).dropna()
    if len(ratios):
        yield Claim(
            "a VB-E step costs about as much as an E step",
            "yes",
            f"an iteration of VBEM takes {', '.join(f'{r:.2f}' for r in ratios)} times as long as "
            f"one of EM at n = {joined(ratios.index)}",
            verdict(ratios.between(1 / claims.FACTOR, claims.FACTOR).all()),
            sources.E_STEP,
        )


def _from(start: int | None, ranks: pd.Series) -> str:
    if start is not None:
        return f"from n = {start}"
    return f"never (rank {place(ranks.iloc[-1])} at n = {ranks.index[-1]})"


def _all(count: int, noun: str, word: str = "all") -> str:
    return f"the one {noun}" if count == 1 else f"{word} {counted(count, noun)}"
