"""Numbers and names as text, in tables as in the report."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import isinf, isnan

from latentdag.scores import SPECS

MANY = 5  # variables that are named together


def label(name: str) -> str:
    """The text by which figures and pages call the score ``name``; any other name, such as a job's,
    is returned unchanged.
    """
    return SPECS[name].label if name in SPECS else name


def counted(count: int, noun: str) -> str:
    """``count`` and ``noun`` as text, with an s unless the count is 1: `1 size`, `2 sizes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def number(value: float, form: str = "") -> str:
    """``value`` as text in the format ``form``, as of `format`; "" where it is nan."""
    return "" if isnan(value) else format(value, form)


def plus_minus(value: float, error: float) -> str:
    """A value and its standard error as text, with two decimals, or as many up to six as show the
    error, which is left out where it is unknown (nan) or 0; empty for the value nan.
    """
    if isnan(value):
        return ""
    if isnan(error) or error == 0:
        return f"{value:z.2f}"
    digits = next((d for d in range(2, 7) if round(error, d)), 2)  # so that the error shows
    return f"{value:z.{digits}f} ± {error:.{digits}f}"


def place(rank: float) -> str:
    """``rank`` as text; "none" for inf, where the structure has no score, and "" for nan, where it
    was not sought.
    """
    return "none" if isinf(rank) else number(rank, "g")


def joined(values: Iterable[float]) -> str:
    """The numbers ``values`` as text, with commas between them."""
    return ", ".join(f"{value:g}" for value in values)


def listing(names: Sequence[str]) -> str:
    """The ``names``, one at least, as text: `a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def parents_of(label: str) -> list[tuple[int, ...]]:
    """A list with the tuple of parents of each observed variable, hidden variables numbered from 1,
    from the ``label`` of a structure: `1-12-0` has (1,), (1, 2) and ().
    """
    return [tuple(map(int, item)) if item != "0" else () for item in label.split("-")]


def shared_causes_in_words(parents: Sequence[Collection[int]], names: Sequence[str] = ()) -> str:
    """Text that says which variables share a cause, by the ``parents`` of each; variables are
    called by their ``names``, or without these y1 to yJ.
    """
    names = names or [f"y{j}" for j in range(1, len(parents) + 1)]
    hidden = sorted({h for causes in parents for h in causes})
    children = Counter(
        tuple(n for n, causes in zip(names, parents, strict=True) if h in causes) for h in hidden
    )
    if not children:
        return "no variable has a cause"
    words = [
        f"{_group(group, len(names))} {'share' if len(group) > 1 else 'alone has'} "
        + (f"{count} causes" if count > 1 else "another" if k else "a cause")
        for k, (group, count) in enumerate(sorted(children.items(), key=lambda c: -len(c[0])))
    ]
    without = [n for n, causes in zip(names, parents, strict=True) if not causes]
    if without:
        words.append(
            f"{_group(without, len(names))} {'has' if len(without) == 1 else 'have'} no cause"
        )
    return (", and " if len(words) == 2 else "; ").join(words)


def _group(names: Sequence[str], of: int) -> str:
    """The names of some variables, shortened where they are many, or all ``of`` them."""
    if len(names) == of > MANY:
        return f"all {of} variables"
    if len(names) > MANY:
        return f"{', '.join(names[:MANY])} and {len(names) - MANY} more"
    return listing(names)
