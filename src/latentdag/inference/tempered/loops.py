"""The compiled loops of tempered SMC: Hamiltonian trajectories, LANES particles side by side.

A particle moves in x = ln g, one number for each parameter; each row of theta is g / G, G = sum of
g. The density of x is that of theta in logits, at the temperature tau,

    product of theta^alpha x r(theta)^(1 - tau) p(y given theta)^tau,

times Gamma(mass of the row) for every G, of which theta is independent. r is the start, as a
density ratio to the prior; see `start`. The mass of a parameter is about the inverse of the
variance of its x: under Dirichlet(m) for theta and Gamma(sum of m) for G, all x are independent,
of variance about 1 / m.
"""

from typing import NamedTuple

import numpy as np

from latentdag.engine.cells import (
    Cells,
    Rows,
    Scratch,
    expected_counts_alone,
    log_likelihood,
    scratch_for,
)
from latentdag.engine.functions import exp, log
from latentdag.engine.jit import compiled
from latentdag.engine.simd import everywhere, fma, load, store, vectors, where

# a smaller share of a component in r counts as 0: processors are slow with the smallest numbers
SMALLEST_SHARE = 1e-290


class Target(NamedTuple):
    """A structure with D parameters and R rows, its data and prior, and a start of K components."""

    cells: Cells  # rows of the weights are the parameters
    by_left: Rows  # the same cells
    rows: np.ndarray  # (R + 1,): the first parameter of each row, and D
    alpha: np.ndarray  # (D,): the prior's Dirichlet parameters
    counts: np.ndarray  # (K, D): what each component of the start has beyond alpha
    log_scale: np.ndarray  # (K,): ln of its share and normaliser, as a density ratio to the prior


class Tempering(NamedTuple):
    """The density at one temperature, and the mass and momenta that suit it."""

    temperature: float
    mass: np.ndarray  # (D,)
    mass_of_rows: np.ndarray  # (R,): sums of mass


class Work(NamedTuple):
    """Arrays that the loops work in."""

    theta: np.ndarray  # (D, LANES)
    log_theta: np.ndarray  # (D, LANES)
    pull: np.ndarray  # (D, LANES): Dirichlet parameters that the density has around theta
    gradient: np.ndarray  # (D, LANES)
    totals: np.ndarray  # (R, LANES): G
    shares: np.ndarray  # (K, LANES): of the components in r
    scratch: Scratch


@compiled
def work_for(target):
    """A new `Work` whose arrays have the sizes that ``target``, a `Target`, needs."""
    n, scratch = len(target.alpha), scratch_for(target.cells)
    totals, shares = vectors(len(target.rows) - 1), vectors(len(target.log_scale))
    return Work(vectors(n), vectors(n), vectors(n), vectors(n), totals, shares, scratch)


@compiled
def log_start(target, work):
    """ln r at ``work.log_theta``, in nats, (LANES,), r the density of the start over that of the
    prior. Puts the share of each component in r into ``work.shares``.
    """
    largest = everywhere(-np.inf)
    for k in range(len(target.log_scale)):
        value = everywhere(target.log_scale[k])
        for d in range(len(target.alpha)):
            value = fma(load(work.log_theta, d), target.counts[k, d], value)
        store(work.shares, k, value)
        largest = where(value > largest, value, largest)
    total = everywhere(0.0)
    for k in range(len(target.log_scale)):
        share = exp(load(work.shares, k) - largest)
        store(work.shares, k, share)
        total = total + share
    scale = 1.0 / total
    for k in range(len(target.log_scale)):
        share = load(work.shares, k) * scale
        store(work.shares, k, where(share < SMALLEST_SHARE, 0.0, share))
    return largest + log(total)


@compiled
def normalise(target, x, work):
    """Put theta, ln theta and the sums G at ``x`` (D, LANES) into ``work``, a `Work`."""
    for row in range(len(target.rows) - 1):
        total = everywhere(0.0)
        for d in range(target.rows[row], target.rows[row + 1]):
            g = exp(load(x, d))
            store(work.theta, d, g)
            total = total + g
        log_total, scale = log(total), 1.0 / total
        for d in range(target.rows[row], target.rows[row + 1]):
            store(work.theta, d, load(work.theta, d) * scale)
            store(work.log_theta, d, load(x, d) - log_total)
        store(work.totals, row, total)


@compiled
def energy(target, tempering, work, fit, start):
    """ln density of x in nats, (LANES,), up to a constant, at the theta and sums G in ``work``;
    ``fit`` is ln p(y given theta) there, ``start`` is ln r, both (LANES,).
    """
    tau = tempering.temperature
    value = fma(fit, tau, start * (1.0 - tau))
    for d in range(len(target.alpha)):
        value = fma(load(work.log_theta, d), target.alpha[d], value)
    for row in range(len(target.rows) - 1):
        total = load(work.totals, row)
        value = fma(log(total), tempering.mass_of_rows[row], value) - total
    return value


@compiled
def gradient(target, tempering, work):
    """Put the gradient of `energy` at the theta in ``work`` into ``work.gradient``; returns ln r in
    nats, (LANES,).

    By Fisher's identity that of ln p(y given theta) in a row's logits is the expected counts less
    their sum times theta; that of a Dirichlet's ln density is its parameters less their sum times
    theta.
    """
    tau = tempering.temperature
    expected_counts_alone(work.theta, target.cells, target.by_left, work.scratch, work.pull)
    start = log_start(target, work)
    for d in range(len(target.alpha)):
        pull = everywhere(0.0)
        for k in range(len(target.log_scale)):
            pull = fma(load(work.shares, k), target.counts[k, d], pull)
        pull = fma(pull, 1.0 - tau, fma(load(work.pull, d), tau, target.alpha[d]))
        store(work.pull, d, pull)
    for row in range(len(target.rows) - 1):
        excess = load(work.totals, row) - tempering.mass_of_rows[row]
        for d in range(target.rows[row], target.rows[row + 1]):
            excess = excess + load(work.pull, d)
        for d in range(target.rows[row], target.rows[row + 1]):
            slope = load(work.pull, d) - excess * load(work.theta, d)
            store(work.gradient, d, slope)
    return start


@compiled
def kinetic(tempering, momentum):
    """Kinetic energy of ``momentum`` (D, LANES) in nats, (LANES,)."""
    energy = everywhere(0.0)
    for d in range(len(tempering.mass)):
        p = load(momentum, d)
        energy = fma(p * p, 0.5 / tempering.mass[d], energy)
    return energy


@compiled
def leapfrog(target, tempering, x, momentum, step, n_steps, work):
    """Move ``x`` and ``momentum`` (D, LANES) by ``n_steps`` steps of length ``step`` (LANES,).
    Returns, by lane, ln of the joint density of x and momentum at the end over that at the
    beginning; and ln p(y given theta) and ln r at the end. ``work`` then has theta and ln theta of
    the end.
    """
    normalise(target, x, work)
    start = gradient(target, tempering, work)
    fit = log_likelihood(work.theta, target.cells, work.scratch)
    before = energy(target, tempering, work, fit, start) - kinetic(tempering, momentum)
    kick(momentum, 0.5 * step, work)
    for i in range(n_steps):
        for d in range(len(tempering.mass)):
            velocity = load(momentum, d) * (1.0 / tempering.mass[d])
            store(x, d, fma(step, velocity, load(x, d)))
        normalise(target, x, work)
        start = gradient(target, tempering, work)
        kick(momentum, step if i < n_steps - 1 else 0.5 * step, work)
    fit = log_likelihood(work.theta, target.cells, work.scratch)
    after = energy(target, tempering, work, fit, start) - kinetic(tempering, momentum)
    return after - before, fit, start


@compiled
def kick(momentum, step, work):
    """Add ``step`` (LANES,) times ``work.gradient`` to ``momentum`` (D, LANES), in place."""
    for d in range(len(momentum)):
        store(momentum, d, fma(step, load(work.gradient, d), load(momentum, d)))


@compiled
def trajectories(target, tempering, x, momenta, steps, n_steps, values):
    """`leapfrog` for B blocks, by ``n_steps`` steps of lengths ``steps`` (B, LANES). In place ``x``
    (B, D, LANES) becomes ln theta at the end; ``momenta`` (B, D, LANES) change too. Fills
    ``values`` (3, B, LANES): the ln density ratio, ln p(y given theta) and ln r.
    """
    work = work_for(target)
    for b in range(len(x)):
        step = load(steps, b)
        ratio, fit, start = leapfrog(target, tempering, x[b], momenta[b], step, n_steps, work)
        store(values[0], b, ratio)
        store(values[1], b, fit)
        store(values[2], b, start)
        x[b] = work.log_theta


@compiled
def evaluate(target, log_theta, values):
    """Fill ``values`` (2, B, LANES) with ln p(y given theta) and ln r, in nats, at ``log_theta``
    (B, D, LANES).
    """
    work = work_for(target)
    for b in range(len(log_theta)):
        for d in range(len(target.alpha)):
            store(work.theta, d, exp(load(log_theta[b], d)))
        work.log_theta[:] = log_theta[b]
        store(values[0], b, log_likelihood(work.theta, target.cells, work.scratch))
        store(values[1], b, log_start(target, work))
