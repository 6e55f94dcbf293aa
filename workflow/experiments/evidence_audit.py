"""An audit of the populations' evidence: is it within its errors, and does it miss modes?

Ten draws of results/draws-of-the-paper at the three largest sizes. The evidence of every structure
within reach, which comes from the reference or from tempered sequential Monte Carlo, is estimated
again by the latter with random streams of its own: 16 runs with 4 times as many particles as there,
and up to 8 times as many again where the standard error is above TARGET. z is the population's ln
evidence less that of the audit, over the error of both; estimates that miss modes are too low, and
z is then negative on average.

The population's scores of these draws must be there (results/draws-of-the-paper/scores.parquet,
which is not committed): `snakemake --configfile workflow/config/draws.yaml --config draws=10` makes
them. Each data set is kept when it is done, in results/experiments/evidence_audit/, so that a run
that is started again goes on; numbers of draws as arguments do these alone. Writes
results/experiments/evidence_audit.csv of all that are kept. Hours.
"""

import sys
from collections.abc import Iterator
from itertools import product

import common
import numpy as np
import pandas as pd

from latentdag import Prior, Structure, enumerate_structures
from latentdag.scores import compute
from latentdag.scores.base import REACH, Task, find_reach
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence

POPULATION = common.ROOT / "results/draws-of-the-paper/scores.parquet"
RESULT = common.EXPERIMENTS / "evidence_audit.csv"
KEPT = common.EXPERIMENTS / "evidence_audit"
DRAWS, SIZES = range(10), (2560, 5120, 10240)
METHOD = "tempered_smc"
SEED = 2103  # of the audit's random streams; the data are those of common.SEED
NATS, TARGET = 30.0, 0.1
EFFORT = {"particles": 256, "runs": 16}
CHEAP = {"restarts": 24, "hits": 3}


def of_population(draw: int) -> pd.DataFrame:
    """The population's evidence of a draw, by n and structure. Raises FileNotFoundError with what
    makes the table of scores, where it is not there.
    """
    if not POPULATION.exists():
        raise FileNotFoundError(f"{POPULATION} is not there; {__doc__.split('committed): ')[1]}")
    scores = tables.read(POPULATION, "scores")
    return evidence(scores[scores["draw"] == draw]).set_index(["n", "structure"])


def within(draw: int, n: int) -> tuple[Task, list[Structure]]:
    """The data set, and the structures within reach by `cs_lr`."""
    task = Task(enumerate_structures(), common.cases_of(n, draw), Prior(), common.SEED, (draw,))
    scores = {s.structure.label: s.score for s in compute(task, [REACH], CHEAP)[0]}
    reach = find_reach(scores, common.TRUE.label, NATS, TARGET, n)
    kept = [s for s in task.structures if s.label in reach.labels]
    return Task(kept, task.cases, task.prior, SEED, ("audit", draw), reach=reach), kept


def of_data_set(draw: int, n: int) -> pd.DataFrame:
    """Rows of the audit's table, without z."""
    population, (task, kept) = of_population(draw), within(draw, n)
    audited = []
    for s in compute(task, [METHOD], EFFORT)[0]:
        published = population.loc[n, s.structure.label]
        audited.append(
            {
                **{"draw": draw, "n": n, "structure": s.structure.label},
                "log_evidence": published["log_evidence"],
                "standard_error": published["standard_error"],
                **{"audited": s.score, "audited_error": s.standard_error},
            }
        )
    print(f"draw {draw}, n {n}: {len(kept)} structures", flush=True)
    return pd.DataFrame(audited)


def rows(kept: pd.DataFrame) -> Iterator[dict]:
    """With z, which is none where neither estimate has an error."""
    error = np.hypot(kept["standard_error"], kept["audited_error"])
    z = ((kept["log_evidence"] - kept["audited"]) / error).where(error > 0)
    yield from kept.assign(z=z).to_dict("records")


def main(*draws: int) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    for draw, n in product(draws or DRAWS, SIZES):
        if not (path := KEPT / f"{draw}-{n}.csv").exists():
            audited, partial = of_data_set(draw, n), path.with_suffix(".partial")
            audited.to_csv(partial, index=False)
            partial.replace(path)
    kept = pd.concat(map(pd.read_csv, KEPT.glob("*.csv")))
    RESULT.parent.mkdir(exist_ok=True)
    tables.write(RESULT, RESULT.stem, rows(kept.sort_values(["draw", "n"], kind="stable")))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
