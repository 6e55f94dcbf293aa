"""Dirichlet prior, parameters of one structure, and simulation of cases from them."""

from dataclasses import dataclass
from math import prod

import numpy as np

from latentdag.engine.checks import number
from latentdag.engine.streams import generator
from latentdag.model.structures import Family, Structure

# joint values of the observed variables, where the probability of each is kept
MAX_CELLS = 10**6
MIN_ALPHA = 0.01  # below, few samples carry all weight, and no sampler knows its own error
MAX_ALPHA = 1e12  # above, rounding swallows the counts that are added to alpha


@dataclass(frozen=True)
class Prior:
    """Independent Dirichlet(alpha, ..., alpha) on every row of an observed variable,
    Dirichlet(alpha_hidden, ...) on p(s_h).

    ``alpha_hidden`` is ``alpha`` unless given. Raises ValueError unless both lie from MIN_ALPHA to
    MAX_ALPHA: the scores hold in this range.
    """

    alpha: float = 1.0
    alpha_hidden: float | None = None

    def __post_init__(self):
        if self.alpha_hidden is None:
            object.__setattr__(self, "alpha_hidden", self.alpha)
        for name in ("alpha", "alpha_hidden"):
            value = getattr(self, name)
            # numba would compile once more for an integer
            object.__setattr__(self, name, number(name, value))
            if not MIN_ALPHA <= getattr(self, name) <= MAX_ALPHA:
                raise ValueError(
                    f"{name} must lie from {MIN_ALPHA:g} to {MAX_ALPHA:g}, got {value}: below, "
                    "Monte Carlo errors cannot be trusted; above, counts are lost in rounding"
                )


@dataclass(frozen=True)
class Parameters:
    """p(s_h) for each hidden variable, shape (K_h,), and p(y_j given its parents), shape (parent
    configurations, K_j).

    Parent configurations run in C order over the parents' states, the last parent fastest.
    """

    hidden: tuple[np.ndarray, ...]
    observed: tuple[np.ndarray, ...]


def draw_log_gamma(alpha: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """ln of independent draws from Gamma(alpha, 1), (D,), for ``alpha`` (D,), by the generator
    ``rng``. As Gamma(alpha + 1, 1) U^(1 / alpha): finite also where the draws themselves underflow.
    """
    return np.log(rng.standard_gamma(alpha + 1)) - rng.standard_exponential(len(alpha)) / alpha


def draw_parameters(structure: Structure, prior: Prior, rng: np.random.Generator) -> Parameters:
    """The `Parameters` of ``structure``, drawn from ``prior`` by the generator ``rng``.

    >>> rng = np.random.default_rng(0)
    >>> drawn = draw_parameters(Structure.from_label("1-12-12-2"), Prior(), rng)
    >>> [table.shape for table in drawn.observed]
    [(2, 5), (4, 5), (4, 5), (2, 5)]
    """
    family = structure.family
    hidden = tuple(rng.dirichlet(np.full(k, prior.alpha_hidden)) for k in family.hidden)
    observed = tuple(
        rng.dirichlet(np.full(k, prior.alpha), size=prod(family.hidden[i] for i in parents))
        for k, parents in zip(family.observed, structure.parents, strict=True)
    )
    return Parameters(hidden, observed)


def parent_configuration(structure: Structure, variable: int, states: np.ndarray) -> np.ndarray:
    """Indices (...) of the rows of ``Parameters.observed[variable]`` of ``structure`` that hidden
    ``states``, shape (..., H), select.
    """
    parents, cardinalities = structure.parents[variable], structure.family.hidden
    row = np.zeros(states.shape[:-1], dtype=np.int64)
    for i in parents:
        row = row * cardinalities[i] + states[..., i]
    return row


def simulate(
    structure: Structure, parameters: Parameters, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """``n`` cases of ``structure`` with these ``parameters``, codes (n, J), and the hidden states
    that produced them, codes (n, H). Case i uses only the i-th uniforms of the generator ``rng``.

    The first m cases of a longer simulation from the same stream are those of a shorter one: the
    data sets are nested.

    >>> structure, rng = Structure.from_label("1-12-12-2"), np.random.default_rng(0)
    >>> cases, states = simulate(structure, draw_parameters(structure, Prior(), rng), 3, rng)
    >>> cases.shape, states.shape
    ((3, 4), (3, 2))
    """
    n_hidden, n_observed = len(structure.family.hidden), len(structure.family.observed)
    uniforms = rng.random((n, n_hidden + n_observed))
    states = np.empty((n, n_hidden), dtype=np.int64)
    for h, p in enumerate(parameters.hidden):
        states[:, h] = _inverse_cdf(np.broadcast_to(p, (n, len(p))), uniforms[:, h])
    cases = np.empty((n, n_observed), dtype=np.int64)
    for j, rows in enumerate(parameters.observed):
        cases[:, j] = _inverse_cdf(
            rows[parent_configuration(structure, j, states)], uniforms[:, n_hidden + j]
        )
    return cases, states


def _inverse_cdf(probabilities: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    # the last cumulative sum is left out: rounding may leave it below 1
    return (uniforms[:, None] >= np.cumsum(probabilities[:, :-1], axis=1)).sum(axis=1)


@dataclass(frozen=True)
class Draw:
    """True parameters from the prior, simulated cases, (n, J), and their hidden states, (n, H)."""

    parameters: Parameters
    cases: np.ndarray
    states: np.ndarray


def draw_study(structure: Structure, prior: Prior, n: int, seed: int, draw: int = 0) -> Draw:
    """Draw number ``draw`` of the study with this root ``seed``, a `Draw`: parameters of
    ``structure`` from ``prior``, and nested data sets of up to ``n`` cases.

    >>> draw = draw_study(Structure.from_label("1-12-12-2"), Prior(), n=480, seed=2003)
    >>> draw.cases.shape, draw.states.shape
    ((480, 4), (480, 2))
    """
    parameters = draw_parameters(structure, prior, generator(seed, "parameters", draw))
    return Draw(parameters, *simulate(structure, parameters, n, generator(seed, "cases", draw)))


def check_cells(family: Family) -> None:
    """Raise ValueError when the observed variables of ``family`` have more than MAX_CELLS joint
    values.
    """
    if family.n_cells > MAX_CELLS:
        each = ", ".join(f"y{j + 1} has {k}" for j, k in enumerate(family.observed))
        raise ValueError(
            f"the observed variables have {family.n_cells:.3g} joint values ({each}); at most "
            f"{MAX_CELLS:,} are supported, as the probability of each is kept"
        )


def cell_probabilities(structure: Structure, parameters: Parameters) -> np.ndarray:
    """p(y given theta) by cell, theta the ``parameters`` of ``structure``: an array of the shape
    ``structure.family.observed``. Raises ValueError for more than MAX_CELLS cells.
    """
    family = structure.family
    check_cells(family)
    cells = np.zeros(family.observed)
    for states in np.ndindex(*family.hidden):
        term = np.prod([p[s] for p, s in zip(parameters.hidden, states, strict=True)])
        for j, rows in enumerate(parameters.observed):
            term = np.multiply.outer(
                term, rows[parent_configuration(structure, j, np.array(states, dtype=np.int64))]
            )
        cells += term
    return cells
