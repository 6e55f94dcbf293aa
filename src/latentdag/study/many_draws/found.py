"""From how many cases each score has found the truth for good, and in what share of the draws."""

import numpy as np
import pandas as pd

from latentdag.study.many_draws.population import grouped
from latentdag.study.many_draws.proportions import share
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import sorted_by


def found(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The table of sizes found from that of verdicts: by draw and method that ran at the draw's
    largest size, the smallest size from which the truth is first at this and every larger size at
    which the method ran; nan where it is not first at the largest.
    """
    of = ["draw", "by", "method"]
    own = verdicts[[*of, "n", "rank"]].sort_values("n", ascending=False, ignore_index=True)
    stays = (own["rank"] == 1).groupby([own[name] for name in of]).cummin()
    own["n_found"] = own["n"].where(stays).astype(float)
    table = own.groupby(of)[["n", "n_found"]].agg({"n": "max", "n_found": "min"}).reset_index()
    table = table[table["n"] == table.groupby("draw")["n"].transform("max")]
    return sorted_by(table, of)[list(TABLES["found"].columns)].reset_index(drop=True)


def found_share(found: pd.DataFrame, sizes: np.ndarray) -> pd.DataFrame:
    """The table of shares found, at each of ``sizes``, from that of sizes found of all draws."""
    rows = [
        (n, by, method, len(own), *share((own["n_found"] <= n).sum(), len(own)))
        for n in sorted(sizes)
        for (by, method), own in grouped(found, ["by", "method"])
    ]
    return pd.DataFrame(rows, columns=TABLES["found_share"].columns)
