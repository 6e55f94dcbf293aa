"""The structures and the variables of a table of one's own, from the tables of its study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from latentdag.model.structures import Structure
from latentdag.ranking.names import structure_of

if TYPE_CHECKING:
    import pandas as pd


def by_name(structures: pd.DataFrame, observed: Sequence[int]) -> dict[str, Structure]:
    """The structures in the table ``structures`` by name, in its order. ``observed`` are the
    cardinalities of the observed variables.
    """
    hidden_of = structures.set_index("structure")["hidden"]
    return {name: structure_of(name, hidden, tuple(observed)) for name, hidden in hidden_of.items()}


def variable_names(variables: pd.DataFrame) -> list[str]:
    """The names of the observed variables, in the order of the data."""
    return variables.drop_duplicates("variable").sort_values("variable")["name"].tolist()


def with_prior(scores: pd.DataFrame, log_prior: pd.Series | None) -> pd.DataFrame:
    """The table ``scores`` with ``log_prior``, ln p(structure) by name, added to each score;
    unchanged where that is None.
    """
    if log_prior is None:
        return scores
    return scores.assign(score=scores["score"] + scores["structure"].map(log_prior))
