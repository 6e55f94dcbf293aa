"""The tables of `workflow/docs/what_the_sources_name.md`: what each experiment under
``tests/benchmarks`` found, from its table in ``results/experiments``.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from latentdag.report.markdown import number, plus_minus, table
from latentdag.study.schema import tables

TRUE_STATES = 3  # of the cause in the table states_of_a_cause


def _read(results: Path, name: str) -> pd.DataFrame:
    return tables.read(results / "experiments" / f"{name}.csv", name)


def _mean(values: pd.Series) -> str:
    """The mean over structures and its standard error."""
    return plus_minus(values.mean(), values.sem())


def importance_sampling_markdown(results: Path) -> str:
    """Effective draws, and the error of the evidence, by size and proposal."""
    rows = []
    found = _read(results, "importance_sampling")
    for (n, proposal), own in found.groupby(["n", "proposal"], sort=False):
        effective, error = own["effective_draws"], own["error_nats"]
        rows.append(
            (
                *(n, proposal, len(own)),
                f"{effective.median():.0f} ({effective.min():.1f} to {effective.max():.0f})",
                *(_mean(error.abs()), _mean(error), number(own["standard_error"].median(), ".2f")),
            )
        )
    header = (
        *("n", "proposal", "structures", "effective draws: median (range)"),
        *("mean absolute error (nats)", "mean error (nats)", "standard error claimed, median"),
    )
    return table(header, rows)


def chib_markdown(results: Path) -> str:
    """The error of the evidence by size and point, without and with relabelling."""
    rows = []
    found = _read(results, "chib").groupby(["n", "point", "relabelled"], sort=False)
    for (n, point, relabelled), own in found:
        error = own["error_nats"]
        rows.append(
            (
                *(n, point, "all" if relabelled else "none", len(own)),
                *(_mean(error.abs()), _mean(error), number(error.median(), ".2f")),
                number(error.abs().max(), ".1f"),
                number(own["standard_error"].median(), ".2f"),
            )
        )
    header = (
        *(
            "n",
            "point",
            "relabellings",
            "structures",
            "mean absolute error (nats)",
            "mean error (nats)",
        ),
        *("median error", "largest", "standard error claimed, median"),
    )
    return table(header, rows)


def path_sampling_markdown(results: Path) -> str:
    """The error of the evidence by size, of path sampling and of AIS."""
    rows = []
    found = _read(results, "path_sampling")
    for n, own in found.groupby("n", sort=False):
        row = [n, own["structure"].nunique()]
        for method in ("path sampling", "ais"):
            of = own[own["method"] == method]
            beyond = of["error_nats"].abs() > 2 * of["standard_error"]
            row += [_mean(of["error_nats"].abs()), _mean(of["error_nats"])]
            row += [f"{beyond.mean():.0%}".replace("%", " %")]
        rows.append(row)
    header = ["n", "structures"]
    for method in ("path sampling", "AIS"):
        header += [f"{method}: mean absolute error (nats)", "mean error (nats)"]
        header += ["beyond two standard errors"]
    return table(header, rows)


def posterior_width_markdown(results: Path) -> str:
    """Ratios of standard deviations by size."""
    rows = []
    for n, own in _read(results, "posterior_width").groupby("n", sort=False):
        cells = []
        for column in ("width_q", "width_response"):
            ratio = own[column].dropna()
            low, high = np.quantile(ratio, [0.25, 0.75])
            cells += [f"{ratio.median():.2f} ({low:.2f} to {high:.2f})", _mean(ratio)]
        rows.append((n, own["width_q"].notna().sum(), int(own["compared"].sum()), *cells))
    header = (
        *("n", "structures", "parameters", "q: median (quartiles)", "q: mean"),
        *("linear response: median (quartiles)", "linear response: mean"),
    )
    return table(header, rows)


def bias_by_parameters_markdown(results: Path) -> str:
    """Slopes of the error by score and size, in nats per parameter."""
    found = _read(results, "bias_by_parameters")
    sizes = found["n"].unique()
    rows = []
    for method, own in found.groupby("method", sort=False):
        by_size = own.set_index("n")
        cells = [plus_minus(*by_size.loc[n, ["slope", "slope_error"]]) for n in sizes]
        rows.append((f"`{method}`", *cells))
    return table(("score", *(f"n = {n}" for n in sizes)), rows)


def annealing_and_rank_markdown(results: Path) -> str:
    """How the rank of the true structure jumps from size to size, by length; means over runs."""
    ranks = tables.read(results / "ranks.csv", "ranks")
    evidence = ranks[(ranks["draw"] == 0) & (ranks["method"] == "reference")]
    evidence = evidence.set_index("n")["rank"].sort_index()
    found = _read(results, "annealing_and_rank").pivot(
        index="n", columns=["steps", "run"], values="rank"
    )
    jumps = found.diff().abs().mean()
    apart = found.sub(evidence.loc[found.index], axis=0).abs().mean()
    rows = [
        (steps, len(own), _mean(own), _mean(apart[steps]))
        for steps, own in jumps.groupby(level="steps")
    ]
    own_jumps = evidence.loc[found.index].diff().abs().mean()
    rows.append(("evidence", "", number(own_jumps, ".2f"), ""))
    header = ("temperatures", "runs", "places that the rank moves from one size to the next")
    return table((*header, "places away from its rank by the evidence"), rows)


def states_of_a_cause_markdown(results: Path) -> str:
    """Share of the draws in which each score chooses the true number, and the mean choice."""
    found, rows = _read(results, "states_of_a_cause"), []
    sizes = found["n"].unique()
    for method, own in found.groupby("method", sort=False):
        cells = []
        for n in sizes:
            chosen = own.loc[own["n"] == n, "states_chosen"]
            right = (chosen == TRUE_STATES).mean()
            error = np.sqrt(right * (1 - right) / len(chosen))
            cells.append(f"{100 * right:.0f} ± {100 * error:.0f} %; {_mean(chosen.dropna())}")
        rows.append((f"`{method}`", *cells))
    return table(("score", *(f"n = {n}" for n in sizes)), rows)


def mean_field_starts_markdown(results: Path) -> str:
    """Share of the restarts that reach the best bound and how far they end below it, from either
    start, with the mean difference over the structures.
    """
    rows = []
    for n, own in _read(results, "mean_field_starts").groupby("n", sort=False):
        wide = own.pivot(index="structure", columns="start")
        row = [n, len(wide)]
        for what in ("share_best", "below_best"):
            parameters, field = wide[what]["parameters"], wide[what]["mean field"]
            row += [_mean(parameters), _mean(field), _mean(field - parameters)]
        rows.append(row)
    starts = ("from mean-field optima", "difference")
    header = ("n", "structures", "reach the best bound: from draws of parameters", *starts)
    return table((*header, "nats below it: from draws of parameters", *starts), rows)


def pruned_states_markdown(results: Path) -> str:
    """Share of the states without cases or with few, and the bound, by size and score."""
    scores = tables.read(results / "scores.csv", "scores")
    bounds = scores[scores["draw"] == 0].pivot(
        index=["n", "structure"], columns="method", values="score"
    )
    rows = []
    for n, own in _read(results, "pruned_states").groupby("n", sort=False):
        row = [n, own["structure"].nunique()]
        for method in ("vb", "vb_online"):
            of = own[own["method"] == method]
            row += [_mean(100 * of[what] / of["n_states"]) for what in ("pruned", "rare")]
        here = bounds.loc[n].loc[own["structure"].unique()]
        rows.append((*row, _mean(here["vb_online"] - here["vb"])))
    header = ["n", "structures"]
    for method in ("VB", "online VB"):
        header += [f"{method}: % of the states pruned", "% rare"]
    return table((*header, "online VB's bound less VB's (nats)"), rows)


def expectation_propagation_markdown(results: Path) -> str:
    """Error and order of expectation propagation where it converges, and of scores there."""
    found = _read(results, "expectation_propagation")
    key = ["n", "structure"]
    evidence = tables.read(results / "evidence.csv", "evidence")
    evidence = evidence[evidence["draw"] == 0].set_index(key)["log_evidence"]
    scores = tables.read(results / "errors.csv", "errors")
    scores = scores[scores["draw"] == 0].set_index(key)
    rows = []
    for n, own in found.groupby("n", sort=False):
        converged = own[own["converged"]].set_index(key)
        errors = {"expectation propagation": converged["error_nats"]} | {
            f"`{m}`": scores.loc[scores["method"] == m, "error_nats"].loc[converged.index]
            for m in ("cs_lr", "vb_mix", "vb")
        }
        for name, error in errors.items():
            truth = evidence.loc[converged.index]
            order = error.add(truth).corr(truth, method="spearman")
            # Bonett & Wright 2000, Psychometrika 65, 23-28
            order_error = (1 - order**2) * np.sqrt((1 + order**2 / 2) / (len(truth) - 3))
            cells = (_mean(error.abs()), _mean(error), plus_minus(order, order_error))
            sweeps = converged["iterations"].median() if name[0] != "`" else ""
            rows.append((n, name, f"{len(converged)} of {len(own)}", sweeps, *cells))
    header = ("n", "method", "converged", "sweeps, median", "mean absolute error (nats)")
    return table((*header, "mean error (nats)", "order"), rows)


EXPERIMENTS: Mapping[str, Callable[[Path], str]] = {
    "importance_sampling": importance_sampling_markdown,
    "chib": chib_markdown,
    "path_sampling": path_sampling_markdown,
    "posterior_width": posterior_width_markdown,
    "bias_by_parameters": bias_by_parameters_markdown,
    "expectation_propagation": expectation_propagation_markdown,
    "states_of_a_cause": states_of_a_cause_markdown,
    "annealing_and_rank": annealing_and_rank_markdown,
    "mean_field_starts": mean_field_starts_markdown,
    "pruned_states": pruned_states_markdown,
}
