"""The summary of a study: every claim of the paper beside what the tables of this run say, as
Markdown.

Nothing that is said about the run is written here beforehand: what the paper says is in PAPER, the
rest is computed.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from latentdag.stats import log_mean_exp
from latentdag.study import errors as evidence


class Paper(NamedTuple):
    """What Beal & Ghahramani (2003, sec. 4.2) found."""

    n: int = 480  # the size of their Figure 1 right and Figure 2 right
    vb_from: int = 480
    ais_first: int = 480
    bic_from: int = 1120
    steps_to_bic: int = 1000
    steps_to_vb: int = 5000


PAPER = Paper()
CONVERGED = 10.0  # nats between the highest and the lowest chain that count as "converged" on the scale of the paper's Figure 2
FACTOR = 2.0  # the paper's numbers of steps are rough, ours are powers of two: within this factor they agree
ROUNDING = 1e-5  # nats: scores are tabulated to 1e-6
ALMOST = 0.1  # share of the sizes that "almost always" leaves
QUANTILES = (0.1, 0.9)  # over draws
NAMES = {
    "map": "MAP", "bic": "BIC", "vb": "VB", "ais": "AIS", "cs": "CS", "ml": "ML", "bic_ml": "BIC at ML", "exact": "exact",
    "reference": "reference",
}  # fmt: skip
ORDER = ("ais", "vb", "bic")  # the paper's, best first
REACHED = 1.0  # nats from the reference at which annealing is long enough
GAP = 1.0  # nats between the bounds on both sides of the evidence
TARGETS = {
    640: 0.1,
    2560: 0.25,
    np.inf: 0.5,
}  # standard error of the reference: up to this size, in nats
NAMED = 50  # of a list of misses, the rest is counted
SURE = 3.0  # standard errors beyond which a bound on the wrong side of the evidence is no accident
FITTED = {"bic": "map", "cs": "map", "bic_ml": "ml"}  # scores computed from another method's fit
YES, NO = "agrees", "differs"


RULES = (
    f"A size agrees when it is the paper's; numbers of steps and ratios of times when within a factor {FACTOR:g}; VB *almost "
    f"always* above BIC when worse at no more than {ALMOST:.0%} of the sizes; *noisy* when the rank leaves 1 again; *converged* "
    f"when all chains are within {CONVERGED:g} nats. *For good* means at this and every larger size."
)


class Claim(NamedTuple):
    claim: str
    paper: str
    here: str
    verdict: str


def found_for_good(ranks: pd.Series) -> int | None:
    """The smallest size from which the rank, a series by n, is 1 at this and every larger size;
    None if there is none.
    """
    first = None
    for n, rank in ranks.sort_index(ascending=False).items():
        if rank != 1:
            break
        first = int(n)
    return first


def stays_above(values: pd.Series, level: float) -> int | None:
    """The smallest index from which all values, at this and every larger index, are above
    ``level``; None if there is none.
    """
    return found_for_good((values <= level) + 1)


def write_summary(
    config: Mapping,
    *,
    scores: pd.DataFrame | None = None,
    ranks: pd.DataFrame | None = None,
    annealing: pd.DataFrame | None = None,
    structures: pd.DataFrame | None = None,
    timing: pd.DataFrame | None = None,
    errors: pd.DataFrame | None = None,
    posterior: pd.DataFrame | None = None,
    sandwich: pd.DataFrame | None = None,
) -> str:
    """The summary in Markdown, from the study's tables with the columns of ``tables.COLUMNS``; what
    is absent is left out.

    Of ``config`` these keys are read, and all keys are listed: ``n`` (the size of figures 1 and 2
    right, 480 if absent), ``draw`` (the headline one, 0 if absent) and ``true_structure`` (only if
    ``structures`` is absent).
    """
    n, draw = int(config.get("n", PAPER.n)), int(config.get("draw", 0))
    truth = config.get("true_structure")
    if structures is not None and structures["is_true"].astype(bool).any():
        truth = structures.loc[structures["is_true"].astype(bool), "structure"].iloc[0]
    headline = None if ranks is None else ranks[ranks["draw"] == draw]
    at_n = None if scores is None else scores[(scores["draw"] == draw) & (scores["n"] == n)]
    # the annealing runs may be at another size than the figure of scores
    n_annealed = n if annealing is None or annealing.empty else int(annealing["n"].iloc[0])
    at_annealed = (
        None if scores is None else scores[(scores["draw"] == draw) & (scores["n"] == n_annealed)]
    )
    sections = [
        _ranks_section(headline),
        _small_section(headline),
        _figure_section(at_n, n, truth, structures),
        _annealing_section(annealing, at_annealed, n_annealed, draw),
        _timing_section(timing),
        _ordering_section(headline, scores, errors, draw),
    ]
    claims = [claim for found, _ in sections for claim in found]
    checks = [
        _bound_section(headline),
        _distance_section(errors, annealing, scores, truth, draw),
        _mass_section(posterior, truth, draw),
        _reference_section(scores, errors),
        _sandwich_section(sandwich, truth),
        _variants_section(headline, scores, draw),
        _draws_section(ranks),
        _exact_section(scores, ranks),
        fits_section(scores),
    ]
    text = [
        "# What the paper says, and what this run found",
        *_preamble(config, ranks if ranks is not None else scores, draw),
    ]
    if claims:
        text += ["## Claim by claim", markdown(["claim", "paper", "this run", ""], claims), RULES]
    text += [paragraph for _, body in sections for paragraph in body]
    text += [paragraph for body in checks for paragraph in body]
    return "\n\n".join(text) + "\n"


def _preamble(config: Mapping, table: pd.DataFrame | None, draw: int) -> list[str]:
    draws = 1 if table is None else table["draw"].nunique()
    words = (
        "The paper is Beal & Ghahramani (2003). Scores are natural logarithms, in nats. The parameters behind the paper's data "
        "are not published: its ranks and sizes come from one draw of parameters and data, and so do ours from another. Where "
        "the two differ, that alone may be why."
    )
    if draws > 1:
        words += f" What follows is draw {draw}, chosen before any result was seen; the quantiles over all {draws} draws are below."
    else:
        words += f" This run has one draw (draw {draw}), chosen before any result was seen, and one draw is one draw."
    text = [words]
    if config:
        text.append(
            "Settings: " + "; ".join(f"{key} = {value}" for key, value in flat(config)) + "."
        )
    return text


def _ranks_section(ranks: pd.DataFrame | None) -> tuple[list[Claim], list[str]]:
    """(a) from which size each score finds the true structure for good."""
    if ranks is None or ranks.empty:
        return [], []
    wide = ranks.pivot(index="n", columns="method", values="rank")
    largest = int(wide.index.max())
    claims = []
    for method, paper in (("vb", PAPER.vb_from), ("bic", PAPER.bic_from)):
        if method in wide:
            start = found_for_good(wide[method].dropna())
            otherwise = "not reached" if start is None else "earlier" if start < paper else "later"
            claims.append(
                Claim(
                    f"{NAMES[method]} finds the true structure for good", f"from n = {paper}", _from(start, wide[method]),
                    YES if start == paper else f"{NO}: {otherwise}",
                )
            )  # fmt: skip
    if {"vb", "bic"} <= set(wide):
        vb, bic = found_for_good(wide["vb"]), found_for_good(wide["bic"])
        earlier = vb is not None and (bic is None or vb < bic)
        words = f"{_size(vb)} against {_size(bic)}"
        paper = f"n = {PAPER.vb_from} against {PAPER.bic_from}"
        claims.append(
            Claim("VB needs fewer cases than BIC for that", paper, words, _verdict(earlier))
        )
        better, worse, equal = _beats(wide["vb"], wide["bic"])
        words = f"better at {better} of {better + worse + equal} sizes, worse at {worse}, equal at {equal}"
        claims.append(
            Claim(
                "VB almost always ranks it higher than BIC",
                "yes",
                words,
                _verdict(worse <= ALMOST * len(wide)),
            )
        )
    if "ais" in wide:
        ais = ranks[ranks["method"] == "ais"].set_index("n").sort_index()
        first = next((int(size) for size, rank in ais["rank"].items() if rank == 1), None)
        paper = f"n = {PAPER.ais_first}"
        claims.append(
            Claim(
                "AIS puts it first for the first time at",
                paper,
                _size(first),
                _verdict(first == PAPER.ais_first),
            )
        )
        if first is not None:
            later = ais[ais.index > first]
            lost = later[later["rank"] > 1]
            words = f"not first at {len(lost)} of {len(later)} larger sizes"
            if len(lost):
                within = int((lost["rank_low"] == 1).sum())
                words += f" (worst rank {lost['rank'].max():g} at n = {lost['rank'].idxmax()}"
                words += f"; within its Monte Carlo error of first at {within})"
            claims.append(
                Claim("the AIS rank is noisy after that", "yes", words, _verdict(len(lost) > 0))
            )
    present = [m for m in ("ais", "vb", "bic") if m in wide and not np.isnan(wide.loc[largest, m])]
    if present:
        words = (
            ", ".join(f"{NAMES[m]} rank {wide.loc[largest, m]:g}" for m in present)
            + f" at n = {largest}"
        )
        claims.append(
            Claim(
                "AIS, VB and BIC find it eventually",
                "yes",
                words,
                _verdict(all(wide.loc[largest, m] == 1 for m in present)),
            )
        )
    methods = [m for m in NAMES if m in wide]
    cells = ranks.set_index(["n", "method"])
    rows = [[size, *(_rank_cell(cells, size, m) for m in methods)] for size in wide.index]
    complete = wide[methods].columns[wide.loc[largest, methods].notna()]
    starts = {m: _size(found_for_good(wide[m].dropna())).removeprefix("n = ") for m in complete}
    rows.append(["first for good from", *(starts.get(m, "") for m in methods)])
    note = "Rank of the true structure (1 is best)." + (
        " In brackets: the ranks within the Monte Carlo error."
        if (ranks["rank_low"] < ranks["rank_high"]).any()
        else ""
    )
    return claims, [
        "## Ranks of the true structure",
        note,
        markdown(["n", *(NAMES[m] for m in methods)], rows),
    ]


def _small_section(ranks: pd.DataFrame | None) -> tuple[list[Claim], list[str]]:
    """(b) AIS against VB against BIC at sizes below the paper's 480."""
    if ranks is None:
        return [], []
    small = ranks[ranks["n"] < PAPER.n]
    wide = small.pivot(index="n", columns="method", values="rank")
    methods = [m for m in ("ais", "vb", "bic") if m in wide]
    if len(methods) < 2 or wide.empty:
        return [], []
    wide = wide[methods].dropna()
    medians = wide.median()
    ordered = all(medians[a] < medians[b] for a, b in pairwise(methods))
    words = ", ".join(f"{NAMES[m]} {medians[m]:g}" for m in methods)
    claim = Claim(
        f"small n: {' ranks it above '.join(NAMES[m] for m in methods)}", "yes",
        f"median rank over the {len(wide)} sizes below {PAPER.n}: {words}", _verdict(ordered),
    )  # fmt: skip
    low, high = (
        small.pivot(index="n", columns="method", values=c).loc[wide.index]
        for c in ("rank_low", "rank_high")
    )
    rows = []
    for i, a in enumerate(methods):
        for b in methods[i + 1 :]:
            sure = int((high[a] < low[b]).sum()), int((high[b] < low[a]).sum())
            rows.append([f"{NAMES[a]} against {NAMES[b]}", *_beats(wide[a], wide[b]), *sure])
    header = [
        "",
        "first one better (sizes)",
        "second one better",
        "equal",
        "first one better beyond its error",
        "second one",
    ]
    return [claim], [f"## Below n = {PAPER.n}", markdown(header, rows)]


def _figure_section(
    at_n: pd.DataFrame | None, n: int, truth: str | None, structures: pd.DataFrame | None
):
    """(c) the scores of all structures at the size of Figure 1."""
    if at_n is None or at_n.empty:
        return [], []
    wide = at_n.pivot(index="structure", columns="method", values="score")
    errors = at_n.pivot(index="structure", columns="method", values="standard_error").reindex_like(
        wide
    )
    claims, rows = [], []
    for m in (m for m in NAMES if m in wide):
        score = wide[m].dropna()
        best = score.idxmax()
        row = [NAMES[m], best, plus_minus(score[best], errors.loc[best, m])]
        if truth in score.index:
            gap = np.hypot(errors.loc[best, m], errors.loc[truth, m]) if best != truth else np.nan
            row += [
                1 + int((score > score[truth]).sum()),
                plus_minus(score[best] - score[truth], gap),
            ]
        else:
            row += ["", ""]
        rows.append(row)
        if m in ("ais", "vb"):
            words = (
                best
                if best == truth
                else f"{best}, {row[4]} nats above the true one (rank {row[3]})"
            )
            paper = "yes" if n == PAPER.n else f"yes, at n = {PAPER.n}"
            claims.append(
                Claim(
                    f"{NAMES[m]} puts the true structure first at n = {n}",
                    paper,
                    words,
                    _verdict(best == truth),
                )
            )
    if {"ais", "vb"} <= set(wide):
        claims.append(_above(wide, errors["ais"]))
    d = at_n.drop_duplicates("structure").set_index("structure")["n_parameters"].loc[wide.index]
    if structures is not None:
        d = structures.set_index("structure")["n_parameters"].reindex(wide.index)
    for m, direction in (("map", 1), ("bic", -1)):
        if m in wide and d.nunique() > 1:
            correlation = wide[m].rank().corr(d.rank())
            trend = "rises" if direction > 0 else "falls"
            words = f"rank correlation {correlation:+.2f}"
            claims.append(
                Claim(
                    f"{NAMES[m]} {trend} with the number of parameters",
                    "yes",
                    words,
                    _verdict(direction * correlation > 0),
                )
            )
    header = [
        "method",
        "best structure",
        "its score (nats)",
        "rank of the true structure",
        "best minus true (nats)",
    ]
    return claims, [f"## All {len(wide)} structures at n = {n}", markdown(header, rows)]


def _above(wide: pd.DataFrame, errors: pd.Series) -> Claim:
    both = wide[["ais", "vb"]].dropna()
    gap = both["ais"] - both["vb"]
    below = gap[gap <= 0]
    beyond = below[below < -2 * errors[below.index].fillna(0)]
    words = f"{(gap > 0).sum()} of {len(gap)}; AIS - VB from {gap.min():.2f} to {gap.max():.2f} nats, median {gap.median():.2f}"
    if len(below):
        words += f"; {len(beyond)} of the {len(below)} others below by more than 2 standard errors"
    verdict = YES if below.empty else NO if len(beyond) else f"{YES} within the Monte Carlo error"
    return Claim("AIS lies above VB for every structure", "all", words, verdict)


def _annealing_section(
    annealing: pd.DataFrame | None, at_n: pd.DataFrame | None, n: int, draw: int
):
    """(d) how long annealing must be: the median over the chains that start from the prior against
    BIC and VB.
    """
    if annealing is None:
        return [], []
    frame = annealing[(annealing["draw"] == draw) & (annealing["n"] == n)]
    claims, text = [], []
    for (transition, structure), runs in frame.groupby(["transition", "structure"]):
        found, body = _annealing_of(runs, at_n, structure, transition)
        claims += found
        text += [f"## Annealing {structure} at n = {n}, {transition} transitions", *body]
    return claims, text


def _annealing_of(
    runs: pd.DataFrame, at_n: pd.DataFrame | None, structure: str, transition: str
) -> tuple[list[Claim], list[str]]:
    prior = runs[runs["start"] == "prior"].groupby("steps")["log_weight"]
    true = runs[runs["start"] == "true"].groupby("steps")["log_weight"].mean()
    median, spread = (
        prior.median(),
        runs.groupby("steps")["log_weight"].agg(lambda w: w.max() - w.min()),
    )
    estimates = {steps: log_mean_exp(weights) for steps, weights in prior}
    mean = pd.Series({steps: estimate for steps, (estimate, _) in estimates.items()})
    longest, n_chains = int(spread.index.max()), int(prior.size().max())
    name = "" if transition == "metropolis" else f" ({transition})"
    claims, levels = [], {}
    for m, paper, verb in (("bic", PAPER.steps_to_bic, "reach"), ("vb", PAPER.steps_to_vb, "pass")):
        own = (
            None
            if at_n is None
            else at_n[(at_n["structure"] == structure) & (at_n["method"] == m)]["score"]
        )
        if own is None or own.empty:
            continue
        levels[m] = own.iloc[0]
        steps, of_mean = stays_above(median, levels[m]), stays_above(mean, levels[m])
        words = "never" if steps is None else f"{steps} steps"
        words += f" (log mean weight: {'never' if of_mean is None else of_mean})"
        close = steps is not None and paper / FACTOR <= steps <= paper * FACTOR
        direction = "not reached" if steps is None else "sooner" if steps < paper else "later"
        verdict = YES if close else f"{NO}: {direction}"
        claims.append(
            Claim(f"AIS chains{name} {verb} {NAMES[m]}", f"about {paper} steps", words, verdict)
        )
    words = f"at {longest} steps all {runs[runs['steps'] == longest].shape[0]} chains within {spread[longest]:.1f} nats"
    claims.append(
        Claim(
            f"all AIS chains{name} converge", "yes", words, _verdict(spread[longest] <= CONVERGED)
        )
    )
    rows = [
        [steps, f"{median.get(steps, np.nan):.1f}", plus_minus(*estimates.get(steps, (np.nan, np.nan))),
         f"{true[steps]:.1f}" if steps in true.index else "", f"{spread[steps]:.1f}"]
        for steps in spread.index
    ]  # fmt: skip
    words = (
        f"A score is reached at the first length from which the median over the {n_chains} chains that start at draws from the "
        "prior stays above it."
    )
    if levels:
        words += (
            " " + "; ".join(f"{NAMES[m]} {level:.2f} nats" for m, level in levels.items()) + "."
        )
    header = [
        "steps",
        "median (nats)",
        "log mean weight ± standard error",
        "true start",
        "highest minus lowest of all chains",
    ]
    return claims, [words, markdown(header, rows)]


def _timing_section(timing: pd.DataFrame | None) -> tuple[list[Claim], list[str]]:
    """(e) seconds, and relative cost, at the size for which the paper gives its times."""
    if timing is None or timing["paper_seconds"].isna().all():
        return [], []
    timing = timing[timing["paper_seconds"].notna()]
    seconds, paper = (timing.set_index("method")[c] for c in ("seconds", "paper_seconds"))
    rows = [
        [
            NAMES.get(r.method, r.method),
            r.n,
            f"{r.seconds:.1f}",
            f"{r.paper_seconds:.0f}",
            f"{r.paper_seconds / r.seconds:.0f}",
        ]
        for r in timing.itertuples()
    ]
    claims = []
    for a, b in (("vb", "bic"), ("ais", "vb")):
        if a in seconds and b in seconds:
            ratio, theirs = seconds[a] / seconds[b], paper[a] / paper[b]
            close = theirs / FACTOR <= ratio <= theirs * FACTOR
            verdict = YES if close else f"{NO}: " + ("smaller" if ratio < theirs else "larger")
            words = f"{ratio:.1f} times as long"
            claims.append(
                Claim(
                    f"time of {NAMES[a]} beside {NAMES[b]}",
                    f"{theirs:.1f} times as long",
                    words,
                    verdict,
                )
            )
    note = "Times depend on the machine, its number of cores, restarts, chains and stopping rules: only orders of magnitude compare."
    header = ["method", "n", "seconds", "paper's seconds (1 GHz Pentium III)", "paper / this run"]
    return claims, ["## Computation time, all structures", markdown(header, rows), note]


def _ordering_section(
    ranks: pd.DataFrame | None, scores: pd.DataFrame | None, errors: pd.DataFrame | None, draw: int
) -> tuple[list[Claim], list[str]]:
    """Is the paper's ordering right when the evidence is known: by error in nats, by rank, by the
    order of all structures.
    """
    size = _by_size(errors, draw, lambda e: e.abs().mean())
    if size.empty:
        return [], []
    methods = [m for m in (*ORDER, "cs") if m in size]
    ordered = [m for m in ORDER if m in size]
    away = _rank_distance(ranks, methods)
    order = _order_correlation(scores, draw, methods)
    claims = []
    if len(ordered) > 1:
        name = ", then ".join(NAMES[m] for m in ordered)
        measures = {
            "mean absolute error": size,
            "rank of the true structure": away,
            "order of all structures": 1 - order,
        }
        for what, table in measures.items():
            table = table.reindex(columns=ordered).dropna()
            if len(table):
                right = np.logical_and.reduce([table[a] <= table[b] for a, b in pairwise(ordered)])
                words = f"in this order at {right.sum()} of {len(table)} sizes" + _listed(
                    table.index[~right], "; not at n = "
                )
                verdict = _verdict((~right).sum() <= ALMOST * len(table))
                claims.append(
                    Claim(f"nearest to the evidence: {name}, by {what}", "yes", words, verdict)
                )
    lines = []
    for a, b in pairwise(ordered):
        better, worse, equal = _beats(size[a], size[b])
        line = f"- {NAMES[a]} against {NAMES[b]}: smaller mean absolute error at {better} of {better + worse + equal} sizes"
        line += _listed(size.index[size[a] < size[b]], ", n = ") if worse else ""
        if {a, b} <= set(away):
            better, worse, equal = _beats(away[a], away[b])
            line += f"; rank of the true structure nearer to the reference's at {better}, farther at {worse}, equally near at {equal}"
        if {a, b} <= set(order):
            better, worse, equal = _beats(order[b], order[a])
            line += f"; all structures ordered more like the reference at {better}, less at {worse}, equally well at {equal}"
        lines.append(line + ".")
    header = [
        "n",
        *(
            f"{NAMES[m]}: {what}"
            for m in methods
            for what in ("error (nats)", "rank off by", "rank correlation")
        ),
    ]
    rows = [
        [
            n,
            *(
                cell
                for m in methods
                for cell in (
                    _cell(size, n, m, ".2f"),
                    _cell(away, n, m, "g"),
                    _cell(order, n, m, ".3f"),
                )
            ),
        ]
        for n in size.index
    ]
    note = (
        "Mean absolute error over the structures; distance of the true structure's rank from the reference's (0 within the "
        "reference's interval); rank correlation of the scores of all structures with the reference."
    )
    text = [
        "## Is the paper's ordering right once the evidence is known?",
        note,
        markdown(header, rows),
    ]
    return claims, [*text, "\n".join(lines)] if lines else text


def _bound_section(ranks: pd.DataFrame | None) -> list[str]:
    """Whether VB's rank is limited by its bound or by the data."""
    if ranks is None or not {"vb", "reference"} <= set(ranks["method"]):
        return []
    table = (
        ranks[ranks["method"].isin(["vb", "reference"])]
        .set_index(["n", "method"])[["rank", "rank_low", "rank_high"]]
        .unstack()
    )
    table = table.dropna()
    answers = {}
    for n, row in table.iterrows():
        own, low, high = (
            row["rank", "reference"],
            row["rank_low", "reference"],
            row["rank_high", "reference"],
        )
        answers[n] = limited_by(row["rank", "vb"], own, low, high)
    rows = [
        [n, _interval(row["rank", "reference"], row["rank_low", "reference"], row["rank_high", "reference"]),
         f"{row['rank', 'vb']:g}", answers[n]]
        for n, row in table.iterrows()
    ]  # fmt: skip
    by_answer = pd.Series(answers).groupby(pd.Series(answers)).groups
    words = "; ".join(
        f"{answer} at {len(sizes)} sizes (n = {_joined(sizes)})"
        for answer, sizes in by_answer.items()
    )
    note = (
        "Where the evidence itself does not rank the true structure first, the data limit VB; where it does and VB does not, its "
        "bound does; undecided where the reference's interval holds 1 and other ranks."
    )
    header = ["n", "rank by the reference (interval)", "rank by VB", "limited by"]
    title = "## Is VB's rank limited by its bound or by the data?"
    return [title, f"{words[0].upper()}{words[1:]}. {note}", markdown(header, rows)]


def limited_by(vb: float, reference: float, low: float, high: float) -> str:
    """What keeps VB's rank of the true structure from 1, given the reference's rank and its
    interval.
    """
    if vb == 1:
        return "nothing (VB ranks it first)"
    if max(reference, high) == 1:
        return "the bound"
    if min(reference, low) > 1:
        return "the data" if vb <= max(reference, high) else "the data, and the bound"
    return "undecided"


def _distance_section(
    errors: pd.DataFrame | None,
    annealing: pd.DataFrame | None,
    scores: pd.DataFrame | None,
    truth: str | None,
    draw: int,
) -> list[str]:
    """How far every score lies from the evidence at each size, and how many steps AIS would have
    needed.
    """
    text = []
    middle = _by_size(errors, draw, "median")
    if not middle.empty:
        own = errors[(errors["draw"] == draw) & (errors["structure"] == truth)].set_index(
            ["n", "method"]
        )
        methods = [m for m in ("ais", "vb", "cs", "bic") if m in middle]
        header, rows = ["n"], []
        for m in methods:
            header += [f"{NAMES[m]}: median", "true structure"]
        for n in middle.index:
            cells = []
            for m in methods:
                true = own.loc[(n, m)] if (n, m) in own.index else None
                cells.append(_cell(middle, n, m, "+.2f"))
                cells.append(
                    ""
                    if true is None
                    else plus_minus(true["error_nats"], true["standard_error"], "+")
                )
            rows.append([n, *cells])
        text += [
            "Score minus reference, in nats: median over the structures, and the true structure.",
            markdown(header, rows),
        ]
    if annealing is not None and scores is not None:
        lines = [_steps_needed(*key, runs, scores) for key, runs in annealing[annealing["draw"] == draw].groupby(
            ["n", "structure", "transition"])]  # fmt: skip
        text += ["\n".join(line for line in lines if line)] if any(lines) else []
    return (
        ["## How far is each score from the evidence, and how many steps does AIS need?", *text]
        if text
        else []
    )


def _steps_needed(
    n: int, structure: str, transition: str, runs: pd.DataFrame, scores: pd.DataFrame
) -> str:
    at = (
        (scores["draw"] == runs["draw"].iloc[0])
        & (scores["n"] == n)
        & (scores["structure"] == structure)
    )
    found = scores.loc[at & (scores["method"] == "reference"), "score"]
    prior = runs[runs["start"] == "prior"].groupby("steps")["log_weight"]
    if found.empty or not len(prior):
        return ""
    level = found.iloc[0]
    short = {
        f"the log mean weight of {prior.size().max()} chains": pd.Series(
            {k: log_mean_exp(w)[0] for k, w in prior}
        )
        - level,
        "the median chain": prior.median() - level,
    }
    words = []
    for what, gap in short.items():
        within = gap.index[gap.abs() <= REACHED]
        longest = f"{gap.iloc[-1]:+.2f} nats at {gap.index[-1]}"
        if len(within):
            for_good = stays_above(-gap.abs(), -REACHED - 1e-12)
            from_then = (
                ""
                if for_good == within[0]
                else f" (for good: {'no' if for_good is None else for_good})"
            )
            words.append(
                f"{what} is within {REACHED:g} nat of the reference from {within[0]} steps{from_then}, {longest}"
            )
        else:
            words.append(
                f"{what} needs more than {gap.index[-1]} steps to come within {REACHED:g} nat of the reference, {longest}"
            )
    return f"- {structure} at n = {n}, {transition} transitions: " + "; ".join(words) + "."


def _mass_section(posterior: pd.DataFrame | None, truth: str | None, draw: int) -> list[str]:
    """From which size each score puts over half of the posterior mass on the true structure."""
    if posterior is None:
        return []
    own = posterior[(posterior["draw"] == draw) & (posterior["structure"] == truth)]
    if own.empty:
        return []
    start = evidence.mass_from(own, truth)
    wide = own.pivot(index="n", columns="method", values="probability")
    methods = [m for m in ("reference", "vb", "bic", "cs", "ais") if m in wide]
    words = ", ".join(
        f"{NAMES[m]} {'never' if start[m] is None else f'from n = {start[m]}'}" for m in methods
    )
    rows = [[n, *(_cell(wide, n, m, ".3g") for m in methods)] for n in wide.index]
    return [
        "## Posterior mass of the true structure",
        f"Under a uniform prior over the structures, over {evidence.SHARE:.0%} of the mass for good: {words}.",
        markdown(["n", *(NAMES[m] for m in methods)], rows),
    ]


def _reference_section(scores: pd.DataFrame | None, errors: pd.DataFrame | None) -> list[str]:
    """The reference against the exact evidence, its standard errors against their targets, bounds
    against it.
    """
    if scores is None or "reference" not in set(scores["method"]):
        return []
    lines = []
    z = evidence.z_scores(scores)
    wrong, z = z[np.isinf(z)], z[np.isfinite(z)]
    if len(wrong):
        names = _some([f"{structure} at n = {n}" for _, n, structure in wrong.index], ": ")
        lines.append(
            f"- The reference claims to be exact and is not, in {len(wrong)} pairs{names}."
        )
    if len(z):
        where = z.abs().idxmax()
        sizes = _joined(sorted(set(z.index.get_level_values("n"))))
        spread = f"standard deviation {z.std():.2f}, " if len(z) > 1 else ""
        lines.append(
            f"- Reference minus exact in standard errors at n = {sizes}: mean {z.mean():+.2f}, {spread}largest {z[where]:+.2f} "
            f"({where[2]}), over {len(z)} structures."
        )
    own = scores[scores["method"] == "reference"]
    target = own["n"].map(lambda n: next(t for size, t in TARGETS.items() if n <= size))
    excess = own["standard_error"] / target
    missed = (
        own[~(excess <= 1)]
        .assign(excess=excess)
        .sort_values("excess", ascending=False, kind="stable")
    )
    several = own["draw"].nunique() > 1
    names = [
        f"{r.structure} at n = {r.n}{f' of draw {r.draw}' if several else ''} ({r.standard_error:.2f})"
        for r in missed.itertuples()
    ]
    up_to = ", ".join(
        f"{t:g} " + (f"up to n = {size:g}" if np.isfinite(size) else "above")
        for size, t in TARGETS.items()
    )
    lines.append(
        f"- Standard error targets ({up_to}): {len(missed)} of {len(own)} pairs miss them"
        + _some(names, ": ")
        + "."
    )
    for m in ("cs", "vb"):
        bound = errors[errors["method"] == m] if errors is not None else []
        if len(bound):
            above = (bound["error_nats"] > SURE * bound["standard_error"] + ROUNDING).sum()
            lines.append(
                f"- {NAMES[m]}, a lower bound, lies above the reference by more than {SURE:g} standard errors in {above} of "
                f"{len(bound)} pairs."
            )
    return ["## The reference itself", "\n".join(lines)]


def _sandwich_section(sandwich: pd.DataFrame | None, truth: str | None) -> list[str]:
    """The bounds on both sides of the evidence."""
    if sandwich is None or sandwich.empty:
        return []
    lines = []
    sandwich = sandwich.reset_index(drop=True)
    several = sandwich["draw"].nunique() > 1
    true = sandwich["structure"] == truth
    others = (
        "all structures" if truth is None else "other structures, on data simulated from themselves"
    )
    groups = {f"the true structure {truth}": true, others: ~true}
    for name, keep in groups.items():
        own = sandwich[keep]
        if own.empty:
            continue
        error = np.hypot(own["lower_error"].fillna(0.0), own["upper_error"].fillna(0.0))
        worst = own["gap"].idxmax()

        def names(rows, error=error):
            rows = rows.sort_values("gap", key=abs, ascending=False)
            return [
                f"{r.structure} at n = {r.n}{f' of draw {r.draw}' if several else ''} ({plus_minus(r.gap, error[r.Index])} nats)"
                for r in rows.itertuples()
            ]

        wide, crossed = own[own["gap"] > GAP], own[own["gap"] < -SURE * error - ROUNDING]
        (largest,) = names(own.loc[[worst]])
        count = "pair" if len(own) == 1 else "pairs"
        line = f"- For {name}, {len(own)} {count} of structure and n: largest gap {largest}; over {GAP:g} nat: {len(wide)}"
        line += _some(names(wide), ": ")
        line += (
            f"; upper below lower by more than {SURE:g} standard errors: {len(crossed)}"
            + _some(names(crossed), ": ")
        )
        lines.append(line + ".")
    return ["## Bounds on both sides of the evidence", "\n".join(lines)]


def _by_size(errors: pd.DataFrame | None, draw: int, statistic) -> pd.DataFrame:
    """A statistic over the structures of the errors of every method (columns) at every size."""
    if errors is None or errors.empty:
        return pd.DataFrame()
    own = errors[errors["draw"] == draw].groupby(["n", "method"])["error_nats"]
    return own.agg(statistic).unstack()


def _rank_distance(ranks: pd.DataFrame | None, methods: list) -> pd.DataFrame:
    """How far each method's rank of the true structure is from the reference's interval."""
    if ranks is None or "reference" not in set(ranks["method"]):
        return pd.DataFrame()
    known = ranks[ranks["method"] == "reference"].set_index("n")
    low, high = known[["rank", "rank_low"]].min(axis=1), known[["rank", "rank_high"]].max(axis=1)
    wide = (
        ranks.pivot(index="n", columns="method", values="rank")
        .reindex(columns=methods)
        .dropna(axis=1, how="all")
    )
    return wide.apply(lambda r: np.maximum(np.maximum(low - r, r - high), 0)).dropna(how="all")


def _order_correlation(scores: pd.DataFrame | None, draw: int, methods: list) -> pd.DataFrame:
    """Rank correlation of each method's scores of all structures with the reference, by size."""
    if scores is None or "reference" not in set(scores["method"]):
        return pd.DataFrame()
    wide = scores[scores["draw"] == draw].pivot(
        index=["n", "structure"], columns="method", values="score"
    )
    wide = wide[wide["reference"].notna()]
    kept = [m for m in methods if m in wide]
    found = {}
    for n, here in wide.groupby(level="n"):
        places = here[[*kept, "reference"]].rank()
        if len(places) > 1:
            found[n] = {m: _correlation(places[m], places["reference"]) for m in kept}
    return pd.DataFrame.from_dict(found, orient="index")


def _correlation(a: pd.Series, b: pd.Series) -> float:
    return a.corr(b) if a.nunique() > 1 and b.nunique() > 1 else np.nan


def _cell(table: pd.DataFrame, n: int, method: str, form: str) -> str:
    if method not in table or n not in table.index or np.isnan(table.loc[n, method]):
        return ""
    return format(table.loc[n, method], form)


def _joined(values) -> str:
    return ", ".join(f"{v:g}" for v in values)


def _listed(sizes, before: str) -> str:
    return before + _joined(sizes) if len(sizes) else ""


def _some(names: list[str], before: str) -> str:
    """At most NAMED of the names, and how many more there are."""
    if not names:
        return ""
    return (
        before
        + ", ".join(names[:NAMED])
        + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    )


def _interval(rank: float, low: float, high: float) -> str:
    return f"{rank:g}" + (f" ({low:g} to {high:g})" if low < high else "")


def _variants_section(
    ranks: pd.DataFrame | None, scores: pd.DataFrame | None, draw: int
) -> list[str]:
    """(f) bic_ml beside bic, cs beside vb."""
    lines = []
    for a, b in (("bic", "bic_ml"), ("vb", "cs")):
        words = []
        if ranks is not None:
            wide = ranks.pivot(index="n", columns="method", values="rank")
            if {a, b} <= set(wide):
                both = wide[[a, b]].dropna()
                gap = (both[a] - both[b]).abs()
                words.append(
                    f"ranks of the true structure differ at {(gap > 0).sum()} of {len(gap)} sizes, by {gap.mean():.1f} on "
                    f"average and by at most {gap.max():g} (n = {gap.idxmax()})"
                )
        if scores is not None:
            own = scores[scores["draw"] == draw].pivot(
                index=["n", "structure"], columns="method", values="score"
            )
            if {a, b} <= set(own):
                gap = (own[a] - own[b]).dropna()
                words.append(
                    f"{NAMES[a]} - {NAMES[b]}: median {gap.median():.2f}, from {gap.min():.2f} to {gap.max():.2f} nats over all "
                    "structures and sizes"
                )
                if b == "cs":
                    words.append(
                        f"CS above VB, which must not be, in {(gap < -ROUNDING).sum()} of {len(gap)} fits"
                    )
        if words:
            lines.append(f"- {NAMES[a]} and {NAMES[b]}: " + "; ".join(words) + ".")
    return ["## Variants of the scores", "\n".join(lines)] if lines else []


def _draws_section(ranks: pd.DataFrame | None) -> list[str]:
    """Quantiles over draws of what (a) and (b) say about one."""
    if ranks is None or ranks["draw"].nunique() < 2:
        return []
    rows = []
    at_largest = set(ranks.loc[ranks["n"] == ranks["n"].max(), "method"])
    for m in (m for m in NAMES if m in at_largest):
        of_method = ranks[ranks["method"] == m]
        start = pd.Series(
            [found_for_good(g.set_index("n")["rank"]) for _, g in of_method.groupby("draw")],
            dtype=float,
        )
        small = of_method[of_method["n"] < PAPER.n].groupby("draw")["rank"].median()
        # a draw in which the true structure is never found for good counts as larger than any size
        rows.append(
            [NAMES[m], _quantiles(start.fillna(np.inf)), int(start.isna().sum()), _quantiles(small)]
        )
    words = f"Over {ranks['draw'].nunique()} draws: median ({QUANTILES[0]:.0%} and {QUANTILES[1]:.0%} quantiles)."
    header = [
        "method",
        "first for good from n",
        "draws in which never",
        f"median rank below n = {PAPER.n}",
    ]
    return ["## All draws", words, markdown(header, rows)]


def _exact_section(scores: pd.DataFrame | None, ranks: pd.DataFrame | None) -> list[str]:
    """(h) the other scores against the exact evidence, where there is one."""
    if scores is None or "exact" not in set(scores["method"]):
        return []
    index = ["draw", "n", "structure"]
    wide = scores.pivot(index=index, columns="method", values="score")
    wide = wide[wide["exact"].notna()]
    text = []
    for n, here in wide.groupby(level="n"):
        rows = []
        for m in (m for m in NAMES if m in here and m not in ("exact", "map", "ml")):
            gap = (here[m] - here["exact"]).dropna()
            if len(gap):
                order = here[m].rank().corr(here["exact"].rank())
                rows.append(
                    [
                        NAMES[m],
                        len(gap),
                        *(f"{v:.3f}" for v in (gap.mean(), gap.std(), gap.min(), gap.max())),
                        f"{order:.3f}",
                    ]
                )
        header = [
            "method",
            "structures",
            "mean",
            "standard deviation",
            "lowest",
            "highest",
            "rank correlation",
        ]
        text += [
            f"## Exact evidence at n = {n}",
            "Score minus exact evidence, in nats.",
            markdown(header, rows),
        ]
        lines = []
        if "ais" in here:
            errors = (
                scores[scores["method"] == "ais"]
                .set_index(index)["standard_error"]
                .reindex(here.index)
            )
            z = ((here["ais"] - here["exact"]) / errors.where(errors > 0)).dropna()
            if len(z):
                rms, beyond = np.sqrt((z**2).mean()), (z.abs() > 2).sum()
                lines.append(
                    f"- AIS, in units of its standard error: mean {z.mean():+.2f}, root mean square {rms:.2f}, largest "
                    f"{z.abs().max():.1f}; beyond 2 in {beyond} of {len(z)} (about {0.0455 * len(z):.0f} expected from exact "
                    "errors, more from errors estimated on few chains)."
                )
        for low, high in (("cs", "vb"), ("vb", "exact")):
            if {low, high} <= set(here):
                gap = (here[high] - here[low]).dropna()
                lines.append(
                    f"- {NAMES[low]} <= {NAMES[high]}: in {(gap >= -ROUNDING).sum()} of {len(gap)}, as must be in all."
                )
        if ranks is not None:
            own = (
                ranks[(ranks["n"] == n) & ranks["method"].isin(here.columns)]
                .groupby("method")["rank"]
                .median()
            )
            kept = [f"{NAMES[m]} {own[m]:g}" for m in NAMES if m in own]
            lines.append(
                f"- Rank of the true structure{' (median over draws)' if ranks['draw'].nunique() > 1 else ''}: {', '.join(kept)}."
            )
        text.append("\n".join(lines))
    return text


def fits_section(scores: pd.DataFrame | None) -> list[str]:
    """(g) fits that reached their iteration limit, and how many restarts ended at the best optimum."""
    if scores is None:
        return []
    fits = scores.assign(method=scores["method"].replace(FITTED)).drop_duplicates(
        ["draw", "n", "structure", "method"]
    )
    failed = fits[fits["converged"].map(lambda v: str(v).lower() == "false").astype(bool)]
    total = fits[fits["converged"].notna()].groupby("method").size()
    counts = failed.groupby("method").size().reindex(total.index, fill_value=0)
    text = ["## Fits"]
    if len(total):
        words = ", ".join(
            f"{NAMES.get(m, m)} {counts[m]} of {total[m]}" for m in NAMES if m in total.index
        )
        text.append(f"Stopped at the iteration limit, not converged: {words}.")
    if len(failed):
        rows = [
            [d, size, NAMES.get(m, m), len(g), ", ".join(g["structure"])]
            for (d, size, m), g in failed.groupby(["draw", "n", "method"])
        ]
        text.append(markdown(["draw", "n", "method", "not converged", "structures"], rows))
    tried = fits[fits["restarts_at_best"].notna()]
    rows = []
    for m in (m for m in NAMES if m in set(tried["method"])):
        own = tried[tried["method"] == m]
        hits, restarts = own["restarts_at_best"], own["restarts"]
        quantiles = hits.quantile([0.0, 0.1, 0.5]).tolist()
        once = (hits <= 1).sum()
        rows.append(
            [NAMES[m], len(own), f"{restarts.min():g} to {restarts.max():g}", *(f"{q:g}" for q in quantiles),
             f"{100 * (hits / restarts).median():.0f} %", f"{once} ({100 * once / len(own):.1f} %)"]
        )  # fmt: skip
    if rows:
        header = [
            "fit",
            "fits",
            "restarts",
            "fewest at best",
            "10 % quantile",
            "median",
            "median share",
            "only one at best",
        ]
        text += ["How many restarts of a fit ended at its best optimum:", markdown(header, rows)]
    return text if len(text) > 1 else []


def _beats(a: pd.Series, b: pd.Series) -> tuple[int, int, int]:
    """Sizes at which rank ``a`` is better (smaller), worse, equal."""
    both = pd.concat([a, b], axis=1).dropna()
    gap = both.iloc[:, 0] - both.iloc[:, 1]
    return int((gap < 0).sum()), int((gap > 0).sum()), int((gap == 0).sum())


def _rank_cell(cells: pd.DataFrame, n: int, method: str) -> str:
    if (n, method) not in cells.index:
        return ""
    row = cells.loc[(n, method)]
    return _interval(row["rank"], row["rank_low"], row["rank_high"])


def _size(n: int | None) -> str:
    return "never" if n is None else f"n = {n}"


def _from(start: int | None, ranks: pd.Series) -> str:
    last = ranks.dropna()
    return (
        f"from n = {start}"
        if start is not None
        else f"never (rank {last.iloc[-1]:g} at n = {last.index[-1]})"
    )


def _verdict(agrees: bool) -> str:
    return YES if agrees else NO


def plus_minus(value: float, error: float, sign: str = "") -> str:
    if np.isnan(value):
        return ""
    return f"{value:{sign}.2f}" + ("" if np.isnan(error) else f" ± {error:.2f}")


def _quantiles(values: pd.Series) -> str:
    if values.empty:
        return ""
    low, middle, high = (
        values.quantile(q, interpolation="nearest") for q in (QUANTILES[0], 0.5, QUANTILES[1])
    )
    low, middle, high = ("never" if np.isinf(v) else f"{v:g}" for v in (low, middle, high))
    return f"{middle} ({low}, {high})"


def flat(config: Mapping, prefix: str = "") -> list[tuple[str, str]]:
    pairs = []
    for key, value in config.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            pairs += flat(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            pairs.append((f"{prefix}{key}", ", ".join(map(str, value))))
        else:
            pairs.append((f"{prefix}{key}", str(value)))
    return pairs


def markdown(header: list, rows: list) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
