"""The structures and the variables of a table of one's own, from the tables of its study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from latentdag.model.structures import Structure
from latentdag.ranking.names import structure_of

if TYPE_CHECKING:
    import pandas as pd


def by_name(
    structures: pd.DataFrame, observed: Sequence[int], column: str = "structure"
) -> dict[str, Structure]:
    """The structures of their table by name, in its order, or in the ``column`` of classes what
    stands for these. ``observed`` are the cardinalities of the observed variables.
    """
    names = structures.drop_duplicates(column).set_index(column)["hidden"]
    return {name: structure_of(name, hidden, tuple(observed)) for name, hidden in names.items()}


def variable_names(variables: pd.DataFrame) -> list[str]:
    """The names of the observed variables, in the order of the data."""
    return variables.drop_duplicates("variable").sort_values("variable")["name"].tolist()


def with_prior(scores: pd.DataFrame, log_prior: pd.Series | None) -> pd.DataFrame:
    """The table of scores with ln p(structure), by name, added to each; as it is for None."""
    if log_prior is None:
        return scores
    return scores.assign(score=scores["score"] + scores["structure"].map(log_prior))
