"""The evidence over a bridge from a known start to the posterior: a second way, to hold the
reference against.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from latentdag.scores.base import Job, Score, Setting, Side, Spec, Task
from latentdag.stats import log_mean_exp


def run(task: Task, settings: Mapping[str, int], estimates: Mapping) -> dict[str, np.ndarray]:
    """ln of each run's estimate of the evidence, by label; none where there are too many ways to
    name the hidden states.
    """
    from latentdag.sampling.bridge import evidence  # numba takes a second to import
    from latentdag.sampling.bridge.model import Model

    found = {}
    for kernel, structures in task.kernels:
        for item, s in enumerate(structures):
            model = Model(kernel, item, s.without_childless(), task.prior)
            found[s.label] = np.empty(0)
            if model.n_relabellings() <= evidence.MOST_RELABELLINGS:
                found[s.label] = evidence.log_estimates(
                    model,
                    settings["particles"],
                    settings["runs"],
                    lambda *which, s=s: task.stream("bridge", s, *which),
                )
            if task.report:
                task.report(1)
    return found


def read(task: Task, found: Mapping[str, np.ndarray]) -> Iterator[Score]:
    """ln of the mean of the runs' estimates, with its error."""
    for s in task.structures:
        by_run = found[s.label]
        if len(by_run):
            estimate, error = log_mean_exp(by_run)
            yield Score(s, estimate, error, restarts=len(by_run))
        else:
            yield Score(s, np.nan, reason="too many ways to name the hidden states")


JOB = Job(
    name="bridge",
    run=run,
    meaning="evidence over a bridge",
    settings=(
        Setting(
            name="particles",
            key="bridge.particles",
            default=128,
            minimum=2,
            meaning=(
                "particles of a run, in whole blocks of 16; pilots and runs from the prior have "
                "half as many"
            ),
        ),
        Setting(
            name="runs",
            key="bridge.runs",
            default=4,
            minimum=2,
            meaning="independent runs, whose spread gives the standard error",
        ),
    ),
    sizes_key="bridge_sizes",
    jobs=4,
)

BRIDGE = Spec(
    name="bridge",
    label="bridge",
    title="Bridge",
    definition=(
        "ln of the mean estimate of the evidence by tempered sequential Monte Carlo with "
        "Hamiltonian moves, from a wide mixture around the modes to the posterior"
    ),
    source="Del Moral, Doucet & Jasra 2006, J. R. Stat. Soc. B 68, 411-436; Neal 2011",
    job=JOB,
    read=read,
    side=Side.EVIDENCE,
    monte_carlo=True,
    closed_form=True,
    figures=(),
    place=85,
)
