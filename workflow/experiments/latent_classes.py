"""Full-information maximum likelihood by StepMix, a well-known program for latent classes, beside
ours: the same table with missing values, the same models.

Not a dependency of the study: ``pip install stepmix`` first; without it this says so and ends.
Prints a table.
"""

import common
import numpy as np

from latentdag import Family, Structure, read_table
from latentdag.analysis.fit import fit

VOTES = common.ROOT / "workflow/data/house_votes_1984.csv"
CLASSES = (2, 3, 4)
STARTS = 50


def stepmix_likelihood(StepMix, codes: np.ndarray, classes: int) -> float:
    """The best ln likelihood that StepMix finds of coded cases (n, J), nan where one is missing."""
    limits = {"n_init": STARTS, "max_iter": 10_000, "abs_tol": 1e-10, "rel_tol": 0}
    quiet = {"random_state": 0, "verbose": 0, "progress_bar": 0}
    model = StepMix(classes, measurement="categorical_nan", **limits, **quiet).fit(codes)
    return len(codes) * float(model.score(codes))


def main() -> None:
    try:
        from stepmix.stepmix import StepMix
    except ImportError:
        print("StepMix is not installed (pip install stepmix): nothing to compare with")
        return
    votes = VOTES.read_text(encoding="utf-8").split("\n")[0].split(",")[1:]  # without the party
    table = read_table(VOTES, missing=["?"], columns=votes)
    print(f"{table.n} cases of {len(table.names)} variables, ln likelihood at the maximum")
    print(f"{'classes':>7s} {'StepMix':>12s} {'latentdag':>12s} {'difference':>11s}")
    for classes in CLASSES:
        theirs = stepmix_likelihood(StepMix, table.cases, classes)
        everyone = ((0,),) * len(table.names)
        structure = Structure(everyone, Family((classes,), table.cardinalities))
        ours = fit(table.counts, structure, "ml", restarts=STARTS).log_likelihood
        print(f"{classes:7d} {theirs:12.4f} {ours:12.4f} {ours - theirs:11.4f}")


if __name__ == "__main__":
    main()
