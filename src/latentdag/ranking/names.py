"""Names of structures and of causes in tables, pictures and messages.

The structures of one family have their labels as names, as everywhere. Of several families each
model occurs once, in the form of `latentdag.ranking.prior.model_of`, and its name has the numbers
of states of its causes: ``1-1-1-1 (3)``, ``1-12-12-2 (2,3)``, ``0-0-0-0 (none)``.
"""

from collections.abc import Iterable, Sequence

from latentdag.model.structures import Family, Structure

NONE = "none"  # in place of states where there is no cause


def states(hidden: Sequence[int]) -> str:
    """The numbers of states of ``hidden`` variables, as tables write them: ``2,3``, or ``none``."""
    return ",".join(map(str, hidden)) or NONE


def cardinalities(hidden: str) -> tuple[int, ...]:
    """The numbers of states in a text that `states` writes, such as ``2,3``; empty for ``none``.
    Raises ValueError for another text.
    """
    return () if hidden == NONE else tuple(map(int, hidden.split(",")))


def name(structure: Structure, several: bool) -> str:
    """The name of a structure: its label, and where structures of ``several`` families are compared
    the numbers of states of its causes too, ``1-12-12-2 (2,3)``.
    """
    label = structure.label
    return f"{label} ({states(structure.family.hidden)})" if several else label


def structure_of(name: str, hidden: str, observed: tuple[int, ...]) -> Structure:
    """The structure with this ``name``, of variables with ``observed`` numbers of values. Its
    hidden variables have the states at the end of the name, or the states ``hidden``, such as
    ``2,3``, where the name has none, as with a single family. Raises ValueError for a label that is
    none of the family's.
    """
    label, _, at_end = name.partition(" ")
    return Structure.from_label(
        label, Family(cardinalities(at_end.strip("()") or hidden), observed)
    )


def n_used(structure: Structure) -> int:
    """The number of free parameters, without those of hidden variables that have no children."""
    return structure.without_childless().n_parameters


def in_order(structures: Iterable[Structure], several: bool) -> list[Structure]:
    """The ``structures``, of one family or of ``several``, sorted by `n_used`, then by `name`."""
    return sorted(structures, key=lambda s: (n_used(s), name(s, several)))


def causes_in_words(structure: Structure, variables: Sequence[str]) -> str:
    """Which of the ``variables``, named in the structure's order, each cause acts on:
    ``s1: a, b; s2: b, c; without a cause: d``.
    """
    links = list(zip(variables, structure.parents, strict=True))
    of_causes = [
        f"s{h + 1}: {', '.join(variable for variable, parents in links if h in parents)}"
        for h in sorted(set().union(*structure.parents))
    ]
    alone = [variable for variable, parents in links if not parents]
    return "; ".join(of_causes + ([f"without a cause: {', '.join(alone)}"] if alone else []))
