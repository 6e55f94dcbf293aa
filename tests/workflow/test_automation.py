"""Make's targets, the picture of the rules and the versions of Python: they say what is so."""

import re
import subprocess
from xml.etree import ElementTree

import pytest
import yaml
from declared import make_targets, pyproject
from packaging.specifiers import SpecifierSet
from snakemake.cli import get_argument_parser
from studies import ROOT, links, tool

NEWEST_TRIED = "3.13"
SVG = "{http://www.w3.org/2000/svg}"


def classified() -> list[str]:
    """Versions of Python in the package's classifiers."""
    found = (re.fullmatch(r".*:: (3\.\d+)", line) for line in pyproject()["classifiers"])
    return [match[1] for match in found if match]


def test_make_lists_its_targets():
    """Each with a line of help; all but three need .venv, and wait for it by themselves."""
    command = [tool("make"), "--no-print-directory", "help"]  # `make test` may have started this
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^make ([\w-]+) +\S.*$", printed, re.MULTILINE)
    assert len(listed) == len(printed.splitlines())
    assert set(listed) == make_targets()
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    ready = re.findall(r"^([\w-]+): \$\(READY\)", text, re.MULTILINE)
    assert set(ready) == make_targets() - {"help", "requirements"}
    assert listed[0] == "study"  # the first is what make alone does


@pytest.mark.parametrize("target", ["study", "smoke", "report", "draws", "examples", "topics"])
def test_snakemake_understands_what_make_gives_it(target):
    """An option that takes several values must not swallow the rule that is asked for."""
    dry = ["make", "--dry-run", "--always-make", target]
    said = subprocess.run(dry, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    (command,) = re.findall(r"bin/snakemake (--logger[^|;\n]*)", said)[:1]
    arguments = get_argument_parser().parse_args(command.replace("$folder", "f").split())
    assert arguments.logger == ["study"]
    asked = {"report": ["report_pages"], "examples": ["report_pages"]}
    assert [*arguments.targets] == asked.get(target, [])


def test_versions_of_python_are_those_that_the_package_takes():
    """From the oldest that it asks for to the newest that was tried, with no gap; and of CI."""
    wanted = SpecifierSet(pyproject()["requires-python"])
    minors = [int(version.partition(".")[2]) for version in classified()]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert f"3.{minors[0]}" in wanted
    assert f"3.{minors[0] - 1}" not in wanted
    assert classified()[-1] == NEWEST_TRIED
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    (job,) = ci["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == classified()


@pytest.mark.slow
def test_the_picture_shows_the_rules_and_their_links(unrun):
    pairs, names, drawn = links(unrun), {}, set()
    for part in ElementTree.parse(ROOT / "workflow/rulegraph.svg").iter(f"{SVG}g"):
        title = part.findtext(f"{SVG}title")
        if part.get("class") == "node":
            names[title] = part.findtext(f"{SVG}text")
        elif part.get("class") == "edge":
            drawn.add(tuple(title.split("->")))
    assert len(pairs) > 15
    rules = {rule for pair in pairs for rule in pair} - {"all"}
    assert set(names.values()) == rules, "make rulegraph"
    needs = {pair for pair in pairs if "all" not in pair}
    assert {(names[a], names[b]) for a, b in drawn} == needs, "make rulegraph"
