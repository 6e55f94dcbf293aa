"""The findings: what the runs over many draws say of the paper's question, each result in a
sentence with its number and its interval. The words are in ``templates/findings.md.j2``.
"""

from collections.abc import Mapping
from math import isnan, log10
from typing import Any

import pandas as pd

from latentdag.report import markdown as md
from latentdag.report.population_summary import calibration
from latentdag.study.many_draws import calibration as of_calibration
from latentdag.study.paper import experiments
from latentdag.study.paper import findings as of_findings
from latentdag.study.paper import runs as of_runs
from latentdag.study.paper.claims_held import over_draws
from latentdag.study.paper.findings import Grids, compared, of_structure, where_they_differ
from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.words import label, plus_minus

SCORES_SHOWN = ("bic", "cs", "laplace", "vb", "reference")  # scores whose picks are told
PICKS_AT, LOSS_AT = (640, 5120), 80  # cases
Runs = Mapping[str, Mapping[str, pd.DataFrame]]


def write_findings(runs: Runs) -> str:
    """The findings in Markdown, from the tables of each run, by run and table as
    `latentdag.study.paper.runs.TABLES` names them; a run that is absent or lacks one is left out.
    Without any the text says so.
    """
    complete = {
        run: runs[run]
        for run, names in of_runs.TABLES.items()
        if set(names) <= set(runs.get(run, {}))
    }
    return md.written(
        "findings.md.j2",
        many=draws_of_the_papers_structure(complete),
        sensitivity=sensitivity_to_the_prior_and_to_the_structure(complete),
        integrated=alpha_integrated_out(complete),
        ais=kinds_of_ais(complete),
        calibration=calibration_over_draws(complete),
        others=other_experiments(complete),
    )


def headlines(grids: Grids) -> list[str]:
    """The three findings that come first, a list of sentences in Markdown: whether VB finds the
    true structure at the paper's size, whether VB needs fewer cases than BIC, and the Laplace
    approximation more than the evidence. ``grids`` are tables by name for each grid of sizes, as
    `latentdag.study.paper.findings.grids` gives them; what they lack is left out.
    """
    lines = md.written("headlines.md.j2", first=first_findings(grids)).splitlines()
    return [line.removeprefix("- ") for line in lines if line]


def first_findings(grids: Grids) -> dict[str, Any]:
    """Values for the template, a dict, from the tables of ``grids`` (as `headlines` has them): at
    the paper's size ``n`` the row of shares found of ``vb``, or None, and whether its interval says
    that ``most_need_more`` cases; and ``pairs`` of scores (`compared_pairs`).
    """
    vb = of_findings.recovered_by(grids[-1]["found_share"], PAPER.vb_from).get("vb")
    return {
        "n": PAPER.vb_from,
        "vb": vb,
        "most_need_more": vb is not None and over_draws(vb) == "no",
        "pairs": of_findings.compared_pairs([("vb", "bic"), ("laplace", "reference")], grids),
    }


def draws_of_the_papers_structure(runs: Runs) -> md.View:
    """Values for the template, a dict, from the tables of ``runs``, by run and name, on many draws
    of the paper's structure, None without them: `first_findings`, shares found (``recovered``),
    scores compared (``pairs``), in how many draws each score misses the truth (``not_recovered``),
    and a table of ``distances`` from the evidence (nats).
    """
    if of_runs.PAPERS not in runs:
        return None
    of = runs[of_runs.PAPERS]
    grids = of_findings.grids(runs)
    found_share = of["found_share"]
    recovered = [
        (method, n, of_findings.recovered_by(found_share, n).get(method))
        for method, n in (("bic", PAPER.bic_from), ("reference", PAPER.vb_from))
    ]
    tables = [grid["found_share"] for grid in reversed(grids)]
    return {
        "first": first_findings(grids),
        "draws": len(of["design"]),
        "recovered": [row for row in recovered if row[-1] is not None],
        "pairs": of_findings.compared_pairs([("laplace", "vb"), ("vb", "cs")], grids),
        "not_recovered": [(table["n"].max(), _missed_by_score(table)) for table in tables],
        "fine_sizes": len(set(tables[1]["n"])) if len(tables) > 1 else None,
        "sizes": len(set(found_share["n"])),
        **_distances(of_structure(of["population"])),
    }


def _missed_by_score(found_share: pd.DataFrame) -> list[str]:
    """The scores, each with the number of draws in which it does not find the truth."""
    missed = of_findings.not_recovered(found_share)
    return [f"{label(m)} {missed[m]}" for m in (*SCORES_SHOWN, "ais") if m in missed]


def _distances(population: pd.DataFrame) -> dict[str, Any]:
    """A table of how far scores are from the evidence, at the paper's size and the largest."""
    judged = population.dropna(subset="mean_absolute_error")
    methods = [m for m in ("ais", "laplace", "vb", "bic") if m in set(judged["method"])]
    columns = {
        f"n = {n}": {
            r.method: md.with_error(r, "mean_absolute_error")
            for r in judged.itertuples()
            if r.n == n
        }
        for n in (PAPER.n, population["n"].max())
    }
    return {"distances": md.table_by_score(methods, columns)}


def kinds_of_ais(runs: Runs) -> md.View:
    """Values for the template, a dict, from the tables of ``runs``, by run and name, on each kind
    of AIS over the same draws: ``rows`` with the shares of draws in which the truth is first and
    the distances from the evidence (nats), at the paper's size and the ``last``; shares of one long
    chain and of 16 (``at_equal_cost``); in how many draws claims hold (``held``), and whose
    verdicts ``differ`` among the kinds with all sizes (``full``). None where there is one kind.
    """
    of = {k: (runs[run], method) for k, (run, method) in of_runs.AIS_KINDS.items() if run in runs}
    if len(of) < 2:
        return None
    populations, held = of_findings.on_the_same_draws(of)
    rows: list[list] = []
    for kind, population in populations.items():
        of_n = {r.n: r for r in population.itertuples()}
        at_n, at_last = of_n[PAPER.n], of_n[max(of_n)]
        distances = [md.with_error(at, "mean_absolute_error") for at in (at_n, at_last)]
        first = [md.share(at.first, at.first_low, at.first_high) for at in (at_n, at_last)]
        rows.append([kind, *first, *distances, len(of_n)])
    first_at_last = {kind: cell for kind, _, cell, *_ in rows}
    equal = [first_at_last[k] for k in ("1 long chain", "16 chains") if k in first_at_last]
    most = max(cells[-1] for cells in rows)
    full = [kind for kind, *_, sizes in rows if sizes == most]
    read = {
        claim: [over_draws(of_kind[kind]) for kind in full if kind in of_kind]
        for claim, of_kind in held.items()
    }
    return {
        "kinds": list(populations),
        "rows": rows,
        "at_equal_cost": equal if len(equal) == 2 else None,
        "draws": at_n.draws,
        "n": PAPER.n,
        "last": at_last.n,
        "held": [
            [claim, *(md.holds_in(of_kind[k]) if k in of_kind else "" for k in populations)]
            for claim, of_kind in held.items()
        ],
        "full": full,
        "differ": [claim for claim, words in read.items() if len(set(words)) > 1],
    }


def sensitivity_to_the_prior_and_to_the_structure(runs: Runs) -> md.View:
    """Values for the template, a dict, from the tables of ``runs``, by run and name. ``rows`` of a
    table, a row for each run: draws, prior and true structure, and in per cent (number) the counts
    of `latentdag.study.paper.findings.sensitivity`. As ``fewer``, of runs whose scores assume
    another prior than the parameters have, in what share of the draws VB needs fewer cases than
    BIC, where they differ. None where there are fewer than two runs.
    """
    rows, fewer = [], []
    tried = (of_runs.PAPERS, *of_runs.VARIATIONS, *of_runs.OTHER_PRIORS)
    for of in (runs[run] for run in tried if run in runs):
        counts = of_findings.sensitivity(of["found_share"], of["comparisons"])
        first = of["design"].iloc[0]
        if counts is not None:
            draws = len(of["design"])
            alpha = f"alpha = {first['alpha']:g}"
            if "true_alpha" in first:
                alpha += f" in the scores, {first['true_alpha']:g} in the parameters"
                differ = where_they_differ(compared(of["comparisons"], "vb", "bic"))
                ends = md.share(differ["share"], differ["low"], differ["high"])
                fewer.append(f"{ends} with {alpha}")
            truth = f"{alpha}, `{first['true_structure']}`"
            cells = [f"{100 * count / draws:.0f} ({count})" for count in counts]
            rows.append([draws, truth, *cells])
    if len(rows) < 2:
        return None
    return {"rows": rows, "fewer": fewer, "vb_from": PAPER.vb_from, "bic_from": PAPER.bic_from}


def alpha_integrated_out(runs: Runs) -> list[list] | None:
    """Rows, lists of cells, of a table on the reference and VB by size, from the tables of
    ``runs``, by run and name: score, n, draws, in how many of these the first structure stays the
    same with alpha integrated out or is surely another, and in how many the truth is first with
    alpha 1 and with alpha integrated out. None without the experiments.
    """
    if of_runs.EXPERIMENTS not in runs:
        return None
    rows = experiments.alpha_integrated_out(runs[of_runs.EXPERIMENTS]["alpha_integrated"])
    rows = {(r["method"], r["n"]): r for r in rows}
    cells = []
    for method, n in sorted(key for key in rows if key[0] in ("reference", "vb")):
        r = rows[method, n]
        same = f"{r['same']}: {md.share(r['share'], r['low'], r['high'])}"
        first = r["first"], r["first_integrated"]
        cells.append([label(method), n, r["draws"], same, r["surely_another"], *first])
    return cells


def other_experiments(runs: Runs) -> md.View:
    """Values for the template, a dict, from the tables of ``runs``, by run and name: how VB minus
    BIC changes per unit of ln n, ``slopes`` in nats by true and scored structure, over the
    ``sizes`` and ``draws``; ``bridge``, mean absolute errors of bridge sampling (nats) by size,
    over ``structures``; and the ``audit`` of the evidence over all sizes, with its mean differences
    by size, ``nats``. None without the run of experiments.
    """
    if of_runs.EXPERIMENTS not in runs:
        return None
    tables = runs[of_runs.EXPERIMENTS]
    sizes = tables["asymptotics"]["n"]
    slopes = experiments.slopes_of_vb_minus_bic(tables["asymptotics"])
    errors = experiments.errors_of_bridge_sampling(tables["bridge_sampling"])
    audit = experiments.audit_of_evidence(tables["evidence_audit"])
    return {
        "draws": slopes["draws"].max(),
        "sizes": [f"10^{round(log10(n))}" for n in (sizes.min(), sizes.max())],
        "slopes": {
            (truth, structure): plus_minus(r.slope, r.slope_error)
            for (truth, structure), r in slopes.iterrows()
        },
        "structures": errors["structures"].max(),
        "bridge": [
            f"{plus_minus(r.absolute, r.absolute_error)} at {r.Index}" for r in errors.itertuples()
        ],
        "audit": experiments.audit_over_all_sizes(audit),
        "nats": [f"{plus_minus(r.nats, r.nats_error)} at {r.Index}" for r in audit.itertuples()],
    }


def calibration_over_draws(runs: Runs) -> md.View:
    """Values for the template, a dict, from the tables of ``runs``, by run and name: what the
    scores pick where the true structures are drawn uniformly, None without such a run. ``picks`` is
    a table of the probability of the pick and how often it is true; ``losses`` are in nats per 1000
    cases; ``pooled`` has tests of the reference; ``more`` the ``gaps`` of such tests in ``draws``
    of ``n`` cases and the counts of ``tests``, False without the run `MORE_TRUTHS`; and it has the
    values of `calibration`.
    """
    if of_runs.EVERY not in runs:
        return None
    population = of_structure(runs[of_runs.EVERY]["population"])
    rows = {(r.method, r.n): r for r in population.itertuples()}
    losses = [rows[m, LOSS_AT] for m in SCORES_SHOWN if (m, LOSS_AT) in rows]
    more = runs.get(of_runs.MORE_TRUTHS)
    return {
        "draws": int(population["draws"].max()),
        "pooled": _gaps(runs[of_runs.EVERY]["verdicts"]),
        "more": more is not None and _more(more["verdicts"], more["calibration"]),
        "picks": _picks(rows),
        "losses": [
            [
                label(r.method),
                *(md.with_error(r, f"lost_by_{by}", 1000) for by in ("top", "average")),
            ]
            for r in losses
            if not isnan(r.lost_by_top)
        ],
        "loss_at": LOSS_AT,
        "loss_to": min((n for n in population["n"] if n > LOSS_AT), default=None),
        **(calibration(runs[of_runs.EVERY]["calibration"]) or {}),
    }


def _more(verdicts: pd.DataFrame, calibration: pd.DataFrame) -> dict[str, Any]:
    """More draws of one size: how many, their gaps, and the tests of the reference."""
    return {
        "draws": verdicts["draw"].nunique(),
        "n": verdicts["n"].max(),
        "gaps": _gaps(verdicts),
        "tests": of_calibration.tests_of_the_reference(calibration),
    }


def _gaps(verdicts: pd.DataFrame) -> list[str]:
    """Observed less expected values of the reference's statistics, with their errors and p."""
    return [
        f"{r.Index} {r.gap:+.3f} ± {r.standard_error:.3f} (p = {r.p_value:.2g})"
        for r in of_calibration.pooled(verdicts).itertuples()
    ]


def _picks(rows: Mapping[tuple[str, int], Any]) -> dict[str, Any]:
    """A table of the probability of the pick, and of how often it is true, from the rows of the
    table of populations by score and size.
    """
    columns = {}
    for n in PICKS_AT:
        of_n = [rows[m, n] for m in SCORES_SHOWN if (m, n) in rows]
        columns[f"mean probability, n = {n}"] = {
            r.method: md.percent(r.expected_first) for r in of_n
        }
        columns[f"share of draws, n = {n}"] = {
            r.method: md.share(r.first, r.first_low, r.first_high) for r in of_n
        }
    methods = [m for m in SCORES_SHOWN if any((m, n) in rows for n in PICKS_AT)]
    return md.table_by_score(methods, columns)
