"""In short: what many draws show, in ten sentences; from the tables of populations, of shares
found, of comparisons and of calibration, and
`latentdag.study.many_draws.population.design_counts`.
"""

from collections.abc import Iterator

import pandas as pd

from latentdag.report.markdown import (
    counted,
    label,
    listing,
    parents_of,
    percent,
    plus_minus,
    share,
    shared_causes_in_words,
)
from latentdag.study.many_draws.population import design_counts
from latentdag.study.one_draw.sizes import nearest_size
from latentdag.study.paper.claims_held import at_the_papers_sizes
from latentdag.study.paper.numbers import PAPER

TITLE = "In short"
SHOWN = ("bic", "vb", "ais", "reference")
PAIRS = (("vb", "bic"), ("vb", "cs"), ("ais", "vb"))


def section(
    design: pd.DataFrame,
    population: pd.DataFrame,
    found_share: pd.DataFrame,
    comparisons: pd.DataFrame,
    calibration: pd.DataFrame | None,
) -> list[str]:
    """From the tables of design, of populations, of shares found, of comparisons and, where truths
    are drawn uniformly, of calibration.
    """
    by_structure = [t[t["by"] == "structure"] for t in (population, found_share, comparisons)]
    rows, shares, pairs = (t[t["method"] != "exact"] for t in by_structure)
    lines = [
        *_draws(design, population),
        *_at_the_papers_sizes(shares, design),
        *_at(shares, PAPER.n, "first at {n} cases and at every larger size"),
        *_at(shares, None, "first at {n} cases, which is the largest size"),
        *_pairs(pairs),
        *_errors(rows),
        *_regret(rows),
        *([] if calibration is None else _calibration(calibration)),
    ]
    return [f"## {TITLE}", "\n".join(f"- {line}" for line in lines)]


def _draws(design: pd.DataFrame, population: pd.DataFrame) -> Iterator[str]:
    truths, _ = design_counts(design)
    draws, sizes = counted(len(design), "draw"), sorted(set(population["n"]))
    ranked = f" The scores rank all structures at {counted(len(sizes), 'size')}" if sizes else ""
    ranked += f", up to {sizes[-1]} cases." if sizes else ""
    if len(truths) == 1:
        (truth,) = truths
        causes = shared_causes_in_words(parents_of(truth))
        words = (
            f"{draws} of parameters and data come from the structure {truth}, in which {causes}."
        )
    else:
        words = f"{draws} of parameters and data come from {len(truths)} true structures."
    yield words + ranked


def _at_the_papers_sizes(shares: pd.DataFrame, design: pd.DataFrame) -> Iterator[str]:
    if len(set(design["true_structure"])) > 1:
        return
    for r in at_the_papers_sizes(shares).itertuples():
        name, draws = label(r.Index), counted(r.draws, "draw")
        yield (
            f"In the paper's one draw {name} finds the true structure at {r.n} cases. Here {name} "
            f"ranks it first at {r.n} cases and at every larger size in {r.number} of {draws}: "
            f"{share(r.share, r.low, r.high)}."
        )


def _at(shares: pd.DataFrame, n: int | None, words: str) -> Iterator[str]:
    """In which share of the draws each score finds the truth at one size, the largest for None."""
    if shares.empty:
        return
    n = int(shares["n"].max()) if n is None else nearest_size(shares["n"], n)
    rows = shares[shares["n"] == n].set_index("method")
    cells = [
        f"{label(m)} {share(*rows.loc[m, ['share', 'low', 'high']])}"
        for m in SHOWN
        if m in rows.index
    ]
    if cells:
        yield f"Share of draws with the true structure {words.format(n=n)}: {listing(cells)}."


def _pairs(comparisons: pd.DataFrame) -> Iterator[str]:
    known = {(r.method, r.other): r for r in comparisons.itertuples()}
    for pair in PAIRS:
        if (r := known.get(pair)) is None:
            continue
        a, b = map(label, pair)
        line = (
            f"{a} needs fewer cases than {b} in {counted(r.earlier, 'draw')}, more in {r.later}, "
            f"and the same number in {r.same}; in {r.undecided} neither finds the true structure."
        )
        if not pd.isna(r.factor_low):
            line += (
                f" The median ratio of their sizes, {b} to {a}, is {r.factor:.3g} "
                f"({r.factor_low:.3g} to {r.factor_high:.3g})."
            )
        yield line


def _errors(rows: pd.DataFrame) -> Iterator[str]:
    yield from _mean(
        rows, "mean_absolute_error", "Mean distance from the ln evidence at {n} cases, in nats"
    )


def _regret(rows: pd.DataFrame) -> Iterator[str]:
    words = "ln evidence lost by the structure that a score ranks first at {n} cases, in nats"
    yield from _mean(rows, "regret", words)


def _mean(rows: pd.DataFrame, column: str, words: str) -> Iterator[str]:
    """The mean of a column over the draws, at the paper's size, for each of SHOWN."""
    known = rows.dropna(subset=column)
    if known.empty:
        return
    n = nearest_size(known["n"], PAPER.n)
    at_n = known[known["n"] == n].set_index("method")
    cells = [
        f"{label(m)} {plus_minus(at_n.loc[m, column], at_n.loc[m, f'{column}_se'])}"
        for m in SHOWN
        if m in at_n.index
    ]
    if cells:
        yield f"{words.format(n=n)}: {listing(cells)}."


def _calibration(calibration: pd.DataFrame) -> Iterator[str]:
    """How often each score picks the truth, and how often it expects to."""
    rows = calibration[calibration["by"] == "structure"]
    known = rows[rows["statistic"] == "accuracy"]
    if known.empty:
        return
    n = nearest_size(known["n"], PAPER.n)
    at_n = known[known["n"] == n].set_index("method")
    cells = [
        f"{label(m)} {percent(at_n.loc[m, 'value'])}, which it expects to be "
        f"{percent(at_n.loc[m, 'expected'])}"
        for m in SHOWN
        if m in at_n.index
    ]
    if cells:
        words = f"Share of draws in which a score picks the true structure at {n} cases"
        yield f"{words}: {'; '.join(cells)}."
