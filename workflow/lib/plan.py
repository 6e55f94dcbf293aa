"""What a study consists of: its draws, sizes and jobs, and the names of their files."""

from collections.abc import Callable, Iterable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from latentdag.scores import JOBS, SPECS, jobs_needed, scores_of
from latentdag.scores.base import Job, Spec
from latentdag.search.structure_prior import number_of_structures
from latentdag.search.trust import most_trusted
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import EVERY, ONE_DRAW, PAPERS, VARIATIONS
from latentdag.study.paper.runs import TABLES as TABLES_OF_FINDINGS
from lib.design import UNIFORM, Draw, design
from lib.figures import FIRST, OF_OWN_DATA, OF_POPULATION, OF_SIMULATION, Figure
from lib.files import alphas, families_of, family_of, main_alpha, own_table

CHEAP = ("laplace", "vb")  # scores with a posterior that cost seconds, the most trusted first
# keys that change no number, as they say how the work is cut and where it goes
NOT_TOLD = {"blocks", "sizes_per_job", "threads", "results", "figures"}
LARGE = {"scores", "verdicts", "reliability_counts"}  # of a population: up to millions of rows
OWN_DATA = {"equally_probable", "search", "fit"}  # read by a study of own data alone
# populations that the article reads, by their folders in that of the study
POPULATIONS = (PAPERS, EVERY, *VARIATIONS)
# the tables and figures of a study and of a population that it shows
STUDY_IN_ARTICLE = (
    ("structures", "scores", "evidence", "errors", "ranks", "annealing", "timing", "sandwich"),
    ("true_structure", "scores", "rank", "annealing"),
)
POPULATION_IN_ARTICLE = (
    (
        *("design", "structures", "population", "found", "found_share", "comparisons"),
        *("claims_held", "calibration"),
    ),
    ("cases_needed", "error_over_draws"),
)
NOT_READ = {"draws", "annealing", "prior", "figure_n"}  # by a study of own data


class Plan:
    """The plan that a complete and valid configuration makes. Paths with ``{draw}``, ``{sizes}``
    and ``{block}`` are patterns of rules.
    """

    def __init__(self, config: dict):
        self.config = config
        self.results, self.figures = config["results"], config["figures"]
        self.own_data, self.population = config["data"] is not None, config["population"]
        self.family = dict(config["family"])
        if self.own_data:
            table = own_table(config["data"])
            self.remarks = [f"{config['data']['file']}: {r}" for r in table.remarks]
            self.family["observed"] = list(table.cardinalities)
            self.sizes, self.variables = [table.n], table.names
            self.figure_n = self.sizes[0]
        else:
            self.remarks, self.variables = [], ()
            self.sizes = sorted(config["sizes"])
            self.figure_n = config["figure_n"]
        keys = ("seed", "alpha", "alpha_hidden")
        self.model = {key: config[key] for key in keys} | {"family": self.family}
        self.alphas = alphas(config)
        self.model["alpha"] = main_alpha(config)

    @cached_property
    def jobs(self) -> list[Job]:
        """The jobs that run, in the registry's order."""
        return [job for job in JOBS.values() if job.name in self.config["methods"]]

    @cached_property
    def scores(self) -> list[Spec]:
        """The scores that tables have, in the registry's order."""
        kept = self.config["scores"] or list(SPECS)
        return [s for s in SPECS.values() if s.job in self.jobs and s.name in kept]

    def kept_of(self, job: Job) -> dict[str, list[str]]:
        """The parameter `scores` of a job of which not all scores are kept."""
        kept = [spec.name for spec in self.scores if spec.job.name == job.name]
        return {"scores": kept} if 0 < len(kept) < len(scores_of(job)) else {}

    @cached_property
    def n_structures(self) -> int:
        """How many structures are scored; of a search at most."""
        number = number_of_structures(families_of(self.model))
        return min(number, self.search["keep"]) if self.search else number

    # the search of own data

    @property
    def search(self) -> dict | None:
        """The settings of the search; None where all structures are scored."""
        return self.config["search"]

    def parameters_of_search(self) -> dict:
        """What a search takes beside cases and model; without one nothing that changes."""
        if self.search is None:
            return {"search": None}
        job = SPECS[self.search["method"]].job
        return {
            "search": self.search,
            "settings": self.settings(job),
            "equally_probable": self.equally_probable,
        }

    def cases_to_search(self) -> dict[str, str]:
        """The cases, which the structures depend on where they are searched."""
        cases = self.per_group("cases.csv", self.sizes[0]).format(draw=0)
        return {"cases": cases} if self.search else {}

    def table_of_search(self) -> dict[str, str]:
        return {"search": self.table("search")} if self.search else {}

    @property
    def equally_probable(self) -> str | None:
        """What is equally probable beforehand; None in simulated studies: every structure."""
        return self.config["equally_probable"] if self.own_data else None

    # the draws

    @cached_property
    def design(self) -> dict[int, Draw]:
        """The draws that are simulated, by their numbers."""
        return {draw.draw: draw for draw in design(self.config, family_of(self.model))}

    @property
    def draws(self) -> list[int]:
        """The numbers of the draws; own data are draw 0."""
        return [0] if self.own_data else list(self.design)

    def model_of(self, wildcards) -> dict:
        """The model of a job's draw: family, prior, and the root of its random streams."""
        if self.own_data:
            return self.model
        draw = self.design[int(wildcards.draw)]
        return self.model | {"alpha": draw.alpha, "alpha_hidden": draw.alpha_hidden}

    def truth_of(self, wildcards) -> str | None:
        """The true structure of a job's draw; own data have none."""
        return None if self.own_data else self.design[int(wildcards.draw)].true_structure

    @property
    def only_truth(self) -> str | None:
        """The true structure, where all draws have the same and cases are simulated."""
        found = set() if self.own_data else {d.true_structure for d in self.design.values()}
        return found.pop() if len(found) == 1 else None

    # what a job does

    def settings(self, job: Job) -> dict[str, int]:
        """The job's settings by name, as the configuration has them."""
        return {setting.name: self._value(setting.key) for setting in job.settings}

    def sizes_of(self, job: Job) -> list[int]:
        """The sizes at which a job gives scores."""
        if job.sizes_key is None or self._stands_in(job):
            return self.sizes
        return [n for n in self.sizes if n in self._value(job.sizes_key)]

    def scores_all(self, job: Job) -> bool:
        """Whether a job scores all structures, and not some to hold against the reference."""
        return job.some is None or self._stands_in(job)

    def _stands_in(self, job: Job) -> bool:
        """Whether a job that the reference is held against is all that there is of the evidence."""
        return self.own_data and job.some is not None and not self.has_reference

    def groups_of(self, job: Job | None = None) -> dict[str, list[int]]:
        """The sizes that one run of a job takes together, by how its files call them: 10 for one
        size, 10-480 for several. Without a job: those that share files of data.
        """
        step = self.config["sizes_per_job"] or len(self.sizes)
        groups = [self.sizes[i : i + step] for i in range(0, len(self.sizes), step)]
        own = self.sizes if job is None else self.sizes_of(job)
        named = {"-".join(map(str, sorted({g[0], g[-1]}))): g for g in groups}
        kept = {name: [n for n in group if n in own] for name, group in named.items()}
        return {name: group for name, group in kept.items() if group}

    def sizes_taken(self, job: Job | None = None) -> Callable[[object], list[int]]:
        """A function from the wildcards of a run to the sizes that it takes."""
        groups = self.groups_of(job)
        return lambda wildcards: groups[wildcards.sizes]

    def n_blocks(self, job: Job) -> int:
        """Over how many runs of a job the structures are spread."""
        if job.jobs is None:
            return self.config["blocks"]
        return min(self._value(f"{job.name}.jobs"), self.n_structures)

    def reach_of(self, job: Job) -> dict[str, dict]:
        """The parameter `reach` of a job whose work depends on it."""
        there = job.reach_by and self.config["reach"] is not None
        return {"reach": self.config["reach"]} if there else {}

    def scores_for_reach(self, job: Job) -> dict[str, list[str]]:
        """The scores of all structures that say which are within reach: patterns of their files."""
        if not self.reach_of(job):
            return {}
        judges = [SPECS[name].job for name in job.reach_by if SPECS[name].job in self.jobs]
        parts = [(judge, block + 1) for judge in judges for block in range(self.n_blocks(judge))]
        return {
            "reach": [self.part(judge).replace("{block}", str(block)) for judge, block in parts]
        }

    def structures_of_jobs(self) -> dict[str, str]:
        """The table from which jobs take their structures; simulated ones have all of a family."""
        return {"structures": self.table("structures")} if self.own_data else {}

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
        """Of the scores that imply a posterior, the most trusted one."""
        specs = [s for s in self.scores if s.posterior]
        specs = [s for s in specs if self.sizes_of(s.job) and self.scores_all(s.job)]
        return most_trusted(s.name for s in specs)

    def settings_told(self) -> dict:
        """The configuration as the summary tells it, with the size that figures show as ``n``."""
        left_out = NOT_TOLD | (NOT_READ if self.own_data else OWN_DATA)
        kept = {k: v for k, v in self.config.items() if v not in (None, []) and k not in left_out}
        if self.own_data:  # what was published has a section of its own
            kept["data"] = {k: v for k, v in kept["data"].items() if k != "published"}
        return kept | {"n": self.figure_n}

    # names of files

    @property
    def started(self) -> str:
        """What is older than every result of this clone; see `lib.places.start`."""
        return f"{self.results}/draws/.started"

    @property
    def summary(self) -> str:
        return f"{self.results}/summary.md"

    @property
    def findings(self) -> str:
        return f"{self.results}/findings.md"

    @property
    def datapackage(self) -> str:
        return f"{self.results}/datapackage.json"

    def table(self, name: str) -> str:
        large = self.population and name in LARGE
        return f"{self.results}/{name}.{'parquet' if large else 'csv'}"

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

    def per_group(self, name: str, n: int | None = None) -> str:
        """A file of some sizes of a draw: of any, or of those with ``n`` among them."""
        sizes = "{sizes}"
        if n is not None:
            sizes = next(name for name, group in self.groups_of().items() if n in group)
        return self.per_draw(f"n{sizes}/{name}")

    def name(self, job: Job) -> str:
        """How the log and the benchmark of a job are called."""
        return f"{job.name}.{{draw}}.{{sizes}}.{{block}}"

    def part(self, job: Job, ending: str = "csv") -> str:
        """What a job leaves: its scores, or what else has another ending."""
        return self.per_group(f"{job.name}.{{block}}.{ending}")

    def table_part(self, job: Job, table: str) -> str:
        """A job's part of a further table, such as ais.1.chains.csv of ais_chains."""
        return self.part(job, f"{table.removeprefix(f'{job.name}_')}.csv")

    def each(self, pattern: str, job: Job, draws: Iterable[int] | None = None) -> list[str]:
        """The names that a pattern stands for, one for every run of a job, of all draws or of those
        given.
        """
        return [
            pattern.format(draw=draw, sizes=sizes, block=block)
            for draw in (self.draws if draws is None else draws)
            for sizes in self.groups_of(job)
            for block in range(1, self.n_blocks(job) + 1)
        ]

    def all_parts(self, jobs: Iterable[Job], ending: str = "csv") -> list[str]:
        """What all runs of some jobs leave: their scores, or what else has another ending."""
        return [name for job in jobs for name in self.each(self.part(job, ending), job)]

    def outputs(self, job: Job) -> dict[str, str]:
        """All that a job leaves: its scores and the time they took, its estimates where another job
        starts from them, and its parts of further tables by their names.
        """
        found = {"scores": self.part(job), "seconds": self.part(job, "seconds.csv")}
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
    def half_steps(self) -> str:
        """The half-steps of EM and VBEM."""
        return self.per_draw("climb.csv")

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
        if self.own_data:
            names = [SPECS[method].job.name for method in self.under_alphas]
        return jobs_needed(names)

    @property
    def other_alphas(self) -> list[float]:
        """Strengths of the prior under which own data are scored beside the study's own."""
        return [alpha for alpha in self.alphas if alpha != self.model["alpha"]]

    @property
    def under_alphas(self) -> list[str]:
        """The scores told by alpha: the first of CHEAP that there is, and the reference."""
        cheap = [name for name in CHEAP if SPECS[name] in self.scores]
        return cheap[:1] + (["reference"] if self.has_reference else [])

    # what all draws say together

    def parts_of_draw(self, draw: str) -> list[str]:
        """The scores that all runs of all jobs leave of one draw."""
        draws = [int(draw)]
        return [name for job in self.jobs for name in self.each(self.part(job), job, draws)]

    def truths_of_draw(self, draw: str) -> list[str]:
        """How probable the true parameters of one draw make its cases."""
        pattern = self.per_group("truth.csv")
        return [pattern.format(draw=draw, sizes=sizes) for sizes in self.groups_of()]

    def each_draw(self, name: str) -> list[str]:
        """A file of every draw."""
        return [self.per_draw(name).format(draw=draw) for draw in self.draws]

    def of_parts(self, name: str) -> list[str]:
        """A file of every part of the population that was computed elsewhere or before."""
        return [f"{folder}/{name}" for folder in self.config["parts"]]

    def stacked(self) -> dict[str, list[str]]:
        """The large tables that are put together from those of the parts and of each draw, and
        these; of the scores, those of this run's draws alone.
        """
        names = sorted(LARGE) if self.population else []
        return {
            name: [
                *(self.of_parts(f"{name}.parquet") if name != "scores" else []),
                *self.each_draw(f"{name}.parquet"),
            ]
            for name in names
        }

    def over_draws(self) -> list[str]:
        """The tables of statistics over all draws."""
        found = ["population", "found", "found_share", "comparisons", "reliability"]
        if self.has_reference:
            found.append("cases_needed")
        return [*found, "calibration" if self.is_uniform else "claims_held"]

    @property
    def is_uniform(self) -> bool:
        """Whether each draw has its own true structure, all being equally probable: then posteriors
        must be calibrated. The paper's claims are about one structure.
        """
        return self.config["true_structure"] == UNIFORM

    def gathered(self) -> dict[str, tuple[str, list[str]]]:
        """By rule a table that is joined from parts, and these."""
        if self.population:
            found = {"seconds": ("seconds", self.all_parts(self.jobs, "seconds.csv"))}
            if not self.is_uniform:
                claims = [*self.of_parts("claims.csv"), *self.each_draw("claims.csv")]
                found["claims"] = "claims", claims
            return found
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
            found["climbs"] = "climb", self.each_draw("climb.csv")
            found["sandwiches"] = "sandwich", [self.bounds.format(draw=d) for d in self.draws]
        return found

    def tables(self) -> list[str]:
        """The names of all tables that the study leaves."""
        found = ["structures", *(table for table, _ in self.gathered().values())]
        if self.population:
            return ["design", *found, *self.stacked(), *self.over_draws()]
        found += self.evidence_table()
        if self.has_reference or self.own_data:
            found += ["errors", "posterior", "classes"]
        if self.own_data:
            asked = [name for name in ("beside", "published") if self.config["data"][name]]
            of_alpha = ["alpha"] if self.other_alphas else []
            found += [*self.table_of_search(), "causes", "links", *of_alpha]
            found += ["variables", "parameters", "membership"]
            return [*found, "fit", "residuals", *asked]
        found += ["equal_modes"] * self.has_reference
        return ["design", *found, "ranks", "timing"]

    def not_in_summary(self) -> list[str]:
        """The tables of a simulated study that its summary does not read."""
        return ["design", "prior", "ais_chains", "ais_acceptance", "climb", "equal_modes"]

    def evidence_table(self) -> dict[str, str]:
        """The table of the evidence by its name; none without a reference, and none of a
        population, whose verdicts compute it draw by draw.
        """
        there = self.has_reference and not self.population
        return {"evidence": self.table("evidence")} if there else {}

    def packaged(self) -> dict[str, str]:
        """The tables of the data package, by name, from its folder: not what is large of a
        population, nor what tells the time of its jobs.
        """
        left_out = {*LARGE, "seconds", "claims"} if self.population else set()
        found = self.tables_but(*left_out) | self.measured("benchmark", "cost", "searches")
        return {name: Path(path).name for name, path in found.items()}

    @property
    def title(self) -> str:
        """What the study is, in a few words."""
        if self.own_data:
            return f"Structures with hidden causes for {Path(self.config['data']['file']).name}"
        draws = "one draw" if len(self.design) == 1 else f"{len(self.design)} draws"
        return f"Scores of network structures with hidden causes, {draws} of parameters and data"

    def measured(self, *names: str) -> dict[str, str]:
        """Of these tables of `make bench`, which is no part of a study, those that are there."""
        return {name: self.table(name) for name in names if Path(self.table(name)).exists()}

    def of_many_draws(self, name: str) -> dict[str, str]:
        """A table of the run over many draws (draws.yaml), if it is there; no part of a study."""
        path = f"{self.results}/{PAPERS}/{name}.csv"
        return {name: path} if Path(path).exists() else {}

    @property
    def asked(self) -> list[str]:
        """The scores that the configuration names; none where it leaves ``methods`` out."""
        named = self.config["methods"]
        return [] if set(named) == set(JOBS) else named

    def of_experiment(self, name: str) -> dict[str, str]:
        """A table of an experiment of ``tests/benchmarks``, if it exists; no part of a study."""
        path = f"{self.results}/experiments/{name}.csv"
        return {name: path} if Path(path).exists() else {}

    def tables_of_findings(self) -> list[str]:
        """The tables that the findings are worded from: the study's own, and those of the runs over
        many draws that are there.
        """
        own = set(self.tables())
        found = [self.table(name) for name in TABLES_OF_FINDINGS[ONE_DRAW] if name in own]
        many = [
            f"{self.results}/{run}/{name}.csv"
            for run, names in TABLES_OF_FINDINGS.items()
            if run != ONE_DRAW
            for name in names
        ]
        return found + [path for path in many if Path(path).exists()]

    # the article

    @property
    def article(self) -> list[str]:
        """The article of a study of single draws that has the paper's scores and an evidence, where
        typst is installed.
        """
        can = set(self.config["methods"]) >= {"map", "vb", "ais", "reference"}
        can = can and not (self.own_data or self.population)
        return [f"{self.results}/article.pdf"] if can and find_spec("typst") else []

    def tables_of_article(self) -> list[str]:
        """The study's tables that the article reads."""
        return [*STUDY_IN_ARTICLE[0], *self.measured("benchmark")]

    def of_populations(self) -> list[str]:
        """The tables and records of the populations that are there; no part of a study."""
        names = [f"{name}.csv" for name in POPULATION_IN_ARTICLE[0]]
        folders = [Path(self.results) / name for name in POPULATIONS]
        there = [folder for folder in folders if (folder / "provenance.json").exists()]
        paths = [folder / name for folder in there for name in (*names, "provenance.json")]
        return [str(path) for path in paths if path.exists()]

    def figures_of_article(self) -> dict[str, str]:
        """The study's figures that the article shows, by name, and those of many draws that are
        there.
        """
        drawn = {figure.name for figure in self.figures_by_rule().values()}
        own = [name for name in STUDY_IN_ARTICLE[1] if name in drawn]
        of_draws = [f"{POPULATIONS[0]}/{name}" for name in POPULATION_IN_ARTICLE[1]]
        there = [name for name in of_draws if Path(self.figure(name, "pdf")).exists()]
        return {name: self.figure(name, "pdf") for name in (*own, *there)}

    def tables_but(self, *names: str) -> dict[str, str]:
        """The files of all tables but some, by name."""
        return {table: self.table(table) for table in self.tables() if table not in names}

    def figures_by_rule(self) -> dict[str, Figure]:
        """The figures that the study's tables and scores suffice for."""
        figures = OF_OWN_DATA if self.own_data else OF_SIMULATION
        if self.population:
            figures = OF_POPULATION
        figures = [f for f in figures if self.has_reference or not f.evidence]
        return {f.rule: f for f in figures if set(f.tables) <= set(self.tables())}

    def first_figure(self) -> list[str]:
        """The figure that the report's first page shows, if the study has it."""
        shown = [f.name for f in self.figures_by_rule().values() if f.name in FIRST]
        return [self.figure(name, "png") for name in shown]

    def tables_of(self, figure: Figure) -> dict[str, str]:
        """The files of the tables that a figure is drawn from: of scores, with the evidence."""
        found = {name: self.table(name) for name in figure.tables}
        return found | (self.evidence_table() if "scores" in found else {})

    def arguments_of(self, figure: Figure) -> dict:
        """What a figure takes beside tables."""
        n = self.config["annealing"]["n"] if figure.name == "annealing" else self.figure_n
        known = {
            "n": n,
            "structure": self.only_truth,
            "family": self.family,
            "observed": self.family["observed"],
            "method": self.most_trusted,
            "chains": self.config["ais"]["chains"],
            "draw": self.draws[0],
        }
        return {name: known[name] for name in figure.arguments}

    def timed(self) -> list[Job]:
        """The jobs of scores whose time the paper states."""
        return [
            job for job in self.jobs if any(spec.name in PAPER.seconds for spec in scores_of(job))
        ]

    def message(self, job: Job) -> str:
        """What a run of a job does, with wildcards."""
        words = f"{job.meaning}, draw {{wildcards.draw}}, {{wildcards.sizes}} cases"
        n_blocks = self.n_blocks(job)
        return words + (f", part {{wildcards.block}} of {n_blocks}" if n_blocks > 1 else "")
