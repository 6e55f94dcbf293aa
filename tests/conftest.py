"""Paths and data that several test files share, and how workers share the tests."""

import gc
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):  # before NumPy is imported
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# with AVX-512 NumPy and OpenBLAS have other last digits, from which a sampler goes on otherwise
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")
os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
# as in the Makefile: every Python that a test starts would compile anew all that it imports
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.path.insert(0, str(Path(__file__).parent))  # for `import oracles`
gc.set_threshold(50_000)  # by default a sixth of the time of small tests goes into collections

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from fingerprints import differences, fingerprint  # noqa: E402


@pytest.fixture(scope="session")
def cases():
    """The 2560 reference cases of the paper's family, from the true structure."""
    path = Path(__file__).parent / "data/cases.csv"
    return np.loadtxt(path, delimiter=",", skiprows=1, dtype=int)


def pytest_addoption(parser):
    parser.addoption(
        "--golden", action="store_true", help="run what has golden files, and write these anew"
    )


def path_of_exp() -> str:
    """The vector instructions with which NumPy computes exp, by its names."""
    return np.lib.introspect.opt_func_info("^exp$")["exp"]["dd"]["current"]


@pytest.fixture
def golden(request) -> Callable:
    """A function of a file's name and columns, whose fingerprint it compares with that file of the
    folder `golden` beside the test. With the option ``--golden`` of pytest it writes the file.

    Where a fingerprint differs and the processor is without AVX2, the test is skipped.
    """

    def compare(name: str, columns: Iterable) -> None:
        text = fingerprint(columns)
        path = request.path.parent / "golden" / name
        if request.config.getoption("golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        differ = differences(path.read_text(encoding="utf-8"), text)
        if differ and path_of_exp() != "X86_V3":  # NumPy's name of AVX2
            pytest.skip(f"a processor without AVX2 has other last digits:\n{differ}")
        assert not differ, f"`pytest --golden` writes {path} anew, if this is right:\n{differ}"

    return compare


LONGEST_FIRST = ("workflow", "statistical", "unit", "topics")


def pytest_itemcollected(item):
    """A test that asks for a computed study is slow, and the smoke study is for `make test-all`."""
    if "finished" in item.fixturenames:
        item.add_marker(pytest.mark.slow)
    if "smoke" in item.fixturenames:
        item.add_marker(pytest.mark.weekly)


def pytest_collection_modifyitems(config, items):
    """With ``--golden`` only the tests that have golden files are run.

    Workers of pytest-xdist begin with the folder whose tests take longest, and end together.

    One begins with a file that asks for the study `finished`, which takes minutes to compute; all
    other files that ask for a computed study come last of their folder, when it is there.
    """
    if config.getoption("golden"):
        items[:] = [item for item in items if "golden" in item.fixturenames]
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    asking = {item.path for item in items if {"finished", "smoke"} & {*item.fixturenames}}
    finished = {item.path for item in items if "finished" in item.fixturenames}
    first = min(finished, default=None)

    def place(item) -> tuple[int, int]:
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        late = 0 if item.path == first else 2 if item.path in asking else 1
        return LONGEST_FIRST.index(folder), late

    items.sort(key=place)
