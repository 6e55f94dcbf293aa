"""Make's targets, continuous integration, the hooks before a commit and the entry in the catalog of
workflows: they say what is so.
"""

import re
import subprocess

import pytest
import yaml
from declared import make_targets, pinned, pyproject
from packaging.specifiers import SpecifierSet
from snakemake.cli import get_argument_parser
from studies import ROOT, tool

NEWEST_TRIED = "3.13"


def loaded(path: str) -> dict:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


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


def test_scripts_that_make_calls_are_there():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    scripts = re.findall(r"python ([\w/]+\.py)", text)
    modules = re.findall(r"PYTHONPATH=(\w+) \$\(BIN\)/python -m (\S+)", text)
    scripts += [f"{folder}/{module.replace('.', '/')}.py" for folder, module in modules]
    assert len(scripts) >= 6
    assert [path for path in scripts if not (ROOT / path).is_file()] == []


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


def test_ci_runs_the_readmes_commands_where_the_project_claims_to_run():
    ci = loaded(".github/workflows/ci.yml")
    (job,) = ci["jobs"].values()
    matrix = job["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos"}
    systems = " ".join(pyproject()["classifiers"])
    assert "POSIX :: Linux" in systems
    assert "MacOS" in systems
    assert matrix["python"] == classified()

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    weekly = [step for step in job["steps"] if "if" in step]
    assert [(step["if"], step["run"]) for step in weekly] == [
        ("github.event_name == 'schedule'", "make newest")
    ]
    assert ci[True]["schedule"][0]["cron"]  # YAML takes the key `on` for true
    commands = [step["run"] for step in job["steps"] if "run" in step and step not in weekly]
    assert "make test" in commands
    for command in commands:
        assert command.split()[0] == "make"
        assert set(command.split()[1:]) <= make_targets()
        assert command in readme

    (python,) = (step["with"] for step in job["steps"] if "setup-python" in step.get("uses", ""))
    assert python["python-version"] == "${{ matrix.python }}"
    assert (ROOT / python["cache-dependency-path"]).is_file()
    assert ci["permissions"] == {"contents": "read"}
    assert "secrets" not in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


def test_versions_of_python_are_those_that_the_package_takes():
    """From the oldest that it asks for to the newest that was tried, with no gap."""
    wanted = SpecifierSet(pyproject()["requires-python"])
    minors = [int(version.partition(".")[2]) for version in classified()]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert f"3.{minors[0]}" in wanted
    assert f"3.{minors[0] - 1}" not in wanted
    assert classified()[-1] == NEWEST_TRIED


def test_hooks_have_the_versions_of_the_tests():
    repositories = loaded(".pre-commit-config.yaml")["repos"]
    versions = {entry["repo"].rpartition("/")[2]: entry["rev"] for entry in repositories}
    assert versions["ruff-pre-commit"] == f"v{pinned()['ruff']}"
    assert versions["snakefmt"] == f"v{pinned()['snakefmt']}"
    assert all(entry["repo"].startswith("https://github.com/") for entry in repositories)
    hooks = {hook["id"]: hook for entry in repositories for hook in entry["hooks"]}
    assert {"ruff-check", "ruff-format", "snakefmt", "end-of-file-fixer"} <= set(hooks)
    for name, meant in (
        ("Snakefile", True),
        ("workflow/rules/scores.smk", True),
        ("workflow/scripts/score.py", False),
        ("tests/Snakefile.py", False),
    ):
        assert bool(re.search(hooks["snakefmt"]["files"], name)) == meant


@pytest.mark.slow
def test_catalog_says_what_is_so(study, rules):
    """Conda, not containers, as every rule says of itself. Report: rules make pages for it. No
    further flag is needed: a plan is made without.
    """
    usage = loaded(".snakemake-workflow-catalog.yml")["usage"]
    deployed = usage["software-stack-deployment"]
    assert deployed == {"conda": True, "apptainer": False, "apptainer+conda": False}
    assert usage["report"] and "report_pages" in rules["study"]
    assert usage["mandatory-flags"]["flags"] == []
    study.call([tool("snakemake"), "--cores", "1", "--dry-run", "--quiet"])
