"""Structural EM, with which the search is compared: its expected counts and its bound by plain
loops, and what theory says of its steps.
"""

import runpy
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import oracles
import pytest
from scipy.special import gammaln

from latentdag import Family, Prior, Structure, simulate
from latentdag.data.counts import MISSING
from latentdag.scores.base import Task

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
em = SimpleNamespace(**runpy.run_path(str(BENCHMARKS / "structural_em.py")))
UNEQUAL = Family((2, 3), (2, 3, 2, 2))
LIMIT = 30_000


def some_cases(family: Family, n: int, seed: int, missing: float = 0.0) -> np.ndarray:
    """Cases of a structure with all links, some values missing."""
    rng = np.random.default_rng(seed)
    full = Structure((tuple(range(len(family.hidden))),) * len(family.observed), family)
    cases = simulate(full, oracles.random_parameters(full, rng), n, rng)[0]
    cases[rng.random(cases.shape) < missing] = MISSING
    return cases


def log_b_ratio(counts: np.ndarray, alpha: float) -> float:
    """ln B(alpha + counts) - ln B(alpha), row by row."""
    total = 0.0
    for row in counts.reshape(-1, counts.shape[-1]):
        total += gammaln(alpha + row).sum() - gammaln((alpha + row).sum())
        total -= len(row) * gammaln(alpha) - gammaln(len(row) * alpha)
    return total


def test_best_parents_of_complete_cases_by_brute_force():
    """Hidden states known: those of the planted structure, and the largest by plain sums."""
    true = Structure.from_label("1-12-0-2", UNEQUAL)
    rng = np.random.default_rng(6)
    cases, states = simulate(true, oracles.random_parameters(true, rng, 0.3), 600, rng)
    tables = [np.zeros((2, 3, k)) for k in UNEQUAL.observed]
    for case, state in zip(cases, states, strict=True):
        for table, value in zip(tables, case, strict=True):
            table[(*state, value)] += 1
    own = np.full((2, 3, 1), np.nan)  # of no use here
    found = em.best_parents(np.concatenate([*tables, own], axis=-1), UNEQUAL, 0.5)
    assert found == [(0,), (0, 1), (), (1,)]
    sets = [p for size in range(3) for p in combinations(range(2), size)]
    for table, parents in zip(tables, found, strict=True):
        values = {
            p: log_b_ratio(table.sum(axis=tuple(i for i in range(2) if i not in p)), 0.5)
            for p in sets
        }
        assert values[parents] == max(values.values())


@pytest.mark.parametrize(
    ("family", "prior", "missing"),
    [
        (UNEQUAL, Prior(), 0.0),
        (UNEQUAL, Prior(0.3, 2.0), 0.15),
        (Family((2, 2, 2), (2,) * 6), Prior(), 0.0),
    ],
)
def test_the_bound_never_falls(family, prior, missing):
    longer = 0
    for seed in range(4):
        task = Task(
            [Structure(((),) * len(family.observed), family)],
            some_cases(family, 250, seed, missing),
            prior,
        )
        for start in em.beginnings(family, 6, np.random.default_rng(seed)):
            structures, bounds = zip(*em.way(task, start, LIMIT), strict=True)
            assert structures[0] == start and len(set(structures)) == len(structures)
            assert np.diff(bounds).min(initial=0) >= -1e-6
            longer += len(structures) > 1
    assert longer > 5
