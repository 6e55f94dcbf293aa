"""Numbers and names as text, in tables as in the report."""

from collections.abc import Iterable
from math import isinf, isnan

from latentdag.scores import SPECS


def label(name: str) -> str:
    """What a score, or a job, is called."""
    return SPECS[name].label if name in SPECS else name


def counted(count: int, noun: str) -> str:
    """``1 size``, ``2 sizes``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def number(value: float, form: str = "") -> str:
    """A number in the given format, nothing where it is nan."""
    return "" if isnan(value) else format(value, form)


def plus_minus(value: float, error: float, sign: str = "") -> str:
    """A value and its standard error, the latter only where it is known."""
    if isnan(value):
        return ""
    return f"{value:{sign}z.2f}" + ("" if isnan(error) else f" ± {error:.2f}")


def place(rank: float) -> str:
    """A rank; ``none`` where the structure has no score, nothing where it was not sought."""
    return "none" if isinf(rank) else number(rank, "g")


def at_size(n: int | None) -> str:
    """A number of cases in words; None is never."""
    return "never" if n is None else f"n = {n}"


def joined(values: Iterable[float]) -> str:
    """Numbers with commas between them."""
    return ", ".join(f"{value:g}" for value in values)
