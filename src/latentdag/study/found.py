"""From how many cases each score has found the truth for good, and in what share of the draws."""

import numpy as np
import pandas as pd

from latentdag.study.columns import TABLES
from latentdag.study.population import grouped
from latentdag.study.proportions import share
from latentdag.study.ranks import found_for_good


def found(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The table of sizes found from that of verdicts: by draw and method that ran at the draw's
    largest size, the smallest size from which the truth is first at this and every larger size at
    which the method ran; nan where it is not first at the largest.
    """
    largest = verdicts.groupby("draw")["n"].max()
    rows = [
        (draw, by, method, found_for_good(own.set_index("n")["rank"]))
        for (draw, by, method), own in grouped(verdicts, ["draw", "by", "method"])
        if own["n"].max() == largest[draw]
    ]
    table = pd.DataFrame(rows, columns=TABLES["found"].columns)
    return table.astype({"n_found": float})


def found_share(found: pd.DataFrame, sizes: np.ndarray) -> pd.DataFrame:
    """The table of shares found, at each of ``sizes``, from that of sizes found of all draws."""
    rows = [
        (n, by, method, len(own), *share((own["n_found"] <= n).sum(), len(own)))
        for n in sorted(sizes)
        for (by, method), own in grouped(found, ["by", "method"])
    ]
    return pd.DataFrame(rows, columns=TABLES["found_share"].columns)
