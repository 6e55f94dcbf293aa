"""The structures that a study of one's own data scores, by their names in its tables.

The structures of one family are named by their labels, as everywhere. Of several families each
model occurs once, in the form of `latentdag.search.ranking.model_of`, and its name says how many
states its causes have: ``1-1-1-1 (3)``, ``1-12-12-2 (2,3)``, ``0-0-0-0 (none)``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from latentdag.model.structures import Family, Structure

if TYPE_CHECKING:
    import pandas as pd

NAMED = 8  # variables whose names fit in a cell of a table
NONE = "none"  # in place of states where there is no hidden variable


def states(hidden: Sequence[int]) -> str:
    """How many states hidden variables have, as tables write it: ``2,3``."""
    return ",".join(map(str, hidden)) or NONE


def name(structure: Structure, several: bool) -> str:
    """What tables call a structure of one family, or of ``several``."""
    label = structure.label
    return f"{label} ({states(structure.family.hidden)})" if several else label


def cardinalities(hidden: str) -> tuple[int, ...]:
    """What `states` has written."""
    return () if hidden == NONE else tuple(map(int, hidden.split(",")))


def structure_of(name: str, hidden: str, observed: tuple[int, ...]) -> Structure:
    """The structure that a table calls ``name``. Its hidden variables have the states at the end of
    the name, or the states ``hidden`` where the name has none, as with a single family.
    """
    label, _, own = name.partition(" ")
    return Structure.from_label(label, Family(cardinalities(own.strip("()") or hidden), observed))


def by_name(
    structures: "pd.DataFrame", observed: Sequence[int], column: str = "structure"
) -> dict[str, Structure]:
    """The structures of their table by name, in its order, or in the ``column`` of classes what
    stands for these. ``observed`` are the cardinalities of the observed variables.
    """
    names = structures.drop_duplicates(column).set_index(column)["hidden"]
    return {name: structure_of(name, hidden, tuple(observed)) for name, hidden in names.items()}


def variable_names(variables: "pd.DataFrame") -> list[str]:
    """The names of the observed variables, in the order of the data."""
    return variables.drop_duplicates("variable").sort_values("variable")["name"].tolist()


def with_prior(scores: "pd.DataFrame", log_prior: "pd.Series | None") -> "pd.DataFrame":
    """The table of scores with ln p(structure), by name, added to each; as it is for None."""
    if log_prior is None:
        return scores
    return scores.assign(score=scores["score"] + scores["structure"].map(log_prior))


def causes_in_words(structure: Structure, names: Sequence[str], most: int = NAMED) -> str:
    """Which variables each cause has, by ``names``, or as y1 to yJ where more than ``most``."""
    if len(names) > most:
        names = [f"y{j}" for j in range(1, len(names) + 1)]
    links = list(zip(names, structure.parents, strict=True))
    of_causes = [
        f"s{h + 1}: {', '.join(name for name, parents in links if h in parents)}"
        for h in sorted(set().union(*structure.parents))
    ]
    alone = [name for name, parents in links if not parents]
    return "; ".join(of_causes + ([f"without a cause: {', '.join(alone)}"] if alone else []))
