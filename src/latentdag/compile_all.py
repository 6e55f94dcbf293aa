"""``python -m latentdag.compile_all`` compiles all that scores run, once, so that no job has to.

Without it the first jobs compile, each what it needs.
"""

from latentdag.model import Prior, draw_study
from latentdag.scores import METHODS, score_structures
from latentdag.structures import Structure


def main() -> None:
    """Score two structures by every method."""
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "0-1-1-1")]
    cases = draw_study(structures[0], Prior(), n=100, seed=0).cases
    for method in METHODS:
        some = cases[:10] if method == "exact" else cases  # which takes no more
        score_structures(some, structures, method=method)


if __name__ == "__main__":
    main()
