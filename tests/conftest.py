"""Paths and data that several test files share."""

import os
import sys
from pathlib import Path

for name in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
):  # before NumPy is imported
    os.environ.setdefault(name, "1")
sys.path.insert(0, str(Path(__file__).parent))  # for `import oracles`

import numpy as np  # noqa: E402
import pytest  # noqa: E402


@pytest.fixture(scope="session")
def cases():
    """The 2560 reference cases of the paper's family, from the true structure."""
    return np.loadtxt(
        Path(__file__).parent / "data" / "cases.csv", delimiter=",", skiprows=1, dtype=int
    )
