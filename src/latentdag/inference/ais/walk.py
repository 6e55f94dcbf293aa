"""The compiled random walk of annealed importance sampling: LANES chains of one structure.

A chain moves in x = ln(g / alpha), one number for each parameter. Each row of theta is g / sum(g);
the prior of g is Gamma(alpha, 1), so that p(x) is proportional to exp(alpha (x - e^x)). Every chain
has its own temperatures, step sizes and random numbers; all have the same data, or each its own.
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
    alpha: np.ndarray  # (D,): the prior's Dirichlet parameters
    expected: np.ndarray  # (D, LANES): counts if all variables were independent


class Walk(NamedTuple):
    """LANES chains, and the arrays that a step works in."""

    x: np.ndarray  # (D, LANES)
    log_likelihood: np.ndarray  # (1, LANES), nats
    log_prior: np.ndarray  # (1, LANES), nats, up to a constant
    log_weight: np.ndarray  # (1, LANES), nats
    streams: np.ndarray  # (4, LANES): states of the random number generators
    proposal: np.ndarray  # (D, LANES)
    weights: np.ndarray  # (D, LANES): theta of the proposal
    scale: np.ndarray  # (D, LANES): standard deviation of the proposal
    scratch: Scratch


def begin(target: Target, x: np.ndarray, streams: np.ndarray) -> Walk:
    """Chains at ``x`` (D, LANES) with weight 1, and what they are worth there."""
    walk = Walk(
        x,
        *(np.zeros((1, LANES)) for _ in range(3)),
        streams,
        *(vectors(len(x)) for _ in range(3)),
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
    """ln p(y given theta) and the prior's ln density of ``x``, up to a constant."""
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
    """64 random bits for each lane: xoshiro256++ (Blackman & Vigna 2021, ACM TOMS 47, 36)."""
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
def propose(walk):
    """Add to x the sum of two uniform numbers: symmetric, below 2.45 standard deviations."""
    n_parameters = len(walk.x)
    for first in range(0, n_parameters, 2):
        words = random_words(walk.streams)
        for d in range(first, min(first + 2, n_parameters)):
            two = (words & (PIECE - 1)) + ((words >> 16) & (PIECE - 1))
            z = (reals_of(two) - CENTRE) * UNIT
            store(walk.proposal, d, fma(z, load(walk.scale, d), load(walk.x, d)))
            words = words >> 32


@inlined
def weigh(walk, rise):
    """Weight the chains for a temperature that is higher by ``rise``."""
    value = fma(load(walk.log_likelihood, 0), rise, load(walk.log_weight, 0))
    store(walk.log_weight, 0, value)


@inlined
def log_ratio(walk, proposed_likelihood, proposed_prior, temperature):
    """ln of the density at the proposal over that at x."""
    rise = proposed_likelihood - load(walk.log_likelihood, 0)
    return fma(rise, temperature, proposed_prior - load(walk.log_prior, 0))


@inlined
def update(target, walk, temperature):
    """One Metropolis update at ``temperature``; 1 in the lanes that moved, else 0."""
    propose(walk)
    proposed_likelihood, proposed_prior = evaluate(walk.proposal, target, walk)
    uniform = (reals_of(random_words(walk.streams) >> 12) + 0.5) * 2.0**-52
    ratio = log_ratio(walk, proposed_likelihood, proposed_prior, temperature)
    moved = log(uniform) < ratio
    for d in range(len(walk.x)):
        store(walk.x, d, where(moved, load(walk.proposal, d), load(walk.x, d)))
    now = load(walk.log_likelihood, 0), load(walk.log_prior, 0)
    store(walk.log_likelihood, 0, where(moved, proposed_likelihood, now[0]))
    store(walk.log_prior, 0, where(moved, proposed_prior, now[1]))
    return where(moved, everywhere(1.0), 0.0)


@compiled
def shape(target, walk, temperatures, log_steps):
    """Scale proposals: x is known to about (alpha + tau n_x)^-1/2, n_x its independent count."""
    steps = np.exp(log_steps)
    for d in range(target.alpha.size):
        for lane in range(LANES):
            spread = target.alpha[d] + temperatures[lane] * target.expected[d, lane]
            walk.scale[d, lane] = steps[lane] / np.sqrt(spread)


@compiled
def run(target, walk, temperatures, log_steps, part, accepted):
    """Weight and update the chains at each of ``temperatures`` (1 + steps, LANES) in turn, but for
    the first, at which they already are.

    ``log_steps`` (blocks, LANES) has the ln step sizes of each BLOCK of steps. The steps at which a
    chain moved are counted in ``accepted`` (parts, LANES), by the ``part`` (steps,) of the run.
    """
    for b in range(part.size):
        if b % BLOCK == 0:
            shape(target, walk, temperatures[b + 1], log_steps[b // BLOCK])
        temperature = load(temperatures, b + 1)
        weigh(walk, temperature - load(temperatures, b))
        moved = update(target, walk, temperature)
        store(accepted, part[b], load(accepted, part[b]) + moved)


@compiled
def run_pilot(target, walk, temperatures, log_step, rate, wanted):
    """Ln step sizes after, and mean ln p(y given theta) in, each BLOCK: (2, blocks). After a step
    ln step size rises by ``rate`` times the share that moved less ``wanted``.
    """
    blocks = temperatures.size // BLOCK
    found = np.zeros((2, blocks))
    moved, ones = np.empty((1, LANES)), np.ones(LANES)
    for b in range(blocks * BLOCK):
        k = b // BLOCK
        shape(target, walk, temperatures[k * BLOCK] * ones, log_step * ones)
        store(moved, 0, update(target, walk, temperatures[b]))
        log_step += rate * (moved.mean() - wanted)
        found[0, k] = log_step
        found[1, k] += walk.log_likelihood.mean() / BLOCK
    return found
