"""What a result depends on is found in the imports: all of it, and nothing else."""

import json
import os
import subprocess
import sys

import pytest
from studies import ROOT

from latentdag.scores import JOBS, MODULES, scores_of
from lib import sources

pytestmark = pytest.mark.slow

SCRIPTS = sorted(path.name for path in (ROOT / "workflow/scripts").glob("*.py"))
# rules whose script takes some scores from the registry; those of a job are all of score.py
OF_SOME_SCORES = {"prior": "prior.py"}
# the packages that do no more than pass names on
TRANSPARENT = {"src/latentdag/__init__.py"}


def needed(text: str, files: dict[str, str], folder, monkeypatch) -> set[str]:
    """What a script depends on, in a project that has these modules of the package latentdag."""
    monkeypatch.setattr(sources, "ROOT", folder)
    monkeypatch.setattr(sources, "FOLDERS", {"latentdag": folder / "src", "lib": folder})
    for cached in (sources._needs, sources._path, sources._tree, sources._only_passes_on):
        uncached = getattr(cached, "__wrapped__", cached)
        monkeypatch.setattr(sources, cached.__name__, uncached)
    for name, content in {"latentdag/__init__.py": "", **files}.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (folder / "workflow/scripts").mkdir(parents=True)
    (folder / "workflow/scripts/job.py").write_text(text, encoding="utf-8")
    return {name.removeprefix("src/latentdag/") for name in sources.of_scores("job.py")}


PLAIN = {f"latentdag/{name}.py": "" for name in "abcd"}
FORMS = {
    "a name": "from latentdag.a import x",
    "a module": "from latentdag import a",
    "in parentheses": "from latentdag.a import (\n    x,\n    y as z,\n)",
    "under another name": "import numpy, latentdag.a as other",
    "everything in it": "from latentdag.a import *",
    "in a function": "def f():\n    if True:\n        from latentdag.a import x",
    "in a class": "class C:\n    import latentdag.a as a",
    "two on a line": "import os; from latentdag.a import x",
    "on a continued line": "from latentdag.a \\\n    import x",
    "when it is used": 'import lazy_loader as lazy\na = lazy.load("latentdag.a")',
    "where it may fail": "try:\n    import latentdag.a as a\nexcept ImportError:\n    a = None",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_import_is_found(form, tmp_path, monkeypatch):
    assert needed(FORMS[form], PLAIN, tmp_path, monkeypatch) == {"a.py"}


def test_a_full_name_gives_the_package_as_well(tmp_path, monkeypatch):
    files = PLAIN | {"latentdag/__init__.py": "from latentdag.b import y"}
    found = needed("import latentdag.a", files, tmp_path, monkeypatch)
    assert found == {"a.py", "__init__.py", "b.py"}


def test_what_modules_import_is_followed(tmp_path, monkeypatch):
    files = PLAIN | {
        "latentdag/a.py": "from latentdag.b import x",
        "latentdag/b.py": "def f():\n    from latentdag import c, a",
    }
    found = needed("from latentdag import a", files, tmp_path, monkeypatch)
    assert found == {"a.py", "b.py", "c.py"}


def test_relative_imports_are_resolved(tmp_path, monkeypatch):
    files = PLAIN | {
        "latentdag/inner/__init__.py": "",
        "latentdag/inner/e.py": "from . import f\nfrom ..a import x\nfrom .. import b",
        "latentdag/inner/f.py": "from .g import y",
        "latentdag/inner/g.py": "",
    }
    found = needed("from latentdag.inner import e", files, tmp_path, monkeypatch)
    assert found == {"inner/e.py", "inner/f.py", "inner/g.py", "a.py", "b.py"}


def test_a_name_that_is_passed_on_leads_to_where_it_is_defined(tmp_path, monkeypatch):
    files = PLAIN | {
        "latentdag/__init__.py": (
            '"""Package."""\nfrom latentdag.a import x\nfrom .inner import far as near\n'
            "from latentdag.b import other\n__all__ = ['x', 'near', 'other']"
        ),
        "latentdag/inner/__init__.py": "from latentdag.inner.e import origin as far",
        "latentdag/inner/e.py": "",
    }
    found = needed("from latentdag import x", files, tmp_path / "1", monkeypatch)
    assert found == {"a.py"}
    found = needed("from latentdag import near", files, tmp_path / "2", monkeypatch)
    assert found == {"inner/e.py"}
    found = needed("import latentdag", files, tmp_path / "3", monkeypatch)
    assert {"a.py", "b.py", "inner/e.py"} <= found


def test_a_name_that_is_loaded_when_it_is_used_leads_to_where_it_is_defined(tmp_path, monkeypatch):
    files = PLAIN | {
        "latentdag/__init__.py": (
            "import lazy_loader as lazy\n"
            "__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)"
        ),
        "latentdag/__init__.pyi": "from .a import x as x\nfrom .b import y as y",
    }
    assert needed("from latentdag import x", files, tmp_path, monkeypatch) == {"a.py"}


def test_a_package_that_does_more_counts_with_all_that_it_imports(tmp_path, monkeypatch):
    files = PLAIN | {
        "latentdag/inner/__init__.py": "from latentdag.c import x\nTABLE = x()\n",
        "latentdag/inner/e.py": "",
    }
    found = needed("import latentdag.inner.e as e", files, tmp_path / "1", monkeypatch)
    assert found == {"inner/__init__.py", "inner/e.py", "c.py"}
    found = needed("from latentdag.inner import TABLE", files, tmp_path / "2", monkeypatch)
    assert found == {"inner/__init__.py", "c.py"}


def test_what_only_a_checker_of_types_reads_does_not_count(tmp_path, monkeypatch):
    text = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from latentdag.a import x\n"
        "else:\n    from latentdag.b import x"
    )
    assert needed(text, PLAIN, tmp_path, monkeypatch) == {"b.py"}


def test_an_unknown_module_is_an_error():
    with pytest.raises(ModuleNotFoundError, match=r"latentdag\.nothing"):
        sources.of("score.py", "latentdag.nothing")


@pytest.fixture(scope="module")
def really() -> dict[str, set[str]]:
    """By script, or by rule of some scores, the files of our modules that Python loads for it."""
    asked = {script: [] for script in SCRIPTS if script != "score.py"}
    asked |= {name: [MODULES[s.name] for s in scores_of(job)] for name, job in JOBS.items()}
    asked |= {"prior": [m for name in ("map", "vb", "reference") for m in asked[name]]}
    requests = [
        ",".join([name if name in SCRIPTS else OF_SOME_SCORES.get(name, "score.py"), *modules])
        for name, modules in asked.items()
    ]
    result = subprocess.run(
        [sys.executable, str(ROOT / "tests/workflow/loaded.py"), *requests],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([f"{ROOT}/src", f"{ROOT}/workflow"])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    found = map(json.loads, result.stdout.splitlines())
    return {name: {path_of(m) for m in modules} for name, modules in zip(asked, found, strict=True)}


def path_of(module: str) -> str:
    stem = ("src/" if module.startswith("latentdag") else "workflow/") + module.replace(".", "/")
    return f"{stem}/__init__.py" if (ROOT / stem).is_dir() else f"{stem}.py"


def counted(paths: set[str]) -> set[str]:
    """Without packages that only pass names on, and modules that only say what a job does."""
    quiet = {"workflow/lib/job.py"}
    empty = {p for p in paths if p.endswith("__init__.py") and only_words(ROOT / p)}
    schema = "src/latentdag/study/schema"  # whose columns are data in a file beside them
    data = {f"{schema}/tables.yaml"} if f"{schema}/columns.py" in paths else set()
    return paths - quiet - empty - TRANSPARENT | data


def only_words(path) -> bool:
    return not path.read_text(encoding="utf-8").rpartition('"""')[2].strip()


@pytest.mark.parametrize("name", JOBS)
def test_a_job_depends_on_what_python_loads_for_its_scores(really, name):
    modules = [MODULES[spec.name] for spec in scores_of(JOBS[name])]
    found = set(sources.of_scores("score.py", *modules))
    assert found == counted(really[name])
    others = {path_of(module) for module in MODULES.values()} - really[name]
    assert len(others) >= 3
    assert not found & others


@pytest.mark.parametrize("script", [script for script in SCRIPTS if script != "score.py"])
def test_a_script_depends_on_what_python_loads_for_it(really, script):
    """And on the files of all scores, if it uses the list of them."""
    found, loaded = set(sources.of(script)), counted(really[script])
    assert loaded <= found
    more = found - loaded
    scores = {path_of(module) for module in MODULES.values()}
    assert more in (set(), scores - loaded)
    lists = [p for p in loaded | {f"workflow/scripts/{script}"} if uses_the_list(ROOT / p)]
    assert bool(lists) == (scores <= found), lists


@pytest.mark.parametrize("config", [[], ["workflow/config/own-data.yaml"]])
def test_every_rule_names_what_its_script_depends_on(study, really, config):
    """So an edit of any module reruns the rules that Python loads it for, and no other."""
    script = ROOT / "tests/workflow/rules.py"
    rules = json.loads(study.call([sys.executable, str(script), *config]).stdout)
    rules = [rule for rule in rules if rule["script"]]
    assert len(rules) > 15
    scores = {path_of(module) for module in MODULES.values()}
    for rule in rules:
        name = rule["script"]
        of_some = name == "score.py" or rule["name"] in OF_SOME_SCORES
        expected = counted(really[rule["name"] if of_some else name])
        # sorted by method; structures are read without their search, which scores
        listed = name != "own_structures.py"
        if name == "gather.py":
            listed = rule["name"] in ("scores", "priors")
        if not of_some and listed and set(sources.of(name)) >= scores:
            expected |= scores
        assert set(rule["code"]) == expected, rule["name"]


def uses_the_list(path) -> bool:
    """Whether a module imports a name that stands for all scores."""
    text = path.read_text(encoding="utf-8").replace("\n    ", " ")
    lines = [line for line in text.splitlines() if "import" in line]
    return any(
        (
            line.startswith("from latentdag.scores import")
            and {"SPECS", "METHODS", "JOBS", "MODULES"} & set(line.replace(",", " ").split())
        )
        or line.startswith("from latentdag import scores")
        for line in lines
    )
