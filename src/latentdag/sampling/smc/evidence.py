"""Reference evidence: collapsed sequential Monte Carlo over the cases, unbiased at every n, with a
stochastic upper bound.

The parameters are integrated out (Dirichlet-multinomial). A particle holds the hidden states of the
cases seen so far and their counts. Adding case i multiplies its importance weight by p(y_i given
its past), the sum over joint hidden states h of

    prod_i (n_i + alpha_hidden) / (n + K_i alpha_hidden)  *  prod_j (n_jry + alpha) / (n_jr + K_j
    alpha),

and draws h from its exact conditional (Liu & Chen 1998). At rejuvenation times fixed in advance the
particles are resampled (systematically, if their effective sample size is below half their number)
and moved by one sweep of collapsed Gibbs sampling over the cases, which leaves p(hidden states
given the cases so far) invariant (Chopin 2002). The product of the mean weights is an unbiased
estimate of the evidence at every n, for any number of particles: rejuvenation times and kernels are
fixed, and whether to resample depends on the past of the run only, which leaves the expectation as
it is (Del Moral 2004). Later cases move the weights less and cost more to sweep over, so that fewer
particles go on, at fixed times too.

All particles (*lanes*) of a run visit one case together, which makes the inner loops vector
instructions; tables have one row of lanes per (variable, value, joint state), rows of joint states
with equal parents' states being tied copies.
"""

from collections.abc import Sequence
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np
from numba import njit

from latentdag.counts import check_cases
from latentdag.model import Prior
from latentdag.streams import generator
from latentdag.structures import Structure

PARTICLES = 4096
RUNS = 16
ALONE_FROM = 5120  # cases from which a size gets runs of its own
GROWTH = 1.1  # ratio of successive rejuvenation times
RESAMPLE_BELOW = 0.5  # effective sample size, as a fraction of the particles
FULL = 640  # cases up to which all particles are kept; half of them go on from there, and from every fourfold number
FLUSH = 16  # cases between logarithms of the weights: a product of so many ratios to the unlinked model stays in range
GOLDEN = (5**0.5 - 1) / 2
FUSED = 4  # observed variables in one fused loop
COMPILED = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
}  # error_model: a test for zero would prevent vectors
NOTHING = np.empty(0, dtype=np.int64)


class LogEvidence(NamedTuple):
    """``log_evidence`` and ``standard_error``, (sizes,), and the ln of each run's estimate, (runs,
    sizes); all in nats.
    """

    log_evidence: np.ndarray
    standard_error: np.ndarray
    by_run: np.ndarray


def log_evidence_path(
    cases,
    structure: Structure,
    sizes: Sequence[int],
    prior: Prior = Prior(),
    particles: int = PARTICLES,
    runs: int = RUNS,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """ln evidence of the first n of the ordered ``cases``, shape (n_cases, J), for every n in
    ``sizes``.

    Each run's estimate of the evidence is unbiased at every n, hence so is their mean, whose ln is
    returned (a little low on average, by half its variance: a stochastic lower bound, P(estimate >
    ln evidence + t) <= exp(-t) by Markov's inequality). The standard error is the jackknife's over
    the runs, which have ``runs`` - 1 degrees of freedom. An estimate for n uses only the first n
    cases, and the sizes up to n, between which it chooses the order of the cases; run r draws from
    the stream ("reference", *key, label, r). ``particles`` is their number up to FULL cases.

    Raises ValueError for cases, sizes, particles or runs that are not valid, FloatingPointError
    where a weight leaves the range of numbers (alpha near 0 with very many observed variables).
    """
    cases = check_cases(cases, structure.family)
    sizes = _check(sizes, len(cases), particles, runs)
    model = _Model(structure, cases[_order(cases, sizes)], prior)
    if model.n_states == 1:
        by_run = np.broadcast_to(model.log_unlinked[sizes - 1], (runs, len(sizes)))
    else:
        streams = (generator(seed, "reference", *key, structure.label, run) for run in range(runs))
        by_run = np.array([_run(model, sizes, particles, rng) for rng in streams])
    return LogEvidence(_log_mean_exp(by_run), _jackknife(by_run), by_run)


def log_evidence_in_groups(
    cases,
    structure: Structure,
    sizes: Sequence[int],
    prior: Prior = Prior(),
    particles: int = PARTICLES,
    runs: int = RUNS,
    alone_from: int = ALONE_FROM,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """As ``log_evidence_path``, with runs of its own, of a quarter of the particles, for every size
    of at least ``alone_from``.

    A long path must take its cases in the order of all its sizes; a size that is alone may take
    them all in the order that suits it, which at several thousand cases is worth more than the
    particles.
    """
    sizes = sorted(sizes)
    together = [n for n in sizes if n < alone_from]
    calls = [(together, particles)] if together else []
    calls += [([n], max(2, particles // 4)) for n in sizes if n >= alone_from]
    parts = [
        log_evidence_path(
            cases, structure, group, prior, count, runs, seed, (*key, f"to {group[-1]}")
        )
        for group, count in calls
    ]
    return LogEvidence(*(np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True)))


def log_evidence_upper(
    cases,
    states,
    structure: Structure,
    prior: Prior = Prior(),
    particles: int = PARTICLES,
    runs: int = RUNS,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """Stochastic upper bound on ln evidence of ``cases`` (n, J), given ``states`` (n, H): one exact
    posterior draw.

    Such are the states simulated together with the cases from the prior. Bidirectional Monte Carlo
    (Grosse, Ghahramani & Adams 2015) by conditional SMC (Andrieu, Doucet & Holenstein 2010): the
    run's extended target is the law of a run in which one particle, here always lane 0, follows a
    trajectory that ends in a posterior draw. That trajectory is generated backwards: dropping the
    last cases leaves a draw for the density before them, and a Gibbs sweep is undone by its
    reversal, the same conditionals in the opposite order (hence rejuvenation times fixed in
    advance). The ratio of this law to that of a free run is estimate / evidence, so E[1 / estimate]
    = 1 / evidence; resampling conditions the systematic draw on lane 0 having itself as parent
    (uniform slot rotation, Chopin & Singh 2015). Returned: minus ln of the mean of 1 / estimate
    over runs that share the states, in arrays of shape (1,); P(bound < ln evidence - t) <= exp(-t)
    by Markov's inequality, over states and runs together. The standard error is that over runs
    given the states. Streams: ("reference upper", *key, label, n, run). Raises as
    ``log_evidence_path`` does, and ValueError for states that are not valid.
    """
    cases = check_cases(cases, structure.family)
    sizes = _check([len(cases)], len(cases), particles, runs)
    order = _order(cases, sizes)
    model = _Model(structure, cases[order], prior)
    codes = model.encode(_check_states(states, structure, len(cases))[order])
    if model.n_states == 1:
        by_run = np.broadcast_to(model.log_unlinked[sizes - 1], (runs, 1))
    else:
        streams = (
            generator(seed, "reference upper", *key, structure.label, len(cases), run)
            for run in range(runs)
        )
        by_run = np.array(
            [_run(model, sizes, particles, rng, _backwards(model, codes, rng)) for rng in streams]
        )
    return LogEvidence(-_log_mean_exp(-by_run), _jackknife(-by_run), by_run)


def _check(sizes, n_cases: int, particles: int, runs: int) -> np.ndarray:
    raw = np.asarray(sizes)
    if raw.ndim != 1 or len(raw) == 0 or raw.dtype.kind not in "iu":
        raise ValueError(f"sizes must be a non-empty sequence of integers, got {sizes!r}")
    if raw.min() < 1 or raw.max() > n_cases:
        raise ValueError(
            f"sizes must lie from 1 to the number of cases, {n_cases}; got {raw.min()} to {raw.max()}"
        )
    if particles < 2 or runs < 2:
        raise ValueError(f"at least 2 particles and 2 runs are needed, got {particles} and {runs}")
    return raw.astype(np.int64)


def _check_states(states, structure: Structure, n: int) -> np.ndarray:
    states, hidden = np.asarray(states), np.array(structure.family.hidden)
    if states.shape != (n, len(hidden)) or states.dtype.kind not in "iu":
        raise ValueError(
            f"states must be integers of shape ({n}, {len(hidden)}), got {states.dtype} {states.shape}"
        )
    wrong = (states < 0) | (states >= hidden)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"states row {row}, column s{column + 1}: {states[row, column]} is not in 0..{hidden[column] - 1}"
        )
    return states


def _log_mean_exp(logs: np.ndarray) -> np.ndarray:
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).mean(axis=0))


def _jackknife(logs: np.ndarray) -> np.ndarray:
    """Standard error of ``_log_mean_exp`` over the first axis: the spread of its values with one
    run left out.
    """
    runs = len(logs)
    left_out = np.array([_log_mean_exp(np.delete(logs, r, axis=0)) for r in range(runs)])
    return np.sqrt((runs - 1) * left_out.var(axis=0))


def _order(cases: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Which case to add when: those between two sizes so that every stretch of them resembles the
    whole.

    The cases are exchangeable, and without chance trends in their order no mode of the posterior
    seems dead before its time.
    """
    bounds = [0, *np.unique(sizes)]
    order = []
    for start, stop in pairwise(bounds):
        similar = np.lexsort(cases[start:stop].T[::-1])
        place = (
            np.arange(stop - start) * GOLDEN % 1.0
        )  # each stretch of the sorted cases is visited evenly
        order.append(start + similar[np.argsort(place)])
    return np.concatenate(order)


def rejuvenation_times(n: int) -> list[int]:
    """The fixed times below ``n``: 1, 2, 3, ... and then growing geometrically."""
    times, t = [], 1
    while t < n:
        times.append(t)
        t = max(t + 1, int(t * GROWTH))
    return times


class _Tables(NamedTuple):
    """What the compiled loops read: where each case finds its counts, and which states share them."""

    rows: np.ndarray  # (n, V): table row, for joint state 0, of the case's value of each variable
    group: np.ndarray  # (V,): the parent set of each variable
    mask: np.ndarray  # (V,): bits of a state's code that belong to the parents of each variable
    total_prior: np.ndarray  # (V,): K alpha
    group_mask: np.ndarray  # (G,): as mask, for each distinct parent set
    root: np.ndarray  # (H,): the parent set that is one hidden variable
    codes: np.ndarray  # (S,): of every joint hidden state
    none: int  # the code that agrees with no state
    neutral: int  # the bit that no hidden variable uses
    alpha: float
    alpha_hidden: float
    scale: (
        np.ndarray
    )  # (n,): turns the sum over states into the ratio to the unlinked model's probability


class _Model:
    """What all runs share: cases as table rows, masks that tie states, and the terms that are the
    same for every particle.

    A joint hidden state is coded in bits, one field per variable; two states select the same row of
    a variable's table if their codes agree under the mask of its parents.
    """

    def __init__(self, structure: Structure, cases: np.ndarray, prior: Prior):
        self._active = sorted(set().union(*structure.parents))
        structure = structure.without_childless()
        family = structure.family
        before = np.arange(len(cases))[:, None]
        cardinality = np.array(family.observed)
        predictive = (_earlier(cases) + prior.alpha) / (before + cardinality * prior.alpha)
        self.log_unlinked = np.cumsum(np.log(predictive).sum(axis=1))
        self.n_states = family.n_states
        if self.n_states == 1:
            return
        linked = [
            j for j, parents in enumerate(structure.parents) if parents
        ]  # the others' factors cancel in the ratio
        hidden = np.array(family.hidden)
        scale = 1 / (
            predictive[:, linked].prod(axis=1) * (before + hidden * prior.alpha_hidden).prod(axis=1)
        )

        width = np.array([(k - 1).bit_length() for k in family.hidden])
        self._offset = np.cumsum(width) - width
        fields = ((1 << width) - 1) << self._offset
        none, neutral = 1 << width.sum(), 2 << width.sum()
        self.code_type = np.min_scalar_type(none - 1)
        codes = self._pack(np.indices(family.hidden).reshape(len(hidden), -1).T)

        groups = sorted({structure.parents[j] for j in linked} | {(i,) for i in range(len(hidden))})
        group_mask = np.array([none | fields[list(g)].sum() for g in groups] + [neutral])
        # filled up with variables that agree with no state and so have the constant factor (0 +
        # alpha) / (0 + alpha)
        n_variables = -(-len(linked) // FUSED) * FUSED
        group = np.full(n_variables, len(groups))
        group[: len(linked)] = [groups.index(structure.parents[j]) for j in linked]
        total_prior = np.full(n_variables, prior.alpha)
        total_prior[: len(linked)] = cardinality[linked] * prior.alpha
        values = np.zeros((len(cases), n_variables), dtype=np.int64)
        values[:, : len(linked)] = cases[:, linked]
        n_values = max(cardinality[linked])
        self.shape = (n_variables * n_values * self.n_states, len(group_mask) * self.n_states)

        self.float = _float_type(len(cases), len(linked), hidden, cardinality, prior)
        self.tables = _Tables(
            rows=(values + n_values * np.arange(n_variables)) * self.n_states,
            group=group,
            mask=group_mask[group].astype(np.int32),
            total_prior=total_prior.astype(self.float),
            group_mask=group_mask.astype(np.int32),
            root=np.array([groups.index((i,)) for i in range(len(hidden))]),
            codes=codes.astype(np.int32),
            none=np.int32(none),
            neutral=np.int32(neutral),
            alpha=self.float(prior.alpha),
            alpha_hidden=self.float(prior.alpha_hidden),
            scale=scale,
        )

    def _pack(self, states: np.ndarray) -> np.ndarray:
        return (states << self._offset).sum(axis=-1)

    def encode(self, states: np.ndarray) -> np.ndarray:
        """Codes (n,) of the hidden states (n, H) of the family, childless ones left out."""
        return self._pack(states[:, self._active])


def _earlier(cases: np.ndarray) -> np.ndarray:
    """How many earlier cases share each case's value, (n, J)."""
    counts = np.empty_like(cases)
    for column, values in zip(counts.T, cases.T, strict=True):
        same = values[:, None] == np.arange(values.max() + 1)
        column[:] = np.cumsum(same, axis=0)[same] - 1
    return counts


def _float_type(
    n: int, n_linked: int, hidden: np.ndarray, cardinality: np.ndarray, prior: Prior
) -> type:
    """Single precision (its rounding moves ln evidence by about 1e-5 nats) where no product of
    counts can leave its range.
    """
    alphas = np.array([prior.alpha, prior.alpha_hidden])
    largest = np.log10(n + alphas.max() * max(*hidden, *cardinality))
    smallest = min(0.0, np.log10(alphas.min()))
    return (
        np.float32
        if (max(n_linked, FUSED) + len(hidden)) * (largest - smallest) < 35
        else np.float64
    )


class _Particles:
    """``lanes`` particles after ``n`` cases: hidden states as codes, counts, and weights relative
    to the unlinked model.
    """

    def __init__(self, model: _Model, lanes: int, rng: np.random.Generator):
        n_counts, n_totals = model.shape
        self.n = 0
        self.states = np.zeros((len(model.tables.rows), lanes), dtype=model.code_type)
        self._counts = np.zeros((n_counts, lanes), dtype=model.float)
        self._totals = np.zeros((n_totals, lanes), dtype=model.float)
        self._log_weights = np.zeros(lanes)
        self._ratio = np.ones(lanes)  # the part of the weights whose logarithm is not taken yet
        self._streams = rng.integers(2**64, size=(4, -(-lanes // 2)), dtype=np.uint64)
        self._tables, self._rng = model.tables, rng
        self._log_mean = 0.0  # ln of the product of the mean weights, up to the last resampling

    def add(self, n: int, retained: np.ndarray = NOTHING) -> None:
        """Add cases up to the n-th; lane 0 takes the ``retained`` codes, if any."""
        self._visit(range(self.n, n), True, retained)
        self.n = n

    def sweep(self, retained: np.ndarray = NOTHING, backwards: bool = False) -> None:
        """One systematic scan of collapsed Gibbs sampling over the cases so far, or its reversal."""
        self._visit(range(self.n)[:: -1 if backwards else 1], False, retained)

    def _visit(self, order: range, new: bool, retained: np.ndarray) -> None:
        _visit(
            *(self._tables, order.start, order.stop, order.step, new, retained),
            *(
                self.states,
                self._counts,
                self._totals,
                self._streams,
                self._log_weights,
                self._ratio,
            ),
        )

    def resample(self, lanes: int, conditional: bool) -> None:
        """Systematic resampling to ``lanes`` particles, if those are fewer or the effective sample
        size is low.

        ``conditional``: lane 0 has itself as parent, as a rotation of the places drawn uniformly
        among those that let it.
        """
        logs = self._log_weights + np.log(self._ratio)
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        if lanes == len(weights) and 1 / np.square(weights).sum() >= RESAMPLE_BELOW * lanes:
            return
        self._log_mean += float(_log_mean_exp(logs))
        first = self._rng.random() * (weights[0] if conditional else 1.0)
        places = (first + np.arange(lanes) / lanes) % 1.0
        parents = np.minimum(
            np.searchsorted(np.cumsum(weights), places, side="right"), len(weights) - 1
        )
        if lanes == len(weights):
            for table in (self.states[: self.n], self._counts, self._totals):
                _copy_lanes(table, parents)
        else:
            states = np.zeros((len(self.states), lanes), dtype=self.states.dtype)
            states[: self.n] = self.states[: self.n, parents]
            self.states = states
            self._counts, self._totals = (
                np.take(table, parents, axis=1) for table in (self._counts, self._totals)
            )
            self._streams = self._streams[:, : -(-lanes // 2)].copy()
        self._log_weights, self._ratio = np.zeros(lanes), np.ones(lanes)

    def log_ratio(self) -> float:
        """ln of the estimated evidence of the cases so far, relative to the unlinked model's."""
        return self._log_mean + float(_log_mean_exp(self._log_weights + np.log(self._ratio)))


def _run(
    model: _Model, sizes: np.ndarray, particles: int, rng: np.random.Generator, path=None
) -> np.ndarray:
    """ln estimates at ``sizes`` from one run; ``path[k]``: the codes lane 0 retains from before the
    k-th rejuvenation on.
    """
    cloud = _Particles(model, particles, rng)
    times, wanted = set(rejuvenation_times(int(sizes.max()))), set(sizes.tolist())
    codes = repeat(NOTHING) if path is None else iter(path)
    retained = next(codes)
    log_evidence = {}
    for n in sorted(times | wanted):
        cloud.add(n, retained)
        if n in wanted:
            log_evidence[n] = cloud.log_ratio() + model.log_unlinked[n - 1]
        if n in times:
            retained = next(codes)
            cloud.resample(_lanes(particles, n), conditional=path is not None)
            cloud.sweep(retained)
    estimates = np.array([log_evidence[n] for n in sizes.tolist()])
    if not np.isfinite(estimates).all():
        raise FloatingPointError(
            "an importance weight is outside the range of numbers: alpha is too small for so many variables"
        )
    return estimates


def _lanes(particles: int, n: int) -> int:
    """How many particles go on from n cases: ``particles`` up to FULL cases, then about in
    proportion to 1 / sqrt(n).
    """
    return min(particles, max(2, particles >> (((n - 1) // FULL).bit_length() + 1) // 2))


def _backwards(model: _Model, codes: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """The trajectory to retain: codes before the first rejuvenation, after it, ..., after the last
    one: ``codes``.
    """
    path = [codes]
    for n in reversed(rejuvenation_times(len(codes))):
        particle = _Particles(model, 1, rng)
        particle.add(n, path[-1])
        particle.sweep(backwards=True)
        path.append(particle.states[:n, 0].astype(np.int64))
    return path[::-1]


@njit(**COMPILED)
def _visit(
    tables, start, stop, step, new, retained, states, counts, totals, streams, log_weights, ratio
):
    """Draw the states of cases start, start + step, ... in turn, each given all other cases
    present; weigh those that are new.
    """
    lanes, n_states = states.shape[1], tables.codes.size
    uniform = np.empty(2 * streams.shape[1], dtype=counts.dtype)
    cumulated = np.empty((n_states, lanes), dtype=counts.dtype)
    old, drawn = np.full(lanes, tables.none, dtype=np.int32), np.empty(lanes, dtype=np.int32)
    for i in range(start, stop, step):
        if not new:
            for p in range(lanes):
                old[p] = states[i, p]
        _uniforms(streams, uniform)
        _cumulate(tables, tables.rows[i], old, counts, totals, cumulated)
        if new:
            for p in range(lanes):
                ratio[p] *= cumulated[n_states - 1, p] * tables.scale[i]
            if i % FLUSH == FLUSH - 1:
                for p in range(lanes):
                    log_weights[p] += np.log(ratio[p])
                    ratio[p] = 1.0
        _choose(tables.codes, uniform, cumulated, drawn)
        if retained.size > 0:
            drawn[0] = retained[i]
        for p in range(lanes):
            states[i, p] = drawn[p]
        _move(tables, tables.rows[i], old, drawn, counts, totals)


@njit(**COMPILED)
def _uniforms(streams, uniform):
    """Two uniform numbers of 24 bits from each of the streams, xoshiro256+ (Blackman & Vigna 2021)
    with states (4, half).
    """
    half = streams.shape[1]
    unit = uniform.dtype.type(2.0**-24)
    for p in range(half):
        s0, s1, s2, s3 = streams[0, p], streams[1, p], streams[2, p], streams[3, p]
        bits = s0 + s3
        uniform[p] = np.int32(bits >> np.uint64(40)) * unit
        uniform[half + p] = np.int32((bits >> np.uint64(16)) & np.uint64(0xFFFFFF)) * unit
        s2 ^= s0
        s3 ^= s1
        streams[0, p] = s0 ^ s3
        streams[1, p] = s1 ^ s2
        streams[2, p] = s2 ^ (s1 << np.uint64(17))
        streams[3, p] = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))


@njit(**COMPILED)
def _cumulate(tables, rows, old, counts, totals, cumulated):
    """Unnormalised p(state, y_i given the other cases), summed up over the states in their order."""
    n_states = tables.codes.size
    for h in range(n_states):
        code = np.int32(tables.codes[h] | tables.neutral)
        for k in range(tables.root.size):
            g = tables.root[k]
            _root_factor(
                cumulated,
                h,
                k == 0,
                old,
                code,
                tables.group_mask[g],
                totals,
                g * n_states + h,
                tables.alpha_hidden,
            )
        for v in range(0, rows.size, FUSED):
            a, b, c, d = rows[v] + h, rows[v + 1] + h, rows[v + 2] + h, rows[v + 3] + h
            group, mask, prior = tables.group, tables.mask, tables.total_prior
            e, f, g, k = group[v], group[v + 1], group[v + 2], group[v + 3]
            _observed_factors(
                cumulated, h, old, code, counts, a, b, c, d, tables.alpha,
                totals, e * n_states + h, f * n_states + h, g * n_states + h, k * n_states + h,
                prior[v], prior[v + 1], prior[v + 2], prior[v + 3], mask[v], mask[v + 1], mask[v + 2], mask[v + 3],
            )  # fmt: skip
        if h > 0:
            for p in range(old.size):
                cumulated[h, p] += cumulated[h - 1, p]


@njit(**COMPILED)
def _root_factor(product, h, first, old, code, mask, totals, row, alpha):
    one, zero = product.dtype.type(1), product.dtype.type(0)
    for p in range(old.size):
        x = totals[row, p] - (one if np.int32((old[p] ^ code) & mask) == 0 else zero) + alpha
        product[h, p] = x if first else product[h, p] * x


@njit(**COMPILED)
def _observed_factors(
    product,
    h,
    old,
    code,
    counts,
    a,
    b,
    c,
    d,
    alpha,
    totals,
    ta,
    tb,
    tc,
    td,
    ka,
    kb,
    kc,
    kd,
    ma,
    mb,
    mc,
    md,
):
    """Multiply by the predictive probabilities of FUSED observed variables, the case's own count
    taken out.
    """
    one, zero = product.dtype.type(1), product.dtype.type(0)
    for p in range(old.size):
        agree = np.int32(old[p] ^ code)
        oa = one if np.int32(agree & ma) == 0 else zero
        ob = one if np.int32(agree & mb) == 0 else zero
        oc = one if np.int32(agree & mc) == 0 else zero
        od = one if np.int32(agree & md) == 0 else zero
        above = (counts[a, p] - oa + alpha) * (counts[b, p] - ob + alpha)
        above *= (counts[c, p] - oc + alpha) * (counts[d, p] - od + alpha)
        below = (totals[ta, p] - oa + ka) * (totals[tb, p] - ob + kb)
        below *= (totals[tc, p] - oc + kc) * (totals[td, p] - od + kd)
        product[h, p] *= above / below


@njit(**COMPILED)
def _choose(codes, uniform, cumulated, drawn):
    last = codes.size - 1
    for p in range(drawn.size):
        uniform[p] *= cumulated[last, p]
        drawn[p] = codes[0]
    for h in range(last):
        code = codes[h + 1]
        for p in range(drawn.size):
            drawn[p] = code if uniform[p] >= cumulated[h, p] else drawn[p]


@njit(**COMPILED)
def _move(tables, rows, old, drawn, counts, totals):
    """Count the case under its drawn state instead of its old one."""
    n_states = tables.codes.size
    for h in range(n_states):
        code = np.int32(tables.codes[h] | tables.neutral)
        for g in range(tables.group_mask.size):
            _move_row(totals, g * n_states + h, old, drawn, code, tables.group_mask[g])
        for v in range(rows.size):
            _move_row(counts, rows[v] + h, old, drawn, code, tables.mask[v])


@njit(**COMPILED)
def _move_row(table, row, old, drawn, code, mask):
    one, zero = table.dtype.type(1), table.dtype.type(0)
    for p in range(old.size):
        gain = one if np.int32((drawn[p] ^ code) & mask) == 0 else zero
        table[row, p] += gain - (one if np.int32((old[p] ^ code) & mask) == 0 else zero)


@njit(**COMPILED)
def _copy_lanes(table, parents):
    before = np.empty(parents.size, dtype=table.dtype)
    for row in range(len(table)):
        before[:] = table[row]
        for p in range(parents.size):
            table[row, p] = before[parents[p]]
