"""``python -m latentdag.command.warm_up`` compiles all that scores run, so that no job has to."""

from latentdag.model.parameters import Prior, draw_study
from latentdag.model.structures import Structure
from latentdag.scores import METHODS, compute
from latentdag.scores.base import Task

LARGE, SMALL = 100, 10  # cases; `exact` takes few


def main() -> None:
    """Compute every score of two structures, in this process."""
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "0-1-1-1")]
    draw = draw_study(structures[0], Prior(), LARGE, seed=0)
    compute(Task(structures, draw.cases), [name for name in METHODS if name != "exact"])
    compute(Task(structures, draw.cases[:SMALL]), ["exact"])


if __name__ == "__main__":
    main()
