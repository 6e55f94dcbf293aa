"""Two scores that differ in one step, side by side."""

import pandas as pd

from latentdag.study.one_draw.ranks import by_size
from latentdag.study.schema.frames import by_method

PAIRS = (("bic", "bic_ml"), ("vb", "cs"))  # at MAP or at ML; with q(theta) or at the MAP estimate


def rank_gap(ranks: pd.DataFrame, a: str, b: str) -> pd.Series:
    """By size, of one draw, how far apart the two rank the true structure; where both do."""
    wide = by_size(ranks).replace(float("inf"), float("nan"))
    return (wide[a] - wide[b]).abs().dropna() if {a, b} <= set(wide) else pd.Series(dtype=float)


def score_gap(scores: pd.DataFrame, a: str, b: str) -> pd.Series:
    """``a`` - ``b`` in nats by n and structure, of one draw."""
    wide = by_method(scores, "score", ["n", "structure"])
    return (wide[a] - wide[b]).dropna() if {a, b} <= set(wide) else pd.Series(dtype=float)
