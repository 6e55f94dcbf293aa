"""What a score is, and what the project must know of it: everything else follows from its `Spec`.

A *job* does the work: it fits, samples or sums. A *score* is a number that is read off what a job
found: ``map``, ``bic`` and ``cs`` are three scores of one job. A new score is one file in this
folder that makes a `Spec`, and a `Job` where none does the work yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from math import inf, isnan, log, nan
from typing import NamedTuple

import numpy as np

from latentdag import inference
from latentdag.data.counts import Counts, cell_counts
from latentdag.engine import streams
from latentdag.engine.significance import FAR
from latentdag.model.parameters import Prior, draw_log_gamma
from latentdag.model.structures import Structure, check_states

# Dirichlet parameter of the hidden states where starts are sparse. One start in four then gives a
# state under 0.1 % of the cases; one in three gives both states at least 10 %
SPARSE = 0.2
MATTERS = 1e-5  # posterior probability below which an error of the evidence changes no figure
FOR_MANY_VARIABLES = "vb, cs and bic serve"
MOST_SAMPLED = 64  # observed variables; at 200 ais and tempered SMC are 200 nats too low
REACH = "cs_lr"  # the score that says which structures are within a study's reach


class Side(Enum):
    """Where a score lies from the evidence ln p(y given m); the most trustworthy come last."""

    FIT = "fit"  # a likelihood at a point estimate: nothing is integrated out
    CRITERION = "criterion"  # near the evidence for many cases
    LOWER_BOUND = "lower bound"
    ESTIMATE = "estimate"
    EVIDENCE = "evidence"  # the evidence itself, or an estimate to hold the others against


@dataclass(frozen=True)
class Look:
    """How a score looks in every figure."""

    colour: str
    marker: str
    line: str | tuple
    size: float  # points; markers at one place nest, the smaller on the larger
    hollow: bool = False
    width: float = 1.3  # of the line, points
    pale: bool = False  # the marker needs a dark edge


@dataclass(frozen=True)
class Setting:
    """What a job takes, a number, true or false."""

    name: str  # in the library
    key: str  # in a study's configuration; keys within keys are joined by dots
    default: bool | int | float  # a whole number stands for whole numbers only
    meaning: str
    source: str = ""
    minimum: int | float = 1


Settings = Mapping[str, float]  # values by name
# by job and label: log weights (K, H, F) of the distinct optima, best first
Estimates = Mapping[str, Mapping[str, np.ndarray]]
Read = Callable[["Task", Mapping], Iterable["Score"]]  # scores off what a job found


@dataclass(frozen=True, kw_only=True)
class Job:
    """Work that gives the scores of some structures on one data set, or on nested ones.

    ``run(task, settings, estimates)`` returns what scores are read off, by the structures' labels;
    ``settings`` are values by name, ``estimates`` by job of ``needs`` what its function of that
    name took from its findings: log weights (K, H, F) by label, of the distinct optima, best first.
    """

    name: str
    run: Callable[[Task, Settings, Estimates], Mapping]
    meaning: str  # what runs, in the words of a message to the user
    settings: tuple[Setting, ...] = ()
    needs: tuple[str, ...] = ()  # jobs whose estimates are starts of this one
    estimates: Callable[[Mapping], Mapping[str, np.ndarray]] | None = None
    tables: Mapping[str, Callable[[Task, Mapping], Iterable[dict]]] = field(default_factory=dict)
    # whether, with such settings, it is cheaper to run for several sizes at once: Task.sizes
    spans_sizes: Callable[[Settings], bool] = lambda settings: False
    sizes_key: str | None = None  # key of the sizes at which alone it runs; None: at all
    # methods whose scores of all structures say which are within the `Reach` of a study that has
    # one; none: the job does the same work for every structure
    reach_by: tuple[str, ...] = ()
    # function that picks the structures this job scores at n cases of a study, where ``true`` may
    # be None: ``some(everyone, true, n)``; None: all. Other structures get no row. In a study that
    # has a `Reach` those within it take their place
    some: Callable[[Sequence[Structure], Structure | None, int], list[Structure]] | None = None
    together: int = 136  # structures at a time, at most
    refuse: Callable[[Task], None] = lambda task: None  # ValueError where the job cannot be done
    most_variables: float = inf  # observed, above which the job is not done
    most_cases: float = inf  # above, a job that takes one case after the other is not done

    def check(self, task: Task) -> None:
        """Raise ValueError where the job cannot be done for the ``task``: for too many joint hidden
        states, cases or observed variables, or as ``refuse`` says.
        """
        for s in task.structures:
            check_states(s.without_childless().family.hidden)
        if task.n > self.most_cases:
            raise ValueError(
                f"{self.name} takes one case after the other, and is not done above "
                f"{self.most_cases:,} cases; there are {task.n:,}: tempered_smc, vb and laplace "
                "serve, whose cost does not grow with the number of cases"
            )
        if (number := len(task.structures[0].family.observed)) > self.most_variables:
            raise ValueError(
                f"{self.name} is done for at most {self.most_variables:,} observed variables; "
                f"there are {number:,}: {FOR_MANY_VARIABLES}"
            )
        self.refuse(task)

    def defaults(self) -> dict[str, int | float]:
        """A dictionary of the default of each of the job's settings, by name."""
        return {setting.name: setting.default for setting in self.settings}


@dataclass(frozen=True, kw_only=True)
class Spec:
    """All that the project knows of a score. ``read(task, found)`` gives the `Score` of each of the
    task's structures, in any order; the dispatcher fills in ``method`` and ``n``.
    """

    name: str  # in tables, settings and the command
    label: str  # in figures and the summary
    title: str  # in full
    definition: str  # one line
    source: str  # of the definition
    job: Job
    read: Read
    side: Side
    # whether chance enters: it has a standard error, unless it is of a single chain
    monte_carlo: bool = False
    posterior: bool = True  # whether exp(score) is a weight of the structure, up to a factor
    # that draw it: scores, rank, annealing, tightness; the summary tells ranks and errors at every
    # n for the scores that rank and tightness draw
    figures: tuple[str, ...] = ()
    look: Look | None = None
    place: int = 50  # in tables and legends, ascending
    refuse: Callable[[Task], None] = lambda task: None  # ValueError where there is no such score

    @property
    def judged(self) -> bool:
        """Whether it is held against the reference: it estimates or bounds the evidence."""
        return self.side is not Side.FIT


@dataclass(frozen=True)
class Score:
    """One score in nats; what does not apply is nan: the ``standard_error`` of a deterministic one.

    ``n`` is the number of cases. ``iterations`` are the steps of the best restart, or temperatures;
    ``restarts`` counts chains or runs for a sampler; ``restarts_at_best`` those that ended within
    0.01 nats of the best objective; ``log_prior`` is ln p(theta_hat) of ``map``, the density of the
    logits. ``log_copies`` is ln M, M the number of distinct relabelled copies of the fit's mode,
    where the score counts them. ``near_boundary`` is the share of the parameters of ``map``'s
    estimate that less than one expected count supports. ``alpha`` and ``alpha_hidden`` are
    estimates of the prior's. A structure that has no score, nan, gives the ``reason``.
    """

    structure: Structure
    score: float
    standard_error: float = nan
    iterations: float = nan
    converged: bool | float = nan
    restarts: float = nan
    restarts_at_best: float = nan
    log_prior: float = nan
    reason: str = ""
    log_copies: float = nan
    near_boundary: float = nan
    alpha: float = nan
    alpha_hidden: float = nan
    method: str = ""  # name of its Spec, and
    n: int = 0  # number of cases: filled in by the dispatcher

    @classmethod
    def of_fit(cls, structure: Structure, score: float, fit: object, **more: float) -> Score:
        """A `Score` of ``structure``: the ``score``, in nats, with the iterations, convergence,
        restarts and restarts at the best of the ``fit`` behind it; ``more`` are further fields by
        name.
        """
        names = ("iterations", "converged", "restarts", "restarts_at_best")
        return cls(structure, float(score), **{name: getattr(fit, name) for name in names}, **more)

    @property
    def n_parameters(self) -> int:
        return self.structure.n_parameters

    def row(self) -> dict:
        """A dictionary by column name: the score as a row of the table of scores."""
        return vars(self) | {"structure": self.structure.label, "n_parameters": self.n_parameters}


class Reach(NamedTuple):
    """Which structures can matter, by a cheap score, and how exact their evidence is to be."""

    labels: frozenset[str]
    target: float  # standard error in nats
    most_cases: int  # above, the reference may take fewer runs, in inverse proportion to the cases
    least: float = -inf  # ln evidence that can matter, known once all structures have an estimate

    def may_matter(self, estimate: float, error: float) -> bool:
        """Whether an ln evidence may be ``least`` or more: whether its ``estimate``, in nats, lies
        at most FAR times ``error``, its standard error, below ``least``.
        """
        return estimate + FAR * error >= self.least


def find_reach(
    scores: Mapping[str, float],
    true: str,
    nats: float,
    target: float,
    most_cases: int,
    evidence: Mapping[str, tuple[float, float]] | None = None,
) -> Reach:
    """The `Reach` of one data set. It has the labels of the structures at most ``nats`` below the
    best of ``scores`` (nats by label), of those whose score is nan, and the label ``true`` of the
    true structure; ``target``, a standard error in nats, and ``most_cases`` become its fields.
    ``evidence`` has ln evidence and its standard error by label: structures in it are left out
    where the error is at most the target or, but for the true one, they cannot have more than
    `MATTERS` of the posterior.
    """
    best = max((s for s in scores.values() if not isnan(s)), default=-inf)
    near = (name for name, s in scores.items() if isnan(s) or s >= best - nats)
    labels = frozenset(near) | {true}
    if not evidence:
        return Reach(labels, target, most_cases)
    least = max(value for value, _ in evidence.values()) + log(MATTERS)
    reach = Reach(labels, target, most_cases, least)
    settled = {
        name
        for name, (value, error) in evidence.items()
        if error <= target or (name != true and not reach.may_matter(value, error))
    }
    return reach._replace(labels=labels - settled)


@dataclass(frozen=True)
class Task:
    """Structures of one family, their cases and prior, and where the random numbers come from."""

    structures: Sequence[Structure]
    cases: np.ndarray | Counts  # codes (n, J), or cases in no order
    prior: Prior = Prior()
    seed: int = 0
    key: tuple = (0,)  # names the random streams, with the number of cases; of a study ``(draw,)``
    # of the nested data sets that a job which spans sizes serves; None: all cases are one data set
    sizes: tuple[int, ...] | None = None
    reach: Reach | None = None  # None: every structure gets the same work
    # called with the work done since its last call, as a number of structures at each size
    report: Callable[[float], object] | None = None
    # whether parameters of hidden variables without children, which no distribution uses, do not
    # count among the free ones, as with a table of one's own; the paper counts them
    only_used: bool = False

    def n_parameters(self, structure: Structure) -> int:
        """The number of free parameters of ``structure``: where ``only_used`` is set, without the
        parameters of hidden variables without children.
        """
        return (structure.without_childless() if self.only_used else structure).n_parameters

    @property
    def n(self) -> int:
        return self.cases.n if isinstance(self.cases, Counts) else len(self.cases)

    def truncated(self, n: int) -> Task:
        """A `Task` with the same structures and the first ``n`` cases, which must be codes; the
        task itself where it has ``n`` cases.
        """
        return self if n == self.n else replace(self, cases=self.cases[:n])

    @cached_property
    def counts(self) -> Counts:
        if isinstance(self.cases, Counts):
            return self.cases
        return cell_counts(self.cases, self.structures[0].family)

    def one_by_one(self) -> np.ndarray:
        """The codes (n, J) of all cases; `Counts` in a random order, the same in every run."""
        return self.cases.one_by_one() if isinstance(self.cases, Counts) else self.cases

    @cached_property
    def kernels(self) -> list[tuple[inference.Kernel, list[Structure]]]:
        """A list of pairs, a kernel and the list of its structures: one pair for those whose hidden
        variables with children have the same numbers of states. Kernels leave childless ones out.
        """
        groups: dict[tuple[int, ...], list] = {}  # structures without childless variables, and all
        for s in self.structures:
            reduced = s.without_childless()
            groups.setdefault(reduced.family.hidden, []).append((reduced, s))
        pairs = (zip(*groups[hidden], strict=True) for hidden in sorted(groups))
        return [(inference.Kernel(reduced, self.counts), [*members]) for reduced, members in pairs]

    def batches(
        self, fits: Mapping[str, inference.em.Best]
    ) -> Iterator[tuple[inference.Batch, np.ndarray, list[Structure]]]:
        """Yields a batch of C structures, the log weights (C, H, F) of their ``fits``, a `Best` by
        label, and the list of the structures, until all structures of the task have had their turn.
        """
        for kernel, structures in self.kernels:
            for part in kernel.parts(np.arange(len(structures))):
                members = [structures[i] for i in part]
                weights = np.array([fits[s.label].log_weights for s in members])
                yield kernel.batch(part), weights, members

    def stream(self, purpose: str, structure: Structure, *which) -> np.random.Generator:
        """A generator of random numbers for a ``purpose``, a ``structure`` and ``which`` of
        several, e.g. a restart; it depends on these, and on the task's seed, key and number of
        cases, alone.
        """
        return streams.generator(self.seed, purpose, *self.key, self.n, structure.label, *which)

    def start(
        self, kernel: inference.Kernel, structures: Sequence[Structure], sparse: bool = False
    ) -> Callable[[int, int], np.ndarray]:
        """A function of an index among ``structures``, those of ``kernel``, and the number of a
        restart. It gives initial conditions: log weights (H, F) of theta drawn from the prior.
        Where they are ``sparse`` the hidden states are drawn from Dirichlet(SPARSE) at most: some
        states then begin with next to no cases.
        """
        hidden = min(self.prior.alpha_hidden, SPARSE if sparse else inf)
        columns = kernel.prior_slots(replace(self.prior, alpha_hidden=hidden))
        alpha = [kernel.untied(item, columns) for item in range(len(structures))]
        # kept off the boundary, as the product of all weights of a cell must not underflow, or
        # where that is scaled no weight
        floor = -600.0
        if not kernel.scaled:
            floor /= len(kernel.family.observed) + len(kernel.family.hidden)

        def draw(item: int, restart: int) -> np.ndarray:
            rng = self.stream("start", structures[item], restart)
            x = draw_log_gamma(alpha[item], rng)
            return np.maximum(kernel.log_normalise(kernel.expand(item, x)), floor)

        return draw
