"""Public names: their examples give what they show, and what takes long to import is imported where
it is used, as every job starts Python anew.
"""

import doctest
import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import latentdag


def printed(code: str) -> list[str]:
    """The words that a new process prints."""
    environment = os.environ | {"PYTHONPATH": str(Path(latentdag.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout.split()


SLOW = {"joblib", "matplotlib", "numba", "pandas", "scipy.optimize", "scipy.special", "scipy.stats"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("modules", "needed"),
    [
        (
            "latentdag, latentdag.scores, latentdag.inference.particles, "
            "latentdag.study.schema.tables, latentdag.command.cli",
            set(),
        ),
        (
            "latentdag.study.one_draw.verdicts, latentdag.study.many_draws.calibration, "
            "latentdag.study.paper.claims_held, latentdag.report.summary, "
            "latentdag.report.data_summary",
            {"pandas"},
        ),
        ("latentdag.figures", {"matplotlib", "pandas"}),
    ],
)
def test_nothing_slow_is_imported_in_vain(modules, needed):
    # what is to be loaded when it is used stands among the modules too
    code = f"import sys, {modules}; loaded = {{name for name, module in sys.modules.items() "
    code += f"if type(module).__name__ != '_LazyModule'}}; print(*sorted({SLOW} & loaded))"
    assert set(printed(code)) == needed


@pytest.mark.slow
def test_every_public_name_is_there_whatever_was_imported_before():
    code = "import latentdag.ranking.beam, latentdag\n"
    code += "print(callable(latentdag.fit), callable(latentdag.score))"
    code += "\nprint(*[name for name in latentdag.__all__ if not hasattr(latentdag, name)])"
    assert printed(code) == ["True", "True"]


NAMES = [name for name in latentdag.__all__ if name not in ("METHODS", "__version__")]
FUNCTIONS = [name for name in NAMES if isinstance(getattr(latentdag, name), FunctionType)]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_gives_what_it_shows(name):
    public = getattr(latentdag, name)
    names = vars(sys.modules[public.__module__])
    tests = doctest.DocTestFinder(recurse=False).find(public, name, globs=dict(names))
    assert tests[0].examples or name not in FUNCTIONS
    for test in tests:
        said: list[str] = []
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
            test, out=said.append
        )
        assert result.failed == 0, "".join(said)


def test_there_are_public_functions():
    assert len(FUNCTIONS) == 11
