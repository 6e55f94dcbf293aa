"""The runner of mutants tells apart what a test sees and what none does; the list is current."""

import ast
import re
import subprocess
from pathlib import Path

import pytest
import run
from mutant import Mutant
from mutants import MUTANTS

CODE = """def double(x):
    while x > 1000:
        x -= 1
    return 2 * x
"""
TESTS = """from code_under_test import double
def test_three():
    assert double(3) == 6
def test_many():
    assert double(1001) == 2000
"""
OWN = ("test_it.py",)
FILE = "src/code_under_test.py"
TOYS = {
    "seen": Mutant("seen", FILE, "2 * x", "3 * x", OWN),
    "same": Mutant("same", FILE, "2 * x", "x * 2", OWN, survives="it is the same number"),
    "missed": Mutant("missed", FILE, "x > 1000", "x > 1000 and x != 9999", OWN),
    "gone": Mutant("gone", FILE, "4 * x", "5 * x", OWN),
    "twice": Mutant("twice", FILE, "x", "y", OWN),
    "no file": Mutant("no file", "src/nothing.py", "x", "y", OWN),
    "not imported": Mutant("not imported", FILE, "def double", "def half", OWN),
    "crash": Mutant("crash", FILE, "return 2", "import os; os.abort() if x < 4 else 2", OWN),
    "stopped": Mutant("stopped", FILE, "return 2", "import os; os.kill(os.getpid(), 9); 2", OWN),
    "endless": Mutant("endless", FILE, "x -= 1", "x -= 0", OWN),
}


@pytest.fixture
def project(tmp_path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / FILE).write_text(CODE)
    (tmp_path / "test_it.py").write_text(TESTS)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def results(project, *names, **settings) -> dict[str, str]:
    settings = {"jobs": 2, "whole": False} | settings
    verdicts = list(run.judge(project, [TOYS[name] for name in names], **settings))
    assert [v.mutant.name for v in verdicts] == list(names)
    return {v.mutant.name: v.result for v in verdicts}


def test_verdicts(project, monkeypatch):
    monkeypatch.setattr(run, "PATIENCE", 3)
    assert results(project, *TOYS) == {
        "seen": run.KILLED,
        "same": run.SURVIVED,
        "missed": run.SURVIVED,
        "gone": run.NOT_APPLIED,
        "twice": run.NOT_APPLIED,
        "no file": run.NOT_APPLIED,
        "not imported": run.KILLED,
        "crash": run.KILLED,
        "stopped": run.NOT_RUN,
        "endless": run.KILLED,
    }
    assert (project / FILE).read_text() == CODE  # only copies are changed


def test_a_survivor_meets_the_whole_suite(project):
    (project / "test_more.py").write_text(
        "from code_under_test import double\ndef test_it():\n    assert double(9999) == 2000\n"
    )
    (project / "tests/mutants").mkdir(parents=True)
    (project / "tests/mutants/test_list.py").write_text(
        f"def test_it():\n    assert open({FILE!r}).read() == {CODE!r}\n"
    )
    assert results(project, "missed", "same", whole=True) == {
        "missed": run.KILLED,
        "same": run.SURVIVED,
    }


def test_tests_that_fail_anyhow_judge_nothing(project):
    (project / "test_it.py").write_text("def test_it():\n    assert False\n")
    with pytest.raises(SystemExit, match="unchanged project"):
        results(project, "seen")


def test_tests_that_are_not_there_judge_nothing(project):
    with pytest.raises(SystemExit, match="unchanged project"):
        list(run.judge(project, [Mutant("x", FILE, "2 * x", "1", ("none.py",))], 1, False))


@pytest.mark.parametrize(
    ("names", "status", "share"),
    [
        (("seen", "same"), 0, "1 of 2 mutants killed (50.0%)"),
        (("seen", "missed"), 1, "1 of 2 mutants killed (50.0%)"),
        (("seen", "gone"), 1, "1 of 2 mutants killed (50.0%)"),
        (("seen",), 0, "1 of 1 mutants killed (100.0%)"),
    ],
)
def test_what_is_printed(project, capsys, names, status, share):
    assert run.main(["--only", *names], project, list(TOYS.values())) == status
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == share
    assert [line.split()[0] for line in lines] == list(names)
    if "seen" in names:
        assert lines[0].endswith("test_it.py::test_three")
    if "same" in names:
        assert lines[1].endswith("it is the same number")


def test_a_name_that_no_mutant_has(project, capsys):
    with pytest.raises(SystemExit):
        run.main(["--only", "nobody"], project, list(TOYS.values()))
    assert "no mutant has nobody in its name" in capsys.readouterr().err


def test_names_are_different():
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_list_is_current(tmp_path, mutant):
    """Every mutant applies, is a program, and names tests that are there."""
    copy = tmp_path / mutant.file
    copy.parent.mkdir(parents=True)
    copy.write_text((run.ROOT / mutant.file).read_text(encoding="utf-8"), encoding="utf-8")
    run.apply(tmp_path, mutant)
    if copy.suffix == ".py":
        ast.parse(copy.read_text(encoding="utf-8"))
    assert mutant.old != mutant.new
    for test in mutant.tests:
        assert (run.ROOT / test.partition("::")[0]).exists(), test


def test_contributors_are_told_the_number():
    text = (run.ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"lists (\d+) mutants", text)
    assert int(told) == len(MUTANTS)
