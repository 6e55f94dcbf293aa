"""The fit of a structure to a table: expected and observed counts, and the states of each case."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import combinations
from math import inf, isnan, log, nan, sqrt

import numpy as np

from latentdag.analysis.estimates import estimate, estimate_and_score, sort_states
from latentdag.analysis.posterior_draws import PosteriorDraws, posterior_draws
from latentdag.data.counts import MAX_CASES, MISSING, Counts, cell_counts
from latentdag.engine.checks import integer
from latentdag.engine.parallel import check_cores, spread
from latentdag.engine.streams import generator
from latentdag.inference import MOST_FACTORS
from latentdag.model.dimension import effective_dimension
from latentdag.model.parameters import Parameters, parent_configuration, simulate
from latentdag.model.structures import Structure
from latentdag.scores import checked
from latentdag.scores.base import Task

# Of 120 test fits, of 2 to 5 classes to 30 tables, one missed the best optimum of 500 other
# restarts with these; 26 did with the score's own
OFTEN = {"restarts": 512, "hits": 64}


@dataclass(frozen=True)
class Fit:
    """Parameters of a structure, canonical and without childless hidden variables, at its best fit,
    the states numbered by falling probability; and ``draws`` of the posterior. The ln likelihood,
    and all that rests on it, is of all cases; G2 and X2 are of those without missing values.
    """

    structure: Structure
    parameters: Parameters
    method: str  # map or ml
    counts: Counts
    p_value: float = nan  # of G2, by parametric bootstrap
    replicates: int = 0
    draws: PosteriorDraws | None = None
    restarts: int = 0
    restarts_at_best: int = 0  # that ended within 0.01 nats of the best
    converged: bool = True  # the best restart

    @property
    def p_error(self) -> float:
        """The Monte Carlo standard error of ``p_value``; nan without replicates."""
        if not self.replicates:
            return nan
        return sqrt(self.p_value * (1 - self.p_value) / self.replicates)

    @property
    def n_cases(self) -> int:
        return self.counts.n

    @property
    def n_complete(self) -> int:
        """The number of cases without missing values."""
        return int(self.counts.numbers[self._complete].sum())

    @cached_property
    def log_likelihood(self) -> float:
        """ln p(y given theta), in nats."""
        return float(self.counts.numbers @ self.log_probabilities)

    @cached_property
    def log_probabilities(self) -> np.ndarray:
        """ln p(what is observed of the pattern, given theta) of each pattern, in nats, (m,)."""
        with np.errstate(divide="ignore"):  # a maximum of the likelihood may rule out new patterns
            return np.log(self._joint.sum(axis=1)) + self._log_scale

    @cached_property
    def g2(self) -> float:
        """The likelihood ratio statistic against the saturated model, of the cases without missing
        values; nan where there are none.
        """
        observed, expected = self._observed_and_expected
        if not len(observed):
            return nan
        log_ratio = np.log(observed / expected) - self._log_scale[self._complete]
        return 2 * float(observed @ log_ratio)

    @cached_property
    def x2(self) -> float:
        """Pearson's statistic, of the cases without missing values: inf where one that occurs has
        probability 0 in double precision; nan where there are none.
        """
        observed, expected = self._observed_and_expected
        if not len(observed):
            return nan
        with np.errstate(under="ignore"):
            expected = expected * np.exp(self._log_scale[self._complete])
        if not expected.all():
            return inf
        not_observed = self.n_complete - expected.sum()  # each cell adds its expected count
        return float(_pearson(observed, expected) + not_observed)

    @cached_property
    def _complete(self) -> np.ndarray:
        return (self.patterns != MISSING).all(axis=1)

    @cached_property
    def _observed_and_expected(self) -> tuple[np.ndarray, np.ndarray]:
        """Observed and expected counts of the complete patterns; the latter over their scales."""
        expected = self.n_complete * self._joint[self._complete].sum(axis=1)
        return self.counts.numbers[self._complete], expected

    @cached_property
    def dimension(self) -> int:
        """The effective dimension: parameters that are not identifiable do not count."""
        return effective_dimension(self.structure)

    @property
    def unidentified(self) -> int:
        """How many parameters there are beyond the dimension."""
        return self.structure.n_parameters - self.dimension

    @property
    def degrees_of_freedom(self) -> int:
        """The parameters of the saturated model, less the dimension; they may be negative."""
        return self.structure.family.n_cells - 1 - self.dimension

    @property
    def aic(self) -> float:
        """-2 ln L + 2 D, D the dimension, lower is better."""
        return -2 * self.log_likelihood + 2 * self.dimension

    @property
    def bic(self) -> float:
        """-2 ln L + D ln n, n all cases, lower is better."""
        return -2 * self.log_likelihood + self.dimension * log(self.n_cases)

    def residuals(self) -> Iterator[tuple[int, int, float]]:
        """Yields (i, j, statistic) for each pair of observed variables, numbered from 0: Pearson's
        statistic of their table of K x L values over its (K - 1)(L - 1) degrees of freedom, about 1
        where the structure holds.
        """
        cardinalities = self.structure.family.observed
        for i, j in combinations(range(len(cardinalities)), 2):
            both = (self.patterns[:, [i, j]] != MISSING).all(axis=1)
            counted = np.zeros((cardinalities[i], cardinalities[j]))
            pair = self.patterns[both, i], self.patterns[both, j]
            np.add.at(counted, pair, self.counts.numbers[both])
            joint = self._rows[i].T @ (self._state_probabilities[:, None] * self._rows[j])
            x2 = _pearson(counted, counted.sum() * joint)
            yield i, j, x2 / ((counted.shape[0] - 1) * (counted.shape[1] - 1))

    @property
    def patterns(self) -> np.ndarray:
        """The joint values that occur, (m, J), in the order of their codes."""
        return self.counts.patterns

    @cached_property
    def states(self) -> np.ndarray:
        """The joint states of the hidden variables, (H, hidden variables): states from 0."""
        return np.array(list(np.ndindex(*self.structure.family.hidden)), dtype=np.int64)

    @cached_property
    def _state_probabilities(self) -> np.ndarray:
        """p(hidden states), (H,)."""
        return reduce(np.multiply.outer, self.parameters.hidden, np.ones(1)).ravel()

    @cached_property
    def _rows(self) -> list[np.ndarray]:
        """p(y_j given the hidden states), (H, K_j), for each j."""
        states, tables = self.states, enumerate(self.parameters.observed)
        return [rows[parent_configuration(self.structure, j, states)] for j, rows in tables]

    @cached_property
    def _joint(self) -> np.ndarray:
        """p(hidden states, what is observed of the pattern) over the scale, (m, H)."""
        if self._log_joint is not None:
            return np.exp(self._log_joint - self._log_scale[:, None])
        joint = np.tile(self._state_probabilities, (len(self.patterns), 1))
        for values, rows in zip(self.patterns.T, self._rows, strict=True):
            seen = values != MISSING
            joint[seen] *= rows[:, values[seen]].T
        return joint

    @cached_property
    def _log_joint(self) -> np.ndarray | None:
        """ln p(pattern, states), (m, H), or None where it is a product of few factors."""
        if len(self._rows) <= MOST_FACTORS:
            return None
        with np.errstate(divide="ignore"):
            log_joint = np.tile(np.log(self._state_probabilities), (len(self.patterns), 1))
            for values, rows in zip(self.patterns.T, self._rows, strict=True):
                seen = values != MISSING
                log_joint[seen] += np.log(rows)[:, values[seen]].T
        return log_joint

    @cached_property
    def _log_scale(self) -> np.ndarray:
        """ln of the scale of each pattern, (m,): 0 where a product is formed as it is."""
        if self._log_joint is None:
            return np.zeros(len(self.patterns))
        largest = self._log_joint.max(axis=1)
        return np.where(np.isfinite(largest), largest, 0.0)

    @cached_property
    def memberships(self) -> np.ndarray:
        """p(hidden states given the case), (m, H), of each pattern."""
        return self._joint / self._joint.sum(axis=1, keepdims=True)

    @cached_property
    def entropies(self) -> np.ndarray:
        """The entropy of the hidden states given the pattern, in nats, (m,), for each pattern."""
        p = self.memberships
        return -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=1)


def _pearson(counted: np.ndarray, expected: np.ndarray) -> float:
    """Pearson's statistic; a cell that is neither expected nor observed adds nothing."""
    excluded = (counted == 0) & (expected == 0)
    return float(np.sum((counted - expected) ** 2 / np.where(excluded, 1.0, expected)))


def fit(
    cases,
    structure: Structure | str,
    method: str = "ml",
    *,
    replicates: int = 0,
    draws: int = 0,
    seed: int = 0,
    cores: int | None = 1,
    report: Callable[[float], object] | None = None,
    **settings,
) -> Fit:
    """The best `Fit` of ``structure`` to ``cases`` (n, J) by ``map`` or ``ml``. It restarts as
    often as `OFTEN` says, unless ``restarts`` or ``hits`` are given, or there are more than 64
    variables. Where few restarts reached the best (`Fit.restarts_at_best`), there may be a better
    one.

    With ``replicates`` the p-value of G2 comes from as many tables simulated from the fit and
    fitted anew: the share, the cases' own table counted in, in which G2 is as large (Davison &
    Hinkley 1997, Bootstrap Methods and their Application, sec. 4.2). With ``draws`` each chain of
    `posterior_draws` keeps as many, their states named like those of the fit. ``settings`` are
    those of `estimate`. Raises ValueError as these do. ``report`` is called with the number of
    replicates done since its last call; they are spread over ``cores``, None for all, which changes
    no bit.

    >>> from latentdag import Family, Prior, draw_study
    >>> structure = Structure.from_label("1-1-1-1", Family((2,), (2, 2, 2, 2)))
    >>> best = fit(draw_study(structure, Prior(), n=200, seed=1).cases, structure)
    >>> print(f"G2 {best.g2:.1f} with {best.degrees_of_freedom} degrees of freedom")
    G2 1.1 with 6 degrees of freedom
    """
    replicates, draws = integer("replicates", replicates, 0), integer("draws", draws, 0)
    cores = check_cores(cores)
    codes, (structure,) = checked(cases, [structure])
    counts = Task([structure], codes).counts
    if replicates and counts.n > MAX_CASES:
        raise ValueError(
            f"replicates: at most {MAX_CASES:,} cases are simulated; there are {counts.n:,}"
        )
    reduced, parameters, score = estimate_and_score(
        counts, structure, method, seed=seed, **starting_often(settings, structure)
    )
    parameters = sort_states(reduced, parameters)
    best = Fit(
        reduced,
        parameters,
        method,
        counts,
        restarts=score.restarts,
        restarts_at_best=score.restarts_at_best,
        converged=score.converged,
    )
    if draws:
        drawn = posterior_draws(
            counts, structure, like=parameters, draws=draws, seed=seed, **settings
        )
        best = replace(best, draws=drawn)
    if replicates == 0 or isnan(best.g2):
        return best
    simulated = partial(_simulated_g2, best, seed, settings)
    g2 = np.array(spread(simulated, range(replicates), cores, report, report))
    as_large = np.count_nonzero(g2 >= best.g2)
    return replace(best, p_value=(1 + as_large) / (1 + replicates), replicates=replicates)


def starting_often(settings: dict, structure: Structure) -> dict:
    """The ``settings`` of `estimate`, by name, with as many ``restarts`` and ``hits`` as `OFTEN`
    has, unless either is given, or ``structure`` has more than MOST_FACTORS variables: a step then
    takes long.
    """
    if len(structure.parents) > MOST_FACTORS or any(settings.get(k) is not None for k in OFTEN):
        return settings
    return settings | OFTEN


def _simulated_g2(best: Fit, seed: int, settings: dict, replicates: Sequence[int], report) -> list:
    """G2 of tables simulated from a fit, with the same values missing, and fitted anew."""
    unseen = (best.patterns == MISSING).repeat(best.counts.numbers, axis=0)
    g2 = []
    for r in replicates:
        rng = generator(seed, "bootstrap", best.structure.label, best.n_cases, r)
        simulated, _ = simulate(best.structure, best.parameters, best.n_cases, rng)
        replicate = cell_counts(np.where(unseen, MISSING, simulated), best.structure.family)
        again, refitted = estimate(replicate, best.structure, best.method, seed=seed, **settings)
        g2.append(Fit(again, refitted, best.method, replicate).g2)
        if report:
            report(1)
    return g2
