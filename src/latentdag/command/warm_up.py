"""``python -m latentdag.command.warm_up`` compiles all that scores run, so that no job has to."""

import joblib

from latentdag.model.parameters import Prior, draw_study
from latentdag.model.structures import Structure
from latentdag.scores import METHODS, compute
from latentdag.scores.base import Task

LARGE, SMALL = 100, 10  # cases; `exact` takes few
FIRST = ("vb_collapsed", "vb_eb", "vb_mf")  # with most code of their own
AT_ONCE = 2  # processes: more would mostly compile the same


def main() -> None:
    """Compute every score of two structures."""
    # not loky's processes, which end when their memory grows, as it does with compiled code
    at_once = joblib.Parallel(AT_ONCE, backend="multiprocessing", batch_size=1)
    at_once(map(joblib.delayed(score), (*FIRST, *reversed(METHODS))))


def score(name: str) -> None:
    """Compute the score ``name`` of two structures for LARGE simulated cases, SMALL for ``exact``,
    so that its code is compiled; the result is dropped.
    """
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "0-1-1-1")]
    draw = draw_study(structures[0], Prior(), SMALL if name == "exact" else LARGE, seed=0)
    compute(Task(structures, draw.cases), [name])


if __name__ == "__main__":
    main()
