"""Parameters of a structure at its best fit."""

from __future__ import annotations

import numpy as np

from latentdag.engine.checks import integer
from latentdag.inference import em
from latentdag.model.parameters import Parameters, Prior
from latentdag.model.structures import Structure
from latentdag.scores import JOBS, check_settings, checked, compute, settings_of
from latentdag.scores.base import Score, Task
from latentdag.scores.map import POLISH


def estimate(
    cases,
    structure: Structure | str,
    method: str = "map",
    *,
    alpha: float = Prior.alpha,
    alpha_hidden: float | None = None,
    seed: int = 0,
    **settings: int | None,
) -> tuple[Structure, Parameters]:
    """A pair, a structure and its `Parameters` at the best optimum of EM for ``cases`` (n, J), by
    ``map`` (softmax basis) or ``ml``. The structure is the canonical form of ``structure`` without
    childless hidden variables, whose states have no order of their own. ``settings`` are
    ``restarts``, ``hits`` and ``max_iterations``, as for `score_structures`, which says what cases
    may be. Raises ValueError for another method, and as `score` does.

    >>> from latentdag import Family, draw_study
    >>> structure = Structure.from_label("1-1-1-0", Family((2,), (2, 2, 2, 3)))
    >>> cases = draw_study(structure, Prior(), n=200, seed=1).cases
    >>> reduced, parameters = estimate(cases, structure)
    >>> [table.shape for table in parameters.observed]
    [(2, 2), (2, 2), (2, 2), (1, 3)]
    """
    return estimate_and_score(cases, structure, method, alpha, alpha_hidden, seed, **settings)[:2]


def estimate_and_score(
    cases, structure, method: str, alpha=Prior.alpha, alpha_hidden=None, seed=0, **settings
) -> tuple[Structure, Parameters, Score]:
    """A tuple: the structure, canonical and without childless hidden variables; its `Parameters` at
    the best optimum that EM finds by ``method``, ``map`` or ``ml``; and its `Score`, which tells
    how the restarts went. Arguments and errors are as in `estimate`.
    """
    if method not in ("map", "ml"):
        raise ValueError(f"unknown estimate {method!r}: it must be map or ml")
    check_settings(settings, method)
    codes, (structure,) = checked(cases, [structure])
    seed = integer("seed", seed, 0)
    task = Task([structure.canonical()], codes, Prior(alpha, alpha_hidden), seed)
    (score,), findings = compute(task, [method], settings)
    ((kernel, (structure,)),) = task.kernels
    algorithm = em.EM(kernel.prior_slots(task.prior) if method == "map" else None)
    start = findings[method][structure.label].log_weights[None]
    limit = settings_of(JOBS[method], settings)["max_iterations"]
    fits = em.fixed_point.maximise(kernel, algorithm, np.zeros(1, int), start, limit, POLISH)
    return structure.without_childless(), kernel.unpack(0, np.exp(fits.log_weights[0])), score


def sort_states(structure: Structure, parameters: Parameters) -> Parameters:
    """The ``parameters`` with the states of each hidden variable renumbered, the most probable
    first, in their own tables and in those of its children; ``structure`` has no childless hidden
    variables.
    """
    order = [np.argsort(-p, kind="stable") for p in parameters.hidden]
    observed = []
    for parents, rows in zip(structure.parents, parameters.observed, strict=True):
        states = [order[i] for i in parents]
        table = rows.reshape(*map(len, states), -1)
        observed.append(table[np.ix_(*states, range(rows.shape[1]))].reshape(rows.shape))
    hidden = tuple(p[o] for p, o in zip(parameters.hidden, order, strict=True))
    return Parameters(hidden, tuple(observed))
