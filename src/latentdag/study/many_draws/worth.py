"""What each score is worth, over many draws."""

import pandas as pd

from latentdag.scores import METHODS
from latentdag.study.one_draw.worth import BASELINES
from latentdag.study.schema.columns import TABLES

MEASURES = ("mean_absolute_error", "order", "order_same_d", "total_variation", "regret")
ROWS = (*METHODS, *BASELINES)


def worth(worths: pd.DataFrame) -> pd.DataFrame:
    """The table of worth from that of worths of all draws: by size and score the mean of each
    measure over the draws that have it, and its standard error.
    """
    groups = worths.assign(place=worths["method"].map(ROWS.index)).groupby(["n", "place"])
    own = groups[list(MEASURES)]
    found = own.mean().join(own.sem().add_suffix("_se"))
    found["draws"] = groups.size()
    found = found.reset_index()
    found["method"] = found["place"].map(ROWS.__getitem__)
    return found[list(TABLES["worth"].columns)]
