"""The compiled loops: draw hidden states of one case after another, for all particles together, and
resample particles.

A *lane* is a particle. Lanes lie in tiles of WIDE, those of one run in tiles of their own. A tile
visits all cases before the next one does, so that its counts stay in the cache, and its lanes visit
a case together, as a vector. A *part* is a set of parents with one joint state of theirs. Arguments
are those of `visit`, and

old, drawn     codes of the case's hidden states before and after its visit, vectors
above, below   (parts, WIDE): numerator and denominator of a part's factor
cumulated      (S, WIDE): unnormalised probabilities of the joint states, summed up from state 0
"""

from typing import NamedTuple

import numpy as np

from latentdag.engine.jit import compiled, inlined
from latentdag.engine.simd import WIDE, where
from latentdag.engine.simd import cast_wide as cast
from latentdag.engine.simd import load_wide as load
from latentdag.engine.simd import store_wide as store

FLUSH = 16  # cases between logarithms of the weights; products of so many ratios stay in range
UNIT = 2.0**-24  # of random numbers


class Lanes(NamedTuple):
    """What the loops change. A run's tiles follow each other; the last may have lanes to spare."""

    states: np.ndarray  # (tiles, n, WIDE): codes of the hidden states, by case
    counts: np.ndarray  # (tiles, rows, WIDE): n_jry, rows by (variable, value, parents' state)
    totals: np.ndarray  # (tiles, parts, WIDE): n_jr
    streams: np.ndarray  # (tiles, 4, WIDE): states of the random number generators
    log_weights: np.ndarray  # (tiles, WIDE): relative to the unlinked model
    ratio: np.ndarray  # (tiles, WIDE): factor of the weights whose logarithm is not taken yet
    factors: np.ndarray  # (2 parts + S, WIDE): room for above, below and cumulated


@compiled
def visit(tables, lanes, start, stop, step, new, retained):
    """Draw the hidden states of cases ``start``, ``start`` + ``step``, ... before ``stop`` in turn
    given all others present; ``lanes`` change in place. ``new``: they were not present, and their
    predictive probabilities go into the weights. ``retained``, (runs, n) or (0, 0): codes by case
    that lane 0 of each run takes.
    """
    n_parts, last = tables.part.size, tables.codes.size - 1
    above, below = lanes.factors[:n_parts], lanes.factors[n_parts : 2 * n_parts]
    cumulated = lanes.factors[2 * n_parts :]
    for t in range(len(lanes.states)):
        states, counts, totals = lanes.states[t], lanes.counts[t], lanes.totals[t]
        streams, log_weights, ratio = lanes.streams[t], lanes.log_weights[t], lanes.ratio[t]
        run, place = divmod(t * len(retained), len(lanes.states))
        old = cast(tables.none, np.int32)
        for i in range(start, stop, step):
            rows = tables.rows[i]
            if not new:
                old = cast(load(states, i), np.int32)
            _factors(tables, rows, old, counts, totals, above, below)
            _cumulate(tables, above, below, cumulated)
            if new:
                for p in range(WIDE):
                    ratio[p] *= cumulated[last, p] * tables.scale[i]
                if i % FLUSH == FLUSH - 1:
                    for p in range(WIDE):
                        log_weights[p] += np.log(ratio[p])
                        ratio[p] = 1.0
            drawn = _choose(tables.codes, _random_bits(streams), cumulated)
            if retained.size > 0 and place == 0:
                store(states, i, drawn)
                states[i, 0] = retained[run, i]
                drawn = cast(load(states, i), np.int32)
            store(states, i, drawn)
            _move(tables, rows, old, drawn, counts, totals)


@inlined
def _factors(tables, rows, old, counts, totals, above, below):
    """Every part's factor without the case: of its children, and of a root itself."""
    one, alpha = tables.one, tables.alpha
    for g in range(tables.mask.size):
        if nothing_to_count(tables, rows, g):
            for k in range(tables.first_part[g], tables.first_part[g + 1]):
                store(above, k, one)
                store(below, k, one)
            continue
        agree, first = old & tables.mask[g], tables.first_part[g]
        for k in range(first, tables.first_part[g + 1]):
            in_part = agree == tables.part[k]
            total = load(totals, k)
            total = where(in_part, total - one, total)
            prior = where(in_part, alpha - one, alpha)
            numerator = denominator = where(in_part, one, one)
            if tables.root[g]:
                numerator = total + tables.alpha_hidden
            for v in range(tables.first_child[g], tables.first_child[g + 1]):
                numerator = numerator * (load(counts, rows[v] + k - first) + prior)
                denominator = denominator * (total + tables.total_prior[v])
            store(above, k, numerator)
            store(below, k, denominator)


@compiled
def nothing_to_count(tables, rows, g):
    """Whether the ``g``-th set of parents belongs to a variable whose value the case has not;
    ``rows`` (V,) is the case's row of ``tables.rows``.
    """
    child = tables.first_child[g]
    return child < tables.first_child[g + 1] and rows[child] < 0


@inlined
def _cumulate(tables, above, below, cumulated):
    """Unnormalised p(h, y_i | the other cases) of every joint state h, summed up over h."""
    for h in range(tables.codes.size):
        numerator = load(above, tables.parts_of[h, 0])
        denominator = load(below, tables.parts_of[h, 0])
        for g in range(1, tables.mask.size):
            numerator = numerator * load(above, tables.parts_of[h, g])
            denominator = denominator * load(below, tables.parts_of[h, g])
        product = numerator / denominator
        if h > 0:
            product = product + load(cumulated, h - 1)
        store(cumulated, h, product)


@compiled
def _random_bits(streams):
    """24 random bits for each lane: xoshiro128+ (Blackman & Vigna 2021, ACM TOMS 47, 36)."""
    s0, s1, s2, s3 = load(streams, 0), load(streams, 1), load(streams, 2), load(streams, 3)
    bits = cast((s0 + s3) >> 8, np.int32)
    s2 = s2 ^ s0
    s3 = s3 ^ s1
    store(streams, 0, s0 ^ s3)
    store(streams, 1, s1 ^ s2)
    store(streams, 2, s2 ^ (s1 << 9))
    store(streams, 3, (s3 << 11) | (s3 >> 21))
    return bits


@compiled
def _choose(codes, bits, cumulated):
    """Draw a joint state for each lane by inverting its distribution function."""
    last = codes.size - 1
    place = load(cumulated, last) * UNIT * bits
    drawn = cast(codes[0], np.int32)
    for h in range(last):
        drawn = where(place >= load(cumulated, h), codes[h + 1], drawn)
    return drawn


@inlined
def _move(tables, rows, old, drawn, counts, totals):
    """Count the case under its drawn state instead of its old one."""
    one = tables.one
    zero = one - one
    for g in range(tables.mask.size):
        if nothing_to_count(tables, rows, g):
            continue
        before, after = old & tables.mask[g], drawn & tables.mask[g]
        first = tables.first_part[g]
        for k in range(first, tables.first_part[g + 1]):
            gain = where(after == tables.part[k], one, zero)
            gain = where(before == tables.part[k], gain - one, gain)
            store(totals, k, load(totals, k) + gain)
            for v in range(tables.first_child[g], tables.first_child[g + 1]):
                row = rows[v] + k - first
                store(counts, row, load(counts, row) + gain)


@compiled
def mean_weight(log_weights, ratio, weights):
    """ln of the mean weight of one run, in nats; a weight is exp(``log_weights``) times ``ratio``,
    both (particles,). Fills ``weights`` (particles,) with their shares, which sum to 1.
    """
    logs = log_weights + np.log(ratio)
    largest = logs.max()
    weights[:] = np.exp(logs - largest)
    total = weights.sum()
    weights /= total
    return largest + np.log(total / weights.size)


@compiled
def resample(lanes, n, particles, below, uniform, conditional, log_mean):
    """Resample, in ``lanes``, each run with an effective sample size below ``below`` times
    ``particles``, and add ln of its mean weight, in nats, to ``log_mean`` (runs,). The first ``n``
    cases have states; ``uniform`` (runs,) are random numbers from 0 to 1; ``conditional``: given
    that lane 0 keeps its particle, as in `parents`.
    """
    n_tiles = len(lanes.states) // uniform.size
    weights = np.empty(particles)
    for run in range(uniform.size):
        tiles = slice(run * n_tiles, (run + 1) * n_tiles)
        log_weights, ratio = lanes.log_weights[tiles].ravel(), lanes.ratio[tiles].ravel()
        mean = mean_weight(log_weights[:particles], ratio[:particles], weights)
        if 1 / np.square(weights).sum() >= below * particles:
            continue
        log_mean[run] += mean
        chosen = parents(weights, uniform[run], conditional)
        _copy(lanes.states[tiles], n, chosen)
        _copy(lanes.counts[tiles], lanes.counts.shape[1], chosen)
        _copy(lanes.totals[tiles], lanes.totals.shape[1], chosen)
        lanes.log_weights[tiles] = 0.0
        lanes.ratio[tiles] = 1.0


@compiled
def parents(weights, uniform, conditional):
    """Which particle each new one copies, indices (particles,), by systematic resampling.

    The particles lie on a circle of length 1, each as long as its weight, (particles,) with sum 1.
    Lane k takes the one at (first + k / particles) mod 1; ``first`` is uniform on the circle: the
    j-th has particles x weights[j] copies on average. ``uniform`` is a random number from 0 to 1.
    ``conditional``: given that lane 0 copies particle 0, first is uniform on that one's part
    (Chopin & Singh 2015, Bernoulli 21, 1855-1883).
    """
    first = uniform * (weights[0] if conditional else 1.0)
    places = (first + np.arange(weights.size) / weights.size) % 1.0
    chosen = np.searchsorted(np.cumsum(weights), places, side="right")
    return np.minimum(chosen, weights.size - 1)  # rounding may leave the last sum below a place


@compiled
def _copy(table, rows, chosen):
    """In the first ``rows`` rows replace lane q of a run by lane chosen[q], through the tiles."""
    before = np.empty((len(table), WIDE), dtype=table.dtype)
    flat = before.ravel()
    lanes = np.arange(before.size, dtype=np.uint32).reshape(before.shape)  # those to spare stay
    lanes.ravel()[: chosen.size] = chosen
    for row in range(rows):
        for t in range(len(table)):
            store(before, t, load(table[t], row))
        for t in range(len(table)):
            for p in range(WIDE):
                table[t, row, p] = flat[lanes[t, p]]
