"""A module of compiled functions with mistakes in it."""

import importlib.util
from types import ModuleType
from unittest import mock

from numba import njit


def anew(module: ModuleType, **replaced) -> ModuleType:
    """A second copy of ``module``, compiled for itself, in which every function calls those
    ``replaced`` in place of its own.

    numba looks up what a function calls when it compiles it, at its first call. Nothing of the copy
    is kept on disk: there the right functions would be taken for the wrong ones, or the wrong ones
    for the right ones later.
    """
    copy = importlib.util.module_from_spec(module.__spec__)
    uncached = {
        "compiled": njit(error_model="numpy"),
        "inlined": njit(error_model="numpy", forceinline=True),
        "once": njit(error_model="numpy", inline="always"),
    }
    with mock.patch.multiple("latentdag.engine.jit", **uncached):
        module.__spec__.loader.exec_module(copy)
    # the same classes, so that functions of both can be handed the same tuples
    classes = {name: value for name, value in vars(module).items() if isinstance(value, type)}
    for name, value in (classes | replaced).items():
        if not hasattr(copy, name):
            raise AttributeError(f"{module.__name__} has no {name}")
        setattr(copy, name, value)
    return copy
