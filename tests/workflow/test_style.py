"""The code keeps the house's style, and the three lists of versions agree."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from studies import ROOT, Study, tool

CONDA_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}  # the same, without extras


def test_ruff(study):
    study.call([tool("ruff"), "check", "--no-cache", "--quiet", "--output-format", "concise", str(ROOT)])


def test_snakefmt(study):
    study.call([tool("snakefmt"), "--check", "Snakefile", "workflow/rules"])


def test_snakemake_lint(study):
    study.call([tool("snakemake"), "--lint"])


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=lambda path: path.name)
def test_scripts_say_what_they_do(path):
    assert path.read_text(encoding="utf-8").startswith('"""')


def test_every_rule_has_log_benchmark_threads_and_message(study):
    """Of the rules that run something; those derived with ``use rule`` inherit threads."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    rules = re.findall(r"^(use )?rule (\w+)[^\n]*:\n((?:(?:    [^\n]*)?\n)+)", text, re.MULTILINE)
    assert len(rules) > 15
    for derived, name, body in rules:
        if "output:" not in body:
            assert name in ("figures", "report_pages")
            continue
        for part in ("log", "benchmark", "message", *(() if derived else ("threads", "input"))):
            assert f"    {part}:" in body, f"rule {name} has no {part}"


def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def asked_for() -> list[Requirement]:
    """What the project needs by name: to run, for the study, and for its tests."""
    project = pyproject()
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(line) for group in groups for line in group]


def pinned() -> dict[str, str]:
    """Versions in requirements.txt."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    for line in wanted:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line), f"not an exact version: {line}"
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in wanted)}


def conda() -> dict[str, str]:
    """Versions in environment.yml."""
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    versions = {}
    for line in listed:
        name, version = re.fullmatch(r"([a-z0-9-]+)=?(=[0-9.]+|>=[0-9.]+)", line).groups()
        versions[canonicalize_name(CONDA_NAMES.get(name, name))] = version.removeprefix("=")
    return versions


def test_pinned_versions_are_what_the_project_asks_for():
    versions = pinned()
    for requirement in asked_for():
        name = canonicalize_name(requirement.name)
        assert name in versions, f"{name} is not in requirements.txt: make requirements"
        assert requirement.specifier.contains(versions[name]), f"{requirement} but requirements.txt has {versions[name]}"


def test_conda_has_the_same_versions():
    versions, ours = pinned(), conda()
    for requirement in asked_for():
        name = canonicalize_name(requirement.name)
        assert ours.get(name) == versions[name], f"{name}: {ours.get(name)} for conda, {versions[name]} for pip"
    assert ours.pop("python") == pyproject()["requires-python"]
    assert {name: versions.get(name) for name in ours} == ours


def test_project_copies_hold_what_the_study_needs(study: Study):
    """What the tests copy is what a clone needs to run: the plan of the default study can be made from it."""
    assert "Job stats" in study.call([tool("snakemake"), "--cores", "2", "--dry-run"]).stdout
