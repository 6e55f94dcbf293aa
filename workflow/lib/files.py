"""The files between jobs, cases and parameters, and the model that a rule's parameters describe."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from latentdag import Family, Parameters, Prior, Structure, Table, enumerate_structures, read_table
from latentdag.data.counts import MISSING, Counts
from latentdag.engine.files import atomic_write
from latentdag.ranking.names import structure_of
from latentdag.scores.base import Task


def family_of(model: dict) -> Family:
    """The family under ``family``: its ``hidden`` and ``observed`` cardinalities."""
    return Family(tuple(model["family"]["hidden"]), tuple(model["family"]["observed"]))


def prior_of(model: dict) -> Prior:
    """The prior of ``alpha`` and ``alpha_hidden``."""
    return Prior(model["alpha"], model["alpha_hidden"])


def task_of(model: dict, structures: Sequence[Structure], cases, *key, **how) -> Task:
    """The task of scoring structures for ``cases`` under the prior and with the seed of a model;
    ``key`` begins with the draw.
    """
    return Task(structures, cases, prior_of(model), model["seed"], key, **how)


def families_of(model: dict) -> list[Family]:
    """The families under ``family``, whose ``hidden`` may be several lists of cardinalities; of
    these, [1] is one class, which is no cause.
    """
    hidden, observed = model["family"]["hidden"], tuple(model["family"]["observed"])
    several = hidden if isinstance(hidden[0], list) else [hidden]
    return [Family(() if states == [1] else tuple(states), observed) for states in several]


def read_rows(path: str | Path, **how) -> list[dict[str, str]]:
    """The rows of a CSV file, cells as text; ``how`` goes to `csv.DictReader`."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, **how))


def read_structures(path: str | Path | None, model: dict) -> dict[str, Structure]:
    """The structures of a study by their names: with one's own data those of a table, in its order;
    without a table those of the family.
    """
    if path is None:
        return {s.label: s for s in enumerate_structures(family_of(model))}
    observed, rows = tuple(model["family"]["observed"]), read_rows(path)
    return {r["structure"]: structure_of(r["structure"], r["hidden"], observed) for r in rows}


def value_at(config: Mapping, key: str):
    """The value of a configuration under a key with dots."""
    for name in key.split("."):
        config = config[name]
    return config


def alphas(config: dict) -> list[float]:
    """The strengths of the prior, ascending: several for own data whose ``alpha`` is a list."""
    given = config["alpha"]
    return sorted(given) if isinstance(given, list) else [given]


def main_alpha(config: dict) -> float:
    """The one that all tables but ``alpha`` are of: the middle one, of two the smaller."""
    several = alphas(config)
    return several[(len(several) - 1) // 2]


def own_table(data: Mapping) -> Table:
    """The table that the keys of ``data`` describe, without the column ``beside``. Raises
    ValueError saying what is wrong, with that column too, or with a column that nobody named and
    that is hardly a variable.
    """
    beside, columns = data["beside"], data["columns"]
    if beside is not None:
        columns = columns or [name for name in _read(data, None).names if name != beside]
        if beside in columns:
            raise ValueError(
                f"beside: {beside!r} is one of the columns, which are the variables of the model; "
                "it must be another"
            )
        _read(data, [*columns, beside])
    table = _read(data, columns)
    if data["columns"] is None:
        _refuse_doubtful(table if beside is None else _read(data, None), beside)
    return table


def _refuse_doubtful(table: Table, beside: str | None) -> None:
    """Raise ValueError where a column that nobody named is hardly an observed variable."""
    for name, kind in table.doubtful.items():
        if name == beside:
            continue
        why = f"looks like counts of the lines: write count: {name}"
        if kind == "identifier":
            others = ", ".join(n for n in table.names if n not in {*table.doubtful, beside})
            why = (
                "has a different value on nearly every line, as an identifier does: write columns: "
                f"[{others}]"
            )
        raise ValueError(f"column {name!r} {why}; or list it in columns, to keep it as a variable")


def table_with_beside(data: Mapping) -> Table:
    """The table of `own_table` with the column ``beside`` as its last."""
    return _read(data, [*own_table(data).names, data["beside"]])


def _read(data: Mapping, columns: list[str] | None) -> Table:
    names = ("count", "levels", "missing")
    return read_table(data["file"], columns=columns, **{name: data[name] for name in names})


def read_own_table(variables: str | Path, counts: Counts) -> Table:
    """One's own data, from the table of variables and the ``counts`` of the cases."""
    names: dict[str, list[str]] = {}
    for row in read_rows(variables):
        names.setdefault(row["name"], []).append(row["value"])
    return Table(tuple(names), tuple(map(tuple, names.values())), counts)


def read_json(path: str | Path) -> dict:
    """What a JSON file holds."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, which appears whole or not at all."""
    with atomic_write(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_codes(path: str, name: str, codes: np.ndarray | Counts) -> None:
    """Write rows of integers (n, J) as a CSV with the columns NAME1 to NAMEJ; of `Counts` also the
    column ``count``. A cell is empty where a value is missing.
    """
    is_counted = isinstance(codes, Counts)
    rows = np.column_stack([codes.patterns, codes.numbers]) if is_counted else codes
    header = [f"{name}{j + 1}" for j in range(rows.shape[1])]
    if is_counted:
        header[-1] = "count"
    lines = [["" if value == MISSING else str(value) for value in row] for row in rows.tolist()]
    write_text(path, "\n".join(map(",".join, [header, *lines])) + "\n")


def read_cases(path: str, n: int | None = None) -> np.ndarray | Counts:
    """The first ``n`` rows that `write_codes` wrote, or all, (n, J); or `Counts`."""
    with Path(path).open(encoding="utf-8") as file:
        is_counted = file.readline().rstrip().endswith(",count")
    if not is_counted:
        return np.loadtxt(path, delimiter=",", skiprows=1, max_rows=n, dtype=int, ndmin=2)
    rows = np.genfromtxt(
        path, delimiter=",", skip_header=1, dtype=np.int64, filling_values=MISSING, ndmin=2
    )
    return Counts.of(rows[:, :-1], rows[:, -1])


def write_parameters(path: str, parameters: Parameters) -> None:
    """Write the parameters of one structure as JSON."""
    text = {kind: [p.tolist() for p in own] for kind, own in vars(parameters).items()}
    write_text(path, json.dumps(text, indent=1) + "\n")


def read_parameters(path: str) -> Parameters:
    """What `write_parameters` wrote."""
    return Parameters(**{kind: tuple(map(np.array, own)) for kind, own in read_json(path).items()})
