"""What the states of the causes mean: how probable each makes the values of the variables."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing import profiles as drawing
from latentdag.study.own_data.fitted import map_estimate
from latentdag.study.own_data.marginals import most_probable
from latentdag.study.schema.candidates import by_name


def profiles(
    parameters: pd.DataFrame,
    posterior: pd.DataFrame,
    structures: pd.DataFrame,
    observed: Sequence[int],
    method: str,
) -> Figure:
    """A figure, from the tables ``parameters``, ``posterior`` and ``structures``: the profiles of
    the structure that is most probable by ``method``, the probabilities of the values given its
    causes' states, as posterior means with 90 % intervals, or as the MAP estimate where there are
    none.

    The posterior table is of one draw; ``observed`` are the variables' cardinalities. Raises
    ValueError if the parameters table lacks that structure.
    """
    masses = posterior[posterior["method"] == method].set_index("structure")
    ((best, probability),) = most_probable(masses, "probability", 1)["probability"].items()
    fitted = map_estimate(parameters, best)
    if fitted.empty:
        raise ValueError(f"the parameters table has no MAP estimate of {best}")
    structure = by_name(structures[structures["structure"] == best], observed)[best]
    return drawing.profiles(fitted, structure, best, probability, method)
