"""Structural EM, with which the search is compared: what theory says of its steps."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import oracles
import pytest

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
