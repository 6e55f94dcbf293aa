"""The evidence by annealed importance sampling: as the paper runs it, and with one chain, as long
as 16 together, or with moves of one row at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from latentdag import inference
from latentdag.data.counts import Counts
from latentdag.engine.log_mean import log_mean_exp
from latentdag.inference import ais
from latentdag.model.parameters import Parameters
from latentdag.model.structures import Family, Structure
from latentdag.scores import base
from latentdag.scores.base import Estimates, Job, Look, Score, Setting, Settings, Side, Spec, Task

ChainsByLabel = dict[str, dict[int, "ais.Chains"]]  # by label and size


def _tuning(
    task: Task,
    kernel: inference.Kernel,
    item: int,
    structure: Structure,
    job: str = "ais",
    by_row: bool = False,
) -> ais.Tuning:
    """Tuned on pilot chains, whose streams no reported chain shares."""
    pilots = [task.stream(f"{job} pilot", structure, k) for k in range(ais.annealing.PILOT_CHAINS)]
    return ais.annealing.tune(kernel, item, task.prior, pilots, by_row)


def side_by_side(settings: Settings) -> bool:
    """Whether ``settings["chains"]`` are fewer than the lanes of a vector: then chains of several
    sizes can share one.
    """
    return settings["chains"] < ais.annealing.LANES


def run(
    task: Task,
    settings: Settings,
    estimates: Estimates,
    job: str = "ais",
    by_row: bool = False,
    by_shape: bool = False,
) -> ChainsByLabel:
    """Independent chains, `Chains`, from the prior to the posterior of each structure of ``task``,
    by label and size; ``settings`` has ``steps`` and ``chains``, ``estimates`` are not read.
    ``job`` names their random streams; ``by_row``, the moves change one row of the parameters after
    another, else all at once. Raises ValueError for an alpha below SMALLEST_ALPHA of
    `latentdag.inference.ais.annealing`.

    Where there are fewer chains than lanes, those of several sizes share a vector, and ``by_shape``
    also those of several structures. Such chains have other bits than the same ones in a full
    vector: `anneal_each` adds up the likelihood in another order. Their distribution is the same,
    and no chain's bits depend on the other sizes and structures.
    """
    steps, n_chains = settings["steps"], settings["chains"]
    prior, report = task.prior, task.report
    at_sizes = [task.truncated(n) for n in task.sizes or (task.n,)]
    together = side_by_side(settings)
    chains_by_label = {s.label: {} for s in task.structures}
    lots = lots_by_shape(at_sizes, n_chains) if together and by_shape else _by_structure(at_sizes)
    for item, lot in lots:
        owners, structures, kernels = zip(*lot, strict=True)
        tunings = [_tuning(at_size, kernel, item, s, job, by_row) for at_size, s, kernel in lot]
        streams = [[at_size.stream(job, s, c) for c in range(n_chains)] for at_size, s, _ in lot]
        if together:
            chains = ais.annealing.anneal_each(
                kernels, item, prior, tunings, steps, streams, report
            )
        else:
            chains = [
                ais.annealing.anneal(kernel, item, prior, tuning, steps, rngs, None, report)
                for kernel, tuning, rngs in zip(kernels, tunings, streams, strict=True)
            ]
        for at_size, s, of_one in zip(owners, structures, chains, strict=True):
            chains_by_label[s.label][at_size.n] = of_one
    return chains_by_label


# a data set and a structure, with the kernel of both
Lot = list[tuple[Task, Structure, "inference.Kernel"]]


def _by_structure(at_sizes: list[Task]) -> Iterator[tuple[int, Lot]]:
    """The index of each structure in its kernels, and its data sets."""
    for same in zip(*(at_size.kernels for at_size in at_sizes), strict=True):
        kernels, (structures, *_) = zip(*same, strict=True)
        for item, s in enumerate(structures):
            yield item, [(at_size, s, k) for at_size, k in zip(at_sizes, kernels, strict=True)]


def lots_by_shape(at_sizes: list[Task], n_chains: int) -> Iterator[tuple[int, Lot]]:
    """Yields 0 and a `Lot`, a list of (task, structure, kernel): data sets of structures of one
    shape, as many as share a vector with ``n_chains`` chains each, the largest first. ``at_sizes``
    has a task for each size.

    Structures that differ by the order of their observed variables have one shape: with the
    variables sorted by cardinality and parents, and the columns of the data with them, they are one
    structure with other data. Each kernel has it at index 0.
    """
    shapes = defaultdict(list)
    for at_size in sorted(at_sizes, key=lambda at_size: at_size.n, reverse=True):
        for s in at_size.structures:
            shape, counts = _in_order(s.without_childless(), at_size.counts)
            shapes[shape].append((at_size, s, inference.Kernel([shape], counts)))
    width = ais.annealing.LANES // n_chains
    for pairs in shapes.values():
        for first in range(0, len(pairs), width):
            yield 0, pairs[first : first + width]


def _in_order(structure: Structure, counts: Counts) -> tuple[Structure, Counts]:
    """The structure with its observed variables sorted by cardinality and parents, and the counts
    with their columns in this order.
    """
    family, parents = structure.family, structure.parents
    order = sorted(range(len(parents)), key=lambda j: (family.observed[j], parents[j]))
    observed = tuple(family.observed[j] for j in order)
    shape = Structure(tuple(parents[j] for j in order), Family(family.hidden, observed))
    return shape, Counts.of(counts.patterns[:, order], counts.numbers, observed)


def read(task: Task, chains_by_label: ChainsByLabel, first: int | None = None) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: ln of the mean importance weight of its
    chains at the task's size, or of the ``first`` ones, in nats, with its standard error: nan for a
    single chain. ``chains_by_label`` has the `Chains` by label and size, as `run` gives it.
    """
    for s in task.structures:
        chains = chains_by_label[s.label][task.n]
        log_weights = chains.log_weights[:first]
        estimate, error = log_mean_exp(log_weights)
        yield Score(s, estimate, error, iterations=chains.steps, restarts=len(log_weights))


def annealing_runs(
    task: Task, steps: int, chains: int, start: Parameters | None = None
) -> np.ndarray:
    """ln weights (K,) of ``chains`` chains of ``steps`` temperatures for the task's only structure,
    tuned as for ``ais``. They start from draws from the prior, or all from ``start``: then they are
    what the paper marks with a star, and no unbiased estimate.
    """
    ((kernel, (structure,)),) = task.kernels
    origin, first = "prior", None
    if start is not None:
        active = sorted(set().union(*structure.parents))
        start = Parameters(tuple(start.hidden[i] for i in active), start.observed)
        origin, first = "true", np.array([kernel.pack(0, start)] * chains)
    streams = [task.stream("annealing", structure, steps, origin, k) for k in range(chains)]
    tuning = _tuning(task, kernel, 0, structure)
    chains = ais.annealing.anneal(kernel, 0, task.prior, tuning, steps, streams, first, task.report)
    return chains.log_weights


def _chains_by_size(
    task: Task, chains_by_label: ChainsByLabel
) -> Iterator[tuple[dict, ais.Chains]]:
    """The chains of each size and structure, and the columns that say which."""
    for n in task.sizes or (task.n,):
        for s in task.structures:
            yield {"n": n, "structure": s.label}, chains_by_label[s.label][n]


def chain_rows(task: Task, chains_by_label: ChainsByLabel) -> Iterator[dict]:
    """Yields the rows, dicts, of the table ``ais_chains``, one for each size ``n``, ``structure``
    (its label) and ``chain`` (from 0), with its ln importance weight, ``log_weight``, in nats.
    ``chains_by_label`` has the `Chains` by label and size, as `run` gives it.
    """
    for which, chains in _chains_by_size(task, chains_by_label):
        for chain, value in enumerate(chains.log_weights.tolist()):
            yield which | {"chain": chain, "log_weight": value}


def acceptance_rows(task: Task, chains_by_label: ChainsByLabel) -> Iterator[dict]:
    """Yields the rows, dicts, of the table ``ais_acceptance``, one for each size ``n``,
    ``structure`` (its label) and ``part`` of the run (from 1): the part's mean ``temperature``, and
    ``acceptance``, the share of updates that moved, as a mean over the chains. ``chains_by_label``
    is what `run` gives.
    """
    for which, chains in _chains_by_size(task, chains_by_label):
        means = np.column_stack([chains.temperatures, chains.acceptance.mean(axis=0)]).tolist()
        for part, (temperature, acceptance) in enumerate(means, start=1):
            yield which | {"part": part, "temperature": temperature, "acceptance": acceptance}


def job_of(
    name: str, meaning: str, steps: int, source: str, chains: int = 1, by_row: bool = False
) -> Job:
    """The `Job` of one kind of AIS, whose settings, sizes and random streams have its ``name``;
    ``meaning`` ends its description to the user. The defaults are ``steps``, the temperatures of a
    chain, with their ``source``, and ``chains``, the number of chains per structure. Moves change
    all parameters or, ``by_row``, one row after another.
    """
    return Job(
        name=name,
        run=partial(run, job=name, by_row=by_row, by_shape=True),
        meaning=f"annealed importance sampling{meaning}",
        settings=(
            Setting("steps", f"{name}.steps", steps, "temperatures of a chain", source),
            Setting("chains", f"{name}.chains", chains, "independent chains per structure", "ours"),
        ),
        spans_sizes=side_by_side,
        most_variables=base.MOST_SAMPLED,
        sizes_key=f"{name}_sizes",
    )


JOB = replace(
    job_of("ais", "", 16384, "the paper", chains=16),
    run=run,
    sizes_key=None,
    tables={"ais_chains": chain_rows, "ais_acceptance": acceptance_rows},
)

AIS = Spec(
    name="ais",
    label="AIS",
    title="AIS",
    definition=(
        "ln of the mean importance weight of chains from the prior to the posterior, one "
        "Metropolis update at each temperature"
    ),
    source="Neal 2001, Stat. Comput. 11, 125-139; paper sec. 4.1",
    job=JOB,
    read=read,
    side=Side.ESTIMATE,
    monte_carlo=True,
    figures=("scores", "rank", "tightness"),
    look=Look("#000000", "o", (0, (4.5, 1.6)), 5.8, hollow=True),
    place=40,
)

AIS_SINGLE = Spec(
    name="ais_single",
    label="AIS, one chain",
    title="AIS with a single chain",
    definition="ln importance weight of the first of the chains of `ais`",
    source="as `ais`; the paper's sec. 4.1 seems to run one chain for each structure",
    job=JOB,
    read=partial(read, first=1),
    side=Side.ESTIMATE,
    monte_carlo=True,
    place=41,
)

AIS_LONG = Spec(
    name="ais_long",
    label="AIS, long chain",
    title="AIS with a long chain",
    definition="as `ais`, with one chain that has as many temperatures as its 16 together",
    source="Neal 2001, Stat. Comput. 11, 125-139",
    job=job_of("ais_long", ", long chains", 262144, "ours: 16 x 16384"),
    read=read,
    side=Side.ESTIMATE,
    monte_carlo=True,
    place=42,
)

AIS_ROWS = Spec(
    name="ais_rows",
    label="AIS, by rows",
    title="AIS with moves of single rows",
    definition=(
        "ln importance weight of one chain as those of `ais`, whose Metropolis update at each "
        "temperature changes one row of the parameters, the rows in turn"
    ),
    source="Neal 2001, Stat. Comput. 11, 125-139; the paper does not state its proposal",
    job=job_of("ais_rows", ", row by row", 16384, "the paper", by_row=True),
    read=read,
    side=Side.ESTIMATE,
    monte_carlo=True,
    place=43,
)
