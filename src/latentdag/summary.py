"""The summary of a study: every claim of the paper beside what the tables of this run say, as Markdown.

Nothing that is said about the run is written here beforehand: what the paper says is in PAPER, the rest is computed.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from latentdag.ais import log_mean_exp


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
NAMES = {"map": "MAP", "bic": "BIC", "vb": "VB", "ais": "AIS", "cs": "CS", "ml": "ML", "bic_ml": "BIC at ML", "exact": "exact"}
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
    """The smallest size from which the rank, a series by n, is 1 at this and every larger size; None if there is none."""
    first = None
    for n, rank in ranks.sort_index(ascending=False).items():
        if rank != 1:
            break
        first = int(n)
    return first


def stays_above(values: pd.Series, level: float) -> int | None:
    """The smallest index from which all values, at this and every larger index, are above ``level``; None if there is none."""
    return found_for_good((values <= level) + 1)


def write_summary(
    config: Mapping,
    *,
    scores: pd.DataFrame | None = None,
    ranks: pd.DataFrame | None = None,
    annealing: pd.DataFrame | None = None,
    structures: pd.DataFrame | None = None,
    timing: pd.DataFrame | None = None,
) -> str:
    """The summary in Markdown, from the study's tables with the columns of ``tables.COLUMNS``; what is absent is left out.

    Of ``config`` these keys are read, and all keys are listed: ``n`` (the size of figures 1 and 2 right, 480 if absent), ``draw``
    (the headline one, 0 if absent) and ``true_structure`` (only if ``structures`` is absent).
    """
    n, draw = int(config.get("n", PAPER.n)), int(config.get("draw", 0))
    truth = config.get("true_structure")
    if structures is not None and structures["is_true"].astype(bool).any():
        truth = structures.loc[structures["is_true"].astype(bool), "structure"].iloc[0]
    headline = None if ranks is None else ranks[ranks["draw"] == draw]
    at_n = None if scores is None else scores[(scores["draw"] == draw) & (scores["n"] == n)]
    sections = [
        _ranks_section(headline),
        _small_section(headline),
        _figure_section(at_n, n, truth, structures),
        _annealing_section(annealing, at_n, n, draw),
        _timing_section(timing),
    ]
    claims = [claim for found, _ in sections for claim in found]
    checks = [
        _variants_section(headline, scores, draw),
        _draws_section(ranks),
        _exact_section(scores, ranks),
        _fits_section(scores),
    ]
    text = ["# What the paper says, and what this run found", *_preamble(config, ranks if ranks is not None else scores, draw)]
    if claims:
        text += ["## Claim by claim", _markdown(["claim", "paper", "this run", ""], claims), RULES]
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
        words += (
            f" What follows is draw {draw}, chosen before any result was seen; the quantiles over all {draws} draws are below."
        )
    else:
        words += f" This run has one draw (draw {draw}), chosen before any result was seen, and one draw is one draw."
    text = [words]
    if config:
        text.append("Settings: " + "; ".join(f"{key} = {value}" for key, value in _flat(config)) + ".")
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
        claims.append(Claim("VB needs fewer cases than BIC for that", paper, words, _verdict(earlier)))
        better, worse, equal = _beats(wide["vb"], wide["bic"])
        words = f"better at {better} of {better + worse + equal} sizes, worse at {worse}, equal at {equal}"
        claims.append(Claim("VB almost always ranks it higher than BIC", "yes", words, _verdict(worse <= ALMOST * len(wide))))
    if "ais" in wide:
        ais = ranks[ranks["method"] == "ais"].set_index("n").sort_index()
        first = next((int(size) for size, rank in ais["rank"].items() if rank == 1), None)
        paper = f"n = {PAPER.ais_first}"
        claims.append(Claim("AIS puts it first for the first time at", paper, _size(first), _verdict(first == PAPER.ais_first)))
        if first is not None:
            later = ais[ais.index > first]
            lost = later[later["rank"] > 1]
            words = f"not first at {len(lost)} of {len(later)} larger sizes"
            if len(lost):
                within = int((lost["rank_low"] == 1).sum())
                words += f" (worst rank {lost['rank'].max():g} at n = {lost['rank'].idxmax()}"
                words += f"; within its Monte Carlo error of first at {within})"
            claims.append(Claim("the AIS rank is noisy after that", "yes", words, _verdict(len(lost) > 0)))
    present = [m for m in ("ais", "vb", "bic") if m in wide and not np.isnan(wide.loc[largest, m])]
    if present:
        words = ", ".join(f"{NAMES[m]} rank {wide.loc[largest, m]:g}" for m in present) + f" at n = {largest}"
        claims.append(
            Claim("AIS, VB and BIC find it eventually", "yes", words, _verdict(all(wide.loc[largest, m] == 1 for m in present)))
        )
    methods = [m for m in NAMES if m in wide]
    cells = ranks.set_index(["n", "method"])
    rows = [[size, *(_rank_cell(cells, size, m) for m in methods)] for size in wide.index]
    complete = wide[methods].columns[wide.loc[largest, methods].notna()]
    starts = {m: _size(found_for_good(wide[m].dropna())).removeprefix("n = ") for m in complete}
    rows.append(["first for good from", *(starts.get(m, "") for m in methods)])
    note = "Rank of the true structure (1 is best)." + (
        " In brackets: the ranks within the Monte Carlo error." if (ranks["rank_low"] < ranks["rank_high"]).any() else ""
    )
    return claims, ["## Ranks of the true structure", note, _markdown(["n", *(NAMES[m] for m in methods)], rows)]


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
    low, high = (small.pivot(index="n", columns="method", values=c).loc[wide.index] for c in ("rank_low", "rank_high"))
    rows = []
    for i, a in enumerate(methods):
        for b in methods[i + 1 :]:
            sure = int((high[a] < low[b]).sum()), int((high[b] < low[a]).sum())
            rows.append([f"{NAMES[a]} against {NAMES[b]}", *_beats(wide[a], wide[b]), *sure])
    header = ["", "first one better (sizes)", "second one better", "equal", "first one better beyond its error", "second one"]
    return [claim], [f"## Below n = {PAPER.n}", _markdown(header, rows)]


def _figure_section(at_n: pd.DataFrame | None, n: int, truth: str | None, structures: pd.DataFrame | None):
    """(c) the scores of all structures at the size of Figure 1."""
    if at_n is None or at_n.empty:
        return [], []
    wide = at_n.pivot(index="structure", columns="method", values="score")
    errors = at_n.pivot(index="structure", columns="method", values="standard_error").reindex_like(wide)
    claims, rows = [], []
    for m in (m for m in NAMES if m in wide):
        score = wide[m].dropna()
        best = score.idxmax()
        row = [NAMES[m], best, _plus_minus(score[best], errors.loc[best, m])]
        if truth in score.index:
            gap = np.hypot(errors.loc[best, m], errors.loc[truth, m]) if best != truth else np.nan
            row += [1 + int((score > score[truth]).sum()), _plus_minus(score[best] - score[truth], gap)]
        else:
            row += ["", ""]
        rows.append(row)
        if m in ("ais", "vb"):
            words = best if best == truth else f"{best}, {row[4]} nats above the true one (rank {row[3]})"
            paper = "yes" if n == PAPER.n else f"yes, at n = {PAPER.n}"
            claims.append(Claim(f"{NAMES[m]} puts the true structure first at n = {n}", paper, words, _verdict(best == truth)))
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
                Claim(f"{NAMES[m]} {trend} with the number of parameters", "yes", words, _verdict(direction * correlation > 0))
            )
    header = ["method", "best structure", "its score (nats)", "rank of the true structure", "best minus true (nats)"]
    return claims, [f"## All {len(wide)} structures at n = {n}", _markdown(header, rows)]


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


def _annealing_section(annealing: pd.DataFrame | None, at_n: pd.DataFrame | None, n: int, draw: int):
    """(d) how long annealing must be: the median over the chains that start from the prior against BIC and VB."""
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
    median, spread = prior.median(), runs.groupby("steps")["log_weight"].agg(lambda w: w.max() - w.min())
    estimates = {steps: log_mean_exp(weights) for steps, weights in prior}
    mean = pd.Series({steps: estimate for steps, (estimate, _) in estimates.items()})
    longest, n_chains = int(spread.index.max()), int(prior.size().max())
    name = "" if transition == "metropolis" else f" ({transition})"
    claims, levels = [], {}
    for m, paper, verb in (("bic", PAPER.steps_to_bic, "reach"), ("vb", PAPER.steps_to_vb, "pass")):
        own = None if at_n is None else at_n[(at_n["structure"] == structure) & (at_n["method"] == m)]["score"]
        if own is None or own.empty:
            continue
        levels[m] = own.iloc[0]
        steps, of_mean = stays_above(median, levels[m]), stays_above(mean, levels[m])
        words = "never" if steps is None else f"{steps} steps"
        words += f" (log mean weight: {'never' if of_mean is None else of_mean})"
        close = steps is not None and paper / FACTOR <= steps <= paper * FACTOR
        direction = "not reached" if steps is None else "sooner" if steps < paper else "later"
        verdict = YES if close else f"{NO}: {direction}"
        claims.append(Claim(f"AIS chains{name} {verb} {NAMES[m]}", f"about {paper} steps", words, verdict))
    words = f"at {longest} steps all {runs[runs['steps'] == longest].shape[0]} chains within {spread[longest]:.1f} nats"
    claims.append(Claim(f"all AIS chains{name} converge", "yes", words, _verdict(spread[longest] <= CONVERGED)))
    rows = [
        [steps, f"{median.get(steps, np.nan):.1f}", _plus_minus(*estimates.get(steps, (np.nan, np.nan))),
         f"{true[steps]:.1f}" if steps in true.index else "", f"{spread[steps]:.1f}"]
        for steps in spread.index
    ]  # fmt: skip
    words = (
        f"A score is reached at the first length from which the median over the {n_chains} chains that start at draws from the "
        "prior stays above it."
    )
    if levels:
        words += " " + "; ".join(f"{NAMES[m]} {level:.2f} nats" for m, level in levels.items()) + "."
    header = ["steps", "median (nats)", "log mean weight ± standard error", "true start", "highest minus lowest of all chains"]
    return claims, [words, _markdown(header, rows)]


def _timing_section(timing: pd.DataFrame | None) -> tuple[list[Claim], list[str]]:
    """(e) seconds, and relative cost, at the size for which the paper gives its times."""
    if timing is None or timing["paper_seconds"].isna().all():
        return [], []
    timing = timing[timing["paper_seconds"].notna()]
    seconds, paper = (timing.set_index("method")[c] for c in ("seconds", "paper_seconds"))
    rows = [
        [NAMES.get(r.method, r.method), r.n, f"{r.seconds:.1f}", f"{r.paper_seconds:.0f}", f"{r.paper_seconds / r.seconds:.0f}"]
        for r in timing.itertuples()
    ]
    claims = []
    for a, b in (("vb", "bic"), ("ais", "vb")):
        if a in seconds and b in seconds:
            ratio, theirs = seconds[a] / seconds[b], paper[a] / paper[b]
            close = theirs / FACTOR <= ratio <= theirs * FACTOR
            verdict = YES if close else f"{NO}: " + ("smaller" if ratio < theirs else "larger")
            words = f"{ratio:.1f} times as long"
            claims.append(Claim(f"time of {NAMES[a]} beside {NAMES[b]}", f"{theirs:.1f} times as long", words, verdict))
    note = (
        "Times depend on the machine, its number of cores, restarts, chains and stopping rules: only orders of magnitude compare."
    )
    header = ["method", "n", "seconds", "paper's seconds (1 GHz Pentium III)", "paper / this run"]
    return claims, ["## Computation time, all structures", _markdown(header, rows), note]


def _variants_section(ranks: pd.DataFrame | None, scores: pd.DataFrame | None, draw: int) -> list[str]:
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
            own = scores[scores["draw"] == draw].pivot(index=["n", "structure"], columns="method", values="score")
            if {a, b} <= set(own):
                gap = (own[a] - own[b]).dropna()
                words.append(
                    f"{NAMES[a]} - {NAMES[b]}: median {gap.median():.2f}, from {gap.min():.2f} to {gap.max():.2f} nats over all "
                    "structures and sizes"
                )
                if b == "cs":
                    words.append(f"CS above VB, which must not be, in {(gap < -ROUNDING).sum()} of {len(gap)} fits")
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
        start = pd.Series([found_for_good(g.set_index("n")["rank"]) for _, g in of_method.groupby("draw")], dtype=float)
        small = of_method[of_method["n"] < PAPER.n].groupby("draw")["rank"].median()
        # a draw in which the true structure is never found for good counts as larger than any size
        rows.append([NAMES[m], _quantiles(start.fillna(np.inf)), int(start.isna().sum()), _quantiles(small)])
    words = f"Over {ranks['draw'].nunique()} draws: median ({QUANTILES[0]:.0%} and {QUANTILES[1]:.0%} quantiles)."
    header = ["method", "first for good from n", "draws in which never", f"median rank below n = {PAPER.n}"]
    return ["## All draws", words, _markdown(header, rows)]


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
                    [NAMES[m], len(gap), *(f"{v:.3f}" for v in (gap.mean(), gap.std(), gap.min(), gap.max())), f"{order:.3f}"]
                )
        header = ["method", "structures", "mean", "standard deviation", "lowest", "highest", "rank correlation"]
        text += [f"## Exact evidence at n = {n}", "Score minus exact evidence, in nats.", _markdown(header, rows)]
        lines = []
        if "ais" in here:
            errors = scores[scores["method"] == "ais"].set_index(index)["standard_error"].reindex(here.index)
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
                lines.append(f"- {NAMES[low]} <= {NAMES[high]}: in {(gap >= -ROUNDING).sum()} of {len(gap)}, as must be in all.")
        if ranks is not None:
            own = ranks[(ranks["n"] == n) & ranks["method"].isin(here.columns)].groupby("method")["rank"].median()
            kept = [f"{NAMES[m]} {own[m]:g}" for m in NAMES if m in own]
            lines.append(
                f"- Rank of the true structure{' (median over draws)' if ranks['draw'].nunique() > 1 else ''}: {', '.join(kept)}."
            )
        text.append("\n".join(lines))
    return text


def _fits_section(scores: pd.DataFrame | None) -> list[str]:
    """(g) fits that reached their iteration limit, and how many restarts ended at the best optimum."""
    if scores is None:
        return []
    fits = scores.assign(method=scores["method"].replace(FITTED)).drop_duplicates(["draw", "n", "structure", "method"])
    failed = fits[fits["converged"].map(lambda v: str(v).lower() == "false").astype(bool)]
    total = fits[fits["converged"].notna()].groupby("method").size()
    counts = failed.groupby("method").size().reindex(total.index, fill_value=0)
    text = ["## Fits"]
    if len(total):
        words = ", ".join(f"{NAMES.get(m, m)} {counts[m]} of {total[m]}" for m in NAMES if m in total.index)
        text.append(f"Stopped at the iteration limit, not converged: {words}.")
    if len(failed):
        rows = [
            [d, size, NAMES.get(m, m), len(g), ", ".join(g["structure"])]
            for (d, size, m), g in failed.groupby(["draw", "n", "method"])
        ]
        text.append(_markdown(["draw", "n", "method", "not converged", "structures"], rows))
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
        header = ["fit", "fits", "restarts", "fewest at best", "10 % quantile", "median", "median share", "only one at best"]
        text += ["How many restarts of a fit ended at its best optimum:", _markdown(header, rows)]
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
    within = f" ({row['rank_low']:g} to {row['rank_high']:g})" if row["rank_low"] < row["rank_high"] else ""
    return f"{row['rank']:g}{within}"


def _size(n: int | None) -> str:
    return "never" if n is None else f"n = {n}"


def _from(start: int | None, ranks: pd.Series) -> str:
    last = ranks.dropna()
    return f"from n = {start}" if start is not None else f"never (rank {last.iloc[-1]:g} at n = {last.index[-1]})"


def _verdict(agrees: bool) -> str:
    return YES if agrees else NO


def _plus_minus(value: float, error: float) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.2f}" + ("" if np.isnan(error) else f" ± {error:.2f}")


def _quantiles(values: pd.Series) -> str:
    if values.empty:
        return ""
    low, middle, high = (values.quantile(q, interpolation="nearest") for q in (QUANTILES[0], 0.5, QUANTILES[1]))
    low, middle, high = ("never" if np.isinf(v) else f"{v:g}" for v in (low, middle, high))
    return f"{middle} ({low}, {high})"


def _flat(config: Mapping, prefix: str = "") -> list[tuple[str, str]]:
    pairs = []
    for key, value in config.items():
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            pairs.append((f"{prefix}{key}", ", ".join(map(str, value))))
        else:
            pairs.append((f"{prefix}{key}", str(value)))
    return pairs


def _markdown(header: list, rows: list) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
