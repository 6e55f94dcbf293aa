"""A small study made up of numbers: the table of scores with all its coordinates in play, and plain
loops over its rows to hold statistics against.

Two draws, sizes that are not in order, rows shuffled, several structures with equal scores and
unequal numbers of parameters, standard errors that differ by structure, and structures without a
score. No number in it means anything.
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import product
from math import nan

import numpy as np
import pandas as pd
import pytest

from latentdag.scores import METHODS as REGISTRY
from latentdag.scores import SPECS
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper.timing import timing
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.evidence import evidence, join_evidence

STRUCTURES = {"1-1-0": 9, "0-0-0": 7, "1-12-2": 14, "1-1-2": 11, "12-12-12": 19, "0-1-1": 9}
TRUE = "1-12-2"
# by structure the class it is taken to be in; three of them are together, two, and one alone
OF_CLASS = ("0-0-0", "0-0-0", "1-1-2", "1-1-2", "12-12-12", "0-0-0")
CLASSES = dict(zip(STRUCTURES, OF_CLASS, strict=True))
IN_ORDER = sorted(STRUCTURES, key=lambda s: (STRUCTURES[s], s))  # as the table of structures
SIZES = (480, 80, 10240, 1120, 10)
MISSING = {("bic", 80), ("cs", 480)}  # the true structure has no such score in draw 0
METHODS = ("reference", "ais", "bic", "cs", "bic_ml", "map", "ml", "vb", "exact")
EXACT_SIZES = (10,)


def scores(
    seed: int = 1,
    draws: Iterable[int] = (0, 1),
    sizes: Iterable[int] = SIZES,
    methods: Iterable[str] = METHODS,
    missing: Collection[tuple[str, int]] = MISSING,
) -> pd.DataFrame:
    """A table of scores, in steps of half a nat, so that some are equal."""
    rng = np.random.default_rng(seed)
    rows = []
    for draw, n, method, structure in product(draws, sizes, methods, STRUCTURES):
        if method == "exact" and n not in EXACT_SIZES:
            continue
        noisy = SPECS[method].monte_carlo
        widest = 0.3 if method == "reference" else 2
        fit = not noisy and method != "exact"
        lost = draw == 0 and structure == TRUE and (method, n) in missing
        width = {"reference": 1, "exact": 1, "ais": 2}.get(method, 4)
        score = -n + np.round(width * rng.normal()) / 2
        score += (structure == TRUE) * np.floor(np.log10(n)) / 2
        row = {"draw": draw, "n": n, "structure": structure, "method": method}
        row["score"] = nan if lost else score
        row["standard_error"] = rng.uniform(0.05, widest) if noisy else nan
        row["n_parameters"] = STRUCTURES[structure]
        row["iterations"] = float(rng.integers(5, 90)) if fit else nan
        row["converged"] = bool(rng.random() < 0.8) if fit else None
        row["restarts"] = float(rng.integers(8, 33))
        row["restarts_at_best"] = float(rng.integers(1, 9)) if fit else nan
        row["log_prior"] = -3.5 if method == "map" else nan
        rows.append(row | {"reason": "no maximum" if lost else ""})
    # the scores that are read off one fit tell the same of it
    table = pd.DataFrame(rows, columns=TABLES["scores"].columns)
    jobs = table["method"].map({m: spec.job.name for m, spec in SPECS.items()})
    of_fit = table.groupby([table["draw"], table["n"], table["structure"], jobs])
    for column in ("iterations", "converged", "restarts", "restarts_at_best"):
        table[column] = of_fit[column].transform("first")
    table["converged"] = table["converged"].astype("boolean")
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


def scores_with_gaps() -> pd.DataFrame:
    """Classes that lack a member, the true structure, or every member that has a score; a method
    without any score; and the true structure, and then its class, far below all others.
    """
    table = scores(missing={("bic", 80), ("cs", 480), ("reference", 10), ("ais", 1120)})
    changes = (
        *((0, 480, "vb", ("0-0-0",), np.nan), (1, 480, "vb", (TRUE, "1-1-2"), np.nan)),
        *((1, 10, "cs", tuple(CLASSES), np.nan), (0, 10240, "vb", (TRUE,), -900)),
        (0, 10240, "vb", ("1-1-2", "12-12-12"), -1000),
    )
    for draw, n, method, labels, change in changes:
        at = (table["draw"] == draw) & (table["n"] == n) & (table["method"] == method)
        table.loc[at & table["structure"].isin(labels), "score"] += change
    return table


def with_copies(table: pd.DataFrame, seed: int = 6) -> pd.DataFrame:
    """The table with rows of ``vb_lr``, which count the copies of VB's mode; not for all."""
    rng = np.random.default_rng(seed)
    counted = table[(table["method"] == "vb") & table["score"].notna()].iloc[::-1]
    counted = counted[rng.random(len(counted)) < 0.9]
    log_copies = np.log(rng.choice([1, 2, 4, 8], size=len(counted)))
    counted = counted.assign(method="vb_lr", score=counted["score"] + 1, log_copies=log_copies)
    return pd.concat([table, counted], ignore_index=True)


def annealing(seed: int = 2, draws: Iterable[int] = (0, 1), n: int = 480) -> pd.DataFrame:
    """Annealing runs of the true structure, rows shuffled."""
    rng = np.random.default_rng(seed)
    chains = [*(("prior", chain) for chain in range(3)), ("true", 0), ("true", 1)]
    rows = [
        (draw, n, TRUE, "metropolis", steps, *chain, -130 - 20000 / steps + 5 * rng.normal())
        for draw, steps, chain in product(draws, (512, 64, 8192, 1024, 4096), chains)
    ]
    table = pd.DataFrame(rows, columns=TABLES["annealing"].columns)
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


def sandwich(seed: int = 3, draws: Iterable[int] = (0, 1)) -> pd.DataFrame:
    """Bounds on both sides, some crossed and some far apart."""
    rng = np.random.default_rng(seed)
    rows = []
    for of in product(draws, (480, 80), STRUCTURES):
        lower, gap = -100 * rng.random(), 2 * rng.normal()
        errors = rng.uniform(0.01, 0.4, size=2)
        rows.append((*of, lower, errors[0], lower + gap, errors[1], gap))
    return pd.DataFrame(rows, columns=TABLES["sandwich"].columns).sample(frac=1, random_state=seed)


def study(scores: pd.DataFrame, /, **tables: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables of a study that follow from some scores, and others; ``tables`` in their place."""
    draws, structures, of_scores = scores["draw"].unique(), structures_table(), evidence(scores)
    read = join_evidence(scores, of_scores)
    made = {
        "structures": structures,
        "scores": scores,
        "evidence": of_scores,
        "errors": errors(read),
        "ranks": ranks(read, TRUE, 7, structures),
        "posterior": posterior(read),
        "classes": classes(read, structures),
        "annealing": annealing(draws=draws),
        "timing": timing({("map", 480): 2.5, ("vb", 480): 7.5, ("ais", 480): 90.0}),
        "sandwich": sandwich(draws=draws),
    }
    return made | tables


_PLAIN: dict[int, tuple[pd.DataFrame, list[dict]]] = {}  # with the table, so that its id stays


def rows(table: pd.DataFrame, **of) -> list[dict]:
    """The rows with these values, as plain mappings."""
    if id(table) not in _PLAIN:
        plain = table.astype(object).where(table.notna(), None).to_dict("records")
        _PLAIN[id(table)] = table, plain
    return [row for row in _PLAIN[id(table)][1] if all(row[k] == v for k, v in of.items())]


def ran(methods: Iterable[str] = METHODS) -> list[tuple[int, int, str]]:
    """The draws, sizes and methods of `scores`, in the order of tables."""
    every = product((0, 1), sorted(SIZES), registered(methods))
    return [(draw, n, m) for draw, n, m in every if m != "exact" or n in EXACT_SIZES]


def by_structure(table: pd.DataFrame, column: str = "score", **of) -> dict:
    """The values of a column by structure, `IN_ORDER`, in the rows with these values."""
    values = {row["structure"]: row[column] for row in rows(table, **of) if row[column] is not None}
    return {s: values[s] for s in IN_ORDER if s in values}


def of_draw(table: pd.DataFrame, draw: int) -> pd.DataFrame:
    return table[table["draw"] == draw]


def registered(methods: Iterable[str]) -> list[str]:
    """The methods in the order of the registry, each once."""
    return sorted(set(methods), key=REGISTRY.index)


def named(names: Iterable[str], rows: Mapping) -> dict:
    """The rows by their keys, with values by these names, as `assert_rows` has them."""
    names = tuple(names)
    return {key: dict(zip(names, row, strict=True)) for key, row in rows.items()}


def assert_rows(table: pd.DataFrame, expected: Mapping) -> None:
    """The table has these rows by its index, in this order, with these values by column; numbers
    up to rounding, nan where None is expected.
    """
    assert list(table.index) == list(expected)
    for (key, row), values in zip(table.iterrows(), expected.values(), strict=True):
        for name, value in values.items():
            value = nan if value is None else value
            if not isinstance(value, str):
                value = pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)
            assert row[name] == value, (key, name)


def assert_table(name: str, table: pd.DataFrame, by: list[str], expected: Mapping) -> None:
    """As `assert_rows` by these columns; all columns are those that the table must have."""
    assert list(table) == list(TABLES[name].columns)
    assert_rows(table.set_index(by, drop=False), expected)


def structures_table() -> pd.DataFrame:
    rows = [
        (s, s.count("1") + s.count("2"), d, s == TRUE, d - s.count("2"), CLASSES[s])
        for s, d in STRUCTURES.items()
    ]
    return pd.DataFrame(rows, columns=TABLES["structures"].columns)


def plain_rank(table: pd.DataFrame, draw: int, n: int, method: str) -> float | None:
    """The rank of the true structure: inf when it has no score, None where there are no rows."""
    scores = {r["structure"]: r["score"] for r in rows(table, draw=draw, n=n, method=method)}
    if not scores:
        return None
    if scores[TRUE] is None:
        return float("inf")
    return 1 + sum(1 for s in scores.values() if s is not None and s > scores[TRUE])
