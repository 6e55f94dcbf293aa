"""What takes long to import is imported where it is used: every job starts Python anew."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import latentdag

pytestmark = pytest.mark.slow

SLOW = {"joblib", "matplotlib", "numba", "pandas", "scipy.optimize", "scipy.special", "scipy.stats"}


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
    environment = os.environ | {"PYTHONPATH": str(Path(latentdag.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert set(result.stdout.split()) == needed, result.stderr


@pytest.mark.parametrize("first", ["latentdag.search.beam", "latentdag.scores", "latentdag"])
def test_every_public_name_is_there_whatever_was_imported_before(first):
    """`latentdag.search` too, which is a function, and the name of a package."""
    code = f"import {first}, latentdag\nprint(*map(callable, (latentdag.search, latentdag.fit)))"
    code += "\nprint(*[name for name in latentdag.__all__ if not hasattr(latentdag, name)])"
    environment = os.environ | {"PYTHONPATH": str(Path(latentdag.__file__).parents[1])}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert run.stdout.decode().split() == ["True", "True"], run.stderr
