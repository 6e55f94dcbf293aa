"""The findings in Markdown: what the studies of one draw and of many draws say of the paper's
question, each result in a sentence with its number and its interval.

The statistics are those of the studies' tables and of `latentdag.study.paper.findings`.
"""

from collections.abc import Mapping
from math import isnan

import pandas as pd

from latentdag.report.markdown import counted, label, plus_minus, share, start, table
from latentdag.study.many_draws.calibration import (
    LEVEL,
    better_than_the_reference,
    tests_of_the_reference,
)
from latentdag.study.one_draw.sizes import nearest_size, sizes_for_good
from latentdag.study.paper.findings import (
    compared,
    found_by,
    not_found,
    of_structure,
    over_sizes,
    sensitivity,
)
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import EVERY, ONE_DRAW, PAPERS, TABLES, VARIATIONS
from latentdag.study.schema.evidence import with_evidence

TITLE = "Findings"
FOUND = "ranks the true structure first at {n} cases and at every larger size"
SHOWN = ("bic", "cs", "laplace", "vb", "reference")  # scores whose picks are told
PICKS_AT, LOSS_AT = (640, 5120), 80  # cases


def write_findings(runs: Mapping[str, Mapping[str, pd.DataFrame]]) -> str:
    """The findings, from the tables of each run, by the names that
    `latentdag.study.paper.runs.TABLES` has; a run that is absent or lacks a table is left out.
    Without any the text says so.
    """
    known = {run for run, names in TABLES.items() if set(names) <= set(runs.get(run, {}))}
    text = [f"# {TITLE}"]
    if PAPERS in known:
        text += _many_draws(**_of(runs, PAPERS))
    text += _sensitivity({run: _of(runs, run) for run in (PAPERS, *VARIATIONS) if run in known})
    if EVERY in known:
        text += _calibration(**_of(runs, EVERY))
    if ONE_DRAW in known:
        text += _one_draw(**_of(runs, ONE_DRAW))
    if len(text) == 1:
        text.append("No run has the tables that findings need.")
    return "\n\n".join(text) + "\n"


def headlines(found_share: pd.DataFrame, comparisons: pd.DataFrame) -> list[str]:
    """The three findings that come first: whether VB finds the true structure at the paper's size,
    how many cases BIC needs beside VB, and VB beside the Laplace approximation. From the tables of
    shares found and of comparisons; what these lack is left out.
    """
    lines = []
    at = found_by(found_share, PAPER.vb_from).get("vb")
    if at is not None:
        most = " Most draws need more cases." if at["high"] < 0.5 else ""
        lines.append(
            f"In the paper VB finds the true structure after {PAPER.vb_from} cases. Here VB "
            f"{FOUND.format(n=PAPER.vb_from)} in {_share(at)} of "
            f"{counted(int(at['draws']), 'draw')}.{most}"
        )
    for first, second, remark in (
        ("vb", "bic", ""),
        ("laplace", "vb", " The paper does not compute the Laplace approximation."),
    ):
        pair = compared(comparisons, first, second)
        if pair is not None and not isnan(pair["factor"]):
            lines.append(_ratio(pair, remark))
    return lines


def _of(runs: Mapping, run: str) -> dict[str, pd.DataFrame]:
    return {name: runs[run][name] for name in TABLES[run]}


def _share(row: pd.Series) -> str:
    return share(row["share"], row["low"], row["high"])


def _ratio(pair: pd.Series, remark: str = "") -> str:
    a, b = label(pair["method"]), label(pair["other"])
    low, high = pair["factor_low"], pair["factor_high"]
    verdict = "as many cases as" if low <= 1 <= high else "fewer cases than"
    if high < 1:
        verdict = "more cases than"
    return (
        f"{a} needs {verdict} {b} to find the true structure: the ratio of sample sizes, {b} to "
        f"{a}, is {pair['factor']:.3g} ({low:.3g} to {high:.3g}; median over the draws in which "
        f"both find it).{remark}"
    )


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _many_draws(
    design: pd.DataFrame,
    found_share: pd.DataFrame,
    comparisons: pd.DataFrame,
    population: pd.DataFrame,
) -> list[str]:
    draws = counted(len(design), "draw")
    lines = headlines(found_share, comparisons)
    for method, n in (("bic", PAPER.bic_from), ("reference", PAPER.vb_from)):
        at = found_by(found_share, n).get(method)
        if at is not None:
            name = _the(method)
            line = f"{name[0].upper()}{name[1:]} {FOUND.format(n=n)} in {_share(at)} of {draws}."
            lines.append(line)
    for method, other in (("laplace", "reference"), ("vb", "cs")):
        pair = compared(comparisons, method, other)
        if pair is not None:
            lines.append(_order(pair))
    missed, last = not_found(found_share), found_share["n"].max()
    if missed:
        told = [f"{label(m)} {missed[m]}" for m in (*SHOWN, "ais") if m in missed]
        lines.append(
            f"Number of the {draws} in which a score ranks another structure first at {last} "
            f"cases: {', '.join(told)}."
        )
    lines += _errors(of_structure(population))
    return [
        f"## {draws} of the paper's structure",
        "Brackets after a share of draws hold its Wilson 95 % interval, and brackets after a "
        "median ratio its 95 % interval from order statistics. ± gives the standard error of a "
        "mean.",
        _bullets(lines),
    ]


def _the(method: str) -> str:
    """A score within a sentence."""
    return "the reference" if method == "reference" else label(method)


def _order(pair: pd.Series) -> str:
    a, b = label(pair["method"]), _the(pair["other"])
    return (
        f"{a} and {b}: {a} needs fewer cases in {pair['earlier']} of "
        f"{counted(pair['draws'], 'draw')}, more in {pair['later']}, and the same number in "
        f"{pair['same']}; in {pair['undecided']} neither finds the true structure."
    )


def _errors(population: pd.DataFrame) -> list[str]:
    """How far AIS and VB are from the evidence."""
    rows = {(r.method, r.n): r for r in population.itertuples()}
    lines = []
    for n in (PAPER.n, population["n"].max()):
        told = [
            f"{label(m)} "
            f"{plus_minus(rows[m, n].mean_absolute_error, rows[m, n].mean_absolute_error_se)}"
            for m in ("ais", "laplace", "vb", "bic")
            if (m, n) in rows and not isnan(rows[m, n].mean_absolute_error)
        ]
        if told:
            lines.append(
                f"Mean absolute distance from the ln evidence at {n} cases, in nats: "
                f"{', '.join(told)}."
            )
    return lines


def _sensitivity(runs: Mapping[str, Mapping[str, pd.DataFrame]]) -> list[str]:
    rows = []
    for of in runs.values():
        counts = sensitivity(of["found_share"], of["comparisons"])
        first = of["design"].iloc[0]
        if counts is not None:
            what = f"alpha = {first['alpha']:g}, `{first['true_structure']}`"
            rows.append([len(of["design"]), what, *counts])
    if len(rows) < 2:
        return []
    header = [
        *("draws", "alpha and true structure"),
        *(f"VB finds it at {PAPER.vb_from}", f"BIC finds it at {PAPER.bic_from}"),
        *("VB needs fewer cases than BIC", "VB needs more cases than BIC"),
        *("VB never finds it", "BIC never finds it", "Laplace never finds it"),
    ]
    return [
        "## Sensitivity to the prior and to the structure",
        "Each column counts draws. A score finds the true structure at n cases if it ranks it "
        "first at n and at every larger size.",
        table(header, rows),
    ]


def _calibration(calibration: pd.DataFrame, population: pd.DataFrame) -> list[str]:
    population = of_structure(population)
    draws = counted(int(population["draws"].max()), "draw")
    lines = []
    tests = tests_of_the_reference(calibration)
    if tests:
        lines.append(
            f"{counted(tests['number'], 'test')} ask whether the probabilities by the reference "
            f"are calibrated. p is below {LEVEL:g} in {tests['below']} of them; if they are "
            f"calibrated, {tests['expected']:.1f} are expected. The smallest p is "
            f"{tests['smallest']['p_value']:.2g}; corrected for the number of tests (Bonferroni) "
            f"it is {tests['together']:.2g}."
        )
    compared_to, better, sure = better_than_the_reference(calibration)
    if compared_to:
        lines.append(
            "In expectation no score gives the true structure a higher mean log probability, or a "
            f"lower Brier score, than the evidence. A score does better than the reference in "
            f"{better} of {counted(compared_to, 'comparison')}; p is below {LEVEL:g} in "
            f"{len(sure)} of them."
        )
    rows = {(r.method, r.n): r for r in population.itertuples()}
    loss = [
        [
            label(m),
            plus_minus(1000 * r.lost_by_top, 1000 * r.lost_by_top_se),
            plus_minus(1000 * r.lost_by_average, 1000 * r.lost_by_average_se),
        ]
        for m in SHOWN
        if (r := rows.get((m, LOSS_AT))) is not None and not isnan(r.lost_by_top)
    ]
    shown = [m for m in SHOWN if any((m, n) in rows for n in PICKS_AT)]
    cells = [
        [label(m), *(cell for n in PICKS_AT for cell in _pick(rows.get((m, n))))] for m in shown
    ]
    header = ["score"]
    for n in PICKS_AT:
        header += [f"n = {n}: probability of its first structure", f"n = {n}: it is true"]
    return [
        f"## Calibration over {draws}",
        "The true structures are drawn uniformly. The table has the mean probability that a score "
        "gives the structure it ranks first, and the share of draws in which that structure is "
        "true.",
        table(header, cells),
        *([_bullets(lines)] if lines else []),
        *_predictions(loss),
    ]


def _predictions(loss: list[list[str]]) -> list[str]:
    if not loss:
        return []
    header = ["score", "by its first structure", "by the average over structures"]
    return [
        f"Each score chooses a structure from the first {LOSS_AT} cases. The table has the loss in "
        "predicting the cases up to the next size: ln p of a case under the true parameters, minus "
        "its ln predictive density, in thousandths of a nat. Lower is better.",
        table(header, loss),
    ]


def _pick(row) -> tuple[str, str]:
    if row is None:
        return "", ""
    given = "" if isnan(row.expected_first) else f"{100 * row.expected_first:.0f} %"
    return given, share(row.first, row.first_low, row.first_high)


def _one_draw(
    scores: pd.DataFrame, evidence: pd.DataFrame, errors: pd.DataFrame, ranks: pd.DataFrame
) -> list[str]:
    draw = ranks["draw"].min()
    scores, evidence, errors, ranks = (
        t[t["draw"] == draw] for t in (scores, evidence, errors, ranks)
    )
    found = sizes_for_good(ranks)
    told = [f"{label(m)} {start(found[m])}" for m in (*SHOWN, "cs_lr", "ais") if m in found]
    of = over_sizes(errors, with_evidence(scores, evidence))
    sizes = sorted(set(errors["n"]))
    rows = [
        [
            label(m),
            f"{r['error', 'min']:.1f} to {r['error', 'max']:.1f}",
            ""
            if isnan(r["order", "min"])
            else f"{r['order', 'min']:.2f} to {r['order', 'max']:.2f}",
        ]
        for m, r in of.iterrows()
    ]
    known = evidence.loc[evidence["n"] == nearest_size(set(evidence["n"]), PAPER.n)]
    return [
        f"## Draw {draw}",
        f"The size from which each of {len(told)} scores finds the true structure: "
        f"{', '.join(told)}.",
        "The table has the smallest and the largest value over the sizes at which a score was "
        f"computed, of the {counted(len(sizes), 'size')} from {sizes[0]} to {sizes[-1]} cases. The "
        "error is the mean absolute distance from the ln evidence over all structures. The order "
        "is Spearman's rank correlation with the evidence. The largest standard error of the "
        f"evidence at {known['n'].iloc[0]} cases is "
        f"{max(known['standard_error'].fillna(0)):.2f} nats.",
        table(["score", "error (nats)", "order"], rows),
    ]
