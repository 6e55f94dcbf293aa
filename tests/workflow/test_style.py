"""The code keeps the house's style, the three lists of versions agree, and the citation file is
valid.
"""

import ast
import re
import sys
import tomllib
from importlib.metadata import distributions

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from studies import ROOT, Study, tool

CONDA_NAMES = {
    "matplotlib-base": "matplotlib",
    "snakemake-minimal": "snakemake",
}  # the same, without extras


def test_ruff(study):
    study.call(
        [tool("ruff"), "check", "--no-cache", "--quiet", "--output-format", "concise", str(ROOT)]
    )


def test_snakefmt(study):
    study.call([tool("snakefmt"), "--check", "Snakefile", "workflow/rules"])


def test_snakemake_lint(study):
    study.call([tool("snakemake"), "--lint"])


@pytest.mark.parametrize(
    "path", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=lambda path: path.name
)
def test_scripts_say_what_they_do(path):
    assert path.read_text(encoding="utf-8").startswith('"""')


def test_every_rule_has_log_benchmark_threads_and_message(study):
    """Of the rules that run something; those derived with ``use rule`` inherit threads."""
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
    )
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
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line), (
            f"not an exact version: {line}"
        )
    return {
        canonicalize_name(name): version for name, version in (line.split("==") for line in wanted)
    }


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
        assert requirement.specifier.contains(versions[name]), (
            f"{requirement} but requirements.txt has {versions[name]}"
        )


def test_conda_has_the_same_versions():
    versions, ours = pinned(), conda()
    for requirement in asked_for():
        name = canonicalize_name(requirement.name)
        assert ours.get(name) == versions[name], (
            f"{name}: {ours.get(name)} for conda, {versions[name]} for pip"
        )
    assert ours.pop("python") == pyproject()["requires-python"]
    assert {name: versions.get(name) for name in ours} == ours


def test_pinned_versions_are_complete_and_fit_each_other():
    """By what the packages that are installed at these versions ask for themselves."""
    versions, checked = pinned(), 0
    for package in distributions():
        if versions.get(canonicalize_name(package.name)) != package.version:
            continue
        checked += 1
        for requirement in map(Requirement, package.requires or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                version = versions.get(canonicalize_name(requirement.name))
                assert version and requirement.specifier.contains(version), (
                    f"{package.name}: {requirement}, not {version}"
                )
    assert checked > 10


def test_no_index_is_named():
    for name in ("requirements.txt", "environment.yml", "pyproject.toml"):
        assert not re.search(r"://|^-", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE), (
            name
        )


def imported() -> set[str]:
    """Modules of others that the code and its tests import; benchmarks may compare with what
    nothing else needs.
    """
    paths = [
        path for folder in ("src", "workflow", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    found = set()
    for path in paths:
        for node in (
            ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if path.parent.name != "benchmarks"
            else ()
        ):
            if isinstance(node, ast.ImportFrom):
                found.add(node.module)
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
    ours = {"latentdag", *(path.stem for path in paths)}
    return {name.split(".")[0] for name in found} - set(sys.stdlib_module_names) - ours


def test_what_is_imported_is_asked_for():
    names = {
        canonicalize_name(
            {"yaml": "pyyaml", "PIL": "pillow", "markdown_it": "markdown-it-py"}.get(name, name)
        )
        for name in imported()
    }
    assert {"numpy", "pytest", "pyyaml"} <= names
    assert names <= {canonicalize_name(requirement.name) for requirement in asked_for()}


def test_citation_file():
    """Cites the software, the paper and the thesis; the keys that Citation File Format 1.2.0
    requires.
    """
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"] and citation["title"]
    assert (citation["version"], citation["license"]) == (
        pyproject()["version"],
        pyproject()["license"],
    )
    (author,) = citation["authors"]
    assert f"Copyright (c) 2026 {author['name']}\n" in (ROOT / "LICENSE").read_text(
        encoding="utf-8"
    )
    paper, thesis = citation["references"]
    assert (paper["type"], thesis["type"]) == ("conference-paper", "thesis")
    for reference, names in ((paper, ["Beal", "Ghahramani"]), (thesis, ["Beal"])):
        assert [author["family-names"] for author in reference["authors"]] == names
        assert reference["title"] and reference["year"] == 2003
    assert thesis["institution"]["name"] and paper["publisher"]["name"]  # entities have a name


def test_project_copies_hold_what_the_study_needs(study: Study):
    """What the tests copy is what a clone needs to run: the plan of the default study can be made
    from it.
    """
    assert "Job stats" in study.call([tool("snakemake"), "--cores", "2", "--dry-run"]).stdout
