"""Checks of arguments: each returns the value, or raises ValueError naming the argument."""

from numbers import Integral, Real


def integer(name: str, value, minimum: int) -> int:
    """``value`` as an int. Raises ValueError with ``name`` in it unless it is an integer from
    ``minimum`` on; 2.0 is none, nor is True.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ValueError(f"{name} must be an integer, got {value!r}")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")
    return int(value)


def number(name: str, value) -> float:
    """``value`` as a float. Raises ValueError with ``name`` in it unless it is a real number; True
    is none.
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return float(value)
