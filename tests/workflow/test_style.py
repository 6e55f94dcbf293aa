"""The code keeps the house's style; lists of versions, make's targets and the picture of the rules
say what is so; a release has one version in all files, and its wheel works where nothing else of
the project is.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from graphlib import TopologicalSorter
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest
from declared import asked_for, imports_of, make_targets, modules, needs, pinned, pyproject
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from snakemake.cli import get_argument_parser
from studies import ROOT, links, loaded, printed, tool

import latentdag

CONDA_NAMES = {
    "matplotlib-base": "matplotlib",
    "snakemake-minimal": "snakemake",
    "typst-py": "typst",
}  # the same, without extras
# under which pip has what is imported
NAMES = {"yaml": "pyyaml", "PIL": "pillow", "markdown_it": "markdown-it-py"}
NAMES |= {"griffe": "griffelib", "sklearn": "scikit-learn"}
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
    printed(tool("ruff"), *words, "--no-cache", cwd=ROOT)


def test_snakefmt(study):
    study.call([tool("snakefmt"), "--check", str(ROOT / "Snakefile"), str(ROOT / "workflow/rules")])


@pytest.mark.slow
def test_snakemake_lint(study):
    study.call([tool("snakemake"), "--lint"])


# from the ground up: a module imports from its layer and from those below
LAYERS = (
    *("engine", "model", "data", "inference", "scores", "ranking", "analysis"),
    *("drawing", "estimator"),
    *("study.schema", "study.design", "study.settings"),
    *("study.one_draw", "study.many_draws", "study.own_data", "study.paper"),
    *("figures", "report", "command"),
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
    """What runs nothing asks for files. Rules of scores and of figures alone are made in loops."""
    running = {}
    for kind, own in rules.items():
        here = [rule for rule in own.values() if rule["runs"]]
        running[kind] = {rule["name"] for rule in here}
        assert len(here) > 15
        for rule in here:
            assert not rule["unnamed"], f"rule {rule['name']} has files without a name"
            for part in ("log", "benchmark", "docstring", "conda"):
                assert rule[part], f"rule {rule['name']} has no {part}"
            assert rule["conda"].endswith("environment.yml") and not rule["container"]
        for part in ("log", "benchmark"):
            shown = {str(rule[part]) for rule in here}
            assert len(shown) == len(here), f"two rules share a {part}"
        alone = [rule for rule in here if rule["script"] not in ("score.py", "plot.py")]
        assert len({rule["docstring"] for rule in alone}) == len(alone), "rules share a docstring"
        asking = set(own) - running[kind]
        assert asking == {"all", "figures", "report_pages"}


def conda() -> dict[str, str]:
    versions = {}
    for line in loaded("environment.yml")["dependencies"]:
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
    """But for experiments, which may compare with what nothing else needs."""
    paths = [
        path for folder in ("src", "workflow", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    known = [imports_of(path) for path in paths if path.parent.name != "experiments"]
    found = {name.partition(".")[0] for names in known for name in names}
    ours = {"latentdag", "lib", "docs", "topics", *(path.stem for path in paths)}
    others = found - set(sys.stdlib_module_names) - ours
    names = {canonicalize_name(NAMES.get(name, name)) for name in others}
    assert {"numpy", "pytest", "pyyaml"} <= names
    assert names <= {canonicalize_name(requirement.name) for requirement in asked_for()}


NEWEST_TRIED = "3.13"
SVG = "{http://www.w3.org/2000/svg}"


def classified() -> list[str]:
    """Versions of Python in the package's classifiers."""
    found = (re.fullmatch(r".*:: (3\.\d+)", line) for line in pyproject()["classifiers"])
    return [match[1] for match in found if match]


def test_make_lists_its_targets():
    """Each with a line of help; all but three need .venv, and wait for it by themselves."""
    # `make test` may have started this
    said = printed(tool("make"), "--no-print-directory", "help", cwd=ROOT)
    listed = re.findall(r"^make ([\w-]+) +\S.*$", said, re.MULTILINE)
    assert len(listed) == len(said.splitlines())
    assert set(listed) == make_targets()
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    ready = re.findall(r"^([\w-]+): \$\(READY\)", text, re.MULTILINE)
    assert set(ready) == make_targets() - {"help", "requirements"}
    assert listed[0] == "study"  # the first is what make alone does


@pytest.mark.parametrize("target", ["study", "smoke", "report", "draws", "examples", "topics"])
def test_snakemake_understands_what_make_gives_it(target):
    """An option that takes several values must not swallow the rule that is asked for."""
    said = printed("make", "--dry-run", "--always-make", target, cwd=ROOT)
    (command,) = re.findall(r"bin/snakemake +(--cores[^|;\n]*)", said)[:1]
    words = ["--logger", "rich", *command.replace("$folder", "f").split()]  # as on a terminal
    arguments = get_argument_parser().parse_args(words)
    assert arguments.logger == ["rich"]
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
    (job,) = loaded(".github/workflows/ci.yml")["jobs"].values()
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


SCORE = """
import latentdag, sys
assert latentdag.__file__.startswith(sys.argv[1]), latentdag.__file__
cases = [[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1]]
s = latentdag.Structure.from_label("1-1-0", latentdag.Family((2,), (2, 2, 2)))
print(latentdag.__version__, latentdag.score(cases, s, method="exact").score)
"""


def test_the_citation_file_is_of_the_package():
    citation, project = loaded("CITATION.cff"), pyproject()
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    assert project["authors"] == [{"name": author["name"]} for author in citation["authors"]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Of a copy of the sources, by setuptools as installed or, if that is old, fetched by pip."""
    folder = tmp_path_factory.mktemp("sources")
    ignore = shutil.ignore_patterns("*.pyc", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "."]
    command += ["--wheel-dir", str(folder / "dist"), "--disable-pip-version-check"]
    try:
        there = Version(version("setuptools")) >= Version("77")
    except ImportError:
        there = False
    if not there:
        asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "setuptools>=77"]
        found = subprocess.run(
            [*asked, "--dest", str(folder / "asked")], capture_output=True, check=False
        )
        if found.returncode:
            pytest.skip("no setuptools from version 77 on, and pip can fetch none")
    printed(*command, *(["--no-build-isolation"] if there else []), cwd=folder)
    (path,) = (folder / "dist").glob("*.whl")
    return path


@pytest.mark.weekly
def test_the_wheel_has_the_package_and_no_more(wheel):
    assert wheel.name == f"latentdag-{pyproject()['version']}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if ".dist-info/" not in name]
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for pattern in ("*.py", "*.pyi", "*.j2", "py.typed", "tables.yaml")
        for path in (ROOT / "src").rglob(pattern)
        if ".egg-info" not in str(path)
    }
    assert set(names) == sources


@pytest.mark.weekly
def test_the_wheel_works_where_nothing_else_of_the_project_is(wheel, tmp_path):
    place = tmp_path / "place"
    printed(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
        *("--disable-pip-version-check", "--target", str(place), str(wheel)),
    )
    here = tmp_path / "empty"
    here.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(place)
    at = {"cwd": here, "env": environment}
    said = printed(str(place / "bin/latentdag"), "--version", **at)
    assert said == f"latentdag {pyproject()['version']}\n"
    name, score = printed(sys.executable, "-c", SCORE, str(place), **at).split()
    assert name == pyproject()["version"]
    cases = [[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1]]
    s = latentdag.Structure.from_label("1-1-0", latentdag.Family((2,), (2, 2, 2)))
    expected = latentdag.score(cases, s, method="exact").score
    assert float(score) == pytest.approx(expected, abs=1e-9)
