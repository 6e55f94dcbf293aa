"""Stochastic bounds on both sides of the evidence, where the hidden states are a posterior draw:
those from which the data were simulated.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from latentdag.inference import particles
from latentdag.model.structures import Structure
from latentdag.scores.base import Task
from latentdag.scores.reference import JOB


def bounds(
    task: Task,
    states: np.ndarray,
    sizes: Iterable[int],
    settings: Mapping[str, float],
    upper_runs: int,
) -> Iterator[dict]:
    """Yields for each of ``sizes``, numbers of cases, the row, a dict, of the table `sandwich`, in
    nats, of the one structure of ``task``.

    An estimate by the reference, with its ``settings``, is a stochastic lower bound. ``upper_runs``
    runs with as many particles, which retain the true ``states`` (n, number of hidden variables),
    give an upper one. Raises ValueError where the task has several structures.
    """
    [structure] = task.structures
    for n in sizes:
        below = JOB.run(task.truncated(n), settings, {})[structure.label]
        above = particles.evidence.log_evidence_upper(
            task.cases[:n],
            states[:n],
            structure,
            task.prior,
            below.particles,
            upper_runs,
            task.seed,
            task.key,
        )
        yield {
            "draw": task.key[0],
            "n": n,
            "structure": structure.label,
            "lower": below.log_evidence,
            "lower_error": below.standard_error,
            "upper": above.log_evidence,
            "upper_error": above.standard_error,
            "gap": above.log_evidence - below.log_evidence,
        }


def other_structures(structures: Iterable[Structure], true: Structure, n: int) -> list[Structure]:
    """A list of at most ``n`` of ``structures`` that have several hidden variables with children
    and differ from the ``true`` one, spread evenly over their order.
    """
    others = [s for s in structures if s != true and len(s.without_childless().family.hidden) > 1]
    places = np.linspace(0, len(others) - 1, min(n, len(others))).astype(int)
    return [others[i] for i in places]
