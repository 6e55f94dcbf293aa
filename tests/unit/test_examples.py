"""The examples in the docstrings of public functions give what they show."""

import doctest
import sys
from types import FunctionType

import pytest

import latentdag

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
    assert len(FUNCTIONS) == 12
