"""The scores of all structures at one size, as the paper's Figure 1 shows them."""

import numpy as np
import pandas as pd

from latentdag.scores import present
from latentdag.study.schema.frames import correlation, in_order


def best_structures(at_n: pd.DataFrame, truth: str | None = None) -> pd.DataFrame:
    """A DataFrame by method (index), in nats, from ``at_n``, rows of the scores table of one draw
    and size: the `best` structure, its `score` and `standard_error`; by how much it is before the
    second, `lead` with `lead_error`; the `rank` of the structure ``truth``, inf where it has no
    score, and `behind` by how much it lies below the best, with `behind_error`. nan where there is
    none.
    """
    scored = in_order(at_n.dropna(subset="score")).astype({"score": float, "standard_error": float})
    # of equal scores the structure with fewer parameters is the better
    of_method = scored.sort_values("score", ascending=False, kind="stable").groupby("method")
    best, second = (of_method.nth(place).set_index("method") for place in (0, 1))
    true = scored[scored["structure"] == truth].set_index("method")
    table = best.loc[present(best.index), ["structure", "score", "standard_error"]]
    for name, other in (("lead", second), ("behind", true)):
        other = other.reindex(table.index)
        error = np.hypot(table["standard_error"], other["standard_error"])
        table[name] = table["score"] - other["score"]
        table[f"{name}_error"] = error.where(table["structure"] != other["structure"])
    above = scored["score"] > scored["method"].map(true["score"]).astype(float)
    rank = 1 + above.groupby(scored["method"]).sum()
    unranked = np.inf if truth in set(at_n["structure"]) else np.nan
    table["rank"] = rank.where(rank.index.isin(true.index), unranked)
    columns = ["best", "score", "standard_error", "lead", "lead_error", "rank", "behind"]
    return table.rename(columns={"structure": "best"})[[*columns, "behind_error"]]


def all_scores(
    at_n: pd.DataFrame, structures: pd.DataFrame, guide: str
) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series, pd.DataFrame, str | None]:
    """A tuple from ``at_n``, rows of the scores table of one draw and size, all with a score, and
    the table ``structures``: DataFrames of the scores and of the standard errors, structure by
    method, in nats; a Series of the best structure by method, the first of equals; a DataFrame
    about the structures; and the label of the true one, or None.

    Structures are in ascending order of `n_parameters`, then label. The column `aside` is the place
    among those with as many, 0 in the middle, in the order of their scores by the method ``guide``,
    then label.
    """
    about = structures[structures["structure"].isin(at_n["structure"])].set_index("structure")
    about = about.sort_values(["n_parameters", "structure"])
    scores, errors = (
        at_n.pivot(index="structure", columns="method", values=column).loc[about.index]
        for column in ("score", "standard_error")
    )
    order = about.assign(guide=scores[guide]).sort_values(["n_parameters", "guide", "structure"])
    columns = order.groupby("n_parameters")["n_parameters"]
    about["aside"] = columns.cumcount() - (columns.transform("size") - 1) / 2
    is_true = about.get("is_true", pd.Series(False, about.index))  # own data have no such column
    true = next(iter(about.index[is_true.astype(bool)]), None)
    return scores, errors, scores.idxmax(), about, true


def parameter_trend(at_n: pd.DataFrame, method: str) -> float:
    """Spearman's rank correlation of the scores by ``method`` with the number of free parameters,
    over the structures, from ``at_n``, rows of the scores table of one draw and size; nan where
    either is constant.
    """
    rows = at_n[at_n["method"] == method]
    return correlation(rows["score"].astype(float), rows["n_parameters"].astype(float))
