"""Compiled code is kept between processes: never compiled twice, and never out of date."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import latentdag

PACKAGE = Path(latentdag.__file__).parent
CALLER = """
from typing import NamedTuple
import numpy as np
from latentdag.engine.jit import compiled
from latentdag.inner import callee

class Pair(NamedTuple):
    first: float
    second: float

@compiled
def difference(pair):
    return callee.twice(pair.first) - pair.second

@compiled
def applied(function, x):
    return function(x)

@compiled
def sums(n):
    if n < 0:
        raise ValueError("negative")
    return np.ones((n, n)) @ np.ones(n)
"""
CALLEE = """
from latentdag.engine.jit import compiled
from latentdag.inner.constants import FACTOR

@compiled
def twice(x):
    return FACTOR * x
"""
RUN = """
import json, sys
from latentdag import caller
from latentdag.inner import callee
assert "numba" not in sys.modules
from numba.core.event import install_recorder
with install_recorder("numba:compile") as recorder:
    value = eval(sys.argv[1], vars(caller) | vars(callee))
ended = [event.data["dispatcher"].py_func for _, event in recorder.buffer if event.is_end]
names = sorted(f.__name__ for f in ended if f.__module__.startswith("latentdag"))
print(json.dumps([value, names]))
"""
DIFFERENCE = "difference(Pair(5.0, 1.0))"
BOTH = ["difference", "twice"]


class Copy:
    """A package of nothing but the decorator and some compiled functions."""

    def __init__(self, folder: Path):
        self.home = folder / "home"
        self.source = folder / "source"
        self.package = self.source / "latentdag"
        self.home.mkdir()
        (self.package / "inner").mkdir(parents=True)
        for name in ("compiled.py", "machine_code.py"):
            shutil.copy(PACKAGE / name, self.package)
        for name in ("__init__.py", "inner/__init__.py"):
            self.package.joinpath(name).touch()
        self.package.joinpath("caller.py").write_text(CALLER)
        self.package.joinpath("inner/callee.py").write_text(CALLEE)
        self.package.joinpath("inner/constants.py").write_text("FACTOR = 2.0")

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.package / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    def start(self, expression: str) -> subprocess.Popen:
        places = {"PYTHONPATH": str(self.source), "XDG_CACHE_HOME": str(self.home)}
        return subprocess.Popen(
            [sys.executable, "-B", "-c", RUN, expression],
            env=os.environ | places,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, process: subprocess.Popen) -> tuple[float, list[str]]:
        output, self.errors = process.communicate(timeout=120)
        assert process.returncode == 0
        return tuple(json.loads(output))

    def run(self, expression: str = DIFFERENCE) -> tuple[float, list[str]]:
        """The value, and the names of the functions that were compiled for it."""
        return self.end(self.start(expression))

    def kept(self) -> list[Path]:
        return sorted(self.source.parent.rglob("*.machine_code"))


@pytest.fixture
def copy(tmp_path) -> Copy:
    return Copy(tmp_path)


def test_a_second_process_does_not_compile(copy):
    assert copy.run() == (9, BOTH)
    assert copy.run() == (9, [])


def test_kept_code_makes_arrays_and_raises_errors(copy):
    assert copy.run("sums(3).tolist()") == ([3, 3, 3], ["sums"])
    assert copy.run("sums(3).tolist()") == ([3, 3, 3], [])
    with pytest.raises(AssertionError):
        copy.run("sums(-1)")
    assert "ValueError: negative" in copy.errors


@pytest.mark.parametrize(
    ("file", "old", "new", "value"),
    [
        ("caller.py", "- pair.second", "+ pair.second", 11),
        ("inner/callee.py", "FACTOR * x", "FACTOR + x", 6),
        ("inner/constants.py", "2.0", "3.0", 14),
    ],
)
def test_an_edit_compiles_whatever_calls_it(copy, file, old, new, value):
    copy.run()
    before = copy.kept()
    copy.edit(file, old, new)
    assert copy.run() == (value, BOTH)
    assert len(before) == len(copy.kept()) == 1 and before != copy.kept()


def test_only_what_python_calls_has_machine_code_of_its_own(copy):
    copy.run()
    (kept,) = copy.kept()
    assert kept.name.startswith("latentdag.caller-")
    assert copy.run("difference(Pair(5.0, 1.0)) + callee.twice(1.0)") == (11, ["twice"])
    assert len(copy.kept()) == 2


@pytest.mark.parametrize("said", ["raise ValueError('in', 'a part')", "print('in a part', x)"])
def test_code_within_other_code_raises_and_prints(copy, said):
    """From the first process, which compiles it, and from the next."""
    copy.edit("inner/callee.py", "    return", f"    if x > 5:\n        {said}\n    return")
    expression = "difference(Pair(6.0, 1.0))"
    for _ in range(2):
        process = copy.start(expression)
        try:
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
        assert "in a part 6.0" in output or "('in', 'a part')" in errors


def test_an_edit_of_a_file_that_is_not_imported_compiles_nothing(copy):
    copy.run()
    copy.package.joinpath("other.py").write_text("from latentdag import caller")
    assert copy.run() == (9, [])


def test_the_order_of_a_named_tuples_fields_is_part_of_its_type(copy):
    tuples, names = copy.source / "tuples.py", copy.source / "names"
    expression = "difference(__import__('tuples').Pair(5.0, 1.0))"
    tuples.write_text(
        "from collections import namedtuple\nfrom pathlib import Path\n"
        "Pair = namedtuple('Pair', Path(__file__).with_name('names').read_text())"
    )
    names.write_text("first second")
    assert copy.run(expression) == (9, BOTH)
    names.write_text("second first")
    assert copy.run(expression) == (-3, BOTH)


def test_a_named_tuple_is_known_by_the_sources_of_its_class(copy):
    """Which say what is done with it: see `latentdag.inference.em.lanes.optimiser.implement`."""
    tuples = copy.source / "tuples.py"
    tuples.write_text(
        "from collections import namedtuple\nPair = namedtuple('Pair', 'first second')"
    )
    expression = "difference(__import__('tuples').Pair(5.0, 1.0))"
    assert copy.run(expression)[1] != []
    assert copy.run(expression)[1] == []
    tuples.write_text(tuples.read_text() + "\n# edited")
    assert copy.run(expression)[1] != []


def test_a_function_as_an_argument_is_known_by_its_name_and_sources(copy):
    """In a file, too, that the caller's file does not import."""
    copy.package.joinpath("other.py").write_text(CALLEE)
    expression = "applied(__import__('latentdag.other').other.twice, 3.0)"
    assert copy.run(expression) == (6, ["applied", "twice"])
    assert copy.run(expression) == (6, [])
    copy.edit("other.py", "FACTOR * x", "FACTOR + x")
    assert copy.run(expression) == (5, ["applied", "twice"])


def test_processes_that_compile_at_once_do_not_mix_up_their_files(copy):
    expressions = {"difference(Pair(5.0, 1.0))": 9, "difference(Pair(5, 1))": 9}
    processes = [(copy.start(e), value) for e, value in expressions.items() for _ in range(2)]
    assert all(copy.end(process)[0] == value for process, value in processes)
    assert all(copy.run(e) == (value, []) for e, value in expressions.items())


def test_a_damaged_file_is_compiled_again(copy):
    copy.run()
    for path in copy.kept():
        path.write_bytes(path.read_bytes()[:100])
    assert copy.run() == (9, BOTH)
    assert copy.run() == (9, [])


def test_a_folder_that_cannot_be_written_to_gives_way_to_the_users(copy):
    copy.package.joinpath("__pycache__").touch()  # not a folder
    assert copy.run() == (9, BOTH)
    assert any(copy.home in path.parents for path in copy.kept())
    assert copy.run() == (9, [])


def test_without_any_folder_all_is_compiled_each_time(copy):
    for path in (copy.package / "__pycache__", copy.package / "inner/__pycache__"):
        path.touch()
    copy.home.rmdir()
    copy.home.touch()
    assert copy.run() == copy.run() == (9, BOTH)


def test_a_full_disk_costs_a_compilation_and_no_more(copy):
    limit = "__import__('resource').setrlimit(1, (1000, 1000))"  # bytes of a file
    assert copy.run(f"{limit} or {DIFFERENCE}") == (9, BOTH)
    assert list(copy.source.rglob("*.machine_code*")) == []
    assert copy.run() == (9, BOTH)


def test_a_source_edited_after_the_start_leaves_no_machine_code(copy):
    touch = "__import__('pathlib').Path(__import__('latentdag').inner.callee.__file__).touch()"
    assert copy.run(f"{touch} or {DIFFERENCE}") == (9, BOTH)
    assert copy.kept() == []


SCORES = """
from numba.core.event import install_recorder
from latentdag import Prior, Structure, draw_study
from latentdag.scores import METHODS, score_structures
from latentdag.inference.particles.bounds import log_evidence_upper

structures = [Structure.from_label(label) for label in ("12-12-0-2", "12-12-12-12", "0-0-0-0")]
draw = draw_study(structures[1], Prior(), n=300, seed=1)
with install_recorder("numba:compile") as recorder:
    for method in METHODS:
        cases = draw.cases[:8] if method == "exact" else draw.cases
        score_structures(cases, structures, method=method)
    log_evidence_upper(draw.cases[:50], draw.states[:50], structures[0], Prior(), 16, 2)
functions = [event.data["dispatcher"].py_func for _, event in recorder.buffer]
print(*{f.__qualname__ for f in functions if f.__module__.startswith("latentdag")})
"""


def test_when_all_is_compiled_no_score_of_the_papers_structures_compiles(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "latentdag.command.warm_up"]
    subprocess.run(command, env=environment, check=True)
    command = [sys.executable, "-c", SCORES]
    found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert found.stdout == "\n"
