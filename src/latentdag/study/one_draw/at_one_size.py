"""The scores of all structures at one size, as the paper's Figure 1 shows them."""

import numpy as np
import pandas as pd

from latentdag.study.schema.frames import by_method, correlation, in_order, present


def best_structures(at_n: pd.DataFrame, truth: str | None = None) -> pd.DataFrame:
    """By method, from rows of the scores table of one draw and size: the ``best`` structure, its
    ``score`` and ``standard_error``; by how much it is before the second, ``lead`` with
    ``lead_error``; the ``rank`` of ``truth``, inf where it has no score, and ``behind`` by how
    much it lies below the best, with ``behind_error``. In nats; nan where there is none.
    """
    rows = {}
    at_n = in_order(at_n)  # of equal scores the structure with fewer parameters is the better
    for m in present(at_n["method"]):
        selected = at_n[at_n["method"] == m].set_index("structure")[["score", "standard_error"]]
        selected = selected.astype(float).dropna(subset="score")
        selected = selected.sort_values("score", ascending=False, kind="stable")
        if selected.empty:
            continue
        best, true = selected.iloc[0], selected.loc[truth] if truth in selected.index else None
        rows[m] = {"best": selected.index[0]} | dict(best)
        rows[m] |= dict(zip(("lead", "lead_error"), gap(selected.iloc[:2]), strict=True))
        if true is not None:
            rows[m]["rank"] = 1 + (selected["score"] > true["score"]).sum()
        else:
            rows[m]["rank"] = np.inf if truth in set(at_n["structure"]) else np.nan
        behind = selected.loc[[selected.index[0], truth]] if true is not None else selected.iloc[:0]
        rows[m] |= dict(zip(("behind", "behind_error"), gap(behind), strict=True))
    return pd.DataFrame.from_dict(rows, orient="index")


def gap(two: pd.DataFrame) -> tuple[float, float]:
    """Score of the first of two rows minus that of the second, in nats, with its standard error,
    which is nan where both are the same structure; both nan where there are not two.
    """
    if len(two) < 2:
        return np.nan, np.nan
    error = np.nan if two.index[0] == two.index[1] else np.hypot(*two["standard_error"])
    return two["score"].iloc[0] - two["score"].iloc[1], error


def all_scores(
    at_n: pd.DataFrame, structures: pd.DataFrame, guide: str
) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series, pd.DataFrame, str | None]:
    """From rows of the scores table of one draw and size, all with a score, and the table of
    structures: scores and standard errors, structure by method, in nats, nan where there is none;
    the best structure, by method, of equal ones the first; a table about the structures; and the
    true structure, if any. Structures are in ascending order of their parameters, then label.

    The table has by structure ``n_parameters``; and ``aside``, its place among those that have as
    many, 0 in the middle, in the order of their scores by ``guide`` and then label.
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


def gap_between(at_n: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """By structure that has both scores the ``gap`` a - b in nats, and whether it is ``beyond``
    chance below 0: by more than 2 standard errors of ``a``.
    """
    scores, errors = (by_method(at_n, c, "structure") for c in ("score", "standard_error"))
    both = scores.reindex(columns=[a, b]).dropna()
    gap = (both[a] - both[b]).astype(float)
    error = errors.reindex(columns=[a]).loc[gap.index, a].astype(float).fillna(0.0)
    return pd.DataFrame({"gap": gap, "beyond": (gap <= 0) & (gap < -2 * error)})


def parameter_trend(at_n: pd.DataFrame, method: str) -> float:
    """Spearman's rank correlation of a method's scores with the number of free parameters."""
    rows = at_n[at_n["method"] == method]
    return correlation(rows["score"].astype(float), rows["n_parameters"].astype(float))
