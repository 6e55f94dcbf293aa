"""The links of the most probable structures of a table of one's own, as graphs."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing.best_structures import graphs
from latentdag.ranking.ranking import probable_links
from latentdag.study.schema.candidates import by_name, variable_names


def best_structures(
    posterior: pd.DataFrame,
    structures: pd.DataFrame,
    variables: pd.DataFrame,
    observed: Sequence[int],
    method: str,
) -> Figure:
    """A figure of the links of the most probable structures by ``method``, a picture for each set
    of causes (`graphs`), from the tables ``posterior``, of one draw and size, ``structures`` and
    ``variables``; ``observed`` are the variables' cardinalities. Raises ValueError if the method is
    not in the posterior table.
    """
    mass = posterior[posterior["method"] == method].set_index("structure")["probability"]
    if mass.empty:
        raise ValueError(f"the posterior table has no {method}")
    scored = by_name(structures[structures["structure"].isin(mass.index)], observed)
    return graphs(probable_links(mass.to_dict(), scored), variable_names(variables))
