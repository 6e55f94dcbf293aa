"""The evidence by tempered SMC, from a start that the posterior is searched for first: tempered
sequential Monte Carlo (Del Moral, Doucet & Jasra 2006, J. R. Stat. Soc. B 68, 411-436) with
Hamiltonian moves (Neal 2011, Handbook of MCMC, ch. 5).

Particles go from the start at temperature 0 to the posterior at 1. At each temperature they are
weighted, resampled where their weights are uneven, and moved along a trajectory each.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from latentdag.engine.cells import all_expected_counts, rows_of
from latentdag.engine.simd import LANES
from latentdag.engine.special import log_gamma_ratio
from latentdag.inference.relabellings import n_relabellings, relabellings
from latentdag.inference.slots import Kernel
from latentdag.inference.tempered.loops import Target, Tempering, evaluate, trajectories
from latentdag.model.parameters import Prior, draw_log_gamma
from latentdag.model.structures import Structure

COMPONENTS = 16  # of the start around particles of one run
# A component of the start is as wide as the posterior of about WIDE_CASES cases, or of WIDEST of
# all cases where they are fewer
WIDE_CASES, WIDEST = 512, 0.25
# Share of the pilot's weight that lies where the start covers the posterior. With more, estimates
# on a ridge are too low with a small spread (0.7 nats for a hidden variable with one child at 10240
# cases); with less, more rests on the runs from the prior, which spread wider
COVERED = 0.9
SMALLEST_ALPHA = 0.1
MOST_RELABELLINGS = 10_000
N_STEPS = 20  # leapfrog steps of a trajectory
JITTER = 0.2  # a particle's step size is at most this part off the tuned one
UNEVEN = 0.5  # resample below this share of effective particles
CONDITIONAL_ESS = 0.9  # share of effective particles that one change of temperature leaves
FIRST_STEP = 0.3
TARGET_ACCEPTANCE = 0.8
ADAPTATION_RATE = 0.3


# temperatures, rising to 1, and the step size at each: fixed before a run that counts
Tuning = list[tuple[float, float]]


class TemperedModel:
    """Structure ``item`` of the kernel: D parameters. Particles are in blocks, (B, D, LANES)."""

    def __init__(self, kernel: Kernel, item: int, structure: Structure, prior: Prior):
        self.kernel, self.item, self.structure, self.prior = kernel, item, structure, prior
        self.cells = kernel.cells_of(item)  # the rows of the weights are the parameters
        self.cells_by_left = rows_of(self.cells)  # the same in the order of the gradient
        self.alpha = kernel.untied(item, kernel.prior_slots(prior))  # Dirichlet parameters, (D,)
        # the first parameter of each row of the tables, and D; the row of each parameter, (D,)
        self.rows = np.append(kernel.row_starts(item), len(self.alpha))
        self.row_of = np.repeat(np.arange(len(self.rows) - 1), np.diff(self.rows))
        # expected counts (D,) if all variables were independent, and hidden ones uniform
        self.independent_counts = kernel.independent_counts(item)

    def row_sums(self, values: np.ndarray) -> np.ndarray:
        """Sums of ``values``, one for each parameter, over the rows of the tables: (..., D) to
        (..., R).
        """
        return np.add.reduceat(values, self.rows[:-1], axis=-1)

    def expected_counts(self, log_theta: np.ndarray) -> np.ndarray:
        """Expected counts (B, D, LANES) at ``log_theta`` (B, D, LANES)."""
        theta, counts = np.exp(log_theta), np.empty(log_theta.shape)
        all_expected_counts(theta, self.cells, counts)
        return counts

    def n_relabellings(self) -> int:
        """The number of relabellings, which `relabellings` lists."""
        return n_relabellings(self.structure)

    def relabellings(self) -> Iterator[np.ndarray]:
        """Yields every relabelling, as indices (D,): ``theta[..., indices]`` has the same
        likelihood and prior as theta.
        """
        family = self.structure.family
        # the parameter behind each slot, by the state of every hidden variable
        n_hidden, n_observed = len(family.hidden), sum(family.observed)
        slots = self.kernel.expand(self.item, np.arange(len(self.alpha)))
        observed = slots[:, :n_observed].reshape(*family.hidden, n_observed)
        of_states = np.split(slots[0, n_observed:], np.cumsum(family.hidden)[:-1])
        for variables, orders in relabellings(self.structure):
            indices = np.empty(len(self.alpha), dtype=np.int64)
            renamed = observed.transpose(*variables, n_hidden)[np.ix_(*orders)]
            indices[observed] = renamed
            for i, order in enumerate(orders):
                indices[of_states[i]] = of_states[variables[i]][list(order)]
            yield indices


@dataclass(frozen=True)
class Start:
    """The mixture, in equal parts, of Dirichlet(alpha + width x counts) for each of K sets of
    ``counts`` (K, D); with width 0 it is the prior. As a density ratio to that a component is the
    product of theta^(u - alpha) B(alpha) / B(u), u its parameters, B each row's beta function.
    """

    model: TemperedModel
    counts: np.ndarray
    width: float

    @cached_property
    def target(self) -> Target:
        """The `Target` that the compiled loops read."""
        model, counts = self.model, self.width * self.counts
        of_model = model.cells, model.cells_by_left, model.rows, model.alpha
        return Target(*of_model, counts, self.log_scale(counts))

    def log_scale(self, counts: np.ndarray) -> np.ndarray:
        """ln of B(alpha) / B(alpha + counts) / K, (K,), for ``counts`` (K, D) of K components; B is
        the product of each row's beta function.
        """
        alpha = np.broadcast_to(self.model.alpha, counts.shape)
        of_rows = self.model.row_sums(alpha), self.model.row_sums(counts)
        log_ratio = log_gamma_ratio(alpha, counts).sum(axis=1)
        return log_gamma_ratio(*of_rows).sum(axis=1) - log_ratio - np.log(len(counts))

    def mass(self, temperature: float) -> np.ndarray:
        """The mass (D,) of each parameter at ``temperature``, from 0 to 1: about the Dirichlet
        parameters of the density there.
        """
        width = self.width + temperature * (1 - self.width)
        return self.model.alpha + width * self.counts.mean(axis=0)

    def draw(self, n_blocks: int, rng: np.random.Generator) -> np.ndarray:
        """ln theta (n_blocks, D, LANES) of draws from the mixture, every component in its turn."""
        n, n_components = n_blocks * LANES, len(self.counts)
        which = (rng.random() + np.arange(n)) * n_components // n
        u = self.model.alpha + self.target.counts[which.astype(int)]
        x = draw_log_gamma(u.ravel(), rng).reshape(u.shape)
        sums = np.logaddexp.reduceat(x, self.model.rows[:-1], axis=1)
        log_theta = x - sums[:, self.model.row_of]
        return np.ascontiguousarray(log_theta.reshape(n_blocks, LANES, -1).transpose(0, 2, 1))

    def log_densities(self, log_theta: np.ndarray) -> np.ndarray:
        """ln p(y given theta) and ln r, in nats, (2, B, LANES), at ``log_theta`` (B, D, LANES); r
        is the density of the start over that of the prior.
        """
        values = np.empty((2, len(log_theta), LANES))
        evaluate(self.target, log_theta, values)
        return values

    def log_mean_relabelled(self, log_theta: np.ndarray) -> np.ndarray:
        """ln of the mean of r over all relabellings of theta, in nats, (B, LANES), at ``log_theta``
        (B, D, LANES); r is the density of the start over that of the prior.
        """
        total, n = np.full((len(log_theta), LANES), -np.inf), 0
        for indices in self.model.relabellings():
            relabelled = np.ascontiguousarray(log_theta[:, indices])
            total, n = np.logaddexp(total, self.log_densities(relabelled)[1]), n + 1
        return total - np.log(n)


def aligned(model: TemperedModel, counts: np.ndarray) -> np.ndarray:
    """``counts`` (K, D), each set relabelled so that it agrees best with the first: so that the two
    are most likely as counts of the same parameters; that grows with B(alpha + the sum of both).
    """
    first, best = counts[0] + model.alpha, counts.copy()
    highest = np.full(len(counts), -np.inf)
    for indices in model.relabellings():
        u = first + counts[:, indices]
        value = gammaln(u).sum(axis=1) - gammaln(model.row_sums(u)).sum(axis=1)
        better = value > highest
        highest[better], best[better] = value[better], counts[better][:, indices]
    return best


class TemperedParticles:
    """Particles of one run, in B blocks of LANES. Raises FloatingPointError where an observed cell
    has probability 0 at every particle drawn from the start.
    """

    def __init__(self, start: Start, n_blocks: int, rng: np.random.Generator):
        self.start, self.rng = start, rng
        self.log_theta = start.draw(n_blocks, rng)  # (B, D, LANES)
        self.log_likelihood, self.log_start = start.log_densities(self.log_theta)  # (B, LANES)
        self.log_weight = np.zeros((n_blocks, LANES))
        self.temperature = 0.0
        if not np.isfinite(self.log_likelihood).any():
            raise FloatingPointError(
                "tempered_smc: an observed cell has probability 0 in double precision: alpha "
                "is too small for so many variables"
            )

    @property
    def weights(self) -> np.ndarray:
        """The weights of all particles, (B LANES,), the largest 1: up to a common factor."""
        return np.exp(self.log_weight - self.log_weight.max()).ravel()

    def weigh(self, temperature: float) -> None:
        """Go to ``temperature``: ln weights rise by its rise times ln(p(y given theta) / r), r the
        density of the start over that of the prior.
        """
        rise = temperature - self.temperature
        self.log_weight = self.log_weight + rise * (self.log_likelihood - self.log_start)
        self.temperature = temperature

    def resample(self) -> None:
        """Where the effective particles are fewer than UNEVEN of all, draw particles in proportion
        to their weights; all then have the mean weight.
        """
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
        """Move all particles, each along a Hamiltonian trajectory of N_STEPS leapfrog steps of
        length about ``step``, where Metropolis' rule accepts its end. Returns the mean probability
        of acceptance.
        """
        rng, model, n_blocks = self.rng, self.start.model, len(self.log_theta)
        mass = self.start.mass(self.temperature)
        mass_of_rows = model.row_sums(mass)
        totals = rng.standard_gamma(mass_of_rows[:, None], (n_blocks, len(mass_of_rows), LANES))
        x = self.log_theta + np.log(totals)[:, model.row_of]
        momenta = rng.standard_normal(x.shape) * np.sqrt(mass)[:, None]
        steps = step * rng.uniform(1 - JITTER, 1 + JITTER, (n_blocks, LANES))
        values = np.empty((3, n_blocks, LANES))
        tempering = Tempering(self.temperature, mass, mass_of_rows)
        trajectories(self.start.target, tempering, x, momenta, steps, N_STEPS, values)
        log_ratio = np.where(np.isfinite(values[0]), values[0], -np.inf)
        moved = self.accepted(log_ratio)
        self.log_theta = np.where(moved[:, None], x, self.log_theta)
        self.log_likelihood = np.where(moved, values[1], self.log_likelihood)
        self.log_start = np.where(moved, values[2], self.log_start)
        return float(np.exp(np.minimum(log_ratio, 0)).mean())

    def accepted(self, log_ratio: np.ndarray) -> np.ndarray:
        """Which trajectories' ends are accepted by Metropolis' rule, flags of the shape of
        ``log_ratio``: ln of the density at the end over that at the beginning.
        """
        return -self.rng.standard_exponential(log_ratio.shape) < log_ratio


def run(start: Start, tuning: Tuning, n_blocks: int, rng: np.random.Generator) -> TemperedParticles:
    """`TemperedParticles` at temperature 1 in ``n_blocks`` blocks, from ``start`` by the
    temperatures and step sizes of ``tuning``. The mean of their weights estimates the evidence
    without bias, that of weights times a function of theta the integral of likelihood, prior and
    function. Raises FloatingPointError where an observed cell has probability 0 at every first
    particle.
    """
    particles = TemperedParticles(start, n_blocks, rng)
    for temperature, step in tuning:
        particles.weigh(temperature)
        particles.resample()
        particles.move(step)
    return particles


def tune(start: Start, n_blocks: int, rng: np.random.Generator) -> tuple[Tuning, TemperedParticles]:
    """A `Tuning` for runs from ``start``, of a run in ``n_blocks`` blocks that sets its own
    temperatures and steps, and the `TemperedParticles` with which that run ends.

    Each temperature is the next that leaves CONDITIONAL_ESS of the particles (Zhou, Johansen &
    Aston 2016, J. Comput. Graph. Stat. 25, 701-726); step sizes follow the acceptance rate. Raises
    FloatingPointError as `run` does.
    """
    particles, tuning = TemperedParticles(start, n_blocks, rng), []
    log_step = np.log(FIRST_STEP)
    while particles.temperature < 1:
        particles.weigh(next_temperature(particles))
        particles.resample()
        acceptance = particles.move(np.exp(log_step))
        log_step += ADAPTATION_RATE * (acceptance - TARGET_ACCEPTANCE)
        tuning.append((particles.temperature, float(np.exp(log_step))))
    return tuning, particles


def next_temperature(particles: TemperedParticles) -> float:
    """The next temperature for ``particles``, at most 1: a rise to it leaves the share
    CONDITIONAL_ESS of the effective particles.
    """
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
    """Indices (n,) of ``n`` draws in proportion to ``weight`` (m,), which need not be normalised:
    evenly spaced, with one random shift.
    """
    ends = np.cumsum(weight)
    at = (rng.random() + np.arange(n)) / n * ends[-1]
    return np.minimum(np.searchsorted(ends, at, side="right"), np.flatnonzero(weight)[-1])


class RunPlan(NamedTuple):
    """All that is fixed before a run that counts."""

    start: Start
    tuning: Tuning
    covered: float  # where ln p(y given theta) less ln r is at most this, nats, the start covers


def plan_run(searched: TemperedParticles, n_blocks: int, rng: np.random.Generator) -> RunPlan:
    """The `RunPlan` of a run, for which ``searched``, the particles of a run from the prior, have
    searched the posterior.

    A pilot in ``n_blocks`` blocks goes from a start around particles of that run. It weighs the
    modes better than a long way from the prior can: half of the start's components are around its
    particles. The start covers parameters at which it is outweighed no more than where most of the
    pilot's weight is. Raises FloatingPointError as `run` does.
    """
    model = searched.start.model
    width = min(WIDEST, WIDE_CASES / model.kernel.counts.sum())
    first = some_counts(searched, rng)
    tuning, pilot = tune(Start(model, aligned(model, first), width), n_blocks, rng)
    both = np.concatenate([first, some_counts(pilot, rng)])
    start = Start(model, aligned(model, both), width)
    over = excess(start, pilot)[0].ravel()
    covered = np.quantile(over, COVERED, weights=pilot.weights, method="inverted_cdf")
    return RunPlan(start, tuning, float(covered))


def some_counts(particles: TemperedParticles, rng: np.random.Generator) -> np.ndarray:
    """Expected counts (COMPONENTS, D) at COMPONENTS of ``particles``, drawn in proportion to their
    weights.
    """
    block, lane = np.divmod(systematic(particles.weights, COMPONENTS, rng), LANES)
    return particles.start.model.expected_counts(particles.log_theta)[block, :, lane]


def excess(start: Start, particles: TemperedParticles) -> tuple[np.ndarray, np.ndarray]:
    """At each of ``particles``, ln p(y given theta) less ln of the mean of r over all relabellings,
    and ln of that mean, both in nats, (B, LANES); r is the density of ``start`` over that of the
    prior.
    """
    mean = start.log_mean_relabelled(particles.log_theta)
    return particles.log_likelihood - mean, mean


def log_estimate(
    plan: RunPlan, n_blocks: int, rng: np.random.Generator, from_prior: TemperedParticles
) -> float:
    """ln of an unbiased estimate of the evidence, in nats, by ``n_blocks`` blocks of particles.
    Raises FloatingPointError as `run` does.

    It is the sum of two estimates, for the parameters that the start covers and for the others: the
    first from a run from the start, the second from a run ``from_prior`` that the plan knows
    nothing of. So a mode that the start does not cover adds to the estimate and to its error.

    The start has each mode under one labelling, and its particles stand for all. Their weights are
    multiplied by r over its mean over all relabellings: the mean of that over these is 1.
    """
    particles = run(plan.start, plan.tuning, n_blocks, rng)
    over, mean = excess(plan.start, particles)
    log_weight = particles.log_weight + particles.log_start - mean
    inside = log_mean(np.where(over <= plan.covered, log_weight, -np.inf))
    over, _ = excess(plan.start, from_prior)
    outside = log_mean(np.where(over > plan.covered, from_prior.log_weight, -np.inf))
    return float(np.logaddexp(inside, outside))


def log_mean(log_weight: np.ndarray) -> float:
    """ln of the mean weight, in nats, over all entries of ``log_weight``, ln weights of any shape
    but an empty one; -inf where all weights are 0.
    """
    return np.logaddexp.reduce(log_weight, axis=None) - np.log(log_weight.size)


def log_estimates(
    model: TemperedModel, particles: int, runs: int, stream: Callable[..., np.random.Generator]
) -> np.ndarray:
    """ln of ``runs`` independent and unbiased estimates of the evidence of ``model``, (runs,), in
    nats, each by about ``particles`` particles. Without hidden variables all are the evidence
    itself. ``stream("pilot")`` gives the generator of the pilot, ``stream(purpose, run)`` those of
    the runs. Raises ValueError for an alpha below SMALLEST_ALPHA, FloatingPointError where an
    observed cell has probability 0 at every first particle of a run.
    """
    if min(model.prior.alpha, model.prior.alpha_hidden) < SMALLEST_ALPHA:
        raise ValueError(
            f"tempered_smc needs alpha and alpha_hidden of at least {SMALLEST_ALPHA}, got "
            f"{model.prior.alpha} and {model.prior.alpha_hidden}: below, its particles hardly mix"
        )
    if model.kernel.n_states == 1:
        complete = Start(model, model.independent_counts[None], 1.0)
        return np.full(runs, -complete.target.log_scale[0])
    prior = Start(model, model.independent_counts[None], 0.0)
    few, many = (max(1, -(-number // LANES)) for number in (particles // 2, particles))
    tuning, _ = tune(prior, few, stream("pilot"))
    searches = [run(prior, tuning, few, stream("from the prior", r)) for r in range(runs)]
    plans = [plan_run(s, few, stream("plan", r)) for r, s in enumerate(searches)]
    # each estimate takes the search of the next run: its own has shaped its plan
    others = [*searches[1:], searches[0]]
    pairs = enumerate(zip(plans, others, strict=True))
    estimates = (log_estimate(plan, many, stream("run", r), other) for r, (plan, other) in pairs)
    return np.fromiter(estimates, float)
