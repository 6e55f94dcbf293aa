"""The pages that people read: links lead somewhere, code runs, commands are understood, and the
site is built from them.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from declared import make_targets
from snakemake.cli import get_argument_parser
from studies import ROOT, tool

from latentdag.command.cli import main
from lib import site
from lib.docs import PAGES, PART

TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
EVERY = [*PAGES, ".github/CONTRIBUTING.md", "workflow/data/README.md"]
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
    """The relative links of a page that lead nowhere."""
    found = []
    for link in site.links_of(page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if "://" in link:
            continue
        if not target.is_file() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", EVERY)
def test_links_lead_somewhere(page):
    assert dead(ROOT / page) == []


def test_every_page_can_be_reached_from_the_readme():
    reached = set(site.reached([ROOT / "README.md"]))
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
    for path in site.reached(ROOT / page for page in PAGES):
        site.copied(path, folder / "build/pages")
    config = str(folder / "workflow/docs/mkdocs.yml")
    done = subprocess.run(
        [tool("mkdocs"), "build", "--strict", "--config-file", config],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
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
    own, shown = (
        numbers(capsys.readouterr().out),
        numbers(shown_by_it),
    )
    assert shown and {name: own[name] for name in shown} == pytest.approx(shown, abs=0.02)
