"""Structural EM, with which the search is compared: its expected counts and its bound by plain
loops, and what theory says of its steps.
"""

import runpy
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import oracles
import pytest
from scipy.special import gammaln

from latentdag import Counts, Family, Prior, Structure, simulate
from latentdag.data.counts import MISSING
from latentdag.inference.slots import Kernel
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


def plainly_completed(structure, slots, codes):
    """Expected counts of each variable's values in each joint state, those of the states, and the
    entropy of q(s), case by case, from weights (H, F).
    """
    family = structure.family
    first = np.cumsum((0, *family.observed, *family.hidden))
    states = list(product(*(range(k) for k in family.hidden)))
    counts = [np.zeros((*family.hidden, k)) for k in family.observed]
    of_states, entropy = np.zeros(family.hidden), 0.0
    for case in codes:
        q = np.array(
            [
                np.prod([slots[h, first[j] + v] for j, v in enumerate(case) if v != MISSING])
                * np.prod([slots[h, first[len(case) + i] + s] for i, s in enumerate(state)])
                for h, state in enumerate(states)
            ]
        )
        q /= q.sum()
        entropy -= (q * np.log(q)).sum()
        for state, p in zip(states, q, strict=True):
            of_states[state] += p
            for j, v in enumerate(case):
                if v != MISSING:
                    counts[j][(*state, v)] += p
    return counts, of_states, entropy


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_counts_and_bound_by_plain_loops(missing):
    """Completed counts; and at a fit, the scores of rows and the entropy are the bound F."""
    structure = Structure.from_label("1-12-2-12", UNEQUAL)
    codes = some_cases(UNEQUAL, 40, 1, missing)
    prior = Prior(0.7, 1.3)
    task = Task([structure], codes, prior)
    ((_, value),) = list(em.way(task, structure, LIMIT))[:1]
    kernel = Kernel([structure], Counts.of(codes))
    batch = kernel.batch(np.zeros(1, int))
    alpha = kernel.prior_slots(prior)
    weights = task.start(kernel, [structure])(0, 0)[None]
    for _ in range(3000):  # plain steps of variational Bayesian EM, by this module's own functions
        weights = em.log_weights_of(batch, em.completion(batch, weights), alpha)
    counts, of_states, entropy = plainly_completed(structure, np.exp(weights[0]), codes)
    found = em.completion(batch, weights)
    np.testing.assert_allclose(found[..., -1], of_states, atol=1e-9)
    np.testing.assert_allclose(found[..., :-1], np.concatenate(counts, axis=-1), atol=1e-9)
    bound = entropy + log_b_ratio(of_states.sum(axis=1), 1.3) + log_b_ratio(of_states.sum(0), 1.3)
    for own, parents in zip(counts, structure.parents, strict=True):
        others = tuple(i for i in range(2) if i not in parents)
        rows = own.sum(axis=others)
        assert em.score_of_rows(rows, 0.7) == pytest.approx(log_b_ratio(rows, 0.7), abs=1e-9)
        bound += log_b_ratio(rows, 0.7)
    assert value == pytest.approx(bound, abs=1e-5)


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
