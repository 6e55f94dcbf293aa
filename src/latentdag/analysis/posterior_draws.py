"""Draws of a structure's parameters from their posterior, and intervals from these.

Gibbs sampling with the hidden states filled in (Diebolt & Robert 1994, J. R. Stat. Soc. B 56,
363-375). Cases with the same values are one pattern: a sweep spreads the count of each pattern over
the joint hidden states by one multinomial draw, then draws every row of every table from its
Dirichlet distribution. Its cost grows with the number of patterns, not of cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latentdag.analysis.estimates import estimate
from latentdag.engine.checks import integer
from latentdag.engine.streams import generator
from latentdag.inference import tempered
from latentdag.model.parameters import Parameters, Prior, draw_log_gamma
from latentdag.model.structures import Structure
from latentdag.scores import checked
from latentdag.scores.base import Task

CHAINS, DRAWS = 4, 1000
WARM_UP = 200  # sweeps of a chain that are not kept
BATCHES = 10  # per chain: their means give the number of effective draws
MOST_RELABELLINGS = 50_000  # those of one cause with 8 states are 40320


class TooManyRelabellings(ValueError):
    """The hidden states and the exchangeable hidden variables have more than MOST_RELABELLINGS
    relabellings: too many to compare.
    """


@dataclass(frozen=True)
class PosteriorDraws:
    """Parameters of ``structure`` from their posterior, all with the hidden states named alike:
    ``log_theta`` (chains, draws, D), logarithms of the probabilities in the order of the tables,
    the rows of the observed variables one after another, then p(s_h).
    """

    model: tempered.TemperedModel
    log_theta: np.ndarray

    @property
    def structure(self) -> Structure:
        """The `Structure` of the draws: canonical, and without childless hidden variables."""
        return self.model.structure

    def parameters(self, values: np.ndarray) -> Parameters:
        """`Parameters` that hold ``values`` (D,), one for each probability in the order of
        ``log_theta``, in their tables.
        """
        kernel, item = self.model.kernel, self.model.item
        return kernel.unpack(item, kernel.expand(item, values))

    @cached_property
    def theta(self) -> np.ndarray:
        """The probabilities, (chains, draws, D)."""
        return np.exp(self.log_theta)

    def mean(self) -> Parameters:
        """The posterior mean of each probability, in `Parameters`."""
        return self.parameters(self.theta.mean(axis=(0, 1)))

    def interval(self, probability: float = 0.9) -> tuple[Parameters, Parameters]:
        """Lower and upper ends, each in `Parameters`, of the central interval of posterior
        ``probability`` of each parameter.
        """
        tail = (1 - probability) / 2
        low, high = np.quantile(self.theta, [tail, 1 - tail], axis=(0, 1))
        return self.parameters(low), self.parameters(high)

    def effective_draws(self) -> Parameters:
        """How many independent draws would give the mean of each parameter as exactly, in
        `Parameters`, at most the draws there are: the variance of all draws over that of batch
        means, times their number; small where chains disagree or are slow.
        """
        chains, draws, _ = self.theta.shape
        kept = self.theta[:, draws % BATCHES :].reshape(chains * BATCHES, draws // BATCHES, -1)
        of_means = kept.mean(axis=1).var(axis=0, ddof=1)
        variance = kept.var(axis=(0, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            number = np.where(of_means > 0, variance / of_means * len(kept), np.inf)
        return self.parameters(np.minimum(number, chains * draws))


def posterior_draws(
    cases,
    structure: Structure,
    *,
    like: Parameters | None = None,
    alpha: float = Prior.alpha,
    alpha_hidden: float | None = None,
    seed: int = 0,
    chains: int = CHAINS,
    draws: int = DRAWS,
    **settings: int | None,
) -> PosteriorDraws:
    """`PosteriorDraws` of the parameters of ``structure``: ``draws`` draws (at least 20) of each of
    several ``chains`` (at least 2) that start at the MAP estimate for ``cases`` (n, J).

    States, and hidden variables with the same children and as many states, have no names of their
    own. In every draw they are named so that the completion of the cases that ``like`` expects, by
    default the MAP estimate, is most probable; ``like`` are parameters of the structure that
    `estimate` returns. Chains that start at one mode need not find others that are no relabelling
    of it. ``settings`` are those of `estimate`. Raises ValueError as `estimate` does and for fewer
    draws or chains, and TooManyRelabellings above MOST_RELABELLINGS relabellings.
    """
    chains, draws = integer("chains", chains, 2), integer("draws", draws, 2 * BATCHES)
    prior = Prior(alpha, alpha_hidden)
    codes, (structure,) = checked(cases, [structure])
    counts = Task([structure], codes).counts
    reduced, mode = estimate(
        counts,
        structure,
        "map",
        alpha=prior.alpha,
        alpha_hidden=prior.alpha_hidden,
        seed=seed,
        **settings,
    )
    task = Task([reduced], counts, prior)
    ((kernel, _),) = task.kernels
    model = tempered.TemperedModel(kernel, 0, reduced, prior)
    if (number := model.n_relabellings()) > MOST_RELABELLINGS:
        raise TooManyRelabellings(
            f"structure {reduced.label}: its hidden variables and states have {number} "
            f"relabellings, and at most {MOST_RELABELLINGS} are compared: fewer states or causes "
            "are needed for draws, or draws must be 0"
        )
    completion = Completion(model, task.counts.patterns, task.counts.numbers)
    start = log_vector(mode)
    key = "posterior", *reduced.family.hidden, reduced.label, task.n
    streams = [generator(seed, *key, chain) for chain in range(chains)]
    log_theta = np.stack([gibbs(completion, start, draws, rng) for rng in streams])
    target = start if like is None else log_vector(like)
    return PosteriorDraws(model, _named_alike(model, log_theta, completion.expected(target)))


class Completion:
    """Patterns (N, J), with -1 for missing, and their ``numbers`` (N,), completed by states."""

    def __init__(self, model: tempered.TemperedModel, patterns: np.ndarray, numbers: np.ndarray):
        self.model, self.numbers = model, numbers
        kernel, family = model.kernel, model.structure.family
        self.n_observed = sum(family.observed)
        self.values = np.zeros((len(patterns), self.n_observed))  # (N, columns): 1 where it occurs
        which, variable = np.nonzero(patterns >= 0)
        columns = kernel.first[variable] + patterns[which, variable]
        self.values[which, columns] = 1.0
        slots = kernel.expand(model.item, np.arange(len(model.alpha)))
        self.of_values = slots[:, : self.n_observed]  # (H, columns): the parameter of each
        self.of_states = slots.ravel()[kernel.state_slots]  # (hidden variables, H)

    def memberships(self, log_theta: np.ndarray) -> np.ndarray:
        """p(joint hidden state given the pattern and theta), (N, H), at ``log_theta`` (D,)."""
        log_joint = self.values @ log_theta[self.of_values].T + log_theta[self.of_states].sum(0)
        joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        return joint / joint.sum(axis=1, keepdims=True)

    def counts(self, completed: np.ndarray) -> np.ndarray:
        """How often each parameter is used, (D,), by ``completed`` (N, H): of each pattern how many
        cases are in each joint hidden state.
        """
        size, by_value = len(self.model.alpha), completed.T @ self.values
        used = np.bincount(self.of_values.ravel(), by_value.ravel(), minlength=size)
        by_state = np.broadcast_to(completed.sum(axis=0), self.of_states.shape)
        return used + np.bincount(self.of_states.ravel(), by_state.ravel(), minlength=size)

    def expected(self, log_theta: np.ndarray) -> np.ndarray:
        """How often each parameter is used, (D,), by the completion that is expected at
        ``log_theta`` (D,).
        """
        return self.counts(self.numbers[:, None] * self.memberships(log_theta))


def gibbs(
    completion: Completion, log_theta: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """One chain of Gibbs sampling for the cases of ``completion``: its ``draws`` of ln theta,
    (draws, D), after WARM_UP sweeps from ``log_theta`` (D,).
    """
    model = completion.model
    kept = np.empty((draws, len(log_theta)))
    for sweep in range(-WARM_UP, draws):
        p = completion.memberships(log_theta)
        completed = rng.multinomial(completion.numbers, p)
        x = draw_log_gamma(model.alpha + completion.counts(completed), rng)
        log_theta = x - np.logaddexp.reduceat(x, model.rows[:-1])[model.row_of]
        if sweep >= 0:
            kept[sweep] = log_theta
    return kept


def _named_alike(
    model: tempered.TemperedModel, draws: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Each draw, ln theta, relabelled so that its sum of counts x ln theta is largest."""
    indices = np.array(list(model.relabellings()))
    weights = np.empty(indices.shape)
    np.put_along_axis(weights, indices, np.broadcast_to(counts, indices.shape), axis=1)
    best = np.argmax(draws @ weights.T, axis=-1)  # of equals the first: the names as they are
    return np.take_along_axis(draws, indices[best], axis=-1)


def log_vector(parameters: Parameters) -> np.ndarray:
    """ln of the parameters, (D,), in the order of the tables: the rows of the observed variables
    one after another, then p(s_h). One below the smallest normal number counts as that number.
    """
    rows = [rows.ravel() for rows in (*parameters.observed, *parameters.hidden)]
    return np.log(np.maximum(np.concatenate(rows), np.finfo(float).tiny))
