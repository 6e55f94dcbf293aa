"""A posterior with two equal modes, and what approximations make of it.

The smallest model whose parameters data can tell: one binary cause s of three binary variables,
`1-1-1`, with some simulated cases. Renaming the cause's states exchanges phi_1 = p(y1 = 1 given s =
1) and phi_2 = p(y1 = 1 given s = 2), so that their joint posterior density is its own mirror image
at phi_1 = phi_2. Here it is exact, by summing over all completions of the cases; beside it stand
VB's q(theta), and equal mixtures of q, and of Laplace's normal density of the logits, with their
mirror images. Every density is that of squares of a grid, probability over area, exact to rounding
but for the normal density.
"""

from collections.abc import Mapping
from itertools import product
from math import comb

import numpy as np
import scipy

from latentdag.data.counts import cell_counts
from latentdag.engine.streams import generator
from latentdag.inference import em
from latentdag.model.parameters import Parameters, Prior, simulate
from latentdag.model.structures import Family, Structure
from latentdag.scores import compute
from latentdag.scores.base import Task

STRUCTURE = Structure.from_label("1-1-1", Family((2,), (2, 2, 2)))
# so few cases that a reader sees the width of the modes, and so many that there are two
N = 40
# p(s = 1) = 0.6, and for each y_j: p(y_j = 1) = 0.9 given s = 1, 0.2 given s = 2
TRUE = Parameters((np.array([0.6, 0.4]),), 3 * (np.array([[0.1, 0.9], [0.8, 0.2]]),))
SQUARES = 50  # along each side of the grid
NODES = 32  # of the quadrature across a column of squares
FIRST, SECOND = 0, 1  # rows of the table of y1: given s = 1, given s = 2


def simulated(seed: int) -> np.ndarray:
    """The cases, codes (N, 3), simulated from STRUCTURE with the parameters TRUE, from a stream of
    the integer ``seed``.
    """
    return simulate(STRUCTURE, TRUE, N, generator(seed, "equal modes"))[0]


def densities(
    cases: np.ndarray, prior: Prior, seed: int = 0, squares: int = SQUARES
) -> dict[str, np.ndarray]:
    """A dict of the joint densities of phi_1 and phi_2, p(y1 = 1) given s = 1 and given s = 2, for
    ``cases``, codes (N, 3), by name, each (squares, squares) on a grid over the unit square, phi_1
    along the first axis: `posterior` is exact, `q` is VB's, phi_1 with the larger mean, `mixture`
    that with its mirror image, `normal` Laplace's with both modes. ``seed`` is that of the
    restarts.
    """
    edges = np.linspace(0, 1, squares + 1)
    task = Task([STRUCTURE], cases, prior, seed)
    fits = compute(task, ["map", "vb"])[1]
    q = _variational(task, fits["vb"][STRUCTURE.label].log_weights, edges)
    logits = normal_of_logits(task, fits["map"][STRUCTURE.label].log_weights)
    normal = normal_squares(*logits, edges)
    squares_by_name = {
        "posterior": posterior_squares(cases, prior, edges),
        "q": q,
        "normal": (normal + normal.T) / 2,
        "mixture": (q + q.T) / 2,
    }
    return {name: probabilities * squares**2 for name, probabilities in squares_by_name.items()}


def log_completions(cases: np.ndarray, prior: Prior) -> np.ndarray:
    """ln of the sum of p(s, y) over the completions with n cases in s = 1, of which k have y1 = 1,
    at place (n, k): shape (N + 1, K + 1), K the number of cases with y1 = 1; -inf for none. Those
    with equal n by cell are equally probable. ``cases`` are codes (N, 3), parameters have the
    ``prior``.
    """
    counts = cell_counts(cases, STRUCTURE.family)
    n, totals = counts.n, counts.patterns.T @ counts.numbers
    in_1 = np.indices(counts.numbers + 1, dtype=np.int8).reshape(len(counts.numbers), -1)
    n_1, k_1 = in_1.sum(axis=0), counts.patterns.T @ in_1  # in all, and of them with y_j = 1
    log_p = _log_beta_ratio(prior.alpha_hidden, n_1, n - n_1)
    for number, m in zip(counts.numbers.tolist(), in_1, strict=True):
        log_p += np.log([comb(number, i) for i in range(number + 1)])[m]
    for total, k in zip(totals, k_1, strict=True):
        log_p += _log_beta_ratio(prior.alpha, k, n_1 - k)
        log_p += _log_beta_ratio(prior.alpha, total - k, n - n_1 - (total - k))
    totals_by_count = np.full((n + 1, totals[0] + 1), -np.inf)
    np.logaddexp.at(totals_by_count, (n_1, k_1[0]), log_p)
    return totals_by_count


def _log_beta_ratio(alpha: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """ln p of one order of a successes and b failures under a Beta(alpha, alpha) prior."""
    return scipy.special.betaln(alpha + a, alpha + b) - scipy.special.betaln(alpha, alpha)


def posterior_squares(cases: np.ndarray, prior: Prior, edges: np.ndarray) -> np.ndarray:
    """The exact posterior probability of each square between the ``edges`` (squares + 1,) of the
    grid, shape (squares, squares), phi_1 along the first axis, for ``cases``, codes (N, 3): given a
    completion phi_1 and phi_2 have independent Beta distributions.
    """
    log_p = log_completions(cases, prior)
    n_1, k = np.nonzero(np.isfinite(log_p))
    weights = scipy.special.softmax(log_p[n_1, k])
    n, total = len(log_p) - 1, log_p.shape[1] - 1
    first = _beta(prior.alpha + k, prior.alpha + n_1 - k, edges)
    failures = n - n_1 - (total - k)
    second = _beta(prior.alpha + total - k, prior.alpha + failures, edges)
    return (weights[:, None] * first).T @ second


def _beta(a: np.ndarray, b: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Probability of each interval between the edges under Beta(a, b): (...,) to (..., squares)."""
    a, b = np.asarray(a, dtype=float)[..., None], np.asarray(b, dtype=float)[..., None]
    return np.diff(scipy.special.betainc(a, b, edges), axis=-1)


def _variational(task: Task, log_weights: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """p of each square under q(theta): two Beta distributions, that with the larger mean first."""
    ((kernel, _),) = task.kernels
    batch, alpha = kernel.batch(np.zeros(1, dtype=int)), kernel.prior_slots(task.prior)
    u = kernel.unpack(0, em.vbem.bound(batch, log_weights[None], alpha)[1][0]).observed[0]
    middles = (edges[1:] + edges[:-1]) / 2
    both = [_beta(u[k, 1], u[k, 0], edges) for k in (FIRST, SECOND)]
    return np.outer(*sorted(both, key=lambda p: p @ middles, reverse=True))


def normal_of_logits(task: Task, log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (R,) and covariance (R, R) of Laplace's normal density of the logits (ln of the second
    probability over the first) of all R rows of binary tables, for the one structure of ``task``
    and its MAP estimate with ln theta ``log_weights`` (H, F). The inverse covariance is the
    complete data's information, U theta (1 - theta) in each row, U the sum of its alpha + expected
    counts, less the scores' covariance (`latentdag.inference.em.information`).
    """
    ((kernel, _),) = task.kernels
    data = em.CompleteData(kernel, kernel.prior_slots(task.prior))
    statistics = data.statistics(0, log_weights)
    theta, first = np.exp(statistics.log_weights), statistics.first
    rows = np.arange(len(first))
    scores = np.zeros((len(rows), len(theta)))  # of the counts, in each row's logit of its value 1
    scores[rows, first], scores[rows, first + 1] = -theta[first + 1], theta[first]
    totals = statistics.row_sums(statistics.alpha + statistics.expected)
    complete = np.diag(totals * theta[first] * theta[first + 1])
    inverse = complete - scores @ statistics.covariance @ scores.T
    mean = statistics.log_weights[first + 1] - statistics.log_weights[first]
    return mean, np.linalg.inv(inverse)


def normal_squares(mean: np.ndarray, covariance: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Probability of each square between the ``edges``, (squares, squares), when the logits of
    phi_1 and phi_2, the first two, are normal with ``mean`` (R,) and ``covariance`` (R, R): by
    Gauss-Legendre quadrature over phi_1, and the distribution function of phi_2 given phi_1.
    """
    (a, c), (_, b) = covariance[:2, :2]
    logits = scipy.special.logit(edges)
    below = scipy.special.ndtr((logits - mean[FIRST]) / np.sqrt(a))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    u = below[:-1, None] + np.diff(below)[:, None] * (nodes + 1) / 2  # (squares, NODES)
    # a square without probability in double precision has nodes at 0 or 1, whose quantile is inf
    z = scipy.special.ndtri(np.clip(u, np.finfo(float).tiny, 1 - np.finfo(float).epsneg))
    centre = mean[SECOND] + c / np.sqrt(a) * z
    spread = np.sqrt(b - c * c / a)
    conditional = np.diff(scipy.special.ndtr((logits - centre[..., None]) / spread), axis=-1)
    return np.diff(below)[:, None] * np.einsum("k,ikj->ij", weights / 2, conditional)


def rows(densities: Mapping[str, np.ndarray]) -> list[dict[str, float]]:
    """A list of dicts, one for each square of ``densities``, by name (squares, squares): its
    middle, `phi_1` and `phi_2`, and each density there by its name.
    """
    squares = len(next(iter(densities.values())))
    middles = (np.arange(squares) + 0.5) / squares
    return [
        {"phi_1": middles[i], "phi_2": middles[j]}
        | {name: density[i, j] for name, density in densities.items()}
        for i, j in product(range(squares), repeat=2)
    ]
