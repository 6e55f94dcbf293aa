"""What a study consists of: its draws, sizes and jobs, and the names of their files. A study of one
draw, a population of draws and own data each have a plan of their own.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from snakemake.io import expand

from latentdag.ranking.prior import number_of_structures
from latentdag.ranking.trust import most_trusted
from latentdag.scores import JOBS, SPECS, jobs_needed, scores_of
from latentdag.scores.base import Job
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import EVERY, MANY_CHAINS, ONE_DRAW, PAPERS, VARIATIONS, paths_of
from latentdag.study.paper.runs import TABLES as TABLES_OF_FINDINGS
from latentdag.study.schema.columns import TABLES
from lib.design import UNIFORM, DesignRow, design, design_rows
from lib.figures import FIRST, OF_OWN_DATA, OF_POPULATION, OF_SIMULATION, Figure
from lib.files import alphas, families_of, family_of, main_alpha, own_table, value_at
from lib.parts import other_code

UNDER_PRIORS = ("map", "vb", "reference")  # jobs of a simulated study under several priors
CHEAP = ("laplace", "vb")  # scores with a posterior that cost seconds, the most trusted first
# keys that change no number: how the work is cut, where it goes, how large it is drawn
NOT_TOLD = {"blocks", "sizes_per_job", "threads", "results", "figures", "figure_width"}
# populations that the article reads, by their folders in that of the study
POPULATIONS = (PAPERS, EVERY, *VARIATIONS, MANY_CHAINS)
# the tables and figures of a study and of a population that it shows
STUDY_IN_ARTICLE = (
    ("structures", "scores", "evidence", "errors", "ranks", "annealing", "timing", "sandwich"),
    ("true_structure", "scores", "annealing"),
)
# figures of `make paper`
PAPER_IN_ARTICLE = tuple(
    f"paper/{draw}/{name}"
    for name in ("scores", "rank", "annealing")
    for draw in ("draw-0", "nearest")
)
POPULATION_IN_ARTICLE = (
    (
        *("design", "structures", "population", "found", "found_share", "comparisons"),
        *("claims", "claims_held", "calibration", "worth"),
    ),
    ("cases_needed", "error_over_draws"),
)


class Plan:
    """The plan that a complete and valid configuration makes. Paths with ``{draw}``, ``{sizes}``
    and ``{block}`` are patterns of rules.
    """

    own_data = population = False
    rule_files: tuple[str, ...]  # of such a study, in workflow/rules
    remarks: tuple[str, ...] = ()  # on the data, or on the parts of a population
    variables: tuple[str, ...] = ()  # names, of own data
    optional: Sequence[str] = ()  # of the columns that a table has or has not, those that it has
    article: tuple[str, ...] = ()
    all_figures: tuple[Figure, ...] = ()  # of such a study; some need tables it may not have
    large: tuple[str, ...] = ()  # tables of up to millions of rows
    left_out: tuple[str, ...] = ()  # tables that the summary does not read
    not_packaged: tuple[str, ...] = ()  # tables that are not for others to read
    not_told: tuple[str, ...] = ()  # keys that such a study does not read

    def __init__(self, config: dict):
        self.config = config
        self.results, self.figures = config["results"], config["figures"]
        self.summary, self.record = self.file("summary.md"), self.file("provenance.json")
        self.datapackage = self.file("datapackage.json")
        self.findings: dict[str, str] = {}
        self.structures_of_jobs: dict[str, str] = {}  # without it jobs take all of a family
        self.family = dict(config["family"])
        keys = ("seed", "alpha", "alpha_hidden")
        self.model = {key: config[key] for key in keys} | {"family": self.family}
        # the jobs that run, and the scores that tables have, in the registry's order
        self.jobs = [job for job in JOBS.values() if job.name in config["methods"]]
        of_jobs = [spec for spec in SPECS.values() if spec.job in self.jobs]
        self.scores = [s for s in of_jobs if s.name in (config["scores"] or SPECS)]
        # whether there is an evidence to hold the scores against
        self.has_reference = "reference" in config["methods"]

    # what a job does

    def model_of(self, wildcards) -> dict:
        """The model of a job's draw: family, prior, and the root of its random streams."""
        return self.model

    def truth_of(self, wildcards) -> str | None:
        """The true structure of a job's draw; own data have none."""
        return None

    def settings(self, job: Job) -> dict[str, int]:
        return {setting.name: value_at(self.config, setting.key) for setting in job.settings}

    def kept_of(self, job: Job) -> dict[str, list[str]]:
        """The parameter `scores` of a job of which not all scores are kept."""
        kept = [spec.name for spec in self.scores if spec.job.name == job.name]
        return {"scores": kept} if 0 < len(kept) < len(scores_of(job)) else {}

    def scores_all(self, job: Job) -> bool:
        """Whether a job scores all structures, and not some to hold against the reference."""
        return job.some is None

    def sizes_of(self, job: Job) -> list[int]:
        """The sizes at which a job gives scores."""
        if job.sizes_key is None or (job.some and self.scores_all(job)):
            return self.sizes
        return [n for n in self.sizes if n in value_at(self.config, job.sizes_key)]

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
        """Over how many runs of a job the structures are spread: at most one for each that is
        scored, of a search those that it keeps.
        """
        if job.jobs is None:
            return self.config["blocks"]
        scored, search = number_of_structures(families_of(self.model)), self.config["search"]
        scored = min(scored, search["keep"]) if search else scored
        return min(value_at(self.config, f"{job.name}.jobs"), scored)

    def parameters_of(self, job: Job) -> dict:
        """What a run of a job is told."""
        is_reached = job.reach_by and self.config["reach"] is not None
        return {
            **({"reach": self.config["reach"]} if is_reached else {}),
            **self.kept_of(job),
            "job": job.name,
            "model": self.model_of,
            "true_structure": self.truth_of if job.some or is_reached else None,
            "of_all": self.scores_all(job),
            "settings": self.settings(job),
            "sizes": self.sizes_taken(job),
            "blocks": self.n_blocks(job),
        }

    def inputs(self, job: Job) -> dict[str, str | list[str]]:
        """What a job reads besides the cases: its structures, the estimates from which it starts,
        and the scores of all structures that say which are within reach.
        """
        found = self.structures_of_jobs | {name: self.part(JOBS[name], "npz") for name in job.needs}
        if self.config["reach"] is not None and job.reach_by:
            judges = [SPECS[name].job for name in job.reach_by if SPECS[name].job in self.jobs]
            found["reach"] = [
                path
                for judge in judges
                for path in expand(self.part(judge), block=self.blocks(judge), allow_missing=True)
            ]
        return found

    def outputs(self, job: Job) -> dict[str, str]:
        """All that a job leaves: its scores and the time they took, its estimates where another job
        starts from them, and its parts of further tables by their names.
        """
        found = {"scores": self.part(job), "seconds": self.part(job, "seconds.csv")}
        if any(job.name in other.needs for other in JOBS.values()):
            found["estimates"] = self.part(job, "npz")
        for table in job.tables:  # such as ais.1.chains.csv of ais_chains
            found[table] = self.part(job, f"{table.removeprefix(f'{job.name}_')}.csv")
        return found

    def message(self, what: str, n_blocks: int = 1) -> str:
        """Which of a rule's jobs one is, with wildcards."""
        sizes = ", {wildcards.sizes} cases" if len(self.groups_of()) > 1 else ""
        part = f", part {{wildcards.block}} of {n_blocks}" if n_blocks > 1 else ""
        return f"{what}, draw {{wildcards.draw}}{sizes}{part}"

    # names of files

    def file(self, name: str) -> str:
        return f"{self.results}/{name}"

    def table(self, name: str) -> str:
        return self.file(f"{name}.{'parquet' if name in self.large else 'csv'}")

    def files(self, *names: str) -> dict[str, str]:
        """The files of tables by their names."""
        return {name: self.table(name) for name in names}

    def figure(self, name: str, kind: str) -> str:
        return f"{self.figures}/{name}.{kind}"

    def per_draw(self, name: str) -> str:
        """A file of a draw."""
        return self.file(f"draws/{{draw}}/{name}")

    def per_group(self, name: str, n: int | None = None) -> str:
        """A file of some sizes of a draw: of any, or of those with ``n`` among them."""
        sizes = "{sizes}"
        if n is not None:
            sizes = next(name for name, group in self.groups_of().items() if n in group)
        return self.per_draw(f"n{sizes}/{name}")

    def part(self, job: Job, ending: str = "csv") -> str:
        """What a job leaves: its scores, or what else has another ending."""
        return self.per_group(f"{job.name}.{{block}}.{ending}")

    def blocks(self, job: Job) -> range:
        return range(1, self.n_blocks(job) + 1)

    def each(self, pattern: str, job: Job, draws: Iterable[int] | None = None) -> list[str]:
        """The names that a pattern stands for, one for every run of a job, of all draws or of those
        given.
        """
        draws = self.draws if draws is None else draws
        return expand(pattern, draw=draws, sizes=self.groups_of(job), block=self.blocks(job))

    def all_parts(
        self, jobs: Iterable[Job], ending: str = "csv", draws: Iterable[int] | None = None
    ) -> list[str]:
        """What all runs of some jobs leave: their scores, or what else has another ending."""
        return [name for job in jobs for name in self.each(self.part(job, ending), job, draws)]

    def each_draw(self, *names: str) -> list[str]:
        """These files of every draw."""
        return expand([self.per_draw(name) for name in names], draw=self.draws)

    def there(self, *names: str) -> dict[str, str]:
        """Of these tables, which are no part of the study, those that exist, by name."""
        paths = {Path(name).name: self.table(name) for name in names}
        return {name: path for name, path in paths.items() if Path(path).exists()}

    # tables, and what is made from them

    def gathered(self) -> dict[str, list[str]]:
        """The tables that are put together from parts, and these."""
        found = {"scores": self.all_parts(self.jobs)}
        for job in self.jobs:
            for table in job.tables:
                found[table] = self.each(self.outputs(job)[table], job)
        return found

    def evidence_table(self) -> dict[str, str]:
        """The table of the evidence by its name; none without a reference, and none of a
        population, whose verdicts compute it draw by draw.
        """
        return self.files("evidence") if self.has_reference and not self.population else {}

    def tables_but(self, *names: str) -> dict[str, str]:
        """The files of all tables but some, by name."""
        return self.files(*(table for table in self.tables() if table not in names))

    def packaged(self) -> dict[str, str]:
        """The tables of the data package, by name, from its folder."""
        found = self.tables_but(*self.not_packaged)
        found |= self.there("benchmark", "cost", "searches")
        return {name: Path(path).name for name, path in found.items()}

    def summary_inputs(self) -> dict[str, str | list[str]]:
        """What the summary is written from, by name."""
        return self.tables_but(*self.left_out)

    def settings_told(self) -> dict:
        """The configuration as the summary tells it, with the size that figures show as ``n``;
        without what was published of own data, which has a section of its own.
        """
        left_out = NOT_TOLD.union(self.not_told)
        kept = {k: v for k, v in self.config.items() if v not in (None, []) and k not in left_out}
        if "data" in kept:
            kept["data"] = {k: v for k, v in kept["data"].items() if k != "published"}
        return kept | {"n": self.figure_n}

    @property
    def most_trusted(self) -> str:
        """Of the scores that imply a posterior, the most trusted one."""
        specs = [s for s in self.scores if s.posterior]
        specs = [s for s in specs if self.sizes_of(s.job) and self.scores_all(s.job)]
        return most_trusted(s.name for s in specs)

    def figures_by_rule(self) -> dict[str, Figure]:
        """The figures that the study's tables and scores suffice for."""
        figures = [f for f in self.all_figures if self.has_reference or not f.evidence]
        return {f.rule: f for f in figures if set(f.tables) <= set(self.tables())}

    def first_figure(self) -> list[str]:
        """The figure that the report's first page shows, if the study has it."""
        shown = [f.name for f in self.figures_by_rule().values() if f.name in FIRST]
        return [self.figure(name, "png") for name in shown]

    def tables_of(self, figure: Figure) -> dict[str, str]:
        """The files of the tables that a figure is drawn from: of scores, with the evidence."""
        evidence = self.evidence_table() if "scores" in figure.tables else {}
        return self.files(*figure.tables) | evidence

    def arguments_of(self, figure: Figure) -> dict:
        n = self.config["annealing"]["n"] if figure.name == "annealing" else self.figure_n
        known = {
            "n": n,
            "structure": self.only_truth,
            "family": self.family,
            "observed": self.family["observed"],
            "method": self.most_trusted,
            "chains": self.config["ais"]["chains"],
            "draw": self.draws[0],
            "width": self.config["figure_width"],
        }
        return {name: known[name] for name in figure.arguments}


class Simulated(Plan):
    """Cases are simulated, from a true structure that is known."""

    equally_probable = None  # every structure
    not_told = ("equally_probable", "search", "fit")

    def __init__(self, config: dict):
        super().__init__(config)
        self.sizes, self.figure_n = sorted(config["sizes"]), config["figure_n"]
        drawn = design(config, family_of(self.model))
        self.design: dict[int, DesignRow] = {draw.draw: draw for draw in drawn}
        self.design_rows = design_rows(drawn)
        self.optional = [name for name in TABLES["design"].optional if name in self.design_rows[0]]
        self.draws = list(self.design)
        draws = "one draw" if len(drawn) == 1 else f"{len(drawn)} draws"
        draws = "many draws" if config["parts"] else draws  # which parts know
        title = "Scores of network structures with hidden causes"
        self.title = f"{title}, {draws} of parameters and data"

    def model_of(self, wildcards) -> dict:
        return self.model | self.design[int(wildcards.draw)].prior

    def true_model_of(self, wildcards) -> dict:
        """The model of a job's draw with the prior that its parameters come from."""
        return self.model | self.design[int(wildcards.draw)].true_prior

    def truth_of(self, wildcards) -> str | None:
        return self.design[int(wildcards.draw)].true_structure

    @property
    def only_truth(self) -> str | None:
        """The true structure, where all draws have the same."""
        found = {draw.true_structure for draw in self.design.values()}
        return found.pop() if len(found) == 1 else None

    def part_files(self, name: str) -> list[str]:
        """A file of every part of the population that was computed elsewhere or before."""
        return [f"{folder}/{name}" for folder in self.config["parts"]]


class OneDraw(Simulated):
    """A study of one draw, as the paper's."""

    rule_files = ("draws", "evidence", "simulation")
    all_figures = OF_SIMULATION
    left_out = ("design", "prior", "ais_chains", "ais_acceptance", "climb", "equal_modes")

    def __init__(self, config: dict):
        super().__init__(config)
        self.prior_n, self.prior_hidden = config["prior"]["n"], None  # alpha of observed ones
        self.prior_jobs = jobs_needed([j.name for j in self.jobs if j.name in UNDER_PRIORS])
        self.findings = {"findings": self.file("findings.md")}
        # the jobs of scores whose time the paper states
        paced = {SPECS[name].job.name for name in PAPER.seconds}
        self.timed = [job for job in self.jobs if job.name in paced]
        can = {job.name for job in self.jobs} >= {"map", "vb", "ais", "reference"}
        self.article = (self.file("article.pdf"),) if can and find_spec("typst") else ()

    def gathered(self) -> dict[str, list[str]]:
        found = super().gathered()
        steps, given = self.config["annealing"]["steps"], self.config["prior"]["alphas"]
        found["annealing"] = self.each_draw(*(f"annealing/{number}.csv" for number in steps))
        if given and self.prior_jobs:
            found["prior"] = self.each_draw(*(f"prior/{alpha}.csv" for alpha in given))
        if self.has_reference:
            found |= {name: self.each_draw(f"{name}.csv") for name in ("climb", "sandwich")}
        return found

    def tables(self) -> list[str]:
        """The names of all tables that the study leaves."""
        compared = ["evidence", "errors", "posterior", "classes", "equal_modes"]
        compared = compared if self.has_reference else []
        return ["design", "structures", *self.gathered(), *compared, "ranks", "timing"]

    def summary_inputs(self) -> dict[str, str | list[str]]:
        """Also the tables of other runs that it quotes; and those that the findings are worded
        from: the study's own, and those of the runs over many draws that are there.
        """
        more = self.there("benchmark", "experiments/pruned_states", f"{PAPERS}/claims_held")
        own = [self.table(name) for name in TABLES_OF_FINDINGS[ONE_DRAW] if name in self.tables()]
        results = Path(self.results)
        many = [str(path) for path in paths_of(results) if path.parent != results]
        return super().summary_inputs() | more | {"of_findings": [*own, *many]}

    # the article

    def population_files(self) -> list[str]:
        """The tables and records of the populations that are there; no part of a study."""
        runs = [run for run in POPULATIONS if Path(self.file(f"{run}/provenance.json")).exists()]
        names = [f"{name}.csv" for name in POPULATION_IN_ARTICLE[0]]
        names += ["verdicts.parquet", "provenance.json"]
        paths = [self.file(f"{run}/{name}") for run in runs for name in names]
        return [path for path in paths if Path(path).exists()]

    def figures_of_article(self) -> dict[str, str]:
        """The study's figures that the article shows, by name, and those of `make paper` and of
        many draws that are there.
        """
        drawn = {figure.name for figure in self.figures_by_rule().values()}
        own = [name for name in STUDY_IN_ARTICLE[1] if name in drawn]
        others = (*PAPER_IN_ARTICLE, *(f"{PAPERS}/{name}" for name in POPULATION_IN_ARTICLE[1]))
        there = [name for name in others if Path(self.figure(name, "pdf")).exists()]
        return {name: self.figure(name, "pdf") for name in (*own, *there)}


class Population(Simulated):
    """Many draws, whose results are pooled."""

    population = True
    rule_files = ("draws", "population")
    all_figures = OF_POPULATION
    large = ("reliability_counts", "scores", "verdicts", "worths")
    left_out = ("seconds", "scores", "reliability_counts", "claims", "worths")
    not_packaged = ("seconds", "scores")

    def __init__(self, config: dict):
        super().__init__(config)
        self.remarks = tuple(other_code(config))
        # whether each draw has its own true structure, all being equally probable: then posteriors
        # must be calibrated; the paper's claims are about one structure
        self.is_uniform = config["true_structure"] == UNIFORM

    def gathered(self) -> dict[str, list[str]]:
        """Of other parts of the population all but the scores and the time."""
        found = {"seconds": self.all_parts(self.jobs, "seconds.csv")}
        files = [] if self.is_uniform else ["claims.csv"]
        kept = [t for t in self.large if t != "worths" or self.has_reference]
        for name in (*files, *(f"{table}.parquet" for table in kept)):
            part_files = [] if name == "scores.parquet" else self.part_files(name)
            found[name.partition(".")[0]] = part_files + self.each_draw(name)
        return found

    def worths(self, file: str) -> dict[str, str]:
        """The file of what scores are worth, by its name; none without a reference."""
        return {"worths": file} if self.has_reference else {}

    def over_draws(self) -> list[str]:
        """The tables of statistics over all draws."""
        found = ["population", "found", "found_share", "comparisons", "reliability"]
        if self.has_reference:
            found += ["cases_needed", "worth"]
        return [*found, "calibration" if self.is_uniform else "claims_held"]

    def tables(self) -> list[str]:
        return ["design", "structures", *self.gathered(), *self.over_draws()]


class OwnData(Plan):
    """A table of one's own, which has one size and no true structure; its files are of draw 0."""

    own_data = True
    draws = (0,)
    only_truth = None
    rule_files = ("own_data", "evidence")
    all_figures = OF_OWN_DATA
    left_out = ("ais_chains", "ais_acceptance", "evidence")
    not_told = ("draws", "annealing", "prior", "figure_n")

    def __init__(self, config: dict):
        super().__init__(config)
        table = own_table(config["data"])
        self.title = f"Structures with hidden causes for {Path(config['data']['file']).name}"
        self.remarks = tuple(f"{config['data']['file']}: {r}" for r in table.remarks)
        self.variables, self.sizes, self.figure_n = table.names, [table.n], table.n
        self.family["observed"] = list(table.cardinalities)
        self.model["alpha"] = main_alpha(config)
        self.equally_probable = config["equally_probable"]
        self.structures_of_jobs = self.files("structures")
        # the strengths of the prior beside the study's own
        self.other_alphas = [a for a in alphas(config) if a != self.model["alpha"]]
        # and the scores told by alpha: the first of CHEAP that there is, and the reference
        cheap = [name for name in CHEAP if SPECS[name] in self.scores][:1]
        self.under_alphas = cheap + (["reference"] if self.has_reference else [])
        self.prior_n, self.prior_hidden = table.n, config["alpha_hidden"]
        self.prior_jobs = jobs_needed([SPECS[method].job.name for method in self.under_alphas])

    def scores_all(self, job: Job) -> bool:
        """Without a reference, what it is held against is all that there is of the evidence."""
        return job.some is None or not self.has_reference

    def parameters_of_search(self) -> dict:
        """What a search takes beside cases and model; without one nothing that changes."""
        if (search := self.config["search"]) is None:
            return {"search": None}
        found = {"search": search, "equally_probable": self.equally_probable}
        return found | {"settings": self.settings(SPECS[search["method"]].job)}

    def some(self, *names: str) -> dict[str, str]:
        """Of these tables, which not all own data have, those that are asked for, by name."""
        data = self.config["data"]
        asked = {
            "search": self.config["search"],
            "alpha": self.other_alphas,
            "beside": data["beside"],
            "published": data["published"],
        }
        return self.files(*(name for name in names if asked[name]))

    def tables(self) -> list[str]:
        return [
            *("structures", *self.gathered(), *self.evidence_table()),
            *("errors", "posterior", "classes", *self.some("search"), "causes", "links"),
            *(*self.some("alpha"), "variables", "parameters", "membership", "fit", "residuals"),
            *self.some("beside", "published"),
        ]


def plan_of(config: dict) -> OneDraw | Population | OwnData:
    """The plan of the kind that a complete and valid configuration asks for."""
    if config["data"] is not None:
        return OwnData(config)
    return Population(config) if config["population"] else OneDraw(config)
