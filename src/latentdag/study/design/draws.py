"""The design of a study: which draws it has, the true structure of each, the prior that its
parameters come from, and the prior that its scores assume.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from latentdag import Family, Structure, enumerate_structures
from latentdag.engine.streams import generator
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA
from latentdag.study.design.files import read_json

UNIFORM = "uniform"  # as true structure: each draw has its own, all being equally probable
DISTANCE_ROUNDING = 1e-9  # squared log ratios that differ by less are equal


class DesignRow(NamedTuple):
    """One draw of parameters and data, a row of the design."""

    draw: int
    true_structure: str
    alpha: float  # of the prior that the scores assume
    alpha_hidden: float
    # of the prior that the parameters come from; None: that of the scores
    true_alpha: float | None = None
    true_alpha_hidden: float | None = None

    @property
    def prior(self) -> dict[str, float]:
        """A dict of the prior that the scores assume: `alpha` and `alpha_hidden`."""
        return {"alpha": self.alpha, "alpha_hidden": self.alpha_hidden}

    @property
    def true_prior(self) -> dict[str, float]:
        """A dict of the prior that the parameters come from: `alpha` and `alpha_hidden`, each that
        of `prior` where the row has no other.
        """
        differ = {"alpha": self.true_alpha, "alpha_hidden": self.true_alpha_hidden}
        return self.prior | {key: value for key, value in differ.items() if value is not None}


COLUMNS = DesignRow._fields


def design(config: Mapping, family: Family) -> list[DesignRow]:
    """A list of a `DesignRow` for each draw of a simulated study with the complete configuration
    ``config``, ascending.

    Its `design` is the path of a CSV, a row for each draw, which takes from ``config`` what it
    lacks; or the arguments of `nearest_draws`, whose first draw is taken; or None: `draws` is a
    number of draws or lists them, and all share one prior and true structure. The true structure
    UNIFORM is drawn for each draw from the ``family``. Raises ValueError saying what is wrong with
    a file.
    """
    if isinstance(config["design"], str):
        rows = _read(config, family)
    else:
        draws = config["draws"] if config["design"] is None else [_nearest(config)]
        numbers = sorted(draws) if isinstance(draws, list) else range(draws)
        rows = [DesignRow(draw, *(config[key] for key in COLUMNS[1:])) for draw in numbers]
    for place, row in enumerate(rows):
        if row.true_structure == UNIFORM:
            labels, rng = _labels(family), generator(config["seed"], "true structure", row.draw)
            rows[place] = row._replace(true_structure=labels[rng.integers(len(labels))])
    return rows


def nearest_draws(population: str | Path, nearest: Mapping[str, int]) -> tuple[list[int], int]:
    """A list of the draws of a population that are nearest to ``nearest``, numbers of cases by
    score, ascending, and the number of its draws.

    The distance of a draw is the sum over the scores of the squared log ratio of n_found, the size
    from which on the score ranks the true structure first, to its number in ``nearest``.
    ``population`` is the folder of its tables. Raises ValueError where its table `found` cannot be
    read, or no draw has a size for each score.
    """
    import pandas as pd  # half a second: only where a draw is looked for

    path, kinds = Path(population) / "found.csv", {"draw": int, "n_found": float}
    try:
        rows = pd.read_csv(path, usecols=[*kinds, "by", "method"], dtype=kinds)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is no table of sizes found: {error}") from error
    rows = rows[rows["by"] == "structure"]
    sizes = rows.pivot(index="draw", columns="method", values="n_found")
    ratios = sizes.reindex(columns=list(nearest)) / pd.Series(nearest)
    distances = (np.log(ratios) ** 2).sum(axis="columns", skipna=False).dropna()
    if distances.empty:
        raise ValueError(f"{path}: in no draw {' and '.join(nearest)} find the truth")
    nearest_of_all = distances.index[distances < distances.min() + DISTANCE_ROUNDING]
    return sorted(nearest_of_all.tolist()), len(sizes)


def _nearest(config: Mapping) -> int:
    """The first of the nearest draws of a population with the configuration's draws."""
    folder = Path(config["design"]["population"])
    draws, _ = nearest_draws(**config["design"])
    try:
        record = read_json(folder / "provenance.json")["config"]
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"{folder} has no record of its settings: {error}") from error
    for key in ("seed", "family", *COLUMNS[1:]):
        if record.get(key) != config[key]:
            raise ValueError(f"{folder} has {key} {record.get(key)}, here it is {config[key]}")
    return draws[0]


@cache
def _labels(family: Family) -> list[str]:
    return [s.label for s in enumerate_structures(family)]


def _read(config: Mapping, family: Family) -> list[DesignRow]:
    """The rows of the file; the configuration has the columns that it lacks."""
    path = Path(config["design"])
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows, names = list(reader), reader.fieldnames or []
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    if unknown := [name for name in names if name not in COLUMNS]:
        raise ValueError(f"{path}: unknown column {unknown[0]}; known are {', '.join(COLUMNS)}")
    if "draw" not in names or not rows:
        raise ValueError(f"{path}: it must have the column draw and at least one row")
    rows_by_draw: dict[int, DesignRow] = {}
    for line, row in enumerate(rows, start=2):
        location = f"{path}, line {line}"
        draw = _number(location, "draw", row["draw"], int)
        if draw < 0 or draw in rows_by_draw:
            raise ValueError(
                f"{location}: draw {draw} is {'negative' if draw < 0 else 'there twice'}"
            )
        values = {key: row.get(key) or config[key] for key in COLUMNS[1:]}
        for key in [key for key in COLUMNS[2:] if values[key] is not None]:
            values[key] = _number(location, key, values[key], float)
            if not MIN_ALPHA <= values[key] <= MAX_ALPHA:
                raise ValueError(f"{location}: {key} must be from {MIN_ALPHA:g} to {MAX_ALPHA:g}")
        try:
            check_true_structure(values["true_structure"], family)
        except ValueError as error:
            raise ValueError(f"{location}: true_structure: {error}") from None
        rows_by_draw[draw] = DesignRow(draw, **values)
    return [rows_by_draw[draw] for draw in sorted(rows_by_draw)]


def _number(location: str, name: str, cell, kind):
    try:
        return kind(cell)
    except (TypeError, ValueError):
        expected = "a whole number" if kind is int else "a number"
        raise ValueError(f"{location}: {name}: {cell!r} is not {expected}") from None


def design_rows(draws: Sequence[DesignRow]) -> list[dict]:
    """A list of rows, dicts, of the table `design`, one for each of ``draws``: its number, true
    structure, and the prior that the scores assume; also the prior that the parameters come from
    (`true_alpha`, `true_alpha_hidden`), in all rows, where in some draw it is another.
    """
    rows = [
        {"draw": draw.draw, "true_structure": draw.true_structure} | draw.prior for draw in draws
    ]
    if all(draw.true_prior == draw.prior for draw in draws):
        return rows
    return [
        row | {f"true_{key}": value for key, value in draw.true_prior.items()}
        for row, draw in zip(rows, draws, strict=True)
    ]


def check_true_structure(label: str, family: Family) -> None:
    """Raise ValueError unless ``label`` is UNIFORM, or the label of a structure of the ``family``
    in its canonical form, which tables use.
    """
    if label == UNIFORM:
        return
    true = Structure.from_label(label, family)
    if true.canonical() != true:
        raise ValueError(f"{true} is not canonical; write {true.canonical()}")
