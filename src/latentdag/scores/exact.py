"""The evidence by summing over every completion of the cases, for small n."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import log2, prod

import numpy as np

from latentdag.data.counts import MISSING, check_codes
from latentdag.engine.special import log_gamma_ratio
from latentdag.model.parameters import Prior
from latentdag.model.structures import Structure
from latentdag.scores.base import Estimates, Job, Score, Settings, Side, Spec, Task

MAX_ENTRIES = 2**24  # assignments of hidden states in one table: 128 MiB of doubles


def log_evidence(cases, structures: Sequence[Structure], prior: Prior = Prior()) -> np.ndarray:
    """ln p(y given m) of the ordered cases for each of ``structures``, (S,), in nats, to rounding.

    Given the hidden states of all cases the evidence is a product of Dirichlet-multinomial terms,
    and that of y_j depends on its parents' states alone. So one table per (variable, parent set),
    with an axis for the joint states of all cases of each parent, serves every structure, whose
    evidence is a contraction of such tables. By symmetry the first case may keep state 0 of every
    hidden variable.

    ``cases`` are codes (n, J); a missing value of y_j adds no factor. Raises ValueError when a
    table would need more than MAX_ENTRIES entries: for two binary hidden variables up to 13 cases
    are possible.
    """
    y = check_codes(cases, structures[0].family)
    y = y[np.lexsort(y.T)]  # whatever the order of the cases, the same sum to the bit
    check_size(len(y), structures)
    tables: dict[tuple, tuple[np.ndarray, float]] = {}
    return np.array([_contract(s.without_childless(), y, prior, tables) for s in structures])


def check_size(n: int, structures: Sequence[Structure]) -> None:
    """Raise ValueError where, for one of ``structures``, ``n`` cases have too many completions to
    enumerate.
    """
    for s in structures:
        states = max(prod(s.family.hidden[i] for i in parents) for parents in s.parents)
        if (n - 1) * log2(states) > log2(MAX_ENTRIES):
            raise ValueError(
                f"exact: {n} cases are too many for structure {s}: it would enumerate "
                f"{states}^{n - 1} assignments of hidden states, and at most {MAX_ENTRIES} are "
                "supported"
            )


def _contract(structure: Structure, y: np.ndarray, prior: Prior, tables: dict) -> float:
    """Product of all variables' tables, summed over all axes; ``tables`` caches them, scaled."""
    hidden = structure.family.hidden
    log_total = 0.0
    factors: dict[tuple[int, ...], np.ndarray] = {}  # by the hidden variables that are the axes
    for i, k in enumerate(hidden):
        counts = [_members(k, len(y), state).sum(axis=1) for state in range(k)]
        factors[i,] = np.exp(_dirichlet_multinomial(counts, prior.alpha_hidden, k))
        log_total += np.log(k)  # the first case's other states
    for j, parents in enumerate(structure.parents):
        cardinalities = tuple(hidden[i] for i in parents)
        if (j, cardinalities) not in tables:
            n_values = structure.family.observed[j]
            log_table = _observed_log_table(y[:, j], n_values, cardinalities, prior.alpha)
            tables[j, cardinalities] = np.exp(log_table - log_table.max()), log_table.max()
        table, log_scale = tables[j, cardinalities]
        factors[parents] = factors[parents] * table if parents in factors else table
        log_total += log_scale
    operands = (part for axes, table in factors.items() for part in (table, list(axes)))
    return float(np.log(np.einsum(*operands, [], optimize=True)) + log_total)


def _members(cardinality: int, n: int, state: int) -> np.ndarray:
    """Which cases are in ``state``, by assignment with the first case in 0: (K^(n-1), n)."""
    states = np.indices((1, *(cardinality,) * (n - 1)), dtype=np.uint8)
    return state == states.reshape(n, -1).T


def _observed_log_table(
    values: np.ndarray, n_values: int, parent_cardinalities: tuple[int, ...], alpha: float
) -> np.ndarray:
    """ln p(y_j given all states of its parents), one axis per parent."""
    n = len(values)
    log_table = np.zeros([k ** (n - 1) for k in parent_cardinalities])
    for configuration in np.ndindex(*parent_cardinalities):
        counts = np.zeros((n_values, *log_table.shape), dtype=np.min_scalar_type(n))
        pairs = zip(parent_cardinalities, configuration, strict=True)
        members = [_members(k, n, state) for k, state in pairs]
        for case in np.flatnonzero(values != MISSING):
            in_each = (member[:, case] for member in members)
            counts[values[case]] += reduce(np.multiply.outer, in_each, np.True_)
        log_table += _dirichlet_multinomial(counts, alpha, n_values)
    return log_table


def _dirichlet_multinomial(counts: Sequence[np.ndarray], alpha: float, cardinality: int):
    """ln p of an ordered sample, elementwise in ``counts``, one array per value."""
    total = sum(counts)
    sizes = np.arange(int(np.max(total)) + 1)
    per_value = log_gamma_ratio(alpha, sizes)
    per_row = log_gamma_ratio(cardinality * alpha, sizes)
    return sum(per_value[c] for c in counts) - per_row[total]


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, float]:
    """The ln evidence, in nats, of each structure of ``task``, by label; nothing else is read."""
    values = log_evidence(task.one_by_one(), task.structures, task.prior).tolist()
    return {s.label: value for s, value in zip(task.structures, values, strict=True)}


def read(task: Task, evidence_by_label: Mapping[str, float]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: its exact ln evidence, in nats, from what
    `run` gives by label.
    """
    for s in task.structures:
        yield Score(s, evidence_by_label[s.label])


JOB = Job(
    name="exact",
    run=run,
    meaning="exact evidence",
    sizes_key="exact_sizes",
    refuse=lambda task: check_size(task.n, task.structures),
)

EXACT = Spec(
    name="exact",
    label="exact",
    title="Exact evidence",
    definition="the sum over all completions of the cases, for small n",
    source="thesis eq. 2.2, with Dirichlet-multinomial terms",
    job=JOB,
    read=read,
    side=Side.EVIDENCE,
    place=80,
)
