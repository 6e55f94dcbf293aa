"""The collapsed bound L, exactly.

ln p(s, y) is a sum of ln Gamma(a + N) over the counts N of all parameters and rows. Under q every
count is a sum of independent binomials, one for each cell. Its expectation has two forms:

- A count with a small mean: the distribution itself, by convolution of the binomials.
- A count with a large mean m: with x = a + m and G(z) = E[z^N],

      E ln Gamma(a + N) - ln Gamma(x) = integral from 0 to infinity of
          exp(-x t) (G(exp(-t)) exp(m t) - 1) / (t (1 - exp(-t))) dt,

  from the integral for ln Gamma (Whittaker & Watson 1927, sec. 12.3). ln G(exp(-t)) + m t is the
  cumulant series from the second term on, and t is of the order of 1 / x. Gauss-Laguerre nodes
  integrate it: with ORDER cumulants and nodes the error is below 1e-10 from `SMALL` on.
"""

from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.polynomial import laguerre, polynomial

from latentdag.data.counts import MISSING
from latentdag.engine.jit import compiled
from latentdag.engine.special import log_gamma_ratio
from latentdag.inference.slots import Kernel

SMALL = 40.0  # a mean below it: by convolution
SUPPORT = 128  # values of such a count; larger ones have a probability below 1e-25
NEGLIGIBLE = 1e-22  # a probability that is left out
ORDER = 8  # cumulants, and nodes


class CompletedCells(NamedTuple):
    """N cells, H joint hidden states, T tables: those of the observed variables, then of the hidden
    ones. D parameters in all tables, R rows in the tables of observed variables.

    With its hidden states in joint state h, a cell picks parameter
    ``first[t, group[t, h]] + offset[cell, t]`` of table t. States of one group pick the same.
    """

    counts: np.ndarray  # (N,), how often each cell occurs
    offset: np.ndarray  # (N, T): value of an observed variable or MISSING; 0 of a hidden one
    group: np.ndarray  # (T, H)
    groups: np.ndarray  # (T,): the number of groups
    first: np.ndarray  # (T, most groups)
    hidden: np.ndarray  # (T,): whether it is the table of a hidden variable
    row_first: np.ndarray  # (R + 1,): the first parameter of each row, and the one after the last


def cells_of(kernel: Kernel, item: int) -> CompletedCells:
    """The `CompletedCells` of structure ``item`` of ``kernel``, by its untied parameters."""
    n_observed = len(kernel.family.observed)
    parameter = kernel.expand(item, np.arange(kernel.n_coordinates[item]))  # (H, F)
    columns = np.repeat(kernel.first[:n_observed, None], kernel.n_states, axis=1)
    columns = np.concatenate([columns, kernel.first[n_observed:, None] + kernel.digits])
    picked = np.take_along_axis(parameter.T, columns, axis=0)  # (T, H)

    groups, group = np.array([len(np.unique(p)) for p in picked]), np.empty_like(picked)
    first = np.full((len(picked), groups.max()), -1)
    for t, parameters in enumerate(picked):
        first[t, : groups[t]], group[t] = np.unique(parameters, return_inverse=True)
    offset = np.pad(kernel.patterns, ((0, 0), (0, len(kernel.digits))))
    hidden = np.arange(len(picked)) >= n_observed
    starts = np.append(kernel.row_starts(item), kernel.n_coordinates[item])
    row_first = starts[: groups[:n_observed].sum() + 1]  # tables of hidden variables come last
    return CompletedCells(kernel.counts, offset, group, groups, first, hidden, row_first)


def _cumulants() -> np.ndarray:
    """Coefficients (ORDER, ORDER): cumulant i + 1 of a Bernoulli variable is the sum over j of
    coefficient (i, j) times p^(j + 1), as each is p (1 - p) times the derivative of the one before.
    """
    coefficients = np.zeros((ORDER, ORDER))
    one = np.array([0.0, 1.0])
    for row in coefficients:
        row[: len(one) - 1] = one[1:]
        one = polynomial.polymul([0.0, 1.0, -1.0], polynomial.polyder(one))
    return coefficients


CUMULANTS = _cumulants()
NODES, WEIGHTS = laguerre.laggauss(ORDER)
FACTORIALS = np.array([float(factorial(k)) for k in range(ORDER + 1)])


@compiled
def _power_sums(cells, q, sums, weights):
    """Sums over the cells of count times p^k, k from 1, into ``sums`` (D, ORDER): p the probability
    under ``q`` (N, H) that a cell picks the parameter.
    """
    for cell in range(len(cells.counts)):
        for t in range(len(cells.groups)):
            if cells.offset[cell, t] == MISSING:  # picks no parameter
                continue
            weights[: cells.groups[t]] = 0.0
            for h in range(q.shape[1]):
                weights[cells.group[t, h]] += q[cell, h]
            for g in range(cells.groups[t]):
                term = cells.counts[cell]
                for k in range(sums.shape[1]):
                    term *= weights[g]
                    sums[cells.first[t, g] + cells.offset[cell, t], k] += term


@compiled
def _binomial(n, p, probabilities):
    """Put the ``probabilities`` of 0, 1, ... of a binomial variable; returns how many there are."""
    if n == 1:
        probabilities[0], probabilities[1] = 1.0 - p, p
        return 2
    small = p <= 0.5
    odds = p / (1.0 - p) if small else (1.0 - p) / p
    term = (1.0 - p if small else p) ** n
    length = int(min(n + 1, len(probabilities)))
    mean = n * (p if small else 1.0 - p)
    last = length
    for k in range(length):
        probabilities[k] = term
        term *= odds * (n - k) / (k + 1)
        if k > mean and term < NEGLIGIBLE:
            last = k + 1
            break
    if small:
        return last
    probabilities[last:length] = 0.0
    probabilities[:length] = probabilities[:length][::-1].copy()  # n is below 2 SMALL where p > 0.5
    return length


@compiled
def _convolve(a, length, b, n, scratch):
    """The distribution of a sum, into ``a``; its length: below SUPPORT, without NEGLIGIBLE ends."""
    new = min(length + n - 1, len(a))
    scratch[:new] = 0.0
    for j in range(n):
        p = b[j]
        for k in range(min(length, new - j)):
            scratch[j + k] += p * a[k]
    for k in range(new):
        a[k] = scratch[k]
    while a[new - 1] < NEGLIGIBLE and new > 1:
        new -= 1
    return new


@compiled
def _small_counts(cells, q, small, of_counts, lengths, weights):
    """The distributions of the ``small`` counts, (D, SUPPORT), and their ``lengths``."""
    values, scratch = np.empty((2, of_counts.shape[1]))
    for cell in range(len(cells.counts)):
        for t in range(len(cells.groups)):
            if cells.offset[cell, t] == MISSING:  # picks no parameter
                continue
            weights[: cells.groups[t]] = 0.0
            for h in range(q.shape[1]):
                weights[cells.group[t, h]] += q[cell, h]
            for g in range(cells.groups[t]):
                d = cells.first[t, g] + cells.offset[cell, t]
                if small[d] and weights[g] > 0.0:
                    n = _binomial(cells.counts[cell], min(weights[g], 1.0), values)
                    lengths[d] = _convolve(of_counts[d], lengths[d], values, n, scratch)


@compiled
def _mean_of(distribution, length, values):
    total = 0.0
    for k in range(length):
        total += distribution[k] * values[k]
    return total


@compiled
def _excess(sums, a):
    """E ln Gamma(a + N) - ln Gamma(a + E N), from the sums of powers (ORDER,): Gauss-Laguerre."""
    x, total = a + sums[0], 0.0
    series = np.zeros(ORDER)
    for i in range(1, ORDER):
        for j in range(i + 1):
            series[i] += CUMULANTS[i, j] * sums[j]
        series[i] /= FACTORIALS[i + 1]
    for node in range(ORDER):
        t = NODES[node] / x
        exponent, power = 0.0, -t
        for i in range(1, ORDER):
            power *= -t
            exponent += series[i] * power
        total += WEIGHTS[node] * np.expm1(exponent) / (t * -np.expm1(-t))
    return total / x


@compiled
def _expectations(cells, q, alphas, which, log_rising, mean, excess):
    """Fill ``mean`` and ``excess``, first for the counts of all parameters, then for those of all
    rows.

    For a count N, E ln Gamma(a + N) - ln Gamma(a) is ln Gamma(a + mean) - ln Gamma(a) + excess.
    Where the distribution of N is computed, the mean is set to 0, and the excess is all of it.
    """
    weights, scratch = np.empty(cells.first.shape[1]), np.empty(SUPPORT)
    sums, distributions = np.zeros((len(alphas), ORDER)), np.empty((len(alphas), SUPPORT))
    distributions[:, 0] = 1.0
    lengths = np.ones(len(alphas), np.int64)
    _power_sums(cells, q, sums, weights)
    small = sums[:, 0] < SMALL
    _small_counts(cells, q, small, distributions, lengths, weights)
    row = len(alphas) - len(cells.row_first) + 1
    for r in range(len(cells.row_first) - 1):
        for d in range(cells.row_first[r], cells.row_first[r + 1]):
            sums[row] += sums[d]
        small[row] = sums[row, 0] < SMALL
        if small[row]:  # then so are all counts of the row
            for d in range(cells.row_first[r], cells.row_first[r + 1]):
                lengths[row] = _convolve(
                    distributions[row], lengths[row], distributions[d], lengths[d], scratch
                )
        row += 1
    for k in range(len(alphas)):
        if small[k]:
            mean[k] = 0.0
            excess[k] = _mean_of(distributions[k], lengths[k], log_rising[which[k]])
        else:
            mean[k], excess[k] = sums[k, 0], _excess(sums[k], alphas[k])


class Bound:
    """L of one structure for its ``cells`` and the prior's parameters ``alpha`` (D,)."""

    def __init__(self, cells: CompletedCells, alpha: np.ndarray):
        self.cells, self._n_counts = cells, len(alpha)
        *starts, end = cells.row_first
        self._alphas = np.concatenate([alpha, np.add.reduceat(alpha[:end], starts)])
        different, self._which = np.unique(self._alphas, return_inverse=True)
        # ln Gamma(a + k) - ln Gamma(a), k = 0, 1, ...
        steps = np.log(different[:, None] + np.arange(SUPPORT - 1))
        self._log_rising = np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))
        # the total of a hidden variable's row is the number of cases
        n = cells.counts.sum()
        totals = [alpha[f[:g]].sum() for f, g in zip(cells.first, cells.groups, strict=True)]
        totals = np.array(totals)[cells.hidden]
        self._constant = -log_gamma_ratio(totals, np.full(len(totals), n)).sum()

    def expected_log_joint(self, q: np.ndarray) -> float:
        """E_q[ln p(s, y)], in nats, for ``q`` (N, H), the probabilities of the joint states of each
        cell.
        """
        mean, excess = np.empty((2, len(self._alphas)))
        _expectations(self.cells, q, self._alphas, self._which, self._log_rising, mean, excess)
        of_counts, of_rows = np.split(
            log_gamma_ratio(self._alphas, mean) + excess, [self._n_counts]
        )
        return float(of_counts.sum() - of_rows.sum() + self._constant)

    def __call__(self, log_q: np.ndarray) -> float:
        """L in nats, for ``log_q`` (N, H), ln probabilities of the joint states of each cell."""
        q = np.exp(log_q)
        entropy = -np.sum(self.cells.counts[:, None] * q * log_q)
        return self.expected_log_joint(q) + float(entropy)
