"""Studies of a table that a user might bring; and a population of draws, end to end: parts are
pooled, and more draws compute the new ones only.
"""

import json
import re
import shutil

import pandas as pd
import pytest
from fingerprints import of_study
from studies import OWN, PROFILE, ROOT, Study, jobs, printed, small, tool

from latentdag.report.data_summary import write_data_summary
from latentdag.report.population_summary import write_population_summary
from latentdag.study.paper.runs import EVERY, MANY_CHAINS, PAPERS, VARIATIONS
from latentdag.study.schema import tables
from lib.plan import plan_of
from lib.settings import problems

pytestmark = pytest.mark.slow

# the order of one column's values is given, and is not the sorted one
LEVELS = {"drama_critic": ["universalistic", "particularistic"]}
PUBLISHED = {"source": "Goodman (1974)", "classes": 2, "class_sizes": [0.279, 0.721]}
PUBLISHED |= {"cases": 216, "likelihood_ratio": 2.72}
DATA = {"file": "mine.csv", "count": "count"}
OF_ALL = OWN | {"data": DATA | {"levels": LEVELS, "published": PUBLISHED}, "alpha": [1, 2.0]}
OF_ALL |= {"family__hidden": [2], "methods": ["map", "ml", "vb", "ais"]}
OF_ALL |= {"restarts": {"ml": {"at_most": 8, "hits": 8}}, "fit": {"replicates": 9, "draws": 200}}


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("own"))
    shutil.copy(ROOT / "workflow/data/stouffer_toby_1951.csv", study.folder / "mine.csv")
    study.run(**OF_ALL)
    return study


def test_the_page_of_own_data_is_that_of_its_tables(own, monkeypatch):
    """But for the settings at its end, which are in the order of the file."""
    monkeypatch.chdir(own.folder)
    plan = plan_of(small(**OF_ALL))
    paths = (own.folder / "results/mine").glob("*.csv")  # more than it reads
    found = {path.stem: tables.read(path, path.stem) for path in paths}
    known = {"main_alpha": 1.0, "asked": OF_ALL["methods"]}
    told = write_data_summary(plan.settings_told(), (2, 2, 2, 2), **known, **found)
    page = (own.folder / "results/mine/summary.md").read_text(encoding="utf-8")
    told, page = (text.partition("\nSettings: ")[0] for text in (told, page))
    assert page == told


def test_a_changed_table_reruns_everything_that_reads_it(own):
    def moved(text):  # one case, so that their number stays
        return text.replace(",42\n", ",41\n").replace(",23\n", ",24\n")

    with own.edited("mine.csv", moved):
        pending = own.pending(**OF_ALL)
    assert {"read_data", "map", "vb", "ais", "ml", "scores", "summary", "plot_best"} <= set(pending)


def test_what_needs_a_true_structure_says_so(own, rules):
    said = own.run("plot_tightness", status=1, **OF_ALL)
    assert "own data have no true structure for plot_tightness" in said
    assert len(said.splitlines()) < 10
    assert "Traceback" not in said
    text = (ROOT / "workflow/rules/own_data.smk").read_text(encoding="utf-8")
    listed = text.partition("WITHOUT_TRUTH = {")[2].partition("}")[0]
    only = rules["study"].keys() - rules["own-data"].keys()
    assert set(re.findall(r'"(\w+)"', listed)) == only


COLUMNS = ["auto_passenger", "drama_critic", "board_director"]
OF_THREE = OWN | {"data": DATA | {"columns": COLUMNS}, "methods": ["map", "vb", "ais"]}
SEVERAL = OF_THREE | {"family__hidden": [[3], [2], [3, 2]], "equally_probable": "classes"}
SEVERAL |= {"blocks": 2, "results": "several", "figures": "several/figures"}
SEARCH = OF_THREE | {"family__hidden": [[2, 2], [3]], "equally_probable": "families"}
SEARCH |= {"methods": ["map"], "search": {"method": "bic", "width": 1, "starts": 1, "keep": 4}}
SEARCH |= {"results": "searched", "figures": "searched/figures"}


@pytest.fixture(scope="module")
def families(tmp_path_factory) -> Study:
    """A study of several families, and one with a search."""
    study = Study(tmp_path_factory.mktemp("families"))
    shutil.copy(ROOT / "workflow/data/stouffer_toby_1951.csv", study.folder / "mine.csv")
    study.run(*(f"several/{name}.csv" for name in ("ais_chains", "causes")), **SEVERAL)
    study.run("searched/summary.md", **SEARCH)
    return study


def test_what_runs_again(families):
    """Another prior scores nothing; other data search again, where structures are searched for."""
    pending = families.pending(**SEVERAL | {"equally_probable": "families"})
    assert {"errors", "marginals", "summary"} <= set(pending)
    assert {"structures", "map", "vb", "ais", "scores"}.isdisjoint(pending)
    with families.edited("mine.csv", lambda text: text.replace(",42\n", ",43\n")):
        assert "structures" in families.pending(**SEARCH)


MODULE = """
configfile: "mine.yaml"

rule mine:
    input:
        "results/mine/scores.csv"

module latentdag:
    snakefile: {snakefile!r}
    config: config

use rule * from latentdag as study_*
"""


def test_a_workflow_of_ones_own_has_it_as_a_module_or_runs_it_from_elsewhere(tmp_path):
    """The same table to the byte, in the folder of whoever runs it; and then nothing is left to do.

    Settings that are left out come with the workflow. What is done unasked is one's own rule.
    """
    study = Study(tmp_path / "the project")
    folder = study.folder
    snakefile = folder / "Snakefile"
    tables = {}
    for name in ("module", "elsewhere"):
        study.folder = tmp_path / name
        study.folder.mkdir()
        (study.folder / "mine.csv").write_text("a,b\n0,0\n1,1\n0,1\n0,0\n1,1\n", encoding="utf-8")
        settings = {"data": {"file": "mine.csv"}, "methods": ["map"], "family": {"hidden": [2]}}
        (study.folder / "mine.yaml").write_text(json.dumps(settings), encoding="utf-8")
        command = [tool("snakemake"), "--cores", "1"]
        if name == "module":
            text = MODULE.format(snakefile=str(snakefile))
            (study.folder / "Snakefile").write_text(text, encoding="utf-8")
        else:
            command += ["results/mine/scores.csv"]
            command += ["--snakefile", str(snakefile), "--configfile", "mine.yaml"]
        study.call(command)
        tables[name] = (study.folder / "results/mine/scores.csv").read_bytes()
        assert not (study.folder / "results/mine/summary.md").exists()
        assert "Nothing to be done" in study.call([*command, "--dry-run"]).stdout
    assert len(tables["module"].splitlines()) > 4
    assert tables["module"] == tables["elsewhere"]
    assert not (folder / "results").exists()
    text = MODULE.format(snakefile=str(snakefile)).replace("config: config", 'prefix: "sub"')
    (study.folder / "Snakefile").write_text(text, encoding="utf-8")
    said = study.call([tool("snakemake"), "--dry-run"], status=1).stderr
    assert "a module of this workflow has no prefix" in said and "Traceback" not in said


# the study's true structure and prior; one that is drawn, and another prior
DESIGN = {"0": "1-12-2,", "4": ",0.5"}
SETTINGS = {
    "population": True,
    "methods": ["map", "vb", "bridge", "reference"],
    # of a part of the structures the bridge knows the evidence better
    "bridge": {"particles": 16, "runs": 8, "jobs": 1},
    "reference__runs": 8,
    "reach": {"nats": 4.0, "target": 0.05, "most_cases": 20},
    "true_structure": "uniform",
    "draws": None,
    "design": "mine.csv",
}
DRAWN = ("found", "reliability")
KEPT = ("verdicts", "reliability_counts", "worths")  # of every draw
TABLES_OVER_DRAWS = (
    *("population", "found", "found_share", "comparisons", "reliability", "cases_needed"),
    *("worth", "calibration"),
)


def write_design(study: Study, name: str, rows: dict[str, str]) -> None:
    lines = ["draw,true_structure,alpha", *(f"{draw},{row}" for draw, row in rows.items()), ""]
    (study.folder / name).write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def pooled(tmp_path_factory) -> Study:
    """Two draws, one of them with a true structure of its own: tables, summary, and two figures."""
    study = Study(tmp_path_factory.mktemp("population"))
    write_design(study, "mine.csv", DESIGN)
    names = ("summary.md", "scores.parquet", *(f"{name}.csv" for name in TABLES_OVER_DRAWS))
    wanted = [f"results/{name}" for name in names] + [f"figures/{name}.png" for name in DRAWN]
    study.run(*wanted, **SETTINGS)
    return study


@pytest.mark.parametrize(
    ("study_of", "name"), [("own", "own-data"), ("families", "families"), ("pooled", "population")]
)
def test_it_is_as_it_was(request, golden, study_of, name):
    golden(f"{name}.csv", of_study(request.getfixturevalue(study_of).folder))


def test_the_page_of_a_population_is_that_of_its_tables(pooled, monkeypatch):
    monkeypatch.chdir(pooled.folder)
    plan = plan_of(small(**SETTINGS))
    names = {name: "csv" for name in ("design", "structures", *TABLES_OVER_DRAWS)}
    names["verdicts"] = "parquet"
    found = {name: read(pooled, name, kind) for name, kind in names.items()}
    page = (pooled.folder / "results/summary.md").read_text(encoding="utf-8")
    told = write_population_summary(plan.settings_told(), **found)
    assert page.partition("\nSettings: ")[0] == told.partition("\nSettings: ")[0]


def read(study: Study, name: str, kind: str = "csv") -> pd.DataFrame:
    return tables.read(study.folder / f"results/{name}.{kind}", name)


def test_parts_are_pooled_to_the_same_tables(pooled, tmp_path, monkeypatch):
    """Draw 0 as a part, and draw 4 computed beside it: every table is that of one run."""
    study = Study(tmp_path / "study")
    part = study.folder / "part"
    part.mkdir()
    for name in ("design.csv", *(f"{table}.parquet" for table in KEPT)):
        rows = read(pooled, *name.split("."))
        tables.write(part / name, name.partition(".")[0], rows[rows["draw"] == 0])
    record = json.dumps({"config": small(**SETTINGS)})
    (part / "provenance.json").write_text(record, encoding="utf-8")
    for draw in DESIGN:
        write_design(study, f"{draw}.csv", {draw: DESIGN[draw]})
    names = ("design", *TABLES_OVER_DRAWS)
    own = SETTINGS | {"parts": ["part"], "design": "4.csv"}
    study.run(*(f"results/{name}.csv" for name in names), **own)
    for name in names:
        whole = (pooled.folder / f"results/{name}.csv").read_bytes()
        assert (study.folder / f"results/{name}.csv").read_bytes() == whole, name
    # a draw twice, another prior, a folder of something else
    monkeypatch.chdir(study.folder)
    for change, line in (
        ({"design": "0.csv"}, "parts: draw 0 of part is also in the draws"),
        ({"alpha": 2.0}, "parts: part has alpha 0.7, here it is 2.0"),
        ({"parts": ["workflow"]}, "parts: workflow has no design.csv"),
        ({"population": False, "true_structure": "1-12-2"}, "parts: only a population has parts"),
    ):
        assert line in problems(small(**own | change))
    (remark,) = plan_of(small(**own)).remarks
    assert remark == "parts: part was computed by another version (commit None)"
    assert problems(small(**own | {"methods": ["map", "reference"]})) == []


def redraw(study: Study, *wanted: str, config: str) -> None:
    """Run what `make redraw` runs, in the study's folder and for its own configuration."""
    said = printed(tool("make"), "--dry-run", "--always-make", "redraw", cwd=ROOT)
    said = said.replace("\\\n", " ")
    (command,) = re.findall(r"bin/snakemake (--logger.*)", said)
    command = command.replace("$figures", "figures")  # of the loop, too
    options, rules = command.split("--allowed-rules")
    rules = rules.partition(";")[0]  # of the loop over populations
    targets = wanted or tuple(options.split("default ")[1].split("--configfile")[0].split())
    given = ["--cores", "2", *targets, "--configfile", *config.split(), *PROFILE]
    study.call([tool("snakemake"), *given, "--allowed-rules", *rules.split()])


def test_statistics_figures_and_summary_come_from_verdicts_alone(pooled, tmp_path):
    """To the byte; the scores of the draws are not there."""
    study = Study(tmp_path / "study")
    shutil.copy(pooled.folder / "mine.csv", study.folder)
    study.command(**SETTINGS)  # writes the configuration
    (study.folder / "results").mkdir()
    for name in KEPT:
        shutil.copy(pooled.folder / f"results/{name}.parquet", study.folder / "results")
    drawn = [f"figures/{name}.{kind}" for name in DRAWN for kind in ("png", "pdf")]
    names = ["summary.md", *(f"{name}.csv" for name in TABLES_OVER_DRAWS)]
    wanted = [f"results/{name}" for name in names] + drawn
    redraw(study, *wanted, config="config.yaml")
    for name in wanted:
        assert (study.folder / name).read_bytes() == (pooled.folder / name).read_bytes(), name


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (PAPERS, "workflow/config/draws.yaml"),
        (EVERY, "workflow/config/every-structure.yaml"),
        *(
            (name, f"workflow/config/draws.yaml workflow/config/variations/{name}.yaml")
            for name in (*VARIATIONS, MANY_CHAINS)
        ),
    ],
)
def test_a_committed_population_is_redrawn_to_the_byte(committed, tmp_path, name, settings):
    study = Study(tmp_path / "study")
    own, known = study.folder / "results" / name, committed / name
    own.mkdir(parents=True)
    for path in [*known.glob("*.parquet"), *known.glob("claims.csv")]:
        shutil.copy(path, own)
    redraw(study, config=settings)
    for path in [*known.glob("*.csv"), known / "summary.md", known / "datapackage.json"]:
        assert (own / path.name).read_bytes() == path.read_bytes(), path.name
    drawn = sorted((ROOT / "figures" / name).iterdir()) if name in (PAPERS, EVERY) else []
    assert len(drawn) in (0, 12)
    for path in drawn:
        redrawn = study.folder / "figures" / name / path.name
        assert redrawn.read_bytes() == path.read_bytes(), path.name


def test_more_draws_compute_the_new_ones(pooled):
    """And the report has no pages of tables that are large."""
    write_design(pooled, "more.csv", DESIGN | {"2": ",", "7": ","})
    said = pooled.run("--dry-run", "all", "report_pages", **SETTINGS | {"design": "more.csv"})
    todo = jobs(said)
    assert {todo[name] for name in ("draw", *SETTINGS["methods"], "verdicts_of_draw")} == {2}
    assert "structures" not in todo
    pages = {line.split("table ")[1] for line in said.splitlines() if "report: table " in line}
    assert {"population", "found_share", "calibration", "design"} <= pages
    assert not {"scores", "verdicts"} & pages
