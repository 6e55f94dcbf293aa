"""Names of structures and of causes in tables, pictures and messages.

The structures of one family have their labels as names, as everywhere. Of several families each
model occurs once, in the form of `latentdag.ranking.prior.model_of`, and its name has the numbers
of states of its causes: ``1-1-1-1 (3)``, ``1-12-12-2 (2,3)``, ``0-0-0-0 (none)``.
"""

from collections.abc import Iterable, Sequence

from latentdag.model.structures import Family, Structure

NONE = "none"  # in place of states where there is no cause


def states(hidden: Sequence[int]) -> str:
    """The numbers of states of hidden variables, as tables write them: ``2,3``."""
    return ",".join(map(str, hidden)) or NONE


def cardinalities(hidden: str) -> tuple[int, ...]:
    """The numbers of states that `states` has written."""
    return () if hidden == NONE else tuple(map(int, hidden.split(",")))


def name(structure: Structure, several: bool) -> str:
    """The name of a structure of one family, or of ``several``."""
    label = structure.label
    return f"{label} ({states(structure.family.hidden)})" if several else label


def structure_of(name: str, hidden: str, observed: tuple[int, ...]) -> Structure:
    """The structure with this ``name``. Its hidden variables have the states at the end of the
    name, or the states ``hidden`` where the name has none, as with a single family.
    """
    label, _, at_end = name.partition(" ")
    return Structure.from_label(
        label, Family(cardinalities(at_end.strip("()") or hidden), observed)
    )


def n_used(structure: Structure) -> int:
    """The number of free parameters, without those of hidden variables that have no children."""
    return structure.without_childless().n_parameters


def in_order(structures: Iterable[Structure], several: bool) -> list[Structure]:
    """Structures, of one family or of ``several``, by `n_used`, then by name."""
    return sorted(structures, key=lambda s: (n_used(s), name(s, several)))


def causes_in_words(structure: Structure, variables: Sequence[str]) -> str:
    """Which ``variables`` each cause has."""
    links = list(zip(variables, structure.parents, strict=True))
    of_causes = [
        f"s{h + 1}: {', '.join(variable for variable, parents in links if h in parents)}"
        for h in sorted(set().union(*structure.parents))
    ]
    alone = [variable for variable, parents in links if not parents]
    return "; ".join(of_causes + ([f"without a cause: {', '.join(alone)}"] if alone else []))
