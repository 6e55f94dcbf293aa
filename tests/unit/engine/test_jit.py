"""Compiled code is kept between processes, and never out of date. It has the same bits on every
processor.
"""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import latentdag
from latentdag.engine import jit

weekly = pytest.mark.weekly
PACKAGE = Path(latentdag.__file__).parent
CALLER = """
from latentdag.engine.jit import compiled
from latentdag.engine.callee import twice

@compiled
def difference(a, b):
    return twice(a) - b
"""
CALLEE = """
from latentdag.engine.constants import FACTOR
from latentdag.engine.jit import compiled

@compiled
def twice(x):
    return FACTOR * x
"""
RUN = """
import json, sys
from latentdag.inference.caller import difference
from numba.core.event import install_recorder
with install_recorder("numba:compile") as recorder:
    value = eval(sys.argv[1])
ended = [event.data["dispatcher"].py_func for _, event in recorder.buffer if event.is_end]
names = sorted(f.__name__ for f in ended if f.__module__.startswith("latentdag"))
print(json.dumps([value, names]))
"""
BOTH = ["difference", "twice"]


class Copy:
    """A package of nothing but the decorator and two compiled functions."""

    def __init__(self, folder: Path):
        self.home, self.package = folder / "home", folder / "source/latentdag"
        empty = ("__init__.py", "engine/__init__.py", "inference/__init__.py", "report/words.py")
        self.files = dict.fromkeys(empty, "") | {"engine/constants.py": "FACTOR = 2.0"}
        self.files |= {"engine/callee.py": CALLEE, "inference/caller.py": CALLER}
        for name, text in self.files.items():
            path = self.package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.home.mkdir(parents=True)
        for name in ("files", "interrupts", "jit"):
            shutil.copy(PACKAGE / f"engine/{name}.py", self.package / "engine")

    def run(self, expression: str = "difference(5.0, 1.0)", **environment: str):
        """The value, and the names of the functions that were compiled for it."""
        places = {"PYTHONPATH": str(self.package.parent), "XDG_CACHE_HOME": str(self.home)}
        others = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
        run = subprocess.run(
            [sys.executable, "-B", "-c", RUN, expression],
            env=others | places | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.errors = run.stderr
        assert run.returncode == 0, self.errors
        return tuple(json.loads(run.stdout))

    def folders(self) -> list[Path]:
        return sorted(self.home.glob("latentdag/latentdag-compiled-*"))


@pytest.fixture
def copy(tmp_path) -> Copy:
    return Copy(tmp_path)


def test_a_users_function_may_be_cached_too(tmp_path):
    """It does not lie in the package, whose locator of compiled code is asked first."""
    path = tmp_path / "mine.py"
    path.write_text(
        "import latentdag.engine.jit, numba\n"
        "@numba.njit(cache=True)\ndef twice(x):\n    return 2 * x\n"
        "print(twice(4))\n"
    )
    places = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    run = subprocess.run(
        [sys.executable, path], env=places, capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("8\n", "")


@weekly
def test_no_other_process_compiles(copy, tmp_path):
    """Neither of another clone, nor of a moved one, whose sources are newer, as git and pip write
    them.
    """
    assert copy.run() == (9, BOTH)
    assert copy.errors.startswith("latentdag: compiling for this processor: this happens once")
    assert copy.errors.count("\n") == 1
    other = Copy(tmp_path / "other")
    other.home = copy.home
    assert other.run() == (9, []) and other.errors == ""
    other.package.parent.rename(tmp_path / "moved")
    other.package = tmp_path / "moved/latentdag"
    for path in other.package.rglob("*.py"):
        path.touch()
    assert other.run() == (9, [])
    assert len(copy.folders()) == 1


@weekly
def test_an_edit_compiles_whatever_calls_it(copy):
    copy.run()
    path = copy.package / "engine/callee.py"
    before = path.stat()
    path.write_text(CALLEE.replace("FACTOR * x", "FACTOR + x"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert copy.run() == (6, BOTH)
    assert len(copy.folders()) == 2


@weekly
def test_the_state_has_sources_versions_and_processor(copy, monkeypatch):
    """The sources of engine and inference by their contents and names, and no others."""
    states = [jit.state_of(copy.package)]
    (copy.package / "report/words.py").write_text("# edited")
    assert jit.state_of(copy.package) == states[0]
    (copy.package / "engine/callee.py").rename(copy.package / "engine/renamed.py")
    states.append(jit.state_of(copy.package))
    for name in ("inference/caller.py", "engine/constants.py"):
        (copy.package / name).write_text("# edited")
        states.append(jit.state_of(copy.package))
    for name in ("numba", "llvmlite", "numpy"):
        with monkeypatch.context() as patch:
            patch.setattr(jit, "version", lambda of, name=name: "0.1" if of == name else "1")
            states.append(jit.state_of(copy.package))
    for place, name, value in (
        (jit.platform, "python_version", lambda: "3.0.0"),
        (jit.llvm, "get_host_cpu_name", lambda: "another"),
    ):
        monkeypatch.setattr(place, name, value)
        states.append(jit.state_of(copy.package))
    for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        monkeypatch.setenv(name, "generic")
        states.append(jit.state_of(copy.package))
    assert len(set(states)) == len(states)


@weekly
def test_processes_that_compile_at_once_keep_what_they_compile(copy):
    """Each function for each of two types: the next process finds both."""
    calls = ["difference(5.0, 1.0)", "difference(5, 1)"]
    with ThreadPoolExecutor(6) as at_once:
        assert all(value == 9 for value, _ in at_once.map(copy.run, calls * 3))
    assert all(copy.run(call) == (9, []) for call in calls)


@weekly
def test_the_users_folder_is_the_parent(copy, tmp_path):
    """For this process as for those that it starts, which find NUMBA_CACHE_DIR set by it."""
    mine = str(tmp_path / "mine")
    expression = "(difference(5.0, 1.0), __import__('os').environ['NUMBA_CACHE_DIR'])"
    (_, folder), _ = copy.run(expression, NUMBA_CACHE_DIR=mine)
    assert Path(folder).parent == Path(mine) and copy.folders() == []
    assert copy.run(expression, NUMBA_CACHE_DIR=folder) == ([9, folder], [])


@weekly
def test_a_folder_that_cannot_be_written_to_is_told_once(copy):
    copy.home.rmdir()
    copy.home.touch()  # not a folder
    for _ in range(2):
        assert copy.run() == (9, BOTH)
        kept, compiling = copy.errors.splitlines()
        assert kept.startswith("latentdag: compiled code is not kept: cannot write to ")
        assert "every process has to" in compiling


@weekly
def test_code_of_another_state_goes_when_it_was_not_used_for_long(copy, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(copy.home))
    for name, age in (("old", 1.01), ("recent", 0.99)):
        lock = copy.home / f"{jit.NAME}{name}/lock"
        lock.parent.mkdir()
        lock.touch()
        then = lock.stat().st_mtime - age * jit.UNUSED
        os.utime(lock, (then, then))
    (copy.home / "another program's").mkdir()
    folder = jit._folder()
    assert {p.name for p in copy.home.iterdir()} == {
        "another program's", f"{jit.NAME}recent", folder.name,
    }  # fmt: skip


def printed(*arguments: str, **environment: str) -> str:
    """What a new Python prints, with this package."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)} | environment
    return subprocess.check_output([sys.executable, *arguments], env=environment, text=True)


SCORES = """
from numba.core.event import install_recorder
from latentdag import Prior, Structure, draw_study
from latentdag.scores import METHODS, score_structures
from latentdag.inference.particles.evidence import log_evidence_upper

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


@weekly
def test_when_all_is_compiled_no_score_of_the_papers_structures_compiles():
    printed("-m", "latentdag.command.warm_up")
    assert printed("-c", SCORES) == "\n"


PROGRAM = """
from latentdag import Family, Structure, score_structures
family = Family((2, 3), (3, 2, 4))
cases = [[i % 3, i * i % 2, i // 3 % 4] for i in range(40)]
structures = [Structure.from_label(label, family) for label in ("12-2-1", "1-12-2")]
few = {"restarts": 3}
settings = {"ais": {"steps": 256, "chains": 3}, "vb": few, "ml": few, "vb_mix": few}
for method, own in settings.items():
    print([s.score.hex() for s in score_structures(cases, structures, method, **own)])
"""


@weekly
@pytest.mark.parametrize("processor", ["haswell", "generic"])  # AVX2; neither AVX nor fused sums
def test_another_processor_gives_the_same_bits(processor):
    bits, there = printed("-c", PROGRAM), printed("-c", PROGRAM, NUMBA_CPU_NAME=processor)
    assert bits == there
    assert len(set(bits.split())) == 8
