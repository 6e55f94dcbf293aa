"""What a study consists of: its draws, sizes and jobs, and the names of their files."""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from latentdag import enumerate_structures
from latentdag.scores import JOBS, MODULES, SPECS, scores_of, with_needs
from latentdag.scores.base import Job, Side
from latentdag.study.columns import TABLES
from latentdag.study.paper import PAPER
from lib import sources
from lib.figures import OF_OWN_DATA, OF_SIMULATION, Figure
from lib.files import family_of
from lib.settings import own_table

# keys that change no number, as they say how the work is cut and where it goes
NOT_TOLD = {"blocks", "threads", "results", "figures"}
NOT_READ = {"draws", "annealing", "prior", "figure_n"}  # by a study of own data


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

    @cached_property
    def n_structures(self) -> int:
        return len(enumerate_structures(family_of(self.model)))

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
        return min(self._value(f"{job.name}.jobs"), self.n_structures)

    def sources_of(self, job: Job) -> list[str]:
        """Sources of the scores that a job gives, and no other's."""
        return sources.of_scores("score.py", *(MODULES[spec.name] for spec in scores_of(job)))

    def _value(self, key: str):
        value = self.config
        for name in key.split("."):
            value = value[name]
        return value

    @property
    def has_reference(self) -> bool:
        """Whether there is an evidence to hold the scores against."""
        return "reference" in self.config["methods"]

    @property
    def most_trusted(self) -> str:
        """Of the scores that imply a posterior, the one nearest to the evidence."""
        specs = [s for s in SPECS.values() if s.posterior and s.job in self.jobs]
        specs = [s for s in specs if self.sizes_of(s.job)]
        return max(specs, key=lambda s: (list(Side).index(s.side), s.place)).name

    def settings_told(self) -> dict:
        """The configuration as the summary tells it, with the size that figures show as ``n``."""
        left_out = NOT_TOLD | (NOT_READ if self.own_data else set())
        kept = {k: v for k, v in self.config.items() if v is not None and k not in left_out}
        return kept | {"n": self.figure_n}

    # names of files

    @property
    def started(self) -> str:
        """What is older than every result of this clone; see `lib.places.start`."""
        return f"{self.results}/draws/.started"

    @property
    def summary(self) -> str:
        return f"{self.results}/summary.md"

    def table(self, name: str) -> str:
        return f"{self.results}/{name}.csv"

    def figure(self, name: str, kind: str) -> str:
        return f"{self.figures}/{name}.{kind}"

    def page(self, name: str) -> str:
        """A page of the report."""
        return f"{self.results}/report/{name}.html"

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

    def each(self, pattern: str, job: Job, sizes: Iterable[int] | None = None) -> list[str]:
        """The names that a pattern stands for, one for every run of a job at its sizes, or those
        given.
        """
        if sizes is None:
            sizes = self.sizes_of(job)
        return [
            pattern.format(draw=draw, n=n, block=block)
            for draw in self.draws
            for n in ([""] if job.spans_sizes else sizes)
            for block in range(1, self.n_blocks(job) + 1)
        ]

    def all_parts(self, jobs: Iterable[Job]) -> list[str]:
        """The scores that all runs of some jobs leave."""
        return [name for job in jobs for name in self.each(self.part(job), job)]

    def outputs(self, job: Job) -> dict[str, str]:
        """All that a job leaves: its scores, its estimates where another job starts from them, and
        its parts of further tables by their names.
        """
        found = {"scores": self.part(job)}
        if any(job.name in other.needs for other in JOBS.values()):
            found["estimates"] = self.part(job, "npz")
        return found | {table: self.table_part(job, table) for table in job.tables}

    @property
    def annealed(self) -> str:
        """Annealing runs of the true structure with one length of the schedule."""
        return self.per_draw("annealing/{steps}.csv")

    @property
    def bounds(self) -> str:
        """Bounds on both sides of the evidence."""
        return self.per_draw("sandwich.csv")

    @property
    def under_prior(self) -> str:
        """Scores of all structures under a prior of another strength."""
        return self.per_draw("prior/{alpha}.csv")

    @property
    def prior_jobs(self) -> list[Job]:
        """The jobs whose scores are computed under several priors: the fits that cost seconds, and
        the reference; each after those that it needs.
        """
        names = [job.name for job in self.jobs if job.name in ("map", "vb", "reference")]
        return with_needs(names)

    def sources_of_prior(self) -> list[str]:
        """Sources of the scores that these jobs give, and no other's."""
        specs = [spec for job in self.prior_jobs for spec in scores_of(job)]
        return sources.of_scores("prior.py", *(MODULES[spec.name] for spec in specs))

    def gathered(self) -> dict[str, tuple[str, list[str]]]:
        """By rule a table that is joined from parts, and these."""
        found = {"scores": ("scores", self.all_parts(self.jobs))}
        for job in self.jobs:
            for table in job.tables:
                found[table] = table, self.each(self.table_part(job, table), job)
        if not self.own_data:
            steps = self.config["annealing"]["steps"]
            runs = [self.annealed.format(draw=d, steps=k) for d in self.draws for k in steps]
            found["annealing"] = "annealing", runs
            alphas = self.config["prior"]["alphas"] if self.prior_jobs else []
            if alphas:
                runs = [
                    self.under_prior.format(draw=d, alpha=a) for d in self.draws for a in alphas
                ]
                found["priors"] = "prior", runs
        if self.has_reference and not self.own_data:
            found["sandwiches"] = "sandwich", [self.bounds.format(draw=d) for d in self.draws]
        return found

    def sources_of_gathered(self, table: str) -> list[str]:
        """Sources of such a table: those of the scores only where rows are sorted by method."""
        by_method = "method" in TABLES[table].order
        return sources.of("gather.py") if by_method else sources.of_scores("gather.py")

    def tables(self) -> list[str]:
        """The names of all tables that the study leaves."""
        found = ["structures", *(table for table, _ in self.gathered().values())]
        if self.has_reference or self.own_data:
            found += ["errors", "posterior", "classes"]
        return found + (["variables", "parameters"] if self.own_data else ["ranks", "timing"])

    def measured(self, *names: str) -> dict[str, str]:
        """Of these tables of `make bench`, which is no part of a study, those that are there."""
        return {name: self.table(name) for name in names if Path(self.table(name)).exists()}

    def tables_but(self, *names: str) -> dict[str, str]:
        """The files of all tables but some, by name."""
        return {table: self.table(table) for table in self.tables() if table not in names}

    def figures_by_rule(self) -> dict[str, Figure]:
        """The figures that the study's tables suffice for."""
        figures = OF_OWN_DATA if self.own_data else OF_SIMULATION
        return {f.rule: f for f in figures if set(f.tables) <= set(self.tables())}

    def arguments_of(self, figure: Figure) -> dict:
        """What a figure takes beside tables."""
        n = self.config["annealing"]["n"] if figure.name == "annealing" else self.figure_n
        known = {
            "n": n,
            "structure": self.config["true_structure"],
            "family": self.family,
            "method": self.most_trusted,
        }
        return {name: known[name] for name in figure.arguments}

    def timed(self) -> list[Job]:
        """The jobs of scores whose time the paper states."""
        return [
            job for job in self.jobs if any(spec.name in PAPER.seconds for spec in scores_of(job))
        ]

    def runs_timed(self) -> list[dict]:
        """Each of these jobs at each size, with the benchmarks of its runs."""
        return [
            {
                "job": job.name,
                "n": n,
                "benchmarks": self.each(self.benchmark(self.name(job)), job, [n]),
            }
            for job in self.timed()
            for n in self.sizes_of(job)
        ]

    def message(self, job: Job) -> str:
        """What a run of a job does, with wildcards."""
        words = f"{job.meaning}, draw {{wildcards.draw}}, "
        words += "all sizes" if job.spans_sizes else "{wildcards.n} cases"
        n_blocks = self.n_blocks(job)
        return words + (f", part {{wildcards.block}} of {n_blocks}" if n_blocks > 1 else "")
