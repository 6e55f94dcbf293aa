"""The findings: what the studies of one draw and of many draws say of the paper's question, each
result in a sentence with its number and its interval. The words are in
``templates/findings.md.j2``.
"""

import sys
from collections.abc import Mapping
from math import isnan
from typing import Any

import pandas as pd

from latentdag.report.markdown import View, label, plus_minus, start, written
from latentdag.study.many_draws import calibration as of_calibration
from latentdag.study.one_draw.sizes import nearest_size, sizes_for_good
from latentdag.study.paper import findings as of_findings
from latentdag.study.paper.claims_held import over_draws
from latentdag.study.paper.findings import compared, in_the_median_draw, of_structure
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import (
    AIS_CHAINS,
    EVERY,
    FINE_GRID,
    ONE_DRAW,
    OTHER_PRIORS,
    PAPERS,
    TABLES,
    VARIATIONS,
)
from latentdag.study.schema.evidence import join_evidence

SHOWN = ("bic", "cs", "laplace", "vb", "reference")  # scores whose picks are told
PICKS_AT, LOSS_AT = (640, 5120), 80  # cases
Runs = Mapping[str, Mapping[str, pd.DataFrame]]


def write_findings(runs: Runs) -> str:
    """The findings, from the tables of each run, as `latentdag.study.paper.runs.TABLES` names them;
    a run that is absent or lacks one is left out. Without any the text says so.
    """
    known = {
        run: runs[run] for run, names in TABLES.items() if set(names) <= set(runs.get(run, {}))
    }
    return written("findings.md.j2", sys.modules[__name__], runs=known)


def headlines(
    found_share: pd.DataFrame,
    comparisons: pd.DataFrame,
    fine_grid: Mapping[str, pd.DataFrame] | None = None,
) -> list[str]:
    """The three findings that come first: whether VB finds the true structure at the paper's size,
    whether VB needs fewer cases than BIC, and the Laplace approximation more than the evidence.
    From the tables of shares found and of comparisons; what these lack is left out. Ratios of sizes
    come from the tables of the same names of a ``fine_grid`` where it has both scores.
    """
    tables = {"found_share": found_share, "comparisons": comparisons, "fine_grid": fine_grid}
    lines = written("headlines.md.j2", sys.modules[__name__], **tables).splitlines()
    return [line.removeprefix("- ") for line in lines if line]


def first_findings(
    found_share: pd.DataFrame,
    comparisons: pd.DataFrame,
    fine_grid: Mapping[str, pd.DataFrame] | None,
) -> dict[str, Any]:
    """How often VB finds the true structure at the paper's size, and comparisons of sizes."""
    pairs = []
    for names in (("vb", "bic"), ("laplace", "reference")):
        pair = compared(comparisons, *names)
        finer = None if fine_grid is None else compared(fine_grid["comparisons"], *names)
        if pair is not None:
            pairs.append((pair, in_the_median_draw(pair), pair if finer is None else finer))
    sizes = set() if fine_grid is None else set(fine_grid["found_share"]["n"])
    return {
        "n": PAPER.vb_from,
        "vb": of_findings.found_by(found_share, PAPER.vb_from).get("vb"),
        "pairs": pairs,
        "sizes": sizes,
    }


def draws_of_the_papers_structure(runs: Runs) -> View:
    """What many draws of the paper's structure show."""
    if PAPERS not in runs:
        return None
    of = runs[PAPERS]
    found_share, comparisons = of["found_share"], of["comparisons"]
    found = [
        (method, n, of_findings.found_by(found_share, n).get(method))
        for method, n in (("bic", PAPER.bic_from), ("reference", PAPER.vb_from))
    ]
    pairs = (compared(comparisons, *pair) for pair in (("laplace", "vb"), ("vb", "cs")))
    missed = of_findings.not_found(found_share)
    told = [f"{label(m)} {missed[m]}" for m in (*SHOWN, "ais") if m in missed]
    return {
        **{"found_share": found_share, "comparisons": comparisons},
        "fine_grid": runs.get(FINE_GRID),
        "draws": len(of["design"]),
        "found": [row for row in found if row[-1] is not None],
        "pairs": [pair for pair in pairs if pair is not None],
        "not_found": told if missed else None,
        "last": found_share["n"].max(),
        "sizes": len(set(found_share["n"])),
        **_distances(of_structure(of["population"])),
    }


def _distances(population: pd.DataFrame) -> dict[str, Any]:
    """How far scores are from the evidence, at the paper's size and the largest."""
    sizes = [PAPER.n, population["n"].max()]
    known = population.dropna(subset="mean_absolute_error")
    methods = [m for m in ("ais", "laplace", "vb", "bic") if m in set(known["method"])]
    errors = {
        (r.method, r.n): plus_minus(r.mean_absolute_error, r.mean_absolute_error_se)
        for r in known.itertuples()
    }
    found = {m: [errors.get((m, n), "") for n in sizes] for m in methods}
    return {"distance_sizes": sizes, "distances": found}


def ais_by_its_number_of_chains(runs: Runs) -> View:
    """What AIS is worth at the paper's size and the largest, and the claims about it, over the same
    draws; nothing where there is one number of chains.
    """
    of = {chains: runs[run] for run, chains in AIS_CHAINS.items() if run in runs}
    if len(of) < 2:
        return None
    populations, held = of_findings.on_the_same_draws(of)
    by_size = {chains: table.set_index("n") for chains, table in populations.items()}
    rows = [(k, ais.loc[PAPER.n], ais.loc[ais.index.max()]) for k, ais in by_size.items()]
    read = {claim: [over_draws(row) for row in of_run.values()] for claim, of_run in held.items()}
    return {
        "rows": rows,
        "draws": int(rows[0][1]["draws"]),
        "n": PAPER.n,
        "last": rows[0][-1].name,
        "held": {claim: list(of_run.values()) for claim, of_run in held.items()},
        "differ": [claim for claim, words in read.items() if len(set(words)) > 1],
    }


def sensitivity_to_the_prior_and_to_the_structure(runs: Runs) -> View:
    """Counts of draws by run; nothing where there are fewer than two runs."""
    rows = []
    for of in (runs[run] for run in (PAPERS, *VARIATIONS, *OTHER_PRIORS) if run in runs):
        counts = of_findings.sensitivity(of["found_share"], of["comparisons"])
        first = of["design"].iloc[0]
        if counts is not None:
            draws = len(of["design"])
            cells = [f"{100 * count / draws:.0f} ({count})" for count in counts]
            rows.append((draws, first, cells))
    if len(rows) < 2:
        return None
    return {"rows": rows, "vb_from": PAPER.vb_from, "bic_from": PAPER.bic_from}


def calibration_over_draws(runs: Runs) -> View:
    """What the scores pick where the true structures are drawn uniformly."""
    if EVERY not in runs:
        return None
    calibration, population = runs[EVERY]["calibration"], of_structure(runs[EVERY]["population"])
    number, better, sure = of_calibration.better_than_the_reference(calibration)
    rows = {(r.method, r.n): r for r in population.itertuples()}
    picks = {m: [rows.get((m, n)) for n in PICKS_AT] for m in SHOWN}
    losses = [rows[m, LOSS_AT] for m in SHOWN if (m, LOSS_AT) in rows]
    return {
        "draws": int(population["draws"].max()),
        "tests": of_calibration.tests_of_the_reference(calibration),
        "pooled": of_calibration.pooled(runs[EVERY]["verdicts"]),
        "level": of_calibration.LEVEL,
        **{"comparisons": number, "better": better, "surely_better": len(sure)},
        "sizes": PICKS_AT,
        "picks": {m: of_score for m, of_score in picks.items() if any(of_score)},
        "losses": [r for r in losses if not isnan(r.lost_by_top)],
        "loss_at": LOSS_AT,
        "loss_to": min((n for n in population["n"] if n > LOSS_AT), default=None),
    }


def draw(runs: Runs) -> View:
    """What the first draw of the study shows."""
    if ONE_DRAW not in runs:
        return None
    first = runs[ONE_DRAW]["ranks"]["draw"].min()
    scores, evidence, errors, ranks = (
        runs[ONE_DRAW][name].loc[lambda t: t["draw"] == first] for name in TABLES[ONE_DRAW]
    )
    scores = join_evidence(scores, evidence)
    found = sizes_for_good(ranks)
    known = evidence.loc[evidence["n"] == nearest_size(set(evidence["n"]), PAPER.n)]
    return {
        "draw": first,
        "found": [f"{label(m)} {start(found[m])}" for m in (*SHOWN, "cs_lr", "ais") if m in found],
        "sizes": sorted(set(errors["n"])),
        "extremes_over_sizes": of_findings.extremes_over_sizes(errors, scores),
        "evidence_n": known["n"].iloc[0],
        "standard_error": max(known["standard_error"].fillna(0)),
    }
