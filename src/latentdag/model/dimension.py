"""The effective dimension of a structure: in how many directions its distributions can vary.

It is the generic rank of the Jacobian of the cell probabilities with respect to the free parameters
(Geiger, Heckerman & Meek 1996, UAI 12, 283-290): at most the number of parameters, and less where
some of them can be traded for others without a trace in the data.

The rank is counted in integers modulo a prime, where no tolerance is needed; a probability is any
integer there, as the Jacobian's entries are polynomials. The rank at one point and modulo one prime
can only be too low: the larger of two is taken. Two exact steps keep the matrix small:

**Few rows.** In place of every cell's probability stand as many random combinations of cells as
there are parameters, and one more. The weight of a cell is a product, one factor for each observed
variable, and such products span all weights. With a factor of 1 for each variable's last value and
1 + u[v] for its value v, a combination is

    sum over hidden states h of p(h) x product over j of (1 + sum over v of u_j[v] p(y_j = v | h)),

a polynomial with independent variables only, whose derivatives take no sum over cells.

**Few values.** Let y_j have K values and R configurations of its parents, K > R. Its table maps
these R configurations into K values, so that the joint distribution of y_j and the others lies in a
subspace of dimension r along y_j: r is the rank of p(configuration, others), a matrix with R rows.
A choice of that subspace has r (K - R) directions more than with R values, and what happens within
it is the same. So y_j gets R values, and r (K - R) is added. A variable without parents keeps one
value, and adds K - 1; a hidden variable without children adds nothing.

**Few variables.** Let a set of parents with R configurations have many children, and let the
directions of the parameters that leave no trace with some of the children be as many as with E
more. As a function of the configuration, the change of a product of probabilities of the E children
is then linear in the product, and obeys the product rule. The products span all functions from
2^(E / 2) = R on, and a linear map of all functions on a finite set that obeys the product rule is
0. So those directions change no probability of the configurations and the other variables; they
leave no trace with any number of children, and each further child adds all its parameters.

How often may both ranks be too low? A minor of size D is a polynomial of degree at most D (2 J + H)
in the random numbers: not zero, it vanishes at a random point with a probability of at most that
over the prime (Schwartz 1980, J. ACM 27, 701-717). For the paper's structures that is 660 / 2^31,
3e-7, at one point, and 1e-13 at two. A prime might also divide every coefficient of every minor;
therefore there are two of them.
"""

from collections import defaultdict
from functools import cache
from math import ceil, log2, prod
from operator import mul

import numpy as np

from latentdag.engine.streams import generator
from latentdag.model.structures import Structure

# the two largest below 2^31: the product of two remainders fits 64 bits
PRIMES = (2**31 - 1, 2**31 - 19)
FEW = 8  # children of a set of parents that are looked at first, where there are many

# (parents, number of values) of each observed variable
Observed = tuple[tuple[tuple[int, ...], int], ...]


def effective_dimension(structure: Structure) -> int:
    """The generic rank, an int, of the Jacobian of the cell probabilities of ``structure`` with
    respect to its free parameters; at most their number, and the number of cells less one.

    Structures of one class (`Structure.absorbed`) describe the same distributions, and have the
    same dimension. So have those that differ by the order of the observed variables.

    >>> effective_dimension(Structure.from_label("0-0-1-1"))  # of 25 parameters
    23
    """
    left = structure.absorbed().without_childless()
    observed = tuple(sorted(zip(left.parents, left.family.observed, strict=True)))
    hidden, number = left.family.hidden, FEW
    while len(more := _some_children(hidden, observed, number, True)) < len(observed):
        lost = _lost(hidden, more)
        if lost == _lost(hidden, _some_children(hidden, observed, number, False)):
            return left.n_parameters - lost
        number *= 2
    return left.n_parameters - _lost(hidden, observed)


def _some_children(
    hidden: tuple[int, ...], observed: Observed, number: int, more: bool
) -> Observed:
    """The children with most values of each set of parents: ``number``, with ``more`` E more."""
    groups = defaultdict(list)
    for parents, k in observed:
        groups[parents].append((parents, k))
    chosen = []
    for parents, children in groups.items():
        extra = 2 * ceil(log2(prod(hidden[i] for i in parents))) if more else 0
        chosen += sorted(children, reverse=True)[: number + extra]
    return tuple(sorted(chosen))


def _lost(hidden: tuple[int, ...], observed: Observed) -> int:
    """How many parameters there are beyond the rank."""
    rows = (prod(hidden[i] for i in parents) * (k - 1) for parents, k in observed)
    rank = max(_dimension(prime, hidden, observed) for prime in PRIMES)
    return sum(k - 1 for k in hidden) + sum(rows) - rank


@cache
def _dimension(prime: int, hidden: tuple[int, ...], observed: Observed) -> int:
    """The rank at a random point modulo ``prime``: at most the generic one."""
    rng = generator(0, "dimension", prime, hidden, observed)
    n_states = prod(hidden)
    states = np.indices(hidden).reshape(len(hidden), n_states)  # of each hidden variable in h
    n_rows = [prod(hidden[i] for i in parents) for parents, _ in observed]
    n_free = [min(k, r) - 1 for (_, k), r in zip(observed, n_rows, strict=True)]  # of a row
    n_parameters = sum(k - 1 for k in hidden) + sum(map(mul, n_rows, n_free))
    n_combinations = n_parameters + 1

    def random(*shape: int) -> np.ndarray:
        return rng.integers(prime, size=shape)

    # the factors of each combination by h, shape (combinations, h), and which parameters of their
    # variable stand in them: a state, or a row of the table
    factors, places, weights = [], [*states], []
    for k, state in zip(hidden, states, strict=True):
        p = random(k - 1)
        p = np.append(p, -p.sum() + 1) % prime
        factors.append(np.broadcast_to(p[state], (n_combinations, n_states)))
    for (parents, _), r, free in zip(observed, n_rows, n_free, strict=True):
        table, u = random(r, free), random(n_combinations, free)
        by_row = np.ones((n_combinations, r), dtype=np.int64)
        for v in range(free):
            by_row = (by_row + u[:, v, None] * table[:, v]) % prime
        row = np.zeros(n_states, dtype=np.int64)
        for i in parents:
            row = row * hidden[i] + states[i]
        factors.append(by_row[:, row])
        places.append(row)
        weights.append(u)

    # the derivative by a parameter: the product of the other factors, summed over where it stands
    sums = []
    for k, (place, count) in enumerate(zip(places, (*hidden, *n_rows), strict=True)):
        product = np.ones((n_combinations, n_states), dtype=np.int64)
        for other in factors[:k] + factors[k + 1 :]:
            product = product * other % prime
        total = np.zeros((count, n_combinations), dtype=np.int64)
        np.add.at(total, place, product.T)
        sums.append(total.T % prime)
    of_hidden, of_observed = sums[: len(hidden)], sums[len(hidden) :]
    columns = [s[:, :-1] - s[:, -1:] for s in of_hidden]  # the last state has 1 less the others
    for s, u in zip(of_observed, weights, strict=True):
        columns.append((s[:, :, None] * u[:, None, :]).reshape(n_combinations, -1))
    added = sum(
        (k - r) * _rank(s, prime)
        for (_, k), r, s in zip(observed, n_rows, of_observed, strict=True)
        if k > r
    )
    return _rank(np.hstack(columns), prime) + added


def _rank(matrix: np.ndarray, prime: int) -> int:
    """The rank of an integer matrix modulo ``prime``, by elimination."""
    left = matrix % prime
    rank = 0
    while left.size:
        first, left = left[:, 0], left[:, 1:]
        pivots = np.flatnonzero(first)
        if not pivots.size:
            continue
        rank += 1
        pivot = pivots[0]
        row = left[pivot] * pow(int(first[pivot]), -1, prime) % prime
        keep = np.arange(len(left)) != pivot
        left = (left[keep] - first[keep, None] * row % prime) % prime
    return rank
