"""At how many cases scores find the truth for good, over draws, and where the paper's sizes lie."""

import numpy as np
import pandas as pd

from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.frames import present

QUANTILES = (0.1, 0.5, 0.9)  # of the draws
SIZES = {"vb": PAPER.vb_from, "bic": PAPER.bic_from}  # cases from which the paper's find it


def quantiles(found: pd.DataFrame) -> pd.DataFrame:
    """From the table of sizes found, of rows with one ``by``: by method the number of ``draws``, in
    how many the truth is ``never`` found for good, and the `QUANTILES` over draws of the size from
    which it is (the least that so many draws do not exceed), inf where that is none.
    """
    rows = {}
    for m in present(found["method"]):
        sizes = found.loc[found["method"] == m, "n_found"].astype(float).fillna(np.inf)
        rows[m] = {"draws": len(sizes), "never": int(np.isinf(sizes).sum())}
        rows[m] |= {q: np.quantile(sizes, q, method="inverted_cdf") for q in QUANTILES}
    return pd.DataFrame.from_dict(rows, orient="index")


def at_the_papers_sizes(found_share: pd.DataFrame) -> pd.DataFrame:
    """From the table of shares found, of rows with one ``by``: for the methods of `SIZES` the
    paper's size ``n``, and in what ``share`` of the ``draws``, ``number`` of them, the truth is
    found for good at ``n`` cases or fewer, with the interval from ``low`` to ``high``.

    Where the table lacks the paper's size, the largest below it tells; a size below or above all
    those of the table is left out.
    """
    rows = {}
    for m, n in SIZES.items():
        own = found_share[found_share["method"] == m].sort_values("n")
        if len(own) and own["n"].min() <= n <= own["n"].max():
            at = own[own["n"] <= n].iloc[-1]
            known = {name: float(at[name]) for name in ("share", "low", "high")}
            draws = int(at["draws"])
            rows[m] = {"n": n, "draws": draws, "number": round(at["share"] * draws), **known}
    return pd.DataFrame.from_dict(rows, orient="index")
