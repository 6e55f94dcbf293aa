"""Slow and plain second implementations that the tests compare with; nothing here imports a
computation of the package.

A *table* of an observed variable has one axis per parent, in the order of the hidden variables, and
a last axis for its values.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations, product
from math import comb, log, prod

import numpy as np
from scipy.special import digamma as psi
from scipy.special import gammaln, logsumexp
from scipy.stats import chi2

from latentdag.model.parameters import Parameters


def tables(structure, parameters):
    """p(y_j given its parents) with one axis per parent."""
    hidden = structure.family.hidden
    return [
        np.asarray(rows).reshape(*(hidden[i] for i in parents), -1)
        for rows, parents in zip(parameters.observed, structure.parents, strict=True)
    ]


def hidden_states(structure):
    return list(np.ndindex(*structure.family.hidden))


def all_but(structure, kept):
    """The axes of the hidden variables that are not ``kept``."""
    return tuple(i for i in range(len(structure.family.hidden)) if i not in kept)


def random_parameters(structure, rng, concentration=1.0):
    """Any interior point of the parameter space, without the package's own prior."""
    family = structure.family

    def rows(n, k):
        g = rng.gamma(concentration, size=(n, k)) + 1e-3
        return g / g.sum(axis=1, keepdims=True)

    return Parameters(
        tuple(rows(1, k)[0] for k in family.hidden),
        tuple(
            rows(prod(family.hidden[i] for i in p), k)
            for p, k in zip(structure.parents, family.observed, strict=True)
        ),
    )


def dependent_cases(family, n, seed, share):
    """Cases whose variables follow a common one in a ``share`` of the cases."""
    rng = np.random.default_rng(seed)
    common = rng.integers(2, size=n)
    columns = [
        np.where(rng.random(n) < share, common, rng.integers(k, size=n)) for k in family.observed
    ]
    return np.column_stack(columns)


def joint(structure, parameters, cell):
    """p(s, y = cell given theta) of every joint hidden state s, by multiplying the factors one
    after the other; a value below 0 is missing, and has none.
    """
    p = np.ones(structure.family.hidden)
    for of_states in np.ix_(*parameters.hidden):
        p = p * of_states
    for parents, t, y in zip(structure.parents, tables(structure, parameters), cell, strict=True):
        if y >= 0:
            p = p * np.expand_dims(t[..., y], all_but(structure, parents))
    return p.ravel()


def cell_probabilities(structure, parameters):
    observed = structure.family.observed
    p = [joint(structure, parameters, cell).sum() for cell in np.ndindex(*observed)]
    return np.reshape(p, observed)


def log_likelihood(structure, parameters, cases):
    """Case by case."""
    return sum(log(joint(structure, parameters, tuple(c)).sum()) for c in cases)


def expected_counts(structure, parameters, cases):
    """Expected completions, a vector or table for each variable. Tables need not be normalised."""
    hidden = [np.zeros_like(p) for p in parameters.hidden]
    observed = [np.zeros_like(table) for table in tables(structure, parameters)]
    for case in cases:
        q = joint(structure, parameters, case).reshape(structure.family.hidden)
        q = q / q.sum()
        for i, counts in enumerate(hidden):
            counts += q.sum(axis=all_but(structure, [i]))
        for parents, counts, y in zip(structure.parents, observed, case, strict=True):
            if y >= 0:
                counts[..., y] += q.sum(axis=all_but(structure, parents))
    return hidden, observed


def as_slots(structure, hidden, observed):
    """Values as the kernel lays them out: (joint states, all observed, then hidden variables)."""
    slots = []
    for s in hidden_states(structure):
        row = [
            observed[j][tuple(s[i] for i in parents)] for j, parents in enumerate(structure.parents)
        ]
        slots.append(np.concatenate(row + list(hidden)))
    return np.array(slots)


def flat(structure, slots):
    """Values (H, F) as the kernel lays them out, row after row, those of hidden variables first."""
    family = structure.family
    table = slots.reshape(*family.hidden, -1)
    ends = np.cumsum([*family.observed, *family.hidden])
    parts = np.split(table, ends[:-1], axis=-1)
    observed, hidden = parts[: len(family.observed)], parts[len(family.observed) :]
    first = (0,) * len(family.hidden)
    rows = [part[first] for part in hidden]
    for parents, part in zip(structure.parents, observed, strict=True):
        some = tuple(slice(None) if i in parents else 0 for i in range(len(family.hidden)))
        rows.append(part[some].ravel())
    return np.concatenate(rows)


# --- relabellings


def relabellings(structure):
    """Every exchange of hidden variables that keeps the structure, with every order of states."""
    hidden = structure.family.hidden
    for exchange in permutations(range(len(hidden))):
        renamed = tuple(tuple(sorted(exchange[i] for i in p)) for p in structure.parents)
        if renamed == structure.parents and all(
            hidden[i] == hidden[e] for i, e in enumerate(exchange)
        ):
            yield from ((exchange, o) for o in product(*(permutations(range(k)) for k in hidden)))


def image(structure, hidden, tables, exchange, orders):
    """The parameters under other names: variable i, state k becomes exchange[i], orders[i][k].

    The tables have one axis per parent.
    """
    new_hidden = [None] * len(hidden)
    for i, p in enumerate(hidden):
        new_hidden[exchange[i]] = p[np.argsort(orders[i])]
    new_tables = []
    for table, parents in zip(tables, structure.parents, strict=True):
        for axis, i in enumerate(parents):
            table = np.take(table, np.argsort(orders[i]), axis)
        in_order = np.argsort([exchange[i] for i in parents])
        new_tables.append(np.moveaxis(table, in_order, range(len(parents))))
    return new_hidden, new_tables


# --- gamma functions


def _bernoulli(n):
    numbers = [Fraction(1)]
    for m in range(1, n + 1):
        numbers.append(-sum(comb(m + 1, k) * b for k, b in enumerate(numbers)) / (m + 1))
    return numbers


BERNOULLI = _bernoulli(30)
PI = Decimal("3.14159265358979323846264338327950288419716939937511")


def log_gamma(x):
    """ln Gamma(x) to 40 digits: Stirling's series from 50, below by Gamma(x + 1) = x Gamma(x)."""
    with localcontext() as context:
        context.prec = 60
        x, below = Decimal(x), Decimal(1)
        while x < 50:
            below, x = below * x, x + 1
        value = (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 - below.ln()
        for k in range(1, 16):
            b = BERNOULLI[2 * k]
            divisor = b.denominator * 2 * k * (2 * k - 1) * x ** (2 * k - 1)
            value += Decimal(b.numerator) / divisor
        return value


def log_gamma_ratio(a, n):
    """ln Gamma(a + n) - ln Gamma(a), where the difference of two floats would lose its digits."""
    with localcontext() as context:
        context.prec = 60
        return float(log_gamma(Decimal(float(a)) + Decimal(float(n))) - log_gamma(float(a)))


def slope_of_log_gamma(x):
    """psi of a Decimal, by a difference of ln Gamma in 40 digits."""
    with localcontext() as context:
        context.prec = 60
        h = x * Decimal("1e-10")
        return (log_gamma(x + h) - log_gamma(x - h)) / (2 * h)


def digamma(a, n):
    """psi(a + n), where a + n is not rounded."""
    with localcontext() as context:
        context.prec = 60
        return float(slope_of_log_gamma(Decimal(float(a)) + Decimal(float(n))))


def digamma_difference(a, n):
    """psi(a + n) - psi(a)."""
    with localcontext() as context:
        context.prec = 60
        a, n = Decimal(float(a)), Decimal(float(n))
        return float(slope_of_log_gamma(a + n) - slope_of_log_gamma(a))


# --- evidence


def completions(family, n):
    """All hidden states of ``n`` cases, (R, n, H): the last case's change fastest."""
    states = list(product(*(range(k) for k in family.hidden)))
    every = np.array(list(product(states, repeat=n)), dtype=int)
    return every.reshape(len(states) ** n, n, len(family.hidden))


def log_joint(structure, prior, states, cases):
    """ln p(states, cases) of every completion (R, n, H), by Polya's urn: the k-th draw of a row has
    probability (alpha + seen) / sum. A value below 0 is missing.

    Childless hidden variables are completed like the others.
    """
    family, n = structure.family, len(cases)
    everyone = np.arange(len(states))

    def urn(row, n_rows, values, n_values, strength):
        seen = np.zeros((len(states), n_rows, n_values))
        total = np.zeros(len(states))
        for i in range(n):
            if values[0, i] >= 0:
                place = everyone, row[:, i], values[:, i]
                of_row = n_values * strength + seen[everyone, row[:, i]].sum(axis=1)
                total += np.log((strength + seen[place]) / of_row)
                seen[place] += 1
        return total

    zero, weight = np.zeros((len(states), n), dtype=int), np.zeros(len(states))
    for i, k in enumerate(family.hidden):
        weight += urn(zero, 1, states[:, :, i], k, prior.alpha_hidden)
    for j, (parents, k) in enumerate(zip(structure.parents, family.observed, strict=True)):
        sizes = [family.hidden[i] for i in parents]
        row = np.ravel_multi_index([states[:, :, i] for i in parents], sizes) if parents else zero
        values = np.broadcast_to(np.asarray(cases)[:, j], (len(states), n))
        weight += urn(row, prod(sizes), values, k, prior.alpha)
    return weight


def posterior(structure, prior, cases):
    """p(states | cases) of all `completions`, (R,), and ln p(cases)."""
    logs = log_joint(structure, prior, completions(structure.family, len(cases)), cases)
    return np.exp(logs - logsumexp(logs)), float(logsumexp(logs))


def log_dirichlet_multinomial(counts, alpha):
    """ln p of an ordered sample with these counts, theta ~ Dirichlet(alpha, ..., alpha)."""
    each = sum(log_gamma_ratio(alpha, c) for c in counts)
    return each - log_gamma_ratio(len(counts) * alpha, sum(counts))


def log_dirichlet_of_logits(theta, alpha):
    """ln density of a row of logits, one of them fixed: prod theta^alpha / B(alpha, ..., alpha).

    ``theta`` need not sum to 1.
    """
    with localcontext() as context:
        context.prec = 60
        alpha, theta = Decimal(float(alpha)), [Decimal(float(t)) for t in theta]
        log_beta = len(theta) * log_gamma(alpha) - log_gamma(len(theta) * alpha)
        return float(alpha * sum((t / sum(theta)).ln() for t in theta) - log_beta)


def log_evidence_without_parents(family, cases, alpha):
    """Every observed variable on its own."""
    return sum(
        log_dirichlet_multinomial(np.bincount(np.asarray(cases)[:, j], minlength=k), alpha)
        for j, k in enumerate(family.observed)
    )


# --- laws


def chi_square(observed, expected):
    """p value of counts (..., cells) in each row against probabilities of the same shape. Cells of
    which fewer than 5 are expected are joined, row by row.
    """
    observed, expected = np.atleast_2d(observed), np.atleast_2d(expected)
    statistic, freedom = 0.0, 0
    for counts, p in zip(observed, expected, strict=True):
        assert (counts[p == 0] == 0).all()
        mean = counts.sum() * p
        rare = mean < 5
        counts = np.append(counts[~rare], counts[rare].sum())
        mean = np.append(mean[~rare], mean[rare].sum())
        kept = mean > 0
        statistic += np.sum((counts - mean)[kept] ** 2 / mean[kept])
        freedom += max(0, kept.sum() - 1)
    assert freedom > 0
    return chi2.sf(statistic, freedom)


# --- bounds


class FreeBound:
    """F(q) = E[ln p(y, s given theta)] + entropy of q(s) - KL[q(theta) || p(theta)], q(theta) =
    Dirichlet(alpha + counts). That is the entropy, and for every row ln B(alpha + counts) -
    ln B(alpha).

    q(s) is any distribution over the joint hidden states for each of the distinct ``cells``, which
    occur ``numbers`` times: nothing is assumed about its form.
    """

    def __init__(self, structure, cells, numbers, alpha, alpha_hidden):
        family, states = structure.family, np.array(hidden_states(structure))
        self.numbers = np.asarray(numbers, dtype=float)
        shape = (len(cells), len(states))
        # of every variable, the hidden ones first
        all_parents = [[] for _ in family.hidden] + [list(p) for p in structure.parents]
        strengths = [alpha_hidden] * len(family.hidden) + [alpha] * len(family.observed)
        sizes = family.hidden + family.observed
        values = [*states.T[:, None], *np.transpose(cells)[:, :, None]]  # by cell and state
        # which parameters the completed case (cell, state) counts for
        prior, design, self.blocks = [], [], {}  # a block for each row of a table, by its place
        for parents, strength, k, of_variable in zip(
            all_parents, strengths, sizes, values, strict=True
        ):
            for configuration in product(*(range(family.hidden[i]) for i in parents)):
                self.blocks[len(prior)] = k
                prior += [strength] * k
                matches = (states[:, parents] == configuration).all(axis=1)
                design += [
                    np.broadcast_to(matches & (of_variable == value), shape) for value in range(k)
                ]
        self.prior, self.design = np.array(prior, dtype=float), np.array(design, dtype=float)

    def __call__(self, q):
        """F and its gradient in q (that of q(theta) is zero, which is optimal)."""
        counts = np.einsum("pch,c,ch->p", self.design, self.numbers, q)
        log_q = np.log(np.maximum(q, 1e-300))
        value = -np.sum(self.numbers[:, None] * q * log_q)
        mean_log = np.empty_like(counts)
        for start, k in self.blocks.items():
            row = slice(start, start + k)
            a, u = self.prior[row], self.prior[row] + counts[row]
            mean_log[row] = psi(u) - psi(u.sum())
            value += gammaln(u).sum() - gammaln(u.sum()) - gammaln(a).sum() + gammaln(a.sum())
        return float(value), self.numbers[:, None] * (
            np.einsum("pch,p->ch", self.design, mean_log) - log_q - 1
        )


def xoshiro(state, bits, shift, turn):
    """First and last integer of the state before each step (Blackman & Vigna 2021), endlessly."""
    s0, s1, s2, s3 = (int(s) for s in state)
    while True:
        yield s0, s3
        t = s1 << shift & 2**bits - 1
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = rotated(s3, turn, bits)


def rotated(x, turn, bits):
    return (x << turn | x >> bits - turn) & 2**bits - 1


def random_words(state):
    """xoshiro256++, endlessly, from four 64-bit integers."""
    for s0, s3 in xoshiro(state, 64, 17, 45):
        yield (rotated((s0 + s3) % 2**64, 23, 64) + s0) % 2**64


def random_words_of_32_bits(state):
    """xoshiro128+, endlessly, from four 32-bit integers."""
    for s0, s3 in xoshiro(state, 32, 9, 11):
        yield (s0 + s3) % 2**32
