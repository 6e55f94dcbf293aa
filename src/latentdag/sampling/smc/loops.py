"""The compiled loops: draw hidden states of one case after another, for all particles together.

All particles, the *lanes*, visit a case at the same time, and every table has lanes as its last
axis: the inner loops become vector instructions. Arguments are those of `visit`, and

old, drawn   codes (lanes,) of the case's hidden states before and after its visit
h, code      a joint hidden state as an index, and as a code
cumulated    (S, lanes): unnormalised probabilities of the joint states, summed up from state 0
"""

from typing import NamedTuple

import numpy as np
from numba import njit

FLUSH = 16  # cases between logarithms of the weights; products of so many ratios stay in range
FUSED = 4  # observed variables in one fused loop
# with another error model a test for division by zero would prevent vector instructions
COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}


class Lanes(NamedTuple):
    """What the loops change: one run's particles, side by side in the last axis."""

    states: np.ndarray  # (n, lanes): codes of the hidden states, by case
    counts: np.ndarray  # rows by (variable, value, joint state): n_jry
    totals: np.ndarray  # rows by (set of parents, joint state): n_jr
    streams: np.ndarray  # (4, half as many): states of the random number generators
    log_weights: np.ndarray  # (lanes,): relative to the unlinked model
    ratio: np.ndarray  # (lanes,): factor of the weights whose logarithm is not taken yet


@njit(**COMPILED)
def visit(tables, lanes, start, stop, step, new, retained):
    """Draw the hidden states of cases start, start + step, ... in turn, each given all other cases
    present.

    ``new``: the cases were not present; their predictive probabilities go into the weights. If
    ``retained``, codes by case, is not empty, lane 0 takes its states from there.
    """
    n_lanes, n_states = lanes.states.shape[1], tables.codes.size
    real = lanes.counts.dtype
    uniform = np.empty(2 * lanes.streams.shape[1], dtype=real)
    cumulated = np.empty((n_states, n_lanes), dtype=real)
    old, drawn = np.full(n_lanes, tables.none, dtype=np.int32), np.empty(n_lanes, dtype=np.int32)
    for i in range(start, stop, step):
        if not new:
            for p in range(n_lanes):
                old[p] = lanes.states[i, p]
        _uniforms(lanes.streams, uniform)
        _cumulate(tables, tables.rows[i], old, lanes.counts, lanes.totals, cumulated)
        if new:
            for p in range(n_lanes):
                lanes.ratio[p] *= cumulated[n_states - 1, p] * tables.scale[i]
            if i % FLUSH == FLUSH - 1:
                for p in range(n_lanes):
                    lanes.log_weights[p] += np.log(lanes.ratio[p])
                    lanes.ratio[p] = 1.0
        _choose(tables.codes, uniform, cumulated, drawn)
        if retained.size > 0:
            drawn[0] = retained[i]
        for p in range(n_lanes):
            lanes.states[i, p] = drawn[p]
        _move(tables, tables.rows[i], old, drawn, lanes.counts, lanes.totals)


@njit(**COMPILED)
def _uniforms(streams, uniform):
    """Two uniform numbers of 24 bits from each stream: xoshiro256+ (Blackman & Vigna 2021, ACM
    Trans. Math. Softw. 47, 36).
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
    """Unnormalised p(h, y_i | the other cases) of every joint state h, summed up over h."""
    for h in range(tables.codes.size):
        code = np.int32(tables.codes[h] | tables.neutral)
        for k in range(tables.root.size):
            _hidden_factor(tables, k, h, old, code, totals, cumulated)
        for v in range(0, rows.size, FUSED):
            _observed_factors(tables, v, rows, h, old, code, counts, totals, cumulated)
        if h > 0:
            for p in range(old.size):
                cumulated[h, p] += cumulated[h - 1, p]


@njit(**COMPILED)
def _hidden_factor(tables, k, h, old, code, totals, product):
    """The factor of hidden variable k; that of the first one starts the product."""
    one, zero = product.dtype.type(1), product.dtype.type(0)
    mask, row = tables.group_mask[tables.root[k]], tables.root[k] * tables.codes.size + h
    for p in range(old.size):
        own = one if np.int32((old[p] ^ code) & mask) == 0 else zero
        x = totals[row, p] - own + tables.alpha_hidden
        product[h, p] = x if k == 0 else product[h, p] * x


@njit(**COMPILED)
def _observed_factors(tables, v, rows, h, old, code, counts, totals, product):
    """The factors of the FUSED observed variables from v on, the case's own counts taken out."""
    one, zero = product.dtype.type(1), product.dtype.type(0)
    alpha, n_states = tables.alpha, tables.codes.size
    group, mask, prior = tables.group, tables.mask, tables.total_prior
    a, b, c, d = rows[v] + h, rows[v + 1] + h, rows[v + 2] + h, rows[v + 3] + h
    ta, tb = group[v] * n_states + h, group[v + 1] * n_states + h
    tc, td = group[v + 2] * n_states + h, group[v + 3] * n_states + h
    ma, mb, mc, md = mask[v], mask[v + 1], mask[v + 2], mask[v + 3]
    ka, kb, kc, kd = prior[v], prior[v + 1], prior[v + 2], prior[v + 3]
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
    """Draw a joint state for each lane by inverting its distribution function."""
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
    """Add 1 where the drawn state agrees with ``code`` under ``mask``, take 1 where the old did."""
    one, zero = table.dtype.type(1), table.dtype.type(0)
    for p in range(old.size):
        gain = one if np.int32((drawn[p] ^ code) & mask) == 0 else zero
        table[row, p] += gain - (one if np.int32((old[p] ^ code) & mask) == 0 else zero)


@njit(**COMPILED)
def copy_lanes(table, parents):
    """Replace each lane p of a ``table`` (rows, lanes) by lane ``parents[p]``, in place."""
    before = np.empty(parents.size, dtype=table.dtype)
    for row in range(len(table)):
        before[:] = table[row]
        for p in range(parents.size):
            table[row, p] = before[parents[p]]
