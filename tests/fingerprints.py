"""Fingerprints of what studies write and figures draw: a line for each column of a table, or for
each kind of mark.

Numbers have their sum, each times the cosine of its place, and the sum of the absolute terms, so
that two exchanged rows and 1 % of one entry show; what the last digits of another processor change
does not. Words have a hash. Pages have no line: their wording is free, and their numbers are those
of tables.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

HEAD = ("file", "column", "rows", "missing", "infinite", "sum_or_hash", "absolute_sum")
TOLERANCE = 1e-9  # of the sum of absolute terms
MISSING = ("None", "nan", "<NA>", "NaT")
LEFT_OUT = re.compile("seconds|description|title")  # columns of times and of prose
# of the machine, the clock and the code
NO_RESULTS = {"logs", "benchmarks", "provenance.json", "src", "workflow"}
NO_RESULTS |= {".snakemake", ".cache", ".git"}


def fingerprint(columns: Iterable[tuple[str, str, Iterable]]) -> str:
    """Of columns, each with its file and name, as the lines of a table."""
    text = StringIO()
    write = csv.writer(text, lineterminator="\n")
    write.writerow(HEAD)
    write.writerows((file, name, *described(values)) for file, name, values in columns)
    return text.getvalue()


def of_study(folder: Path) -> Iterator[tuple[str, str, Iterable]]:
    """The columns of every table in the folders of ``folder``."""
    for path in sorted(folder.glob("*/**/*")):
        file = path.relative_to(folder)
        if not NO_RESULTS.intersection(file.parts):
            for name, values in columns_of(path).items():
                if not LEFT_OUT.search(name):
                    yield file.as_posix(), name, values


def columns_of(path: Path) -> dict[str, Iterable]:
    """The columns of a table, or the leaves of a JSON file by their keys."""
    match path.suffix:
        case ".csv":
            return dict(pd.read_csv(path, dtype=str, keep_default_na=False).items())
        case ".parquet":
            return dict(pd.read_parquet(path).items())
        case ".json":
            leaves: dict[str, list] = {}
            gather(json.loads(path.read_text(encoding="utf-8")), "", leaves)
            return leaves
    return {}


def gather(value, key: str, leaves: dict[str, list]) -> None:
    """Add the leaves of a JSON value to those that are there by key, whatever their place."""
    if isinstance(value, dict):
        for name, inner in value.items():
            gather(inner, f"{key}.{name}".strip("."), leaves)
    elif isinstance(value, list):
        for inner in value:
            gather(inner, key, leaves)
    else:
        leaves.setdefault(key, []).append(value)


def described(values: Iterable) -> tuple:
    """Rows, missing and infinite values; the sums of numbers, or the hash of words."""
    words = ["" if str(v) in MISSING and not isinstance(v, str) else str(v) for v in values]
    missing = sum(word in ("", "nan") for word in words)
    try:
        numbers = np.array([float(word or "nan") for word in words])
    except ValueError:
        numbers = np.empty(0)
    if missing == len(words) or not len(numbers):
        return len(words), missing, "", sha256("\n".join(words).encode()).hexdigest()[:12], ""
    terms = np.cos(np.arange(1, len(numbers) + 1)) * np.nan_to_num(numbers, posinf=1, neginf=-1)
    infinite = np.isinf(numbers).sum()
    return len(words), missing, infinite, f"{terms.sum():.13g}", f"{abs(terms).sum():.4g}"


def differences(before: str, after: str) -> str:
    """The files and their columns that differ, a line for each file; empty where none does."""
    both = [
        {(row["file"], row["column"]): row for row in csv.DictReader(StringIO(text))}
        for text in (before, after)
    ]
    differ: dict[str, list[str]] = {}
    for file, column in both[0] | both[1]:
        rows = [fingerprints.get((file, column)) for fingerprints in both]
        if None in rows or not agree(*rows):
            differ.setdefault(file, []).append(column)
    orders = [list(fingerprints) for fingerprints in both]
    if orders[0] != orders[1] and not differ:
        moved = next(a for a, b in zip(*orders, strict=True) if a != b)
        differ[moved[0]] = ["the order of the columns"]
    return "\n".join(f"{file}: {', '.join(names)}" for file, names in differ.items())


def agree(before: dict, after: dict) -> bool:
    """Whether two lines have the same hash, or sums within TOLERANCE."""
    if any(before[name] != after[name] for name in HEAD[2:5]):
        return False
    if "" in (before["absolute_sum"], after["absolute_sum"]):
        return before["sum_or_hash"] == after["sum_or_hash"]
    apart = abs(float(before["sum_or_hash"]) - float(after["sum_or_hash"]))
    return apart <= TOLERANCE * float(before["absolute_sum"])
