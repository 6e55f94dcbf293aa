"""Mistakes in the scripts, in what rules and scripts share, and in the rules.

The small study sees most of them too; but it takes minutes.
"""

from mutant import Mutant

SCRIPTS = "tests/workflow/test_scripts.py"
SOURCES = "tests/workflow/test_sources.py"
CONFIG = "tests/workflow/test_config.py"
VALUES = "tests/workflow/test_numbers.py"
ANNEALING = (f"{SCRIPTS}::test_annealing",)
DRAW = (f"{SCRIPTS}::test_a_draw",)
TIMES = (f"{SCRIPTS}::test_times",)
STRUCTURES = (f"{SCRIPTS}::test_structures",)
BOUNDS = (f"{SCRIPTS}::test_bounds",)
BLOCKS = (f"{SCRIPTS}::test_the_scores_of_all_blocks",)
REFERENCE = (f"{SCRIPTS}::test_the_reference_of_all_blocks",)
GATHERED = (f"{SCRIPTS}::test_a_table_of_all_jobs",)
RANKS = (f"{SCRIPTS}::test_ranks",)
OWN_DATA = (f"{SCRIPTS}::test_data_of_ones_own",)
PLAN = ("tests/workflow/test_plan.py",)
HASH = ("tests/workflow/test_provenance.py::test_the_code_alone_gives_the_hash",)
IMPORTS = (
    f"{SOURCES}::test_every_form_of_import_is_found",
    f"{SOURCES}::test_what_modules_import_is_followed",
    f"{SOURCES}::test_relative_imports_are_resolved",
    f"{SOURCES}::test_a_package_that_does_more_counts_with_all_that_it_imports",
)
LOADED = (f"{SOURCES}::test_a_script_depends_on_what_python_loads_for_it",)
WRONG = (f"{CONFIG}::test_wrong_configuration",)
FILLED_IN = (f"{CONFIG}::test_what_is_given_is_kept",)
SCHEMA = (f"{CONFIG}::test_every_setting_of_a_job_has_its_key", f"{CONFIG}::test_schema_is_strict")
JOB = ("tests/workflow/test_job.py",)
STUDY = (f"{VALUES}::test_ranks_counted_by_hand", f"{VALUES}::test_scores_are_those_of_the_library")
OWN_STUDY = ("tests/workflow/test_own_data.py::test_parameters_reproduce_the_answers",)

WORKFLOW = (
    Mutant(
        "anneal: prior and true starts swapped",
        "workflow/scripts/anneal.py",
        "for start, weights in runs.items()",
        "for start, weights in zip(runs, reversed(runs.values()))",
        ANNEALING,
    ),
    Mutant(
        "anneal: all cases of the file",
        "workflow/scripts/anneal.py",
        "snakemake.input.cases, p.n)",
        "snakemake.input.cases)",
        ANNEALING,
    ),
    Mutant(
        "anneal: the draw left out of the key",
        "workflow/scripts/anneal.py",
        '"key": (draw,)',
        '"key": (0,)',
        ANNEALING,
    ),
    Mutant(
        "draw: every draw is draw 0",
        "workflow/scripts/draw.py",
        'p.model["seed"], number)',
        'p.model["seed"], 0)',
        DRAW,
    ),
    Mutant(
        "draw: another seed",
        "workflow/scripts/draw.py",
        'p.model["seed"], number)',
        "0, number)",
        DRAW,
    ),
    Mutant(
        "timing: one block's time stands for all",
        "workflow/scripts/timing.py",
        '["seconds"].sum()',
        '["seconds"].first()',
        TIMES,
    ),
    Mutant(
        "timing: the times of two jobs swapped",
        "workflow/scripts/timing.py",
        "    total = parts.groupby",
        '    parts["job"] = parts["job"].map({"map": "vb", "vb": "map"})\n'
        "    total = parts.groupby",
        TIMES,
    ),
    Mutant(
        "timing: of all draws",
        "workflow/scripts/timing.py",
        "timing(total, snakemake.params.draws)",
        "timing(total, 1)",
        TIMES,
    ),
    Mutant(
        "structures: links and parameters swapped",
        "workflow/scripts/structures.py",
        '"n_links": s.n_links,\n            "n_parameters": s.n_parameters,',
        '"n_links": s.n_parameters,\n            "n_parameters": s.n_links,',
        STRUCTURES,
    ),
    Mutant(
        "structures: all but one are true",
        "workflow/scripts/structures.py",
        "s.label == snakemake",
        "s.label != snakemake",
        STRUCTURES,
    ),
    Mutant(
        "sandwich: other structures bounded on the truth's data",
        "workflow/scripts/sandwich.py",
        "cases, states = simulate(s,",
        "_, states = simulate(s,",
        BOUNDS,
    ),
    Mutant(
        "sandwich: every draw has the same data of its own",
        "workflow/scripts/sandwich.py",
        'generator(seed, "sandwich", draw, s.label)',
        'generator(seed, "sandwich", 0, s.label)',
        BOUNDS,
    ),
    Mutant(
        "sandwich: lower less upper",
        "workflow/scripts/sandwich.py",
        "above.log_evidence - below.log_evidence",
        "below.log_evidence - above.log_evidence",
        BOUNDS,
    ),
    Mutant(
        "sandwich: states of all sizes",
        "workflow/scripts/sandwich.py",
        "            states[:n],",
        "            states,",
        BOUNDS,
    ),
    Mutant(
        "sandwich: the error of the other bound",
        "workflow/scripts/sandwich.py",
        '"lower_error": below.standard_error',
        '"lower_error": above.standard_error',
        BOUNDS,
    ),
    Mutant(
        "score: every draw is draw 0 in the tables",
        "workflow/scripts/score.py",
        "job, draw = JOBS[p.job], int(wildcards.draw)",
        "job, draw = JOBS[p.job], 0",
        BLOCKS,
    ),
    Mutant(
        "score: the draw left out of the key",
        "workflow/scripts/score.py",
        '"key": (draw,)}',
        '"key": (0,)}',
        BLOCKS,
    ),
    Mutant(
        "score: another seed",
        "workflow/scripts/score.py",
        '"seed": p.model["seed"]',
        '"seed": 0',
        BLOCKS,
    ),
    Mutant(
        "score: every block is the first",
        "workflow/scripts/score.py",
        "n_blocks)[block - 1]]",
        "n_blocks)[0]]",
        BLOCKS,
    ),
    Mutant(
        "score: the first block has all structures",
        "workflow/scripts/score.py",
        "members(own, job, block, p.blocks)",
        "members(own, job, 1, 1)",
        BLOCKS,
    ),
    Mutant(
        "score: some structures are all",
        "workflow/scripts/score.py",
        "structures if p.of_all else",
        "structures if True else",
        (f"{SCRIPTS}::test_a_job_of_some_structures_scores_these",),
    ),
    Mutant(
        "score: every block of the reference is the first",
        "workflow/scripts/score.py",
        "everyone[block - 1 :: n_blocks]",
        "everyone[::n_blocks]",
        REFERENCE,
    ),
    Mutant(
        "score: sizes of the reference mixed",
        "workflow/scripts/score.py",
        "scores.sort(key=lambda score: p.sizes.index(score.n))",
        "scores = [*scores[1::2], *scores[::2]]",
        REFERENCE,
    ),
    Mutant(
        "score: every size with the cases of the largest",
        "workflow/scripts/score.py",
        ".at(these[-1])",
        "",
        REFERENCE,
    ),
    Mutant(
        "score: the time of the last part alone",
        "workflow/scripts/score.py",
        "seconds[n] += spent",
        "seconds[n] = spent",
        REFERENCE,
    ),
    Mutant(
        "draw: the probability of one case more",
        "workflow/scripts/draw.py",
        "log_likelihood[n - 1]",
        "log_likelihood[n - 2]",
        ("tests/workflow/test_scripts.py",),
    ),
    Mutant(
        "gather: the last score first",
        "workflow/scripts/gather.py",
        "parts, METHODS)",
        "parts, METHODS[::-1])",
        GATHERED,
    ),
    Mutant(
        "ranks: another seed",
        "workflow/scripts/ranks.py",
        "p.true_structure, p.seed, structures)",
        "p.true_structure, 0, structures)",
        RANKS,
    ),
    Mutant(
        "own data: a column's values reversed",
        "workflow/scripts/read_data.py",
        "in enumerate(zip(levels, own, strict=True))",
        "in enumerate(zip(levels[::-1], own, strict=True))",
        OWN_DATA,
    ),
    Mutant(
        "own data: cases counted in the first column",
        "workflow/scripts/read_data.py",
        "zip(levels, own, strict=True)",
        "zip(levels, own[::-1], strict=True)",
        OWN_DATA,
    ),
    Mutant(
        "own data: the order of values ignored",
        "workflow/lib/files.py",
        'names = ("count", "levels", "missing")',
        'names = ("count", "missing")',
        OWN_DATA,
    ),
    Mutant(
        "files: alpha ignored",
        "workflow/lib/files.py",
        'Prior(model["alpha"], model["alpha_hidden"])',
        'Prior(1.0, model["alpha_hidden"])',
        BLOCKS,
    ),
    Mutant(
        "files: alpha_hidden ignored",
        "workflow/lib/files.py",
        'Prior(model["alpha"], model["alpha_hidden"])',
        'Prior(model["alpha"])',
        BLOCKS,
    ),
    Mutant(
        "files: alpha and alpha_hidden swapped",
        "workflow/lib/files.py",
        'Prior(model["alpha"], model["alpha_hidden"])',
        'Prior(model["alpha_hidden"], model["alpha"])',
        DRAW,
    ),
    Mutant(
        "files: all cases read",
        "workflow/lib/files.py",
        "max_rows=n",
        "max_rows=None",
        ANNEALING,
    ),
    Mutant(
        "files: the first case left out",
        "workflow/lib/files.py",
        "skiprows=1",
        "skiprows=2",
        ANNEALING,
    ),
    Mutant(
        "plan: sizes as given",
        "workflow/lib/plan.py",
        'sorted(config["sizes"])',
        'list(config["sizes"])',
        PLAN,
    ),
    Mutant(
        "plan: the last block left out",
        "workflow/lib/plan.py",
        "range(1, self.n_blocks(job) + 1)",
        "range(1, max(2, self.n_blocks(job)))",
        PLAN,
    ),
    Mutant(
        "plan: exact at all sizes",
        "workflow/lib/plan.py",
        "[n for n in self.sizes if n in self._value(job.sizes_key)]",
        "self.sizes",
        PLAN,
    ),
    Mutant(
        "plan: one size for all figures",
        "workflow/lib/plan.py",
        'if figure.name == "annealing" else',
        'if figure.name == "none" else',
        PLAN,
    ),
    Mutant(
        "plan: the least trusted score",
        "workflow/lib/plan.py",
        "return max(specs, key",
        "return min(specs, key",
        PLAN,
    ),
    Mutant(
        "plan: times of all jobs",
        "workflow/lib/plan.py",
        "any(spec.name in PAPER.seconds for spec in scores_of(job))",
        "scores_of(job)",
        PLAN,
    ),
    Mutant(
        "plan: one draw",
        "workflow/lib/plan.py",
        "list(self.design)",
        "[0]",
        PLAN,
    ),
    Mutant(
        "plan: a group has the sizes of all jobs",
        "workflow/lib/plan.py",
        "[n for n in group if n in own]",
        "group",
        PLAN,
    ),
    Mutant(
        "record: a hash over nothing",
        "workflow/lib/record.py",
        "return sorted(path for paths in found.values() for path in paths)",
        "return []",
        HASH,
    ),
    Mutant(
        "record: a hash of names alone",
        "workflow/lib/record.py",
        '.encode() + path.read_bytes() + b"\\0"',
        ".encode()",
        HASH,
    ),
    Mutant(
        "record: rules and scripts left out",
        "workflow/lib/record.py",
        '"workflow/**/*.py", ',
        "",
        HASH,
    ),
    Mutant(
        "record: changes are never seen",
        "workflow/lib/record.py",
        "bool(changes)",
        "False",
        HASH,
    ),
    Mutant(
        "record: changes of results count",
        "workflow/lib/record.py",
        '"--porcelain", "--", *patterns',
        '"--porcelain"',
        HASH,
    ),
    Mutant(
        "record: new files are not seen",
        "workflow/lib/record.py",
        '"--porcelain", "--"',
        '"--porcelain", "--untracked-files=no", "--"',
        HASH,
    ),
    Mutant(
        "sources: what modules import is left out",
        "workflow/lib/sources.py",
        "() if name == _ALL_SCORES else _needs(name)",
        "()",
        IMPORTS,
    ),
    Mutant(
        "sources: imports in functions are not seen",
        "workflow/lib/sources.py",
        "elif not isinstance(node, ast.expr):",
        "elif not isinstance(node, (ast.expr, ast.FunctionDef)):",
        IMPORTS,
    ),
    Mutant(
        "sources: relative imports start one package too high",
        "workflow/lib/sources.py",
        "- node.level + 1]",
        "- node.level]",
        IMPORTS,
    ),
    Mutant(
        "sources: a package that does more is left out",
        "workflow/lib/sources.py",
        "if not _only_passes_on(_path(package))}",
        "if False}",
        IMPORTS,
    ),
    Mutant(
        "sources: the files of the scores are left out",
        "workflow/lib/sources.py",
        "found | set(MODULES.values()) if _ALL_SCORES in found else found",
        "found",
        LOADED,
    ),
    Mutant(
        "sources: a module of files changes no number",
        "workflow/lib/sources.py",
        '{"lib.job", "lib.terminal"}',
        '{"lib.job", "lib.terminal", "lib.files"}',
        LOADED,
    ),
    Mutant(
        "settings: no near spelling is told",
        "workflow/lib/settings.py",
        "cutoff=0.5",
        "cutoff=0.99",
        WRONG,
    ),
    Mutant(
        "settings: the size of the annealing runs unchecked",
        "workflow/lib/settings.py",
        '        "annealing.n": config["annealing"]["n"],\n',
        "",
        WRONG,
    ),
    Mutant(
        "settings: defaults for what is given",
        "workflow/lib/settings.py",
        "part.setdefault(name, setting.default)",
        "part[name] = setting.default",
        FILLED_IN,
    ),
    Mutant(
        "schema: the least value is 1",
        "workflow/lib/schema.py",
        '"minimum": setting.minimum,',
        '"minimum": 1,',
        SCHEMA,
    ),
    Mutant(
        "schema: other keys are allowed",
        "workflow/lib/schema.py",
        'part["additionalProperties"] = False',
        "pass",
        SCHEMA,
    ),
    Mutant(
        "job: a failure ends with status 0",
        "workflow/lib/job.py",
        "sys.exit(1)",
        "sys.exit(0)",
        JOB,
    ),
    Mutant(
        "rules: another seed for the ranks",
        "workflow/rules/simulation.smk",
        'seed=config["seed"]',
        "seed=0",
        STUDY,
    ),
    Mutant(
        "parameters: states by rising probability",
        "src/latentdag/estimates.py",
        "np.argsort(-p,",
        "np.argsort(p,",
        OWN_STUDY,
    ),
    Mutant(
        "parameters: the estimates swapped",
        "workflow/scripts/parameters.py",
        "structure, kind, p.draws",
        'structure, "ml" if kind == "map" else "map", p.draws',
        OWN_STUDY,
    ),
)
