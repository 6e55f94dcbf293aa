"""One run over a bridge: tempered sequential Monte Carlo (Del Moral, Doucet & Jasra 2006, J. R.
Stat. Soc. B 68, 411-436) with Hamiltonian moves (Neal 2011, Handbook of MCMC, ch. 5).

Particles go from the start at temperature 0 to the posterior at 1. At each temperature they are
weighted, resampled where their weights are uneven, and moved along a trajectory each.
"""

from typing import NamedTuple

import numpy as np

from latentdag.engine.simd import LANES
from latentdag.inference.bridge.loops import Bridge, trajectories
from latentdag.inference.bridge.start import Start

N_STEPS = 20  # leapfrog steps of a trajectory
JITTER = 0.2  # a particle's step size is at most this part off the tuned one
UNEVEN = 0.5  # resample below this share of effective particles
# of tuning:
CONDITIONAL_ESS = 0.9  # share of effective particles that one change of temperature leaves
FIRST_STEP = 0.3
TARGET_ACCEPTANCE = 0.8
ADAPTATION_RATE = 0.3


class Tuning(NamedTuple):
    """Fixed before a run that counts."""

    temperatures: list[float]  # rising to 1
    steps: list[float]  # step size at each


class TemperedParticles:
    """Particles of one run, in B blocks of LANES."""

    def __init__(self, start: Start, n_blocks: int, rng: np.random.Generator):
        self.start, self.rng = start, rng
        self.log_theta = start.draw(n_blocks, rng)  # (B, D, LANES)
        self.log_likelihood, self.log_start = start.log_densities(self.log_theta)  # (B, LANES)
        self.log_weight = np.zeros((n_blocks, LANES))
        self.temperature = 0.0
        if not np.isfinite(self.log_likelihood).any():
            raise FloatingPointError(
                "bridge: an observed cell has probability 0 in double precision: alpha is too "
                "small for so many variables"
            )

    @property
    def weights(self) -> np.ndarray:
        """Those of all particles, up to a factor."""
        return np.exp(self.log_weight - self.log_weight.max()).ravel()

    def weigh(self, temperature: float) -> None:
        """Go to the next temperature."""
        rise = temperature - self.temperature
        self.log_weight = self.log_weight + rise * (self.log_likelihood - self.log_start)
        self.temperature = temperature

    def resample(self) -> None:
        """Where weights are uneven, draw particles in proportion; all then have the mean weight."""
        weight = self.weights
        if weight.sum() ** 2 >= UNEVEN * weight.size * np.sum(weight**2):
            return
        mean = np.log(weight.mean()) + self.log_weight.max()
        blocks, lanes = np.divmod(systematic(weight, weight.size, self.rng), LANES)
        shape = self.log_weight.shape
        chosen = self.log_theta[blocks, :, lanes].reshape(*shape, -1)
        self.log_theta = np.ascontiguousarray(chosen.transpose(0, 2, 1))
        self.log_likelihood = self.log_likelihood[blocks, lanes].reshape(shape)
        self.log_start = self.log_start[blocks, lanes].reshape(shape)
        self.log_weight = np.full(shape, mean)

    def move(self, step: float) -> float:
        """Move all particles along a trajectory each; the mean probability of acceptance."""
        rng, model, n_blocks = self.rng, self.start.model, len(self.log_theta)
        mass = self.start.mass(self.temperature)
        mass_of_rows = model.row_sums(mass)
        totals = rng.standard_gamma(mass_of_rows[:, None], (n_blocks, len(mass_of_rows), LANES))
        x = self.log_theta + np.log(totals)[:, model.row_of]
        momenta = rng.standard_normal(x.shape) * np.sqrt(mass)[:, None]
        steps = step * rng.uniform(1 - JITTER, 1 + JITTER, (n_blocks, LANES))
        values = np.empty((3, n_blocks, LANES))
        bridge = Bridge(self.temperature, mass, mass_of_rows)
        trajectories(self.start.target, bridge, x, momenta, steps, N_STEPS, values)
        log_ratio = np.where(np.isfinite(values[0]), values[0], -np.inf)
        moved = self.accepted(log_ratio)
        self.log_theta = np.where(moved[:, None], x, self.log_theta)
        self.log_likelihood = np.where(moved, values[1], self.log_likelihood)
        self.log_start = np.where(moved, values[2], self.log_start)
        return float(np.exp(np.minimum(log_ratio, 0)).mean())

    def accepted(self, log_ratio: np.ndarray) -> np.ndarray:
        """Which trajectories' ends are accepted, by Metropolis' rule."""
        return -self.rng.standard_exponential(log_ratio.shape) < log_ratio


def run(start: Start, tuning: Tuning, n_blocks: int, rng: np.random.Generator) -> TemperedParticles:
    """Particles at temperature 1. The mean of their weights estimates the evidence without bias;
    that of weights times any function of theta the integral of likelihood, prior and function.
    """
    particles = TemperedParticles(start, n_blocks, rng)
    for temperature, step in zip(*tuning, strict=True):
        particles.weigh(temperature)
        particles.resample()
        particles.move(step)
    return particles


def tune(start: Start, n_blocks: int, rng: np.random.Generator) -> tuple[Tuning, TemperedParticles]:
    """A tuning for runs from ``start``, from a run that sets its own temperatures and steps, and
    the particles with which that ends.

    Each temperature is the next that leaves CONDITIONAL_ESS of the particles (Zhou, Johansen &
    Aston 2016, J. Comput. Graph. Stat. 25, 701-726); step sizes follow the acceptance rate.
    """
    particles, tuning = TemperedParticles(start, n_blocks, rng), Tuning([], [])
    log_step = np.log(FIRST_STEP)
    while particles.temperature < 1:
        particles.weigh(next_temperature(particles))
        particles.resample()
        acceptance = particles.move(np.exp(log_step))
        log_step += ADAPTATION_RATE * (acceptance - TARGET_ACCEPTANCE)
        tuning.temperatures.append(particles.temperature)
        tuning.steps.append(float(np.exp(log_step)))
    return tuning, particles


def next_temperature(particles: TemperedParticles) -> float:
    """The temperature that leaves CONDITIONAL_ESS of the particles, at most 1."""
    weight = np.exp(particles.log_weight - particles.log_weight.max())
    slope = particles.log_likelihood - particles.log_start
    slope = slope - slope.max()

    def left(rise: float) -> float:
        change = np.exp(rise * slope)
        return np.sum(weight * change) ** 2 / (weight.sum() * np.sum(weight * change**2))

    low, high = 0.0, 1 - particles.temperature
    if left(high) >= CONDITIONAL_ESS:
        return 1.0
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) > CONDITIONAL_ESS else (low, middle)
    return particles.temperature + high


def systematic(weight: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Indices of ``n`` draws in proportion to ``weight``, evenly spaced with one random shift."""
    ends = np.cumsum(weight)
    at = (rng.random() + np.arange(n)) / n * ends[-1]
    return np.minimum(np.searchsorted(ends, at, side="right"), np.flatnonzero(weight)[-1])
