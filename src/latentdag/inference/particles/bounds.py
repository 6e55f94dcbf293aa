"""A stochastic upper bound on the evidence, by runs that retain a posterior draw."""

from collections.abc import Sequence

import numpy as np

from latentdag.data.counts import check_codes
from latentdag.engine.log_mean import log_mean_exp
from latentdag.engine.streams import generator
from latentdag.inference.particles.evidence import LogEvidence, check_effort
from latentdag.inference.particles.model import Model
from latentdag.inference.particles.particles import Particles
from latentdag.inference.particles.run import log_estimates
from latentdag.inference.particles.schedule import order, rejuvenation_times
from latentdag.model.parameters import Prior
from latentdag.model.structures import Structure


def log_evidence_upper(
    cases,
    states,
    structure: Structure,
    prior: Prior,
    particles: int,
    runs: int,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """Stochastic upper bound on ln evidence of the ``cases`` (n, J), given one exact posterior draw
    of their hidden ``states`` (n, H), such as those simulated with the cases from the prior.

    Bidirectional Monte Carlo (Grosse, Ghahramani & Adams 2015, arXiv:1511.02543) by conditional
    SMC (Andrieu, Doucet & Holenstein 2010, J. R. Stat. Soc. B 72, 269-342): in each run lane 0
    retains a trajectory that ends in ``states`` (`trajectory`), and resampling is conditional on
    it. The law of such a run, over states and random numbers, is that of a free run times estimate
    / evidence; so the mean of 1 / estimate is 1 / evidence. This needs rejuvenation times and moves
    that are fixed in advance.

    Returned: minus ln of the mean of 1 / estimate over the runs, which share the states. P(bound <
    ln evidence - t) <= exp(-t) by Markov's inequality, over states and runs together. The standard
    error is that over runs given the states. Run r draws from the stream ("reference upper", *key,
    label, n, r).

    Raises ValueError for cases, states, particles or runs that are not valid, FloatingPointError as
    `log_estimates` does.
    """
    cases = check_codes(cases, structure.family)
    check_effort(particles, runs)
    states = _check_states(states, structure, len(cases))
    added = order(cases)
    model = Model(structure, cases[added], prior)
    if model.n_states == 1:
        by_run = np.full(runs, model.log_unlinked[-1])
    else:
        which = (*key, structure.label, len(cases))
        rngs = [generator(seed, "reference upper", *which, run) for run in range(runs)]
        path = trajectories(model, model.encode(states[added]), rngs)
        by_run = log_estimates(model, particles, rngs, path)
    log_mean_reciprocal, standard_error = log_mean_exp(-by_run)
    return LogEvidence(-log_mean_reciprocal, standard_error, by_run, particles)


def trajectories(
    model: Model, codes: np.ndarray, rngs: Sequence[np.random.Generator]
) -> list[np.ndarray]:
    """Codes, (runs, cases), for lane 0 of each run to retain: before the first rejuvenation, after
    it, ..., after the last one, where they are ``codes`` (n,).

    They are drawn backwards. Of a posterior draw for some cases the first ones are a posterior draw
    for these alone; and what a sweep did is undone by the sweep in the opposite order.
    """
    path = [np.tile(codes, (len(rngs), 1))]
    for n in reversed(rejuvenation_times(len(codes))):
        one_each = Particles(model, 1, rngs)
        one_each.add(n, path[-1])
        one_each.sweep(backwards=True)
        path.append(one_each.states[:, 0].astype(np.int64))
    return path[::-1]


def _check_states(states, structure: Structure, n: int) -> np.ndarray:
    states, hidden = np.asarray(states), np.array(structure.family.hidden)
    if states.shape != (n, len(hidden)) or states.dtype.kind not in "iu":
        raise ValueError(
            f"states must be integers of shape ({n}, {len(hidden)}), got {states.dtype}"
            f" {states.shape}"
        )
    wrong = (states < 0) | (states >= hidden)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"states row {row}, column s{column + 1}: {states[row, column]} is not in"
            f" 0..{hidden[column] - 1}"
        )
    return states
