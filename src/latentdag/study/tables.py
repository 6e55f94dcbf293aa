"""The tables of a study: columns, how their values are written, and reading them back.

Every table is a CSV with one header line. A number that does not apply is left empty. Log scores
are written to 10^-6 nats, the accuracy to which a fit is converged.
"""

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from latentdag.files import whole

NATS = "{:.6f}"
COLUMNS = {
    "structures": ("structure", "n_links", "n_parameters", "is_true"),
    "scores": (
        "draw", "n", "structure", "method", "score", "standard_error", "n_parameters",
        "iterations", "converged", "restarts", "restarts_at_best", "log_prior",
    ),
    "ranks": ("draw", "n", "method", "rank", "score_true", "best_structure", "score_best", "rank_low", "rank_high"),
    "annealing": ("draw", "n", "structure", "transition", "steps", "start", "chain", "log_weight"),
    "ais_chains": ("draw", "n", "structure", "chain", "log_weight"),
    "ais_acceptance": ("draw", "n", "structure", "part", "temperature", "acceptance"),
    "sandwich": ("draw", "n", "structure", "lower", "lower_error", "upper", "upper_error", "gap"),
    "errors": ("draw", "n", "structure", "method", "error_nats", "standard_error"),
    "posterior": ("draw", "n", "structure", "method", "probability"),
    "variables": ("variable", "name", "code", "value", "cases"),
    "parameters": ("structure", "estimate", "variable", "given", "value", "probability"),
    "timing": ("n", "method", "seconds", "paper_seconds"),
    "benchmark": ("step", "n", "microseconds", "plain_microseconds", "ratio"),
}  # fmt: skip
TEXT = (
    "structure",
    "best_structure",
    "name",
    "value",
    "given",
)  # columns that are text even where they look like numbers
FORMATS = {
    "temperature": "{:.6g}",
    "acceptance": "{:.4f}",
    "probability": "{:.6g}",
    "seconds": "{:.1f}",
    "microseconds": "{:.2f}",
    "plain_microseconds": "{:.1f}",
    "ratio": "{:.1f}",
}


def _text(column: str, value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        if value.is_integer() and column in (
            "iterations",
            "restarts",
            "restarts_at_best",
            "paper_seconds",
        ):
            return str(int(value))
        return FORMATS.get(column, NATS).format(value)
    return str(value)


def write(path: str | Path, table: str, rows: Iterable[Sequence]) -> None:
    """Write rows, values in the order of ``COLUMNS[table]``, `whole`."""
    columns = COLUMNS[table]
    with whole(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_text(c, v) for c, v in zip(columns, row, strict=True)] for row in rows)


def read(path: str | Path, table: str):
    """The table as a pandas DataFrame; ValueError when its columns are not those of ``table``."""
    import pandas as pd  # half a second to import: only where a table is read

    empty = {column: [""] for column in COLUMNS[table] if column not in TEXT}
    frame = pd.read_csv(
        path, dtype=dict.fromkeys(TEXT, str), keep_default_na=False, na_values=empty
    )
    if tuple(frame.columns) != COLUMNS[table]:
        raise ValueError(
            f"{path} is not a {table} table: its columns are {', '.join(frame.columns)}"
        )
    return frame
