"""``python -m latentdag.command.warm_up`` compiles all that scores run, once, so that no job has
to.

Without it the first jobs compile, each what it needs.
"""

from latentdag.model.parameters import Prior, draw_study
from latentdag.model.structures import Structure
from latentdag.scores import JOBS, compute, scores_of, with_needs
from latentdag.scores.base import Task


def main() -> None:
    """Run every job on two structures, on all cores; each after those that it needs."""
    from joblib import Parallel, delayed

    steps = {name: len(with_needs([name])) for name in JOBS}
    with Parallel(n_jobs=-1) as cores:
        for step in sorted(set(steps.values())):
            cores(delayed(run)(name) for name in JOBS if steps[name] == step)


def run(name: str) -> None:
    """Run one job, and read its scores."""
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "0-1-1-1")]
    n = 10 if name == "exact" else 100  # as many as it takes
    cases = draw_study(structures[0], Prior(), n, seed=0).cases
    compute(Task(structures, cases), [score.name for score in scores_of(JOBS[name])])


if __name__ == "__main__":
    main()
