"""The structures and the variables of a table of one's own, from the tables of its study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from latentdag.model.structures import Structure
from latentdag.ranking.names import structure_of

if TYPE_CHECKING:
    import pandas as pd


def by_name(structures: pd.DataFrame, observed: Sequence[int]) -> dict[str, Structure]:
    """A dict from name to `Structure`, in the order of ``structures``, a DataFrame with the columns
    `structure` (names) and `hidden`. ``observed`` are the cardinalities of the observed variables.
    """
    hidden_of = structures.set_index("structure")["hidden"]
    return {name: structure_of(name, hidden, tuple(observed)) for name, hidden in hidden_of.items()}


def variable_names(variables: pd.DataFrame) -> list[str]:
    """A list of the observed variables' names, in the order of the data, from the table
    ``variables``, a DataFrame.
    """
    return variables.drop_duplicates("variable").sort_values("variable")["name"].tolist()


def with_prior(scores: pd.DataFrame, log_prior: pd.Series | None) -> pd.DataFrame:
    """The DataFrame ``scores`` with ``log_prior``, a Series of ln p(structure) by name, added to
    its column `score`, in nats: a copy; or ``scores`` itself where ``log_prior`` is None.
    """
    if log_prior is None:
        return scores
    return scores.assign(score=scores["score"] + scores["structure"].map(log_prior))
