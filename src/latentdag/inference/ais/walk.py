"""The compiled random walk of annealed importance sampling: LANES chains of one structure.

A chain moves in x = ln(g / alpha), one number for each parameter. Each row of theta is g / sum(g);
the prior of g is Gamma(alpha, 1), so that p(x) is proportional to exp(alpha (x - e^x)). Every chain
has its own temperatures, step sizes and random numbers; all have the same data, or each its own.

A *move* is a range of parameters that a Metropolis update changes together: all of them, or one
row. The moves take turns, one at each temperature.
"""

from typing import NamedTuple

import numpy as np

from latentdag.engine.cells import Cells, Scratch, log_likelihood, scratch_for
from latentdag.engine.functions import exp, log
from latentdag.engine.jit import compiled, inlined
from latentdag.engine.simd import LANES, everywhere, fma, load, reals_of, store, vectors, where

BLOCK = 32  # steps with one shape of the proposal
PIECE = 2**16  # a proposal is the sum of two integers below this
# both make the sum of mean 0 and variance 1
CENTRE, UNIT = PIECE - 1.0, (6 / (PIECE**2 - 1)) ** 0.5


class Target(NamedTuple):
    """A structure with D parameters and R rows, its prior, and the data of all lanes or of each."""

    cells: Cells  # rows of the weights are the parameters
    rows: np.ndarray  # (R + 1,): the first parameter of each row, and D
    moves: np.ndarray  # (M + 1,): the first parameter of each move, and D
    alpha: np.ndarray  # (D,): the prior's Dirichlet parameters
    expected: np.ndarray  # (D, LANES): counts if all variables were independent


class Walk(NamedTuple):
    """LANES chains, and the arrays that a step works in."""

    x: np.ndarray  # (D, LANES)
    log_likelihood: np.ndarray  # (1, LANES), nats
    log_prior: np.ndarray  # (1, LANES), nats, up to a constant
    log_weight: np.ndarray  # (1, LANES), nats
    streams: np.ndarray  # (4, LANES): states of the random number generators
    proposal: np.ndarray  # (D, LANES): x, but for the parameters that move
    weights: np.ndarray  # (D, LANES): theta of the proposal
    scale: np.ndarray  # (D, LANES): standard deviation of the proposal
    scratch: Scratch


def begin(target: Target, x: np.ndarray, streams: np.ndarray) -> Walk:
    """A `Walk` of LANES chains at ``x`` (D, LANES) with weight 1, and their ln likelihood and ln
    prior there. ``streams`` (4, LANES) are the states of their random number generators. Both
    arrays change as the chains move.
    """
    walk = Walk(
        x,
        *(np.zeros((1, LANES)) for _ in range(3)),
        streams,
        x.copy(),
        *(vectors(len(x)) for _ in range(2)),
        scratch_for.py_func(target.cells),  # in Python: see `optimiser.run`
    )
    _arrive(target, walk)
    return walk


@compiled
def _arrive(target, walk):
    likelihood, log_prior = evaluate(walk.x, target, walk)
    store(walk.log_likelihood, 0, likelihood)
    store(walk.log_prior, 0, log_prior)


@inlined
def evaluate(x, target, walk):
    """ln p(y given theta) and the prior's ln density of ``x`` (D, LANES), up to a constant, both in
    nats, (LANES,). Puts theta into ``walk.weights``.
    """
    log_prior = everywhere(0.0)
    for row in range(target.rows.size - 1):
        total = everywhere(0.0)
        for d in range(target.rows[row], target.rows[row + 1]):
            g = exp(load(x, d))
            store(walk.weights, d, g)
            log_prior = fma(load(x, d) - g, target.alpha[d], log_prior)
            total = total + g
        scale = 1.0 / total
        for d in range(target.rows[row], target.rows[row + 1]):
            store(walk.weights, d, load(walk.weights, d) * scale)
    return log_likelihood(walk.weights, target.cells, walk.scratch), log_prior


@inlined
def random_words(streams):
    """64 random bits for each lane, from ``streams`` (4, LANES), which move on: xoshiro256++
    (Blackman & Vigna 2021, ACM TOMS 47, 36).
    """
    s0, s1, s2, s3 = load(streams, 0), load(streams, 1), load(streams, 2), load(streams, 3)
    total = s0 + s3
    words = ((total << 23) | (total >> 41)) + s0
    s2, s3 = s2 ^ s0, s3 ^ s1
    store(streams, 0, s0 ^ s3)
    store(streams, 1, s1 ^ s2)
    store(streams, 2, s2 ^ (s1 << 17))
    store(streams, 3, (s3 << 45) | (s3 >> 19))
    return words


@inlined
def propose(walk, start, end):
    """Put x plus ``walk.scale`` times a random number into ``walk.proposal``, from row ``start`` to
    ``end``, exclusive: the sum of two uniform numbers, symmetric, of variance 1, below 2.45.
    """
    for first in range(start, end, 2):
        words = random_words(walk.streams)
        for d in range(first, min(first + 2, end)):
            two = (words & (PIECE - 1)) + ((words >> 16) & (PIECE - 1))
            z = (reals_of(two) - CENTRE) * UNIT
            store(walk.proposal, d, fma(z, load(walk.scale, d), load(walk.x, d)))
            words = words >> 32


@inlined
def weigh(walk, rise):
    """Multiply the weights of the chains by p(y given theta)^rise, in place in ``walk.log_weight``,
    for an inverse temperature that is higher by ``rise`` (LANES,).
    """
    value = fma(load(walk.log_likelihood, 0), rise, load(walk.log_weight, 0))
    store(walk.log_weight, 0, value)


@inlined
def log_ratio(walk, proposed_likelihood, proposed_prior, temperature):
    """ln of the density at the proposal over that at x, in nats, at an inverse ``temperature``; the
    proposal has this ln likelihood and ln prior density. All are (LANES,).
    """
    rise = proposed_likelihood - load(walk.log_likelihood, 0)
    return fma(rise, temperature, proposed_prior - load(walk.log_prior, 0))


@inlined
def update(target, walk, temperature, move):
    """One Metropolis update of ``walk`` at the inverse ``temperature`` (LANES,), of the parameters
    of the move with this number. Returns 1 in the lanes that moved, else 0.
    """
    start, end = target.moves[move], target.moves[move + 1]
    propose(walk, start, end)
    proposed_likelihood, proposed_prior = evaluate(walk.proposal, target, walk)
    uniform = (reals_of(random_words(walk.streams) >> 12) + 0.5) * 2.0**-52
    ratio = log_ratio(walk, proposed_likelihood, proposed_prior, temperature)
    moved = log(uniform) < ratio
    for d in range(start, end):
        x = where(moved, load(walk.proposal, d), load(walk.x, d))
        store(walk.x, d, x)
        store(walk.proposal, d, x)
    now = load(walk.log_likelihood, 0), load(walk.log_prior, 0)
    store(walk.log_likelihood, 0, where(moved, proposed_likelihood, now[0]))
    store(walk.log_prior, 0, where(moved, proposed_prior, now[1]))
    return where(moved, everywhere(1.0), 0.0)


@compiled
def shape(target, walk, temperatures, log_steps):
    """Fill ``walk.scale`` at inverse ``temperatures`` tau (LANES,): x is known to about (alpha +
    tau n_x)^-1/2, n_x its independent count, and the scale is that times the step size of its move.
    ``log_steps`` (M, LANES) are ln step sizes.
    """
    steps = np.exp(log_steps)
    for move in range(len(steps)):
        for d in range(target.moves[move], target.moves[move + 1]):
            for lane in range(LANES):
                spread = target.alpha[d] + temperatures[lane] * target.expected[d, lane]
                walk.scale[d, lane] = steps[move, lane] / np.sqrt(spread)


@compiled
def run(target, walk, temperatures, log_steps, move, part, accepted):
    """Weight and update the chains at each of ``temperatures`` (1 + steps, LANES) in turn, but for
    the first, at which they already are; by the ``move`` (steps,) of each.

    ``log_steps`` (blocks, M, LANES) has the ln step sizes of the moves, for each BLOCK of steps.
    The steps at which a chain moved are counted in ``accepted`` (parts, LANES), by the ``part``
    (steps,) of the run.
    """
    for b in range(part.size):
        if b % BLOCK == 0:
            shape(target, walk, temperatures[b + 1], log_steps[b // BLOCK])
        temperature = load(temperatures, b + 1)
        weigh(walk, temperature - load(temperatures, b))
        moved = update(target, walk, temperature, move[b])
        store(accepted, part[b], load(accepted, part[b]) + moved)


@compiled
def run_pilot(
    target, walk, temperatures, log_step, rate, target_rate, log_steps, mean_log_likelihood
):
    """Update the chains at inverse ``temperatures`` (steps,), the M moves in turn, and adapt step
    sizes: after a step the ln step size of its move, first that of ``log_step`` (M,), rises by
    ``rate`` times the share of chains that moved less ``target_rate``. Puts the ln step sizes after
    each BLOCK of steps into ``log_steps`` (blocks, M), and adds the mean ln p(y given theta) in it,
    in nats, to ``mean_log_likelihood`` (blocks,).
    """
    blocks, n_moves = log_steps.shape
    moved, ones, now = np.empty((1, LANES)), np.ones(LANES), log_step.copy()
    for b in range(blocks * BLOCK):
        k, move = b // BLOCK, b % n_moves
        shape(target, walk, temperatures[k * BLOCK] * ones, now.reshape(-1, 1) * ones)
        store(moved, 0, update(target, walk, temperatures[b], move))
        now[move] += rate * (moved.mean() - target_rate)
        log_steps[k] = now
        mean_log_likelihood[k] += walk.log_likelihood.mean() / BLOCK
