"""How much work the scores of own data are, before any job starts."""

from collections.abc import Iterable, Sequence
from math import prod
from pathlib import Path

import numpy as np

from latentdag import Table
from latentdag.engine.durations import in_words
from latentdag.ranking.prior import number_of_structures
from latentdag.scores import SPECS
from latentdag.scores.base import Job
from latentdag.study.design.files import read_rows
from latentdag.study.design.model import families_of
from latentdag.study.settings import study

ENTRIES = 4 * 4  # of the measured table: four variables, four states of the causes
LONG_WORK = 600  # seconds, from which a remark says what takes less


def expected_seconds(
    jobs: Iterable[Job],
    n: int,
    n_structures: int,
    n_variables: int,
    hidden: Sequence[Sequence[int]],
    measured: Path,
) -> float:
    """The processor time of all ``jobs`` together, a rough number of seconds, to score
    ``n_structures`` for ``n`` cases of ``n_variables`` observed variables.

    A structure takes the time that `make bench` measured, between its sizes on a line, in
    proportion to the variables and to the joint states of the causes, the most that a family has:
    ``hidden`` has the cardinalities of the causes of each family. nan without the file
    ``measured``, the table `cost`. The reference goes on until its error is small, which may take
    several times as long: more variables and states make it harder.
    """
    if not measured.exists():
        return np.nan
    times: dict[str, dict[int, float]] = {}
    for row in read_rows(measured):
        times.setdefault(SPECS[row["method"]].job.name, {})[int(row["n"])] = float(
            row["job_milliseconds"]
        )
    each = 0.0
    for job in jobs:
        if of_job := sorted(times.get(job.name, {}).items()):
            each += np.interp(n, *zip(*of_job, strict=True))
    return each / 1000 * n_structures * n_variables * max(map(prod, hidden)) / ENTRIES


def of_own_data(config: dict, table: Table, measured: Path) -> str:
    """The text of `remark` on scoring the user's ``table`` by the complete and valid configuration
    ``config``; ``measured`` is the path of the table `cost`, of what scores cost.
    """
    families = families_of(
        config | {"family": config["family"] | {"observed": table.cardinalities}}
    )
    number = number_of_structures(families)
    if config["search"]:
        number = min(number, config["search"]["keep"])
    jobs = [
        job
        for job in study.jobs(config)
        if study.scores_all(config, job) and study.sizes_of(config, job, [table.n])
    ]
    jobs += study.jobs_under_priors(config) * len(study.other_alphas(config))
    hidden = [family.hidden for family in families]
    seconds = expected_seconds(jobs, table.n, number, len(table.names), hidden, measured)
    return remark(seconds, number, table.n)


def remark(seconds: float, n_structures: int, n: int) -> str:
    """The work of scoring ``n_structures`` for ``n`` cases as text, its processor time in it unless
    ``seconds`` is nan, and above `LONG_WORK` also what reduces it.
    """
    words = f"{n_structures:,} structures are scored for {n:,} cases"
    if np.isnan(seconds):
        return words
    words += f": about {in_words(seconds)} of processor time, and more where the reference is hard"
    if seconds > LONG_WORK:
        words += (
            ". Less: methods without reference and ais (methods: [map, vb]), fewer causes in "
            "family.hidden, or search: greedy"
        )
    return words
