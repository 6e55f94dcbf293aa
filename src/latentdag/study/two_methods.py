"""Two methods for the evidence, reference and bridge: do they agree, and which is more exact."""

import numpy as np
import pandas as pd

from latentdag.study.errors import PAIR
from latentdag.study.exact import root_mean_square

FAR = 3.0  # combined standard errors beyond which two estimates do not agree
EXACT = 1e-6  # nats: errors below this are of rounding; no hidden variable has children there


def compared(scores: pd.DataFrame) -> pd.DataFrame:
    """By draw, n and structure, for the pairs of structure and data set that have both with an
    error: ``reference`` and ``bridge``, their errors ``reference_error`` and ``bridge_error``, the
    ``difference`` bridge - reference, the combined standard ``error``, all in nats, and ``z``, the
    difference in units of that.
    """
    wide = {}
    for method in ("reference", "bridge"):
        own = scores[scores["method"] == method].set_index(PAIR)
        wide[method] = own["score"].astype(float)
        wide[f"{method}_error"] = own["standard_error"].astype(float)
    both = pd.DataFrame(wide).dropna().sort_index()
    error = np.hypot(both["reference_error"], both["bridge_error"])
    both = both.assign(difference=both["bridge"] - both["reference"], error=error)
    both = both[both["error"] > EXACT]
    return both.assign(z=both["difference"] / both["error"])


def by_size(pairs: pd.DataFrame) -> pd.DataFrame:
    """By n, over the rows of `compared`: the number of ``pairs``; the ``mean`` difference in nats;
    the root ``mean_square`` of z, and how many lie ``beyond`` `FAR`; the ``largest`` z by absolute
    value, and its ``structure``; and in how many pairs the ``bridge`` is more exact.
    """
    rows = {}
    for n, own in pairs.groupby("n"):
        farthest = own["z"].abs().idxmax()
        rows[n] = {
            "pairs": len(own),
            "mean": own["difference"].mean(),
            "mean_square": root_mean_square(own["z"]),
            "beyond": int((own["z"].abs() > FAR).sum()),
            "largest": own["z"][farthest],
            "structure": farthest[2],
            "bridge": int((own["bridge_error"] < own["reference_error"]).sum()),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def disagreements(pairs: pd.DataFrame) -> pd.DataFrame:
    """Rows of `compared` beyond `FAR`, the farthest first."""
    far = pairs[pairs["z"].abs() > FAR]
    return far.sort_values("z", key=abs, ascending=False, kind="stable")


def best_evidence(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of the reference, each with score and standard error of the bridge where the two
    agree within `FAR` and the bridge is the more exact.
    """
    best = scores[scores["method"] == "reference"].set_index(PAIR)
    pairs = compared(scores)
    better = pairs[(pairs["z"].abs() <= FAR) & (pairs["bridge_error"] < pairs["reference_error"])]
    best.loc[better.index, "score"] = better["bridge"]
    best.loc[better.index, "standard_error"] = better["bridge_error"]
    return best.reset_index()[list(scores.columns)]
