"""What a posterior over structures says of data of one's own, where no true structure is known."""

from collections.abc import Mapping

import pandas as pd

from latentdag.model.structures import Structure

ENOUGH = 0.99  # of the posterior probability: what lies beyond it is not shown


def most_probable(masses: pd.DataFrame, method: str, count: int) -> pd.DataFrame:
    """The structures that are most probable by ``method``, from probabilities, structure by
    method: as many as make up 99 % of the probability, and ``count`` at most.
    """
    ranked = masses.sort_values(method, ascending=False, kind="stable")
    before = ranked[method].cumsum().shift(fill_value=0.0)
    return ranked[before < ENOUGH].head(count)


def more_than_the_table(known: Mapping[str, Structure]) -> dict[str, int]:
    """Those of the structures, by name, that have more free parameters, childless hidden variables
    left out, than their table has degrees of freedom, cells - 1; and how many they have.
    """
    counts = {name: s.without_childless().n_parameters for name, s in known.items()}
    return {name: d for name, d in counts.items() if d > known[name].family.n_cells - 1}


def saturated(structures: pd.DataFrame, n_cells: int) -> list[str]:
    """The structures, of the table of them, whose effective dimension is that of the saturated
    model of a table with ``n_cells`` cells: one less.
    """
    full = structures["dimension"] == n_cells - 1
    return structures.loc[full, "structure"].tolist()
