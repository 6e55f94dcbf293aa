"""The evidence as a population has it beside the study's, for draw 0 at all sizes.

Both ways to the evidence run with the settings of workflow/config/draws.yaml and random numbers of
their own. Prints a table: for each size the structures with more than 1e-4 of the posterior
probability, how many of them are within reach, the largest standard error that they have, root mean
square and largest z of the difference from results/published/study/evidence.csv, and the processor
time; then at how many sizes the largest z is negative. Five minutes on one core.
"""

import time

import common
import numpy as np
import pandas as pd
import yaml

from latentdag import Prior, enumerate_structures
from latentdag.scores import JOBS, run_job
from latentdag.scores.base import REACH, Reach, Score, Task, find_reach
from latentdag.study.schema import evidence, tables

DRAWS = common.ROOT / "workflow/config/draws.yaml"
SETTINGS = yaml.safe_load(DRAWS.read_text(encoding="utf-8"))
SIZES = common.study_sizes()
TRUE, SEED, KEY = common.TRUE.label, common.SEED, (0, "reach")
LEAST = 1e-4  # posterior probability from which a structure counts


def scores_of(method: str, task: Task, settings: dict) -> list[Score]:
    chosen = {name: settings[name] for name in JOBS[method].defaults() if name in settings}
    scores, _ = run_job(JOBS[method], task, JOBS[method].defaults() | chosen, {})
    return scores


def as_a_population_has_it(
    cases: np.ndarray, cheap: dict[str, float], settings: dict
) -> tuple[pd.DataFrame, Reach]:
    """The table of the evidence of all structures, and what is within reach."""
    everyone, reach = enumerate_structures(), find_reach(cheap, TRUE, **settings["reach"])
    task = Task(everyone, cases, Prior(), SEED, KEY, reach=reach)
    scores = scores_of("reference", task, settings["reference"])
    if len(cases) in settings["tempered_smc_sizes"]:
        by_label = {s.structure.label: (s.score, s.standard_error) for s in scores}
        left = find_reach(cheap, TRUE, **settings["reach"], evidence=by_label)
        some = [s for s in everyone if s.label in left.labels]
        if some:
            task = Task(some, cases, Prior(), SEED, KEY, reach=left)
            scores += scores_of("tempered_smc", task, settings["tempered_smc"])
    table = pd.DataFrame([{"draw": 0} | score.row() for score in scores])
    return evidence.evidence(table), reach


def compared(n: int, scores: pd.DataFrame, of_study: pd.DataFrame, cases, settings: dict) -> tuple:
    """A row of the table."""
    cheap = scores[(scores["method"] == REACH) & (scores["n"] == n)]
    cheap = cheap.set_index("structure")["score"].to_dict()
    began = time.process_time()
    of_population, reach = as_a_population_has_it(cases[:n], cheap, settings)
    seconds = time.process_time() - began
    of_population, study = (
        t.set_index("structure") for t in (of_population, of_study[of_study["n"] == n])
    )
    posterior = np.exp(study["log_evidence"] - np.logaddexp.reduce(study["log_evidence"]))
    matter = posterior.index[posterior > LEAST]
    error = np.hypot(of_population["standard_error"], study["standard_error"])
    z = ((of_population["log_evidence"] - study["log_evidence"]) / error)[matter]
    z = z[error[matter] > 1e-6]  # without links the evidence is exact
    largest = of_population["standard_error"][matter].max()
    return (
        *(n, len(matter), len(set(matter) & reach.labels), f"{largest:.2f}"),
        *(f"{np.sqrt((z**2).mean()):.2f}", f"{z[z.abs().idxmax()]:+.1f}", f"{seconds:.1f}"),
    )


def main() -> None:
    scores = tables.read(common.PUBLISHED / "scores.csv", "scores")
    of_study = tables.read(common.PUBLISHED / "evidence.csv", "evidence")
    cases = common.cases_of(max(SIZES))
    columns = "n | structures above 1e-4 | of these, within reach | largest standard error"
    rows = [compared(n, scores, of_study, cases, SETTINGS) for n in SIZES]
    common.print_table(f"{columns} | root mean square z | largest z | seconds", rows)
    negative = sum(float(row[5]) < 0 for row in rows)
    print(f"\nThe largest z is negative at {negative} of {len(rows)} sizes.")


if __name__ == "__main__":
    main()
