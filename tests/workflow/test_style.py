"""The code keeps the house's style, the three lists of versions agree, and the citation file is
valid.
"""

import re
import sys
from importlib.metadata import distributions

import pytest
import yaml
from declared import asked_for, circle, imports_of, modules, needs, pinned, pyproject
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from studies import ROOT, tool

CONDA_NAMES = {
    "matplotlib-base": "matplotlib",
    "snakemake-minimal": "snakemake",
    "typst-py": "typst",
}  # the same, without extras


TEXTS = (
    "README.md", "CITATION.cff", "Makefile", "Snakefile", "*.toml", "*.yml", ".*.yaml", ".*.yml",
    ".ci/*", ".github/*.md", ".github/*/*.yml", "tests/data/README.md", "workflow/*/*.smk",
    "workflow/*/*.yml", "workflow/*/*.yaml", "workflow/*/*/*.yaml", "workflow/*/*.md",
    "workflow/*/*.rst", "workflow/*/*.html", "workflow/*/*.js",
)  # fmt: skip
LONGEST = 100
NAMES = {  # under which pip has what is imported
    "yaml": "pyyaml",
    "PIL": "pillow",
    "markdown_it": "markdown-it-py",
    "griffe": "griffelib",
    "sklearn": "scikit-learn",
}


def too_long(text: str, markdown: bool = False) -> list[int]:
    """Numbers of the lines that a window of LONGEST characters cuts off.

    A row of a table and a marker must be one line in Markdown, and an address cannot be broken.
    """
    return [
        number
        for number, line in enumerate(text.splitlines(), start=1)
        if len(re.sub(r"https?://\S+|\]\(\S+\)", "", line)) > LONGEST
        and not (markdown and line.lstrip().startswith(("|", "<!-- measured: ")))
    ]


def test_what_is_too_long():
    long = "x" * 101
    assert too_long(f"{long[1:]}\n{long}\n| {long}\n") == [2, 3]
    assert too_long(f"{long}\n  | {long} |\n", markdown=True) == [1]
    assert too_long(f"see https://{long}\n{long} https://a.b") == [2]


@pytest.mark.parametrize(
    "path",
    sorted(path for pattern in TEXTS for path in ROOT.glob(pattern)),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_lines_of_texts(path):
    """They fit a window and have no blanks at their ends, as ruff sees to in Python files."""
    text = path.read_text(encoding="utf-8")
    lines = too_long(text, markdown=path.suffix == ".md")
    assert not lines, f"lines of more than {LONGEST} characters: {lines}"
    assert not re.search(r"[ \t\r]$", text, re.MULTILINE)
    assert re.search(r"[^\n]\n\Z", text), "one line break ends a file"


def test_ruff(study):
    study.call([tool("ruff"), "check", "--no-cache", "--output-format", "concise", str(ROOT)])


def test_ruff_format(study):
    study.call([tool("ruff"), "format", "--check", "--no-cache", str(ROOT)])


def test_what_others_call_has_a_docstring(study):
    """Modules, packages, public classes and functions."""
    rules = ["--select", "D100,D101,D103,D104", "--output-format", "concise", "--no-cache"]
    study.call([tool("ruff"), "check", *rules, str(ROOT / "src"), str(ROOT / "workflow/lib")])


def test_snakefmt(study):
    study.call([tool("snakefmt"), "--check", "Snakefile", "workflow/rules"])


@pytest.mark.slow
def test_snakemake_lint(study):
    study.call([tool("snakemake"), "--lint"])


@pytest.mark.parametrize(
    "path", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=lambda path: path.name
)
def test_scripts_say_what_they_do(path):
    assert path.read_text(encoding="utf-8").startswith('"""')


def test_no_imports_in_a_circle():
    """The package's modules know nothing of the workflow's, which come after them."""
    package = modules(ROOT / "src/latentdag", "latentdag")
    workflow = modules(ROOT / "workflow/lib", "lib") | modules(ROOT / "workflow/scripts")
    graph = needs(package | workflow)
    assert not circle(graph), " imports ".join(reversed(circle(graph)))
    assert all(graph[name] <= set(package) for name in package)
    assert "latentdag.engine.streams" in graph["latentdag.model.parameters"]


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
    assert {name.split(".")[1] for name in package if "." in name} == {
        layer.split(".")[0] for layer in LAYERS
    }
    upwards = [
        f"{name} imports {other}"
        for name in set(package) - faces
        for other in graph[name] - faces
        if layer_of(other) > layer_of(name)
    ]
    assert upwards == []
    assert "latentdag.inference.em" in graph["latentdag.scores.vb"]
    assert [path.name for path in (ROOT / "src/latentdag").glob("*.py")] == ["__init__.py"]


PRIVATE = (
    *("numba.core", "llvmlite.ir.instructions", "joblib.externals", "joblib._"),
    *("snakemake.report.common", "snakemake.dag", "snakemake.persistence", "numpy.core"),
)
# what numba and llvmlite document for those who extend numba
DOCUMENTED = ("numba.core.event", "numba.core.cgutils")


def private_imports(path) -> list[str]:
    """Names of other projects that a file imports and that these do not document."""
    return [
        name
        for name in imports_of(path)
        if not name.startswith(("latentdag", "lib", *DOCUMENTED))
        and (name.startswith(PRIVATE) or re.search(r"\._[a-z]", f".{name}"))
    ]


@pytest.mark.slow
def test_nothing_imports_what_other_projects_keep_to_themselves():
    paths = [
        path for folder in ("src", "workflow", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    found = {str(path.relative_to(ROOT)): private_imports(path) for path in paths}
    assert {path: names for path, names in found.items() if names} == {}


def test_private_imports_are_seen(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(
        "import numba.core.codegen\nfrom numba import _dynfunc\nfrom joblib.externals import loky\n"
        "from numba.core.event import register\nfrom __future__ import annotations\n"
        "def f():\n    from snakemake.report.common import data_uri\n"
    )
    assert sorted(private_imports(path)) == [
        "joblib.externals.loky",
        "numba._dynfunc",
        "numba.core.codegen",
        "snakemake.report.common.data_uri",
    ]


def test_circles_are_seen(tmp_path):
    """Through a name of a package and an import within a function too."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/__init__.py").write_text("from a import b\n")
    (tmp_path / "a/b.py").write_text("import a.c\n")
    (tmp_path / "a/c.py").write_text("def f():\n    from a import b\n")
    graph = needs(modules(tmp_path))
    assert graph == {"a": {"a.b"}, "a.b": {"a.c"}, "a.c": {"a.b"}}
    assert set(circle(graph)) == {"a.b", "a.c"}
    graph["a.c"].clear()
    assert circle(graph) == []


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
    """Packages of others that the code and its tests import; benchmarks may compare with what
    nothing else needs.
    """
    paths = [
        path for folder in ("src", "workflow", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    found = {
        name.partition(".")[0]
        for path in paths
        if path.parent.name != "benchmarks"
        for name in imports_of(path)
    }
    ours = {"latentdag", "lib", "snakemake_logger_plugin_study", *(path.stem for path in paths)}
    return found - set(sys.stdlib_module_names) - ours


@pytest.mark.slow
def test_what_is_imported_is_asked_for():
    names = {canonicalize_name(NAMES.get(name, name)) for name in imported()}
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
