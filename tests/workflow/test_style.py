"""The code keeps the house's style, the three lists of versions agree, and the citation file is
valid.
"""

import re
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest
import yaml
from declared import asked_for, imports_of, modules, needs, pinned, pyproject
from packaging.utils import canonicalize_name
from studies import ROOT, tool

CONDA_NAMES = {
    "matplotlib-base": "matplotlib",
    "snakemake-minimal": "snakemake",
    "typst-py": "typst",
}  # the same, without extras


NAMES = {  # under which pip has what is imported
    "yaml": "pyyaml",
    "PIL": "pillow",
    "markdown_it": "markdown-it-py",
    "griffe": "griffelib",
    "sklearn": "scikit-learn",
}


RUFF = (
    ("check", "."),
    ("format", "--check", "."),
    # modules, packages, public classes and functions have a docstring
    ("check", "--select", "D100,D101,D103,D104", "src", "workflow/lib"),
    # nothing imports a private name
    ("check", "--preview", "--select", "PLC2701", "."),
)


@pytest.mark.parametrize("words", RUFF, ids=" ".join)
def test_ruff(words):
    command = [tool("ruff"), *words, "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_snakefmt(study):
    study.call([tool("snakefmt"), "--check", str(ROOT / "Snakefile"), str(ROOT / "workflow/rules")])


@pytest.mark.slow
def test_snakemake_lint(study):
    study.call([tool("snakemake"), "--lint"])


# from the ground up: a module imports from its layer and from those below
LAYERS = (
    *("engine", "model", "data", "inference", "scores", "search", "analysis"),
    *("study.schema", "study.one_draw", "study.many_draws", "study.own_data", "study.paper"),
    *("figures", "estimator", "report", "topics", "command"),
)


def layer_of(module: str) -> int:
    names = (f"latentdag.{layer}." for layer in LAYERS)
    return [f"{module}.".startswith(name) for name in names].index(True)


def test_no_import_runs_upwards():
    """Nor one that takes place when the module is used."""
    package = modules(ROOT / "src/latentdag", "latentdag")
    faces = {"latentdag", "latentdag.study"}
    graph = needs(package)
    TopologicalSorter(graph).prepare()  # raises CycleError for a circle
    upwards = [
        f"{name} imports {other}"
        for name in set(package) - faces
        for other in graph[name] - faces
        if layer_of(other) > layer_of(name)
    ]
    assert upwards == []
    assert "latentdag.inference.em" in graph["latentdag.scores.vb"]


@pytest.mark.slow
def test_every_rule_says_all_of_itself(rules):
    """With what it inherits; but a log or a benchmark that is inherited would be overwritten. What
    runs nothing asks for files, or for own data refuses a rule of a simulated study.
    """
    running = {}
    for kind, own in rules.items():
        here = [rule for rule in own.values() if rule["runs"]]
        running[kind] = {rule["name"] for rule in here}
        assert len(here) > 15
        for rule in here:
            assert not rule["unnamed"], f"rule {rule['name']} has files without a name"
            for part in ("log", "benchmark", "threads", "message", "conda"):
                assert rule[part], f"rule {rule['name']} has no {part}"
            assert rule["conda"].endswith("environment.yml") and not rule["container"]
        for part in ("log", "benchmark"):
            shown = {str(rule[part]) for rule in here}
            assert len(shown) == len(here), f"two rules share a {part}"
        asking = {name for name, rule in own.items() if not rule["runs"] and rule["message"]}
        assert asking == {"all", "figures", "report_pages"}
        if "article" in own:  # where typst is installed
            assert all("results/article.pdf" in own[a]["input"] for a in asking - {"figures"})
        refused = set(own) - running[kind] - asking
        assert refused <= running["study"] if kind == "own-data" else not refused


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


@pytest.mark.slow
def test_what_is_imported_is_asked_for():
    """But for benchmarks, which may compare with what nothing else needs."""
    paths = [
        path for folder in ("src", "workflow", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    known = [imports_of(path) for path in paths if path.parent.name != "benchmarks"]
    found = {name.partition(".")[0] for names in known for name in names}
    ours = {"latentdag", "lib", "snakemake_logger_plugin_study", *(path.stem for path in paths)}
    others = found - set(sys.stdlib_module_names) - ours
    names = {canonicalize_name(NAMES.get(name, name)) for name in others}
    assert {"numpy", "pytest", "pyyaml"} <= names
    assert names <= {canonicalize_name(requirement.name) for requirement in asked_for()}
