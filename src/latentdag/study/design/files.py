"""The files that jobs hand on: cases, states, parameters, structures, texts."""

import csv
import json
from pathlib import Path

import numpy as np

from latentdag import Parameters, Structure, Table, enumerate_structures
from latentdag.data.counts import MISSING, Counts
from latentdag.engine.files import atomic_write
from latentdag.ranking.names import structure_of
from latentdag.study.design.model import family_of


def read_rows(path: str | Path, **how) -> list[dict[str, str]]:
    """A list of the rows of the CSV file ``path``, dicts by column with cells as text; ``how`` goes
    to `csv.DictReader`.
    """
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, **how))


def read_structures(path: str | Path | None, model: dict) -> dict[str, Structure]:
    """A dict of the structures of a study by their names: those of the table `structures` at
    ``path``, in its order, with a user's data; or, where ``path`` is None, all of the family that
    the settings ``model`` describe.
    """
    if path is None:
        return {s.label: s for s in enumerate_structures(family_of(model))}
    observed, rows = tuple(model["family"]["observed"]), read_rows(path)
    return {r["structure"]: structure_of(r["structure"], r["hidden"], observed) for r in rows}


def read_user_table(variables: str | Path, counts: Counts) -> Table:
    """The `Table` of a user's data: the ``counts`` of the cases, with the names and the values of
    the observed variables from ``variables``, the file of the table of this name.
    """
    names: dict[str, list[str]] = {}
    for row in read_rows(variables):
        names.setdefault(row["name"], []).append(row["value"])
    return Table(tuple(names), tuple(map(tuple, names.values())), counts)


def read_json(path: str | Path) -> dict:
    """The dict that the JSON file ``path`` holds. Raises ValueError where it is not JSON."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write_text(path: str | Path, text: str) -> None:
    """Write ``text`` to the file ``path`` in UTF-8: it appears whole or not at all, in place of
    what was there. Raises OSError as `atomic_write` does.
    """
    with atomic_write(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_codes(path: str, name: str, codes: np.ndarray | Counts) -> None:
    """Write codes (n, J), integers from 0, as a CSV, a line for each case, with the columns
    ``name``1 to ``name``J; of `Counts` a line for each pattern, with the column ``count`` last. A
    cell is empty where a value is MISSING. Raises OSError as `write_text` does.
    """
    is_counted = isinstance(codes, Counts)
    rows = np.column_stack([codes.patterns, codes.numbers]) if is_counted else codes
    header = [f"{name}{j + 1}" for j in range(rows.shape[1])]
    if is_counted:
        header[-1] = "count"
    lines = [["" if value == MISSING else str(value) for value in row] for row in rows.tolist()]
    write_text(path, "\n".join(map(",".join, [header, *lines])) + "\n")


def read_cases(path: str, n: int | None = None) -> np.ndarray | Counts:
    """The cases in a file that `write_codes` wrote: codes (n, J) of the first ``n`` of them, or of
    all, none of them MISSING; from a file with the column ``count`` the `Counts` of all cases,
    whatever ``n``.
    """
    with Path(path).open(encoding="utf-8") as file:
        is_counted = file.readline().rstrip().endswith(",count")
    if not is_counted:
        return np.loadtxt(path, delimiter=",", skiprows=1, max_rows=n, dtype=int, ndmin=2)
    rows = np.genfromtxt(
        path, delimiter=",", skip_header=1, dtype=np.int64, filling_values=MISSING, ndmin=2
    )
    return Counts.of(rows[:, :-1], rows[:, -1])


def write_parameters(path: str, parameters: Parameters) -> None:
    """Write the ``parameters`` of one structure as JSON to ``path``; OSError as `write_text`."""
    text = {kind: [p.tolist() for p in arrays] for kind, arrays in vars(parameters).items()}
    write_text(path, json.dumps(text, indent=1) + "\n")


def read_parameters(path: str) -> Parameters:
    """The `Parameters` of one structure, from the file ``path`` that `write_parameters` wrote."""
    return Parameters(
        **{kind: tuple(map(np.array, lists)) for kind, lists in read_json(path).items()}
    )
