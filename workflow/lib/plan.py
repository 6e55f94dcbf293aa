"""What a study consists of: its draws, sizes and jobs, and the names of their files."""

from collections.abc import Iterable
from functools import cached_property

from latentdag.scores import JOBS, MODULES, scores_of
from latentdag.scores.base import Job
from lib import sources
from lib.schema import settings
from lib.settings import own_table


class Plan:
    """The plan that a complete and valid configuration makes. Paths with ``{draw}``, ``{n}`` and
    ``{block}`` are patterns of rules.
    """

    def __init__(self, config: dict):
        self.config = config
        self.results, self.figures = config["results"], config["figures"]
        self.draws = range(config["draws"])
        self.own_data = config["data"] is not None
        self.family = dict(config["family"])
        if self.own_data:
            table = own_table(config)
            self.family["observed"] = list(table.cardinalities)
            self.sizes = [len(table.cases)]
            self.figure_n = self.sizes[0]
        else:
            self.sizes = sorted(config["sizes"])
            self.figure_n = config["figure_n"]
        self.model = {key: config[key] for key in ("seed", "alpha", "alpha_hidden")} | {
            "family": self.family
        }

    @cached_property
    def jobs(self) -> list[Job]:
        """The jobs that run, in the registry's order."""
        return [job for job in JOBS.values() if job.name in self.config["methods"]]

    # what a job does

    def settings(self, job: Job) -> dict[str, int]:
        """The job's settings by name, as the configuration has them."""
        return {setting.name: self._value(setting.key) for setting in job.settings}

    def sizes_of(self, job: Job) -> list[int]:
        """The sizes at which a job gives scores."""
        if job.sizes_key is None:
            return self.sizes
        return [n for n in self.sizes if n in self._value(job.sizes_key)]

    def n_blocks(self, job: Job) -> int:
        """Over how many jobs the structures are spread."""
        if not job.spans_sizes:
            return self.config["blocks"]
        (spread,) = set(settings(job)) - set(job.settings)
        return self._value(spread.key)

    def sources_of(self, job: Job) -> list[str]:
        """Sources of the scores that a job gives, and no other's."""
        return sources.of("score.py", *(MODULES[spec.name] for spec in scores_of(job)))

    def _value(self, key: str):
        value = self.config
        for name in key.split("."):
            value = value[name]
        return value

    # names of files

    def table(self, name: str) -> str:
        return f"{self.results}/{name}.csv"

    def log(self, name: str) -> str:
        return f"{self.results}/logs/{name}.log"

    def benchmark(self, name: str) -> str:
        return f"{self.results}/benchmarks/{name}.tsv"

    def per_draw(self, name: str) -> str:
        """A file of a draw."""
        return f"{self.results}/draws/{{draw}}/{name}"

    def per_size(self, name: str, n: int | None = None) -> str:
        """A file of a draw's data set: of any size, or of the first ``n`` cases."""
        return self.per_draw(f"n{{n}}/{name}" if n is None else f"n{n}/{name}")

    def name(self, job: Job) -> str:
        """How the log and the benchmark of a job are called."""
        return f"{job.name}.{{draw}}.{'' if job.spans_sizes else '{n}.'}{{block}}"

    def part(self, job: Job, ending: str = "csv") -> str:
        """What a job leaves: its scores, or what else has another ending."""
        if job.spans_sizes:
            return self.per_draw(f"{job.name}/{{block}}.{ending}")
        return self.per_size(f"{job.name}.{{block}}.{ending}")

    def table_part(self, job: Job, table: str) -> str:
        """A job's part of a further table, such as ais.1.chains.csv of ais_chains."""
        return self.part(job, f"{table.removeprefix(f'{job.name}_')}.csv")

    def each(self, pattern: str, job: Job) -> list[str]:
        """The names that a pattern stands for, one for every run of a job."""
        return [
            pattern.format(draw=draw, n=n, block=block)
            for draw in self.draws
            for n in ([""] if job.spans_sizes else self.sizes_of(job))
            for block in range(1, self.n_blocks(job) + 1)
        ]

    def all_parts(self, jobs: Iterable[Job]) -> list[str]:
        """The scores that all runs of some jobs leave."""
        return [name for job in jobs for name in self.each(self.part(job), job)]

    def is_needed(self, job: Job) -> bool:
        """Whether another job starts from this one's estimates."""
        return any(job.name in other.needs for other in JOBS.values())
