"""The tables of `workflow/docs/what_the_sources_name.md`: what each experiment under
``tests/benchmarks`` found, from its table in ``results/experiments``.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from latentdag.report.markdown import number, plus_minus, table
from latentdag.study.schema import tables


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


EXPERIMENTS: Mapping[str, Callable[[Path], str]] = {
    "importance_sampling": importance_sampling_markdown,
    "chib": chib_markdown,
    "path_sampling": path_sampling_markdown,
    "posterior_width": posterior_width_markdown,
    "bias_by_parameters": bias_by_parameters_markdown,
}
