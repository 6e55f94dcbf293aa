"""The pages that people read: their generated parts are current, links lead somewhere, code runs,
commands are understood, and the site is built from them; the example of CONTRIBUTING.md works as it
stands.
"""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
from snakemake.cli import get_argument_parser
from studies import ROOT, lines, loaded, printed, resolved, tool, written

import latentdag
from docs import generate as docs
from docs.generate import PAGES, PART, renewed
from latentdag import scores
from latentdag.command.cli import main
from latentdag.ranking.probabilities import normalise
from latentdag.report.outside_summary import write_outside_summary
from latentdag.report.summary import write_summary
from latentdag.study.many_draws import outside as statistics
from latentdag.study.paper.runs import EQUAL_COST, EVERY, MANY_CHAINS, PAPERS, VARIATIONS
from latentdag.study.schema import tables
from latentdag.study.settings import parts
from latentdag.study.settings import study as of_config

TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_current(page):
    assert renewed(TEXTS[page]) == TEXTS[page], "make docs"


@pytest.mark.slow
def test_the_committed_summary_is_that_of_the_committed_tables(committed, monkeypatch):
    """Also of those over many draws, which it quotes."""
    monkeypatch.chdir(committed.parents[1])
    config = resolved()
    names = [f"study/{name}" for name in of_config.tables(config)]
    names += ["experiments/benchmark", "experiments/pruned_states", f"{PAPERS}/claims_held"]
    paths = [committed / f"{name}.csv" for name in names]
    tables_by_name = {path.stem: tables.read(path, path.stem) for path in paths}
    text = (committed / "study/summary.md").read_text(encoding="utf-8")
    assert text == write_summary(config | {"n": config["figure_n"]}, **tables_by_name)


def test_the_committed_table_and_page_of_truths_outside_are_those_of_the_picks(committed, tmp_path):
    picks = tables.read(committed / "outside/outside_picks.csv", "outside_picks")
    config = loaded("workflow/config/outside/outside.yaml")
    assert picks.groupby("truth", sort=False)["draw"].nunique().to_dict() == dict.fromkeys(
        config["truths"], config["draws"]
    )
    table = statistics.outside(picks)
    assert lines(committed / "outside/outside.csv") == written(tmp_path, "outside", table)
    page = write_outside_summary(config, table)
    assert page == (committed / "outside/summary.md").read_text(encoding="utf-8")


def test_the_reach_of_the_populations_leaves_out_no_structure_that_matters(committed):
    """On draw 0, whose evidence is known for all structures, at each size."""
    by = ["n", "structure"]
    scores = pd.read_csv(committed / "study/scores.csv").query("draw == 0 and method == 'cs_lr'")
    scores = scores.set_index(by)["score"]
    evidence = tables.read(committed / "study/evidence.csv", "evidence").query("draw == 0")
    evidence = evidence.set_index(by)["log_evidence"]
    matters = evidence.groupby("n").transform(lambda values: normalise(values.to_numpy())) > 1e-4
    below = scores.groupby("n").transform("max") - scores
    farthest = below[matters[matters].index].max()
    for name in ("draws", "every-structure"):
        assert loaded(f"workflow/config/{name}.yaml")["reach"]["nats"] > 1.4 * farthest


@pytest.mark.parametrize("name", [PAPERS, EVERY, *VARIATIONS, MANY_CHAINS, EQUAL_COST])
def test_the_committed_draws_can_be_pooled_with_others(committed, name):
    names = {EVERY: [name], PAPERS: ["draws"]}.get(name, ["draws", f"variations/{name}"])
    settings = (loaded(f"workflow/config/{settings}.yaml") for settings in names)
    config = resolved(*settings, {"parts": [str(committed / name)]})
    assert list(parts.problems(config, range(1000, 2000))) == []


def make_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE))


PYTHON = {page: re.findall(r"```python\n(.*?)```", t, re.DOTALL) for page, t in TEXTS.items()}


def commands(text: str) -> list[list[str]]:
    """The commands of the indented blocks of a page, word by word, without their remarks."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines = re.findall(r"^ {4}(\S(?:.*\\\n)*.*)$", plain, re.MULTILINE)
    programs = ("latentdag ", "snakemake ", "make", "python ")
    commands = [line.replace("\\\n", " ") for line in lines if line.startswith(programs)]
    commands += re.findall(r"`((?:make|snakemake|python|latentdag) [^`]+)`", text)
    return [shlex.split(line, comments=True) for line in commands]


COMMANDS = {page: commands(text) for page, text in TEXTS.items()}
# the README's are run where what they print is read
OF_LATENTDAG = {
    shlex.join(words): words
    for page, of_page in COMMANDS.items()
    for program, *words in of_page
    if program == "latentdag" and page != "README.md"
}


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", [*PAGES, ".github/CONTRIBUTING.md", "workflow/data/README.md"])
def test_links_lead_somewhere(page):
    path = ROOT / page
    code = r"^```[\s\S]*?^```$|^(?: {4}.*\n)+|`[^`\n]*`"
    text = re.sub(code, "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in link:
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            assert target.is_file(), link
            assert not anchor or anchor in anchors(target), link


def test_the_reference_has_every_public_name():
    names = re.findall(r"^::: latentdag\.(\w+)$", TEXTS["workflow/docs/reference.md"], re.MULTILINE)
    assert sorted(names) == sorted(set(latentdag.__all__) - {"__version__"})


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
@pytest.mark.parametrize("command", OF_LATENTDAG)
def test_the_command_runs(command, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    try:
        status = main(OF_LATENTDAG[command])
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
            options = get_argument_parser().parse_args(words)
            files = [Path(f) for f in options.configfile or [] if Path(f).name != "mine.yaml"]
            assert all((ROOT / f).is_file() for f in files), files
            assert all(re.match(r"\w+=", word) for word in options.config or [])


@pytest.mark.slow
def test_the_site_has_every_page(tmp_path):
    """As `make docs` builds it, of a copy of the pages."""
    (tmp_path / "src").symlink_to(ROOT / "src")
    docs.copy_site(tmp_path / "build")
    config = tmp_path / "build/mkdocs.yml"
    printed(tool("zensical"), "build", "--strict", "--config-file", str(config))
    nav = config.read_text(encoding="utf-8").partition("\nnav:\n")[2]
    pages = re.findall(r"(\S+)\.md$", nav, re.MULTILINE)
    assert {page.removesuffix(".md") for page in PAGES} <= set(pages)
    for page in pages:
        path = tmp_path / "build/site" / page.removesuffix("README") / "index.html"
        assert path.is_file(), page
    page = "results/published/study/class.html"
    assert (tmp_path / "build/site" / page).read_bytes() == (ROOT / page).read_bytes()


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
    printed, shown = numbers(capsys.readouterr().out), numbers(shown_by_it)
    assert shown and {name: printed[name] for name in shown} == pytest.approx(shown, abs=0.02)


@pytest.mark.slow
def test_the_readme_has_what_its_example_prints(monkeypatch, capsys):
    """And says by how much the bound is below the evidence."""
    monkeypatch.chdir(ROOT)
    (example,) = PYTHON["README.md"]
    exec(compile(example, "README.md", "exec"), {})
    printed_by_it = capsys.readouterr().out.split()
    parts = PART.finditer(TEXTS["README.md"])
    (shown,) = (p["content"].split() for p in parts if p["command"] == "the example above")
    words, labels = ([w for w in of if "." not in w] for of in (shown, printed_by_it))
    assert words == labels  # the best structure among them
    numbers = [[float(w) for w in of if "." in w] for of in (shown, printed_by_it)]
    assert numbers[1] == pytest.approx(numbers[0], abs=0.1)
    bound, evidence = numbers[1][:2]
    assert f"VB's bound is {evidence - bound:.0f} nats below the evidence" in TEXTS["README.md"]


TEXT = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLE = dict(re.findall(r"```python\n# (\S+)\n(.+?)```", TEXT, re.DOTALL))
SCORE, TEST = EXAMPLE


@pytest.mark.parametrize("is_right", [True, False])
def test_the_examples_test_passes_and_fails_for_a_wrong_score(monkeypatch, cases, is_right):
    """The code of the page, with its score in the registry, as a file in the folder would be."""
    assert Path(SCORE).parent == Path("src/latentdag/scores") and not (ROOT / SCORE).exists()
    code, of_score, of_test = EXAMPLE[SCORE], {}, {}
    assert code.count("d / 2 * log") == 1
    exec(code if is_right else code.replace("d / 2 * log", "d * log"), of_score)
    monkeypatch.setitem(scores.SPECS, "draper", of_score["DRAPER"])
    exec(EXAMPLE[TEST], of_test)
    (test,) = (of_test[name] for name in of_test if name.startswith("test_"))
    if is_right:
        test(cases)
    else:
        with pytest.raises(AssertionError):
            test(cases)
