"""What takes long to import is imported where it is used: every job starts Python anew."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import latentdag

SLOW = {
    "joblib",
    "matplotlib",
    "numba",
    "pandas",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
}


@pytest.mark.parametrize(
    ("modules", "needed"),
    [
        (
            "latentdag, latentdag.scores, latentdag.inference.particles, "
            "latentdag.study.schema.columns",
            set(),
        ),
        ("latentdag.study.one_draw.errors, latentdag.study.one_draw.ranks", {"pandas"}),
        ("latentdag.study.one_draw.verdicts, latentdag.study.many_draws.sizes_found", {"pandas"}),
        ("latentdag.study.many_draws.calibration, latentdag.study.paper.claims_held", {"pandas"}),
        ("latentdag.report.summary, latentdag.report.data_summary", {"pandas"}),
        ("latentdag.figures", {"matplotlib", "pandas"}),
    ],
)
def test_nothing_slow_is_imported_in_vain(modules, needed):
    code = f"import sys, {modules}; print(*sorted({SLOW} & set(sys.modules)))"
    environment = os.environ | {"PYTHONPATH": str(Path(latentdag.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert set(result.stdout.split()) == needed, result.stderr
