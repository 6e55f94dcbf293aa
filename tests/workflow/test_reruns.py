"""What counts as done: nothing in a fresh clone, everything after a run, and after a change all but
what it changes.

Snakemake itself is asked about edits and a few changed keys. The other keys are answered from the
parameters and links of the rules.
"""

import os
import shutil

import pytest
import yaml
from declared import imports_of
from studies import LESS, ROOT, SMALL, Study, changed, jobs, links, resolved, tool

from latentdag.scores import JOBS
from latentdag.study.settings import study as of_config
from lib import code

SCORING = set(JOBS)
LAST = {"provenance", "article"}  # read all tables and figures, and what all do
OF_RANKS = {"ranks", "plot_rank", "summary", *LAST}
OF_SCORES = {
    *("scores", "evidence", "errors", "plot_scores", "plot_annealing", "plot_tightness"),
    *("plot_climb", "class_page", *OF_RANKS),
}
TIMED = {"timing", *OF_SCORES}  # their time is in a table
OF_AIS = {"ais", "table_of_job", *TIMED}
OF_ANNEALING = {"anneal", "annealing", "plot_annealing", "summary", *LAST}
OF_BOUNDS = {"sandwich", "summary", *LAST}
OF_PRIORS = {"prior", "priors", "summary", *LAST}
OF_CLIMB = {"climb", "plot_climb", *LAST}
OF_EQUAL_MODES = {"equal_modes", "plot_equal_modes", *LAST}
OF_MEAN_FIELD = {"vb_mf", *OF_SCORES}
OF_VB = {"vb", "vb_eb", "vb_collapsed", *OF_MEAN_FIELD, *TIMED, *OF_PRIORS}
OF_MAP = {"map", "ml", *OF_VB}
PLOTS = {
    *("plot_structure", "plot_scores", "plot_rank", "plot_annealing", "plot_tightness"),
    *("plot_climb", "plot_equal_modes"),
}
SAID = {"summary", *LAST}  # all state the settings
EVERYTHING = {
    *("structures", "design", "draw"),
    *(SCORING | PLOTS | OF_AIS | OF_ANNEALING | OF_BOUNDS | OF_PRIORS | OF_CLIMB | OF_EQUAL_MODES),
}
OF_NO_CASES = {"structures", "design", "plot_structure", "equal_modes", "plot_equal_modes"}


def test_after_a_complete_run_nothing_is_to_be_done(finished):
    path = finished.folder / "src/latentdag/inference/slots.py"
    status = path.stat()
    path.touch()  # its content counts, not its time
    try:
        assert "Nothing to be done" in finished.run("--dry-run")
    finally:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def fresh_clone(study: Study, done: Study, folders: tuple[str, ...]) -> dict:
    """Put the files that are committed of a finished study there, older than the scripts; what
    they are, by path.
    """
    then = min(p.stat().st_mtime for p in (study.folder / "workflow/scripts").iterdir()) - 1
    for folder in folders:
        (study.folder / folder).mkdir(parents=True)
        for path in (done.folder / folder).iterdir():
            if path.is_file():
                shutil.copy(path, study.folder / folder)
                os.utime(study.folder / folder / path.name, (then, then))
    return states_of(study, folders)


def states_of(study: Study, folders: tuple[str, ...]) -> dict:
    paths = [path for folder in folders for path in (study.folder / folder).iterdir()]
    return {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in paths if p.is_file()}


def test_a_fresh_clone_has_everything_to_do(finished, study):
    """As git makes it: scripts after results, so that these are older."""
    committed = ("results", "figures")
    before = fresh_clone(study, finished, committed)
    # besides the tables: the data package, the record, summary, article, the page for a class, and
    # each figure twice
    assert len(before) == len(of_config.tables(resolved(SMALL))) + 5 + 2 * len(PLOTS)
    there = {p.name for p in study.folder.iterdir()}
    found = jobs(study.run("--dry-run"))
    assert found == {
        **dict.fromkeys(EVERYTHING | {"datapackage", "all"}, 1),
        "table_of_job": 2,
        "anneal": len(SMALL["annealing"]["steps"]),
        "prior": len(SMALL["prior"]["alphas"]),
    }
    assert states_of(study, committed) == before, "a dry run touches what is committed"
    new = {p.name for p in study.folder.iterdir()} - there
    assert new <= {".cache", ".snakemake", "config.yaml"}


@pytest.mark.slow
def test_a_dry_run_has_a_line_or_two_for_each_job(study):
    """No list of files for each, not even where draws are many."""
    command = [tool("snakemake"), "--dry-run", "--configfile", "workflow/config/draws.yaml"]
    result = study.call(command)
    said = result.stdout + result.stderr
    n_jobs = sum(jobs(said).values())
    assert n_jobs > 800
    assert len(said) < 120 * n_jobs


READING = (("--dry-run",), ("--list",), ("--lint",), ("--rulegraph", "dot"), ("--summary",))


@pytest.mark.slow
def test_reading_writes_nothing_but_what_is_snakemakes(study):
    def files() -> dict:
        ours = (
            p for p in study.folder.rglob("*") if p.relative_to(study.folder).parts[0][0] != "."
        )
        return {p: p.stat().st_mtime_ns for p in ours if "__pycache__" not in p.parts}

    command = study.command()
    before = files()
    for what in READING:
        study.call([*command, *what])
        assert files() == before, what


# one changed key -> the rules that run again
CHANGES = {
    "restarts.map": ({"restarts__map": {"at_most": 4, "hits": 3}}, OF_MAP),
    "restarts.ml": ({"restarts__ml": {"at_most": 3, "hits": 1}}, {"ml", *OF_SCORES}),
    "restarts.vb": ({"restarts__vb": {"at_most": 5, "hits": 3}}, OF_VB),
    "ais.steps": ({"ais__steps": 33}, OF_AIS),
    "tempered_smc.runs": ({"tempered_smc__runs": 4}, {"tempered_smc", *OF_SCORES}),
    "reference.runs": ({"reference__runs": 6}, {"reference", *OF_SCORES, *OF_BOUNDS, *OF_PRIORS}),
    "reference.target": (
        {"reference__target": 1.5},
        {"reference", *OF_SCORES, *OF_BOUNDS, *OF_PRIORS},
    ),
    "reference.others": ({"reference__others": 2}, OF_BOUNDS),
    "annealing.chains": ({"annealing__chains": 3}, OF_ANNEALING),
    "figure_n": ({"figure_n": 40}, {"plot_scores", "class_page", *SAID, *OF_CLIMB}),
    "figure_width": ({"figure_width": 5}, {"plot_scores", "plot_rank", "plot_annealing", *LAST}),
    "sizes": ({"sizes": [40, 10, 20]}, EVERYTHING - OF_NO_CASES),
    "sizes, in order": ({"sizes": [10, 40]}, SAID),
    "true_structure": (
        {"true_structure": "1-12-12"},
        EVERYTHING - {"equal_modes", "plot_equal_modes"},
    ),
    "alpha": ({"alpha": 0.8}, EVERYTHING - {"plot_structure"}),  # it draws the parameters
}


@pytest.fixture(scope="module")
def with_what_needs_them(unrun):
    """Those of some rules that a run needs, and all rules that need what they make."""
    unrun.command()  # writes config.yaml
    pairs = links(unrun, "--configfile", "config.yaml")
    run = {rule for pair in pairs for rule in pair} - {"all"}

    def all_of(rules: set[str]) -> set[str]:
        more = {after for before, after in pairs if before in rules} - rules
        return all_of(rules | more) if more else rules & run

    return all_of


@pytest.fixture(scope="module")
def described(unrun) -> dict[str, dict[str, dict]]:
    """The rules by their names, with each changed key, and as they are."""
    paths = {}
    for i, key in enumerate(["", *CHANGES]):
        config = changed(SMALL, CHANGES[key][0] if key else {})
        paths[key] = unrun.folder / f"changed{i}.yaml"
        paths[key].write_text(yaml.safe_dump(config), encoding="utf-8")
    found = unrun.rules(*(path.name for path in paths.values()))
    return dict(zip(paths, found, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("key", CHANGES)
def test_a_changed_key_changes_the_parameters_of_what_depends_on_it(
    described, with_what_needs_them, key
):
    expected, before, after = CHANGES[key][1], described[""], described[key]
    assert set(before) == set(after)
    other = {name for name in before if before[name]["params"] != after[name]["params"]}
    pending = with_what_needs_them(other)
    assert pending == expected


def test_one_more_of_a_list_runs_that_alone(finished):
    """A length of the annealing schedule, a prior."""
    pending = finished.pending(annealing__steps=[32, 24, 16], prior__alphas=[1.3, 0.5, 2])
    assert pending["anneal"] == {"results/draws/0/annealing/24.csv"}
    assert pending["prior"] == {"results/draws/0/prior/2.csv"}
    assert not {"draw", "structures", *SCORING} & set(pending)


def test_one_method_less_leaves_the_others_alone(finished):
    pending = finished.pending(methods=LESS["methods"])
    assert set(pending) == {
        *("scores", "plot_scores", "plot_annealing", "class_page", "datapackage"),
        *(OF_PRIORS | OF_RANKS) - {"article"},  # it tells of the evidence
    }


# an edited source -> the rules that run again
EDITS = {
    "src/latentdag/figures/rank.py": PLOTS | LAST,
    "src/latentdag/report/summary.py": SAID,
    # the page for a class is of that folder too
    "src/latentdag/report/templates/study.md.j2": SAID | {"class_page"},
    "src/latentdag/study/one_draw/ranks.py": {"ranks", "plot_rank", *SAID},
    "src/latentdag/scores/vb.py": (
        EVERYTHING - {"structures", "design", "draw", "anneal", "sandwich", "climb"}
    ),
    "src/latentdag/study/schema/tables.yaml": EVERYTHING | {"datapackage"},
    "src/latentdag/estimator/latent_causes.py": set(),  # no rule uses it
    "workflow/topics/model/scores.py": set(),
    "workflow/scripts/draw.py": EVERYTHING - OF_NO_CASES,
    "workflow/lib/job.py": set(),
}


@pytest.mark.slow
@pytest.mark.parametrize("source", EDITS)
def test_an_edited_source_reruns_what_imports_it(finished, source):
    with finished.edited(source):
        assert set(finished.pending()) == EDITS[source]


def test_imports_are_those_that_python_reads():
    """Of all modules and scripts, as its own parser has them."""
    ours = code.modules()
    for path in [*ours.values(), *(ROOT / "workflow/scripts").glob("*.py")]:
        names = {n for n in imports_of(path) if n.partition(".")[0] in code.FOLDERS}
        read = {code.module_of(code.public().get(name, name)) for name in names}
        assert code.imports(path) >= read - {"latentdag"}, path
        if code.imports(path) > read:
            assert path.name == "__init__.py"


def test_a_package_that_loads_its_modules_by_name_imports_them():
    em, scores, model = (f"latentdag.{name}" for name in ("inference.em", "scores", "model"))
    imports = {name: code.imports(code.modules()[name]) for name in (em, scores, model)}
    assert {f"{em}.vbem", f"{em}.point_estimate"} <= imports[em]
    of_jobs = {getattr(job.run, "func", job.run).__module__ for job in JOBS.values()}
    assert of_jobs <= imports[scores]
    assert imports[model] == set()
    assert code.public()["latentdag.Structure"] == "latentdag.model.structures"
