"""EM for the maximum a posteriori and the maximum likelihood estimate."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latentdag.engine.functions import log_ratio
from latentdag.engine.jit import compiled
from latentdag.engine.simd import everywhere, fma, load, store, where
from latentdag.inference.em import lane_slots
from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.em.optimiser import implement
from latentdag.inference.slots import Batch

# Extrapolation lowers no log weight of a maximum likelihood fit below this: from nearer to 0 a
# weight that fits after all takes too many steps to grow back
LOWEST = -70.0
# pseudo-count that stands for none: keeps ln theta finite, and a row without counts uniform
NO_PRIOR = 1e-300


class Problem(NamedTuple):
    """EM for the fits in the lanes."""

    share: np.ndarray  # (H F, LANES)
    slots: lane_slots.Slots
    log_values: np.ndarray  # ln K by K, the number of values in a row
    lowest: float  # extrapolation lowers no log weight below this


@compiled
def step(problem, log_weights, after, mass):
    """One iteration of a fit: E step at ``log_weights`` (H F, LANES), M step into ``after``; prior
    plus expected counts into ``mass``. Returns the objective at ``log_weights``, in nats, (LANES,)
    (see `EM`).
    """
    slots = problem.slots
    objective = lane_slots.e_step(slots, log_weights)
    for row in range(lane_slots.number_of_rows(slots)):
        begin, end = lane_slots.slots_in(slots, row)
        total, log_prior = everywhere(0.0), everywhere(0.0)
        for slot in range(begin, end):
            prior = load(slots.prior, slot)
            relative = load(log_weights, slot) + problem.log_values[end - begin]
            log_prior = fma(prior, relative, log_prior)
            count = load(slots.counts, slot) + prior
            total = total + count
            store(mass, slot, count)
        objective = fma(load(slots.share, begin), log_prior, objective)
        for slot in range(begin, end):
            count = load(mass, slot)
            store(after, slot, log_ratio(count, total, count - total))
    return objective


@compiled
def feasible(problem, log_weights):
    """Raise ``log_weights`` (H F, LANES) to ``problem.lowest`` where they are lower, and normalise
    each row, in place.
    """
    for k in range(len(log_weights)):
        x = load(log_weights, k)
        store(log_weights, k, where(x < problem.lowest, problem.lowest, x))
    for row in range(lane_slots.number_of_rows(problem.slots)):
        lane_slots.log_normalise(log_weights, *lane_slots.slots_in(problem.slots, row), 1)


implement(Problem, begin=lane_slots.begin, step=step, feasible=feasible)


@dataclass(frozen=True)
class EM(Algorithm):
    """M step (pseudo_counts + expected counts) / sum; ``pseudo_counts`` has shape (F,), or is None
    for maximum likelihood.

    With the Dirichlet parameters as pseudo-counts this is MAP in the softmax basis (thesis sec.
    2.2.3): the prior density of the logits of a row is proportional to prod theta^alpha. The
    objective is ln p(y given theta) + sum alpha ln(K theta), K the number of values in the row: the
    prior density relative to its peak. Without a prior it is ln p(y given theta).
    """

    pseudo_counts: np.ndarray | None

    def problem(self, batch: Batch) -> NamedTuple:
        """The `Problem` for fits of the structures in ``batch``, with no fit in any lane yet."""
        without = self.pseudo_counts is None
        slots = lane_slots.slots_of(batch, np.array(NO_PRIOR) if without else self.pseudo_counts)
        log_values = np.log(np.maximum(np.arange(batch.kernel.n_values.max() + 1), 1))
        return Problem(slots.share, slots, log_values, LOWEST if without else -np.inf)
