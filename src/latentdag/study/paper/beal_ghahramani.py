"""The claims of Beal & Ghahramani (2003), each with what this run found and a verdict.

`claims.csv` has them for every draw of a population, the summary of a study for its own draw.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

from latentdag.study.one_draw import at_one_size, score_differences
from latentdag.study.one_draw.annealing import by_length, claimed_levels
from latentdag.study.one_draw.distances import in_this_order, measures
from latentdag.study.one_draw.errors import SLACK, errors, slopes
from latentdag.study.one_draw.ranks import beats, rank_by_size, ranks
from latentdag.study.one_draw.sizes import first_found, found_for_good, stays_above
from latentdag.study.paper import claims, timing
from latentdag.study.paper.claims import Claim, verdict
from latentdag.study.paper.numbers import BEST_FIRST, PAPER
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.words import at_size, counted, joined, label, place, plus_minus

READ = (
    *BEST_FIRST,
    "map",
    "vb_online",
    "reference",
)  # the scores that claims of one draw depend on


def claims_of_draw(
    scores: pd.DataFrame, structures: pd.DataFrame, true_structure: str, seed: int
) -> pd.DataFrame:
    """The table of claims of one draw from its scores and the structures: all claims about ranks,
    sizes and errors. The length of annealing and times do not depend on the draw.

    ``seed`` is the root seed of the study; see `latentdag.study.one_draw.ranks.ranks`.
    """
    scores = scores[scores["method"].isin(READ)]
    of_truth = ranks(scores, true_structure, seed, structures)
    distances = measures(errors(scores), of_truth, scores)
    rows = all_claims(scores, of_truth, distances, true_structure, PAPER.n)
    (draw,) = scores["draw"].unique()
    table = [{"draw": draw} | claim._asdict() for claim in rows]
    return pd.DataFrame(table, columns=TABLES["claims"].columns)


def all_claims(
    scores: pd.DataFrame,
    ranks: pd.DataFrame,
    distances: Mapping[str, pd.DataFrame],
    truth: str | None,
    n: int,
    annealing: pd.DataFrame | None = None,
    times: pd.DataFrame | None = None,
) -> list[Claim]:
    """All claims that the tables of one draw can tell about, in the paper's order.

    ``distances`` are `latentdag.study.one_draw.distances.measures`; ``truth`` is the true
    structure, ``n`` the size of the claims about Figure 1 right.
    """
    found = [
        *of_the_ranks(ranks),
        *of_small_sizes(ranks),
        *of_the_figure(scores[scores["n"] == n], n, truth),
    ]
    if annealing is not None:
        found += of_annealing(annealing, claimed_levels(annealing, scores))
    found += of_large_sizes(scores, truth)
    found += of_the_bounds(scores)
    if times is not None:
        found += of_times(times)
    return [*found, *of_the_ordering(distances)]


def of_the_ranks(ranks: pd.DataFrame) -> Iterator[Claim]:
    """From which size each score finds the true structure: from the table of ranks of one draw."""
    if ranks.empty:
        return
    wide = rank_by_size(ranks)
    for m, paper in (("vb", PAPER.vb_from), ("bic", PAPER.bic_from)):
        if m in wide:
            places_by_n = wide[m].dropna()
            start = found_for_good(places_by_n)
            yield Claim(
                f"{label(m)} finds the true structure for good",
                f"from n = {paper}",
                _from(start, places_by_n),
                claims.of_first(start, paper, places_by_n.index),
            )
    if {"vb", "bic"} <= set(wide):
        both = wide[["vb", "bic"]].dropna()
        if len(both):
            yield from _vb_against_bic(both["vb"], both["bic"])
    if "ais" in wide:
        yield from _first_by_ais(ranks[ranks["method"] == "ais"])
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
        )


def _vb_against_bic(vb: pd.Series, bic: pd.Series) -> Iterator[Claim]:
    a, b = found_for_good(vb), found_for_good(bic)
    yield Claim(
        "VB needs fewer cases than BIC for that",
        f"n = {PAPER.vb_from} against {PAPER.bic_from}",
        f"{at_size(a)} against {at_size(b)}",
        claims.of_fewer(a, b, vb.index.min()),
    )
    better, worse, equal = beats(vb, bic)
    sizes = counted(better + worse + equal, "size")
    yield Claim(
        "VB almost always ranks it higher than BIC",
        "yes",
        f"better at {better} of {sizes}, worse at {worse}, equal at {equal}",
        claims.of_almost_always(better, worse, equal),
    )


def _first_by_ais(ranks: pd.DataFrame) -> Iterator[Claim]:
    places = rank_by_size(ranks)["ais"]
    first = first_found(places)
    yield Claim(
        "AIS puts it first for the first time at",
        f"n = {PAPER.ais_first}",
        at_size(first),
        claims.of_first(first, PAPER.ais_first, places.index),
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
    )


def of_small_sizes(ranks: pd.DataFrame) -> Iterator[Claim]:
    """AIS, VB and BIC at sizes below the paper's: from the table of ranks of one draw."""
    wide = rank_by_size(ranks)
    methods = [m for m in BEST_FIRST if m in wide]
    wide = wide.loc[wide.index < PAPER.n, methods].dropna()
    if len(methods) < 2 or wide.empty:
        return
    medians = wide.median()
    names = [label(m) for m in methods]
    words = ", ".join(f"{label(m)} {place(medians[m])}" for m in methods)
    yield Claim(
        f"small n: {' ranks it above '.join(names)}",
        "yes",
        f"median rank over {_the(len(wide), 'size')} below {PAPER.n}: {words}",
        verdict(
            all(medians[a] < medians[b] for a, b in pairwise(methods)),
            testable=medians.nunique() > 1,
        ),
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
        )
    gaps = at_one_size.gap_between(at_n, "ais", "vb") if {"ais", "vb"} <= methods else at_n.iloc[:0]
    if len(gaps):
        yield _ais_above_vb(gaps, "all" if testable else f"all, at n = {PAPER.n}", testable)
    for m, sign, verb in (("map", 1, "rises"), ("bic", -1, "falls")):
        found = at_one_size.parameter_trend(at_n, m)
        if not np.isnan(found):
            yield Claim(
                f"{label(m)} {verb} with the number of parameters",
                paper,
                f"rank correlation {found:+z.2f}",
                verdict(sign * found > 0, testable),
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
    return Claim("AIS lies above VB for every structure", paper, words, found)


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
                testable and n_chains > 1 and (together or longest >= PAPER.steps_to_converge),
            ),
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
    yield Claim(
        "VB minus BIC stays bounded as n grows (true structure)",
        "yes (thesis, sec. 2.6.1)",
        words,
        claims.of_bounded(growth),
    )


def of_the_bounds(scores: pd.DataFrame) -> Iterator[Claim]:
    """What VB's bounds are biased to: from the table of scores of one draw."""
    n_parameters = scores.drop_duplicates("structure").set_index("structure")["n_parameters"]
    found = slopes(errors(scores[scores["method"].isin(["vb", "reference"])]), n_parameters)
    if len(found):
        slope = found["slope"].droplevel("method")
        sure = slope < -claims.SURE * found["slope_error"].droplevel("method")
        yield Claim(
            "VB is biased to simpler models",
            "yes (thesis, eq. 2.76 to 2.78)",
            f"its error changes by {slope.max():+z.2f} to {slope.min():+z.2f} nats per parameter, "
            f"surely downwards at {sure.sum()} of {counted(len(sure), 'size')}",
            claims.of_order(sure),
        )
    gap = score_differences.score_gap(scores, "vb_online", "vb")
    if len(gap):
        by_size = gap.groupby(level="n").mean()
        n, lost = by_size.index[-1], -by_size.iloc[-1]
        yield Claim(
            "online VB underfits",
            "yes (thesis, sec. 2.4.3)",
            f"its bound is {lost:.2f} nats below VB's at n = {n}, in the mean over the structures",
            verdict(lost > claims.UNDERFITS, testable=(by_size < -SLACK).any()),
        )


def of_times(times: pd.DataFrame) -> Iterator[Claim]:
    """Relative cost at the size for which the paper gives its times: from the table of times."""
    for a, b in (("vb", "bic"), ("ais", "vb")):
        found = timing.ratio(times, a, b)
        if found is not None:
            here, paper = found
            yield Claim(
                f"time of {label(a)} beside {label(b)}",
                f"{paper:.1f} times as long",
                f"{here:.1f} times as long",
                claims.of_ratio(here, paper),
            )


def of_the_ordering(measures: Mapping[str, pd.DataFrame]) -> Iterator[Claim]:
    """Which scores are nearest to the evidence: from
    `latentdag.study.one_draw.distances.measures`.
    """
    methods = [
        m for m in BEST_FIRST if all(m in found or found.empty for found in measures.values())
    ]
    if len(methods) < 2:
        return
    name = ", then ".join(label(m) for m in methods)
    for what, distances in measures.items():
        right = in_this_order(distances, methods)
        if len(right):
            words = f"in this order at {right.sum()} of {counted(len(right), 'size')}"
            if not right.all():
                words += f"; not at n = {joined(right.index[~right])}"
            alike = (distances.loc[right.index, methods].nunique(axis=1) == 1).all()
            yield Claim(
                f"nearest to the evidence: {name}, by {what}",
                "yes",
                words,
                claims.NOT_TESTABLE if alike else claims.of_order(right),
            )


def _from(start: int | None, ranks: pd.Series) -> str:
    if start is not None:
        return f"from n = {start}"
    return f"never (rank {place(ranks.iloc[-1])} at n = {ranks.index[-1]})"


def _the(count: int, noun: str) -> str:
    return f"the one {noun}" if count == 1 else f"the {counted(count, noun)}"


def _all(count: int, noun: str) -> str:
    return f"the one {noun}" if count == 1 else f"all {counted(count, noun)}"
