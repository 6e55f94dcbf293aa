"""The scores of a structure, for one and for many structures at once (natural logarithms, higher is
better).

The functions that take many structures are what the workflow's jobs call; `score` is the same for
one. A result depends on the structure, the data, the settings, the seed and the key of its random
streams, and not on what else is scored.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log, nan

import numpy as np

from latentdag import streams
from latentdag.counts import cell_counts, check_cases
from latentdag.fits.em import EM
from latentdag.fits.restarts import Best, Restarts, search
from latentdag.fits.vbem import VBEM, bound
from latentdag.kernel import Kernel, by_hidden_family
from latentdag.model import Parameters, Prior, log_gamma
from latentdag.sampling import ais
from latentdag.scores import exact
from latentdag.stats import log_mean_exp
from latentdag.structures import Structure

METHODS = ("map", "bic", "cs", "ml", "bic_ml", "vb", "ais", "exact", "reference")
POLISH = 1e-12  # nats left to gain in EM's objective: ln p(y given theta_hat) is not stationary there, and moves with its root


@dataclass(frozen=True)
class Score:
    """One score in nats; what does not apply to a method is nan, such as the ``standard_error`` of
    a deterministic one.

    ``iterations`` are the steps of the best restart, or temperatures; ``restarts`` counts chains
    for a sampler; ``restarts_at_best`` those that ended within 0.01 nats of the best objective;
    ``log_prior`` is ln p(theta_hat) of ``map``, the density of the logits.
    """

    structure: Structure
    method: str
    score: float
    standard_error: float = nan
    iterations: float = nan
    converged: bool | float = nan
    restarts: float = nan
    restarts_at_best: float = nan
    log_prior: float = nan

    @property
    def n_parameters(self) -> int:
        return self.structure.n_parameters


@dataclass(frozen=True)
class Task:
    """What every score needs: structures of one family, their data and prior, and where the random
    numbers come from.

    ``counts`` has shape ``family.observed``. ``key`` names the random streams, together with the
    number of cases; the study uses ``(draw,)``. ``report`` gets, again and again, how much of the
    work is done since, as a number of structures.
    """

    structures: Sequence[Structure]
    counts: np.ndarray
    prior: Prior = Prior()
    seed: int = 0
    key: tuple = (0,)
    report: Callable[[float], object] | None = None

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    def stream(self, purpose: str, structure: Structure, *which) -> np.random.Generator:
        return streams.generator(self.seed, purpose, *self.key, self.n, structure.label, *which)

    def kernels(self) -> Iterator[tuple[Kernel, list[Structure]]]:
        """A kernel and its structures, for each set of hidden variables that have children."""
        for index, reduced in by_hidden_family(self.structures):
            yield Kernel(reduced, self.counts), [self.structures[i] for i in index]

    def start(
        self, kernel: Kernel, structures: Sequence[Structure]
    ) -> Callable[[int, int], np.ndarray]:
        """Initial conditions: log weights of theta drawn from the prior, the same for EM and VBEM."""
        alpha = kernel.prior_slots(self.prior)
        # only a start may be kept off the boundary: the product of all weights of a cell must not
        # underflow
        floor = -600 / (len(kernel.family.observed) + len(kernel.family.hidden))

        def draw(item: int, restart: int) -> np.ndarray:
            x = log_gamma(
                kernel.untied(item, alpha), self.stream("start", structures[item], restart)
            )
            return np.maximum(kernel.log_normalise(kernel.expand(item, x)), floor)

        return draw

    def in_order(self, scores: Sequence[Score]) -> list[Score]:
        """Scores of all kernels, structure by structure as they were asked for."""
        position = {s: i for i, s in enumerate(self.structures)}
        return sorted(scores, key=lambda score: position[score.structure])


def bic(log_likelihood: float, n_parameters: int, n: int) -> float:
    """ln p(y given theta_hat) - (d / 2) ln n (Schwarz 1978, Ann. Stat. 6, 461-464)."""
    return log_likelihood - n_parameters / 2 * log(n)


def _with_bic(fit: Score, method: str, n: int) -> list[Score]:
    return [
        fit,
        replace(fit, method=method, score=bic(fit.score, fit.n_parameters, n), log_prior=nan),
    ]


def _optimum(
    structure: Structure, method: str, score: float, best: Best, log_prior: float = nan
) -> Score:
    of_best = {
        name: getattr(best, name)
        for name in ("iterations", "converged", "restarts", "restarts_at_best")
    }
    return Score(structure, method, float(score), **of_best, log_prior=float(log_prior))


def map_scores(
    task: Task, settings: Restarts = Restarts()
) -> tuple[list[Score], dict[str, np.ndarray]]:
    """``map``, ``bic`` and ``cs`` of each structure, and the log weights (H, F) of its MAP estimate
    by label.

    The estimate is the MAP in the softmax basis. Cheeseman-Stutz is the variational bound at q(s) =
    p(s given y, theta_hat).
    """
    scores, estimates = [], {}
    for kernel, structures in task.kernels():
        alpha = kernel.prior_slots(task.prior)
        best = search(
            kernel, EM(alpha), task.start(kernel, structures), settings, POLISH, report=task.report
        )
        estimates.update(
            {s.label: fit.log_weights for s, fit in zip(structures, best, strict=True)}
        )
        for part in kernel.parts(np.arange(len(structures))):
            batch, log_weights = kernel.batch(part), np.array([best[i].log_weights for i in part])
            log_likelihood = batch.log_likelihood(np.exp(log_weights))
            log_prior = batch.total(alpha * log_weights) - batch.log_normaliser(alpha)
            cheeseman_stutz = bound(batch, log_weights, alpha)[0]
            for i, *values in zip(part, log_likelihood, log_prior, cheeseman_stutz, strict=True):
                fit = _optimum(structures[i], "map", values[0], best[i], log_prior=values[1])
                scores += [
                    *_with_bic(fit, "bic", task.n),
                    replace(fit, method="cs", score=float(values[2]), log_prior=nan),
                ]
    return task.in_order(scores), estimates


def ml_scores(task: Task, settings: Restarts = Restarts()) -> list[Score]:
    """``ml`` and ``bic_ml`` of each structure, at the best maximum of the likelihood that was
    found.
    """
    scores = []
    for kernel, structures in task.kernels():
        best = search(
            kernel, EM(None), task.start(kernel, structures), settings, report=task.report
        )
        for s, fit in zip(structures, best, strict=True):
            scores += _with_bic(_optimum(s, "ml", fit.objective, fit), "bic_ml", task.n)
    return task.in_order(scores)


def vb_scores(
    task: Task, estimates: dict[str, np.ndarray], settings: Restarts = Restarts()
) -> list[Score]:
    """``vb`` of each structure; one restart more than EM has starts from EM's best solution,
    ``estimates`` of `map_scores`.
    """
    scores = []
    for kernel, structures in task.kernels():
        vbem = VBEM(kernel.prior_slots(task.prior))
        first = [estimates[s.label] for s in structures]
        best = search(
            kernel, vbem, task.start(kernel, structures), settings, first=first, report=task.report
        )
        scores += [
            _optimum(s, "vb", fit.objective, fit) for s, fit in zip(structures, best, strict=True)
        ]
    return task.in_order(scores)


def estimate(
    cases,
    structure: Structure,
    method: str = "map",
    *,
    alpha: float = 1.0,
    alpha_hidden: float | None = None,
    seed: int = 0,
    restarts: int = 20,
    max_iterations: int = 30_000,
) -> tuple[Structure, Parameters]:
    """Parameters of ``structure`` at the best optimum that EM finds, by ``map`` (softmax basis) or
    ``ml``.

    They belong to the structure that is returned with them: its canonical form without hidden
    variables that have no children. States of hidden variables have no order of their own. Raises
    ValueError for another method, and as `score` does.
    """
    if method not in ("map", "ml"):
        raise ValueError(f"unknown estimate {method!r}: it must be map or ml")
    task = Task(
        [structure.canonical()],
        cell_counts(cases, structure.family),
        Prior(alpha, alpha_hidden),
        seed,
    )
    ((kernel, structures),) = task.kernels()
    settings = Restarts(restarts, restarts, max_iterations)
    em = EM(kernel.prior_slots(task.prior) if method == "map" else None)
    (best,) = search(kernel, em, task.start(kernel, structures), settings, POLISH)
    return structures[0].without_childless(), kernel.unpack(0, np.exp(best.log_weights))


def _pilots(task: Task, structures: Sequence[Structure]) -> list[list[np.random.Generator]]:
    return [
        [task.stream("ais pilot", s, chain) for chain in range(ais.PILOT_CHAINS)]
        for s in structures
    ]


def ais_scores(
    task: Task, steps: int = 16384, chains: int = 8
) -> tuple[list[Score], dict[str, ais.Chains]]:
    """``ais`` of each structure, and the ``chains`` independent chains of ``steps`` temperatures
    behind it, by label.
    """
    scores, runs = [], {}
    for kernel, structures in task.kernels():
        items = np.arange(len(structures))
        tunings = ais.tune(kernel, items, task.prior, _pilots(task, structures))
        generators = [task.stream("ais", s, chain) for s in structures for chain in range(chains)]
        report = (
            None if task.report is None else lambda share, n=len(structures): task.report(share * n)
        )
        tunings = [tuning for tuning in tunings for _ in range(chains)]
        everyone = ais.anneal(
            kernel, items.repeat(chains), task.prior, tunings, steps, generators, report=report
        )
        for s, part in zip(
            structures, np.split(np.arange(len(generators)), len(structures)), strict=True
        ):
            runs[s.label] = ais.Chains(
                *(
                    values[part]
                    for values in (everyone.log_weights, everyone.acceptance, everyone.temperatures)
                )
            )
            estimate, error = log_mean_exp(runs[s.label].log_weights)
            scores.append(Score(s, "ais", estimate, error, iterations=steps, restarts=chains))
    return task.in_order(scores), runs


def annealing_runs(
    task: Task, steps: int, chains: int, start: Parameters | None = None
) -> np.ndarray:
    """ln weights (K,) of ``chains`` chains of ``steps`` temperatures for the task's only structure,
    tuned as for `ais_scores`.

    They start from draws from the prior, or all from ``start``: then the weights are what the paper
    marks with a star, and no unbiased estimate.
    """
    ((kernel, (structure,)),) = task.kernels()
    (tuning,) = ais.tune(kernel, np.array([0]), task.prior, _pilots(task, [structure]))
    origin = "prior" if start is None else "true"
    generators = [
        task.stream("annealing", structure, steps, origin, chain) for chain in range(chains)
    ]
    if start is not None:
        active = sorted(set().union(*structure.parents))
        start = Parameters(tuple(start.hidden[i] for i in active), start.observed)
    first = None if start is None else np.array([kernel.pack(0, start)] * chains)
    items = np.zeros(chains, dtype=int)
    return ais.anneal(
        kernel, items, task.prior, [tuning] * chains, steps, generators, first, task.report
    ).log_weights


def score_structures(
    cases,
    structures: Sequence[Structure],
    method: str = "vb",
    *,
    alpha: float = 1.0,
    alpha_hidden: float | None = None,
    seed: int = 0,
    restarts: int = 20,
    hits: int | None = None,
    max_iterations: int = 30_000,
    steps: int = 16384,
    chains: int = 8,
    key: tuple = (0,),
) -> list[Score]:
    """Score ``structures`` of one family on ``cases``, an (n, J) array of integers counted from 0,
    by one of METHODS.

    A structure stands for its exchange class: its canonical form is scored. EM and VBEM start
    ``restarts`` times, or until the best optimum was reached ``hits`` times when given; ``ais``
    runs ``chains`` chains of ``steps`` temperatures; ``reference`` is the evidence by collapsed
    sequential Monte Carlo at its default settings. With the seed and settings of a study and
    ``key=(draw,)`` the result is that study's, to the bit: but for ``reference``, whose runs serve
    all sizes, and ``vb`` where a study lets EM and VBEM start differently often.

    Raises ValueError naming what is wrong: an unknown method, alpha not above 0, cases outside
    their cardinality, or too many cases for ``exact``.
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}: it must be one of {', '.join(METHODS)}")
    if steps < 1 or chains < 1:
        raise ValueError(f"steps and chains must be at least 1, got {steps} and {chains}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, got {seed}")
    structures = [s.canonical() for s in structures]
    prior, family = Prior(alpha, alpha_hidden), structures[0].family
    if method == "exact":
        values = exact.log_evidence(check_cases(cases, family), structures, prior)
        return [Score(s, method, value.item()) for s, value in zip(structures, values, strict=True)]
    if method == "reference":
        from latentdag.sampling.smc import (
            evidence as reference,  # compiles its loops: only where it is used
        )

        n = len(check_cases(cases, family))
        paths = (
            reference.log_evidence_path(cases, s, [n], prior, seed=seed, key=key)
            for s in structures
        )
        return [
            Score(s, method, *(x.item() for x in path[:2]), restarts=reference.RUNS)
            for s, path in zip(structures, paths, strict=True)
        ]
    task = Task(structures, cell_counts(cases, family), prior, seed, key)
    settings = Restarts(restarts, restarts if hits is None else hits, max_iterations)
    if method == "ais":
        scores = ais_scores(task, steps, chains)[0]
    elif method in ("ml", "bic_ml"):
        scores = ml_scores(task, settings)
    else:
        scores, estimates = map_scores(task, settings)
        if method == "vb":
            scores = vb_scores(task, estimates, settings)
    return [s for s in scores if s.method == method]


def score(cases, structure: Structure, method: str = "vb", **settings) -> Score:
    """Score one structure; the same as `score_structures` for one, with its keyword arguments."""
    return score_structures(cases, [structure], method, **settings)[0]
