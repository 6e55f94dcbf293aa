"""The pages that people read: their generated parts are current, links lead somewhere, code runs,
commands are understood, and the site is built from them; the example of CONTRIBUTING.md works as it
stands.
"""

import csv
import os
import re
import shlex
import shutil
import sys
from functools import partial
from inspect import signature
from pathlib import Path

import pytest
import yaml
from declared import make_targets
from snakemake.cli import get_argument_parser
from studies import ROOT, changed, lines, loaded, printed, resolved, tool, written

from latentdag.command.cli import main
from latentdag.report import markdown
from latentdag.report.findings import write_findings
from latentdag.report.summary import write_summary
from latentdag.study.many_draws import outside as statistics
from latentdag.study.own_data.published import agrees
from latentdag.study.paper.runs import EVERY, MANY_CHAINS, PAPERS, VARIATIONS, paths_of, read_runs
from latentdag.study.paper.runs import TABLES as TABLES_OF_FINDINGS
from latentdag.study.schema import tables
from lib import docs, parts
from lib.docs import GENERATORS, PAGES, PART, farthest_that_matters, renewed
from lib.plan import plan_of


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_current(page, committed):
    of_committed = {
        name: partial(write, committed)
        for name, write in GENERATORS.items()
        if "results" in signature(write).parameters
    }
    generators = GENERATORS | of_committed
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text, generators) == text, "make docs"


def test_every_generated_part_has_one_place_and_an_end():
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    parts = list(PART.finditer(pages))
    assert sorted(part["name"] for part in parts if part["name"]) == sorted(GENERATORS)
    markers = re.findall("^<!-- (?:generated|measured|end)", pages, re.MULTILINE)
    assert len(markers) == 2 * len(parts)


@pytest.mark.slow
def test_the_committed_summary_is_that_of_the_committed_tables(committed, monkeypatch):
    """Also of those over many draws, which it quotes."""
    monkeypatch.chdir(committed.parent)
    plan = plan_of(resolved())
    paths = {k: path for k, path in plan.summary_inputs().items() if k != "of_findings"}
    found = {name: tables.read(path, name) for name, path in paths.items()}
    text = (committed / "summary.md").read_text(encoding="utf-8")
    assert text == write_summary(plan.settings_told(), **found)


@pytest.mark.slow
def test_the_committed_findings_are_those_of_the_committed_tables(committed):
    runs = read_runs(paths_of(committed), committed)
    populations = {path.parent.name for path in committed.glob("*/verdicts.parquet")}
    assert set(runs) == set(TABLES_OF_FINDINGS) & {"", *populations}
    text = (committed / "findings.md").read_text(encoding="utf-8")
    assert text == write_findings(runs)


def test_the_committed_table_and_page_of_truths_outside_are_those_of_the_picks(committed, tmp_path):
    picks = tables.read(committed / "outside/outside_picks.csv", "outside_picks")
    config = loaded("workflow/config/outside/outside.yaml")
    assert picks.groupby("truth", sort=False)["draw"].nunique().to_dict() == dict.fromkeys(
        config["truths"], config["draws"]
    )
    table = statistics.outside(picks)
    assert lines(committed / "outside/outside.csv") == written(tmp_path, "outside", table)
    page = markdown.written("outside.md.j2", statistics, config=config, table=table)
    assert page == (committed / "outside/summary.md").read_text(encoding="utf-8")


def test_the_reach_of_the_populations_leaves_out_no_structure_that_matters(committed):
    for name in ("draws", "every-structure"):
        reach = loaded(f"workflow/config/{name}.yaml")["reach"]["nats"]
        assert reach > 1.4 * farthest_that_matters(committed)


@pytest.mark.parametrize("name", [PAPERS, EVERY, *VARIATIONS, MANY_CHAINS])
def test_the_committed_draws_can_be_pooled_with_others(committed, tmp_path, name):
    """Of the same settings, with no draw twice, and where all files are there."""
    names = {EVERY: [name], PAPERS: ["draws"]}.get(name, ["draws", f"variations/{name}"])
    given = (loaded(f"workflow/config/{settings}.yaml") for settings in names)
    part = tmp_path / "part"
    part.symlink_to(committed / name)
    own = resolved(*given, {"parts": [str(part)]})
    assert list(parts.problems(own, range(1000, 2000))) == []
    (twice,) = parts.problems(own, range(2))
    assert twice == f"parts: draw 0 of {part} is also in the draws"
    for key, value in {
        "seed": 1,
        "alpha_hidden": 3.0,
        "reach.nats": 1,
        "restarts.map.hits": 2,
    }.items():
        (line,) = parts.problems(changed(own, {key: value}), ())
        assert line.startswith(f"parts: {part} has {key} ") and line.endswith(f"is {value}")
    needed = {*parts.FILES}
    needed |= {"worths.parquet"} if "reference" in own["methods"] else set()
    needed |= {"claims.csv"} if name != EVERY else set()
    for missing in needed:
        part.unlink()
        part.mkdir()
        for file in needed - {missing}:
            (part / file).symlink_to(committed / name / file)
        assert list(parts.problems(own, ())) == [f"parts: {part} has no {missing}"]
        shutil.rmtree(part)
        part.symlink_to(committed / name)


def test_published_numbers_that_differ_are_those_that_the_page_names(committed):
    found = set()
    for name in ("role-conflict", "carcinoma", "house-votes"):
        path = committed / f"examples/{name}/published.csv"
        for row in tables.read(path, "published").itertuples():
            if not agrees(row.published, row.found):
                found.add((name, row.quantity))
    assert found == {("carcinoma", "Pearson's statistic X2"), ("carcinoma", "degrees of freedom")}


TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
LINKED = [*PAGES, ".github/CONTRIBUTING.md", "workflow/data/README.md"]
PYTHON = {page: re.findall(r"```python\n(.*?)```", t, re.DOTALL) for page, t in TEXTS.items()}


def commands(text: str) -> list[list[str]]:
    """The commands of the indented blocks of a page, word by word, without their remarks."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines = re.findall(r"^ {4}(\S(?:.*\\\n)*.*)$", plain, re.MULTILINE)
    known = ("latentdag ", "snakemake ", "make", "python ")
    found = [line.replace("\\\n", " ") for line in lines if line.startswith(known)]
    inline = re.findall(r"`((?:make|snakemake|python|latentdag) [^`]+)`", text)
    return [shlex.split(line, comments=True) for line in [*found, *inline]]


COMMANDS = {page: commands(text) for page, text in TEXTS.items()}
# the README's are run where what they print is read
OF_LATENTDAG = sorted(
    {
        shlex.join(words)
        for page, of in COMMANDS.items()
        for program, *words in of
        if program == "latentdag" and page != "README.md"
    }
)


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


def dead(page: Path) -> list[str]:
    found = []
    for link in docs.links_of(page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if "://" in link:
            continue
        if not target.is_file() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", LINKED)
def test_links_lead_somewhere(page):
    assert dead(ROOT / page) == []


def test_every_page_can_be_reached_from_the_readme():
    reached = set(docs.reached([ROOT / "README.md"]))
    assert {ROOT / page for page in PAGES} <= reached


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page, blocks in PYTHON.items() if blocks])
def test_python_runs(page, monkeypatch):
    """The blocks of a page one after another, as a reader types them."""
    monkeypatch.chdir(ROOT)
    names: dict = {}
    for block in PYTHON[page]:
        exec(compile(block, page, "exec"), names)
    assert "latentdag" in names


@pytest.mark.slow
@pytest.mark.parametrize("words", OF_LATENTDAG)
def test_the_command_runs(words, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    try:
        status = main(shlex.split(words))
    except SystemExit as end:  # of --help and --version
        status = end.code
    assert not status, capsys.readouterr().err
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_other_commands_are_understood(page):
    """Targets of make are there, scripts too, and Snakemake takes its options and files."""
    for program, *words in COMMANDS[page]:
        if program == "make":
            assert {word for word in words if "=" not in word} <= make_targets(), words
        elif program == "python" and words[0] == "-m":
            assert (ROOT / "src" / f"{words[1].replace('.', '/')}.py").is_file(), words
        elif program == "python":
            assert (ROOT / words[0]).is_file(), words
        elif program == "snakemake" and "FILE" not in words:
            given = get_argument_parser().parse_args(words)
            files = [Path(f) for f in given.configfile or [] if Path(f).name != "mine.yaml"]
            assert all((ROOT / f).is_file() for f in files), files
            assert all(re.match(r"\w+=", word) for word in given.config or [])


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The site, as `make docs` builds it, of a copy of the pages."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("workflow/docs/mkdocs.yml", "workflow/lib/doctests.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "src").symlink_to(ROOT / "src")
    for path in docs.reached(ROOT / page for page in PAGES):
        docs.copied(path, folder / "build/pages")
    config = str(folder / "workflow/docs/mkdocs.yml")
    printed(tool("mkdocs"), "build", "--strict", "--config-file", config)
    return folder / "build/site"


@pytest.mark.slow
def test_the_site_has_every_page(built):
    text = (ROOT / "workflow/docs/mkdocs.yml").read_text(encoding="utf-8")
    nav = yaml.safe_load(text.partition("\nnav:\n")[2])
    listed = [page for entry in nav for page in entry.values()]
    assert set(PAGES) <= set(listed)
    for page in listed:
        folder = built / page.removesuffix("README.md").removesuffix(".md")
        assert (folder / "index.html").is_file(), page


@pytest.mark.slow
def test_the_site_needs_no_network(built):
    """No page loads a font, a script or a picture from elsewhere."""
    for path in built.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]+)"', text)
        for link in re.findall(r"<link[^>]*>", text):
            if re.search(r'rel="(?:stylesheet|preconnect)"', link):
                loaded += re.findall(r'href="([^"]+)"', link)
        assert [address for address in loaded if "//" in address] == [], path.name


@pytest.mark.slow
def test_the_readme_has_what_the_command_prints(monkeypatch, capsys):
    """Each number that it shows, within its Monte Carlo error."""
    monkeypatch.chdir(ROOT)
    (command,) = (c for c in COMMANDS["README.md"] if c[:2] == ["latentdag", "rank"])
    parts = PART.finditer(TEXTS["README.md"])
    (shown_by_it,) = (p["content"] for p in parts if p["command"] == shlex.join(command))

    def numbers(text: str) -> dict[str, float]:
        lines = re.findall(r"^ *(\S.*?)  +([\d.]+)$", text, re.MULTILINE)
        return {name: float(number) for name, number in lines}

    main(command[1:])
    own, shown = (numbers(capsys.readouterr().out), numbers(shown_by_it))
    assert shown and {name: own[name] for name in shown} == pytest.approx(shown, abs=0.02)


TEXT = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLE = dict(re.findall(r"```python\n# (\S+)\n(.+?)```", TEXT, re.DOTALL))
SCORE, TEST = EXAMPLE


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """The project with the two files of the example and the line in `ORDER`, as the page says."""
    folder = tmp_path_factory.mktemp("contributed")
    ignore = shutil.ignore_patterns("*.pyc", "*.egg-info")
    for name in ("src", "tests", "workflow"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, text in EXAMPLE.items():
        assert not (folder / name).exists()
        (folder / name).write_text(text, encoding="utf-8")
    trust = folder / "src/latentdag/ranking/trust.py"
    order = trust.read_text(encoding="utf-8")
    assert order.count('"bic", "vb_eb"') == 1
    trust.write_text(order.replace('"bic", "vb_eb"', '"bic", "draper", "vb_eb"'), encoding="utf-8")
    return folder


def run(project: Path, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(project / "src")}
    return printed(sys.executable, "-m", *command, cwd=project, env=environment)


@pytest.mark.slow
def test_the_examples_test_fails_for_a_wrong_score(project, tmp_path):
    wrong = shutil.copytree(project, tmp_path / "wrong")
    text = EXAMPLE[SCORE]
    assert text.count("d / 2 * log") == 1
    (wrong / SCORE).write_text(text.replace("d / 2 * log", "d * log"))
    with pytest.raises(AssertionError, match="1 failed"):
        run(wrong, "pytest", "-q", "-p", "no:cacheprovider", TEST)


@pytest.mark.slow
def test_the_examples_test_passes(project):
    assert "1 passed" in run(project, "pytest", "-q", "-p", "no:cacheprovider", TEST)


@pytest.mark.weekly
def test_the_example_keeps_the_contract(project):
    contract = ("-k", "draper", "tests/unit/scores/test_contract.py")
    said = run(project, "pytest", "-q", "-p", "no:cacheprovider", *contract)
    assert int(re.search(r"(\d+) passed", said)[1]) >= 10


@pytest.mark.slow
def test_the_command_has_the_example(project):
    data = ("workflow/data/stouffer_toby_1951.csv", "--count", "count")
    given = ("--structure", "1-1-1-1", "--method", "draper", "--format", "csv")
    (row,) = csv.DictReader(run(project, "latentdag.command", "score", *data, *given).splitlines())
    assert row["method"] == "draper"
