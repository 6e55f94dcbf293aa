"""Where the scores fail: by the number of links, and in the worst case."""

import pandas as pd

from latentdag.study.schema.frames import present

FEWER, AS_MANY, MORE = "fewer", "as many", "more"  # links than the true structure has


def links(structures: pd.DataFrame, truth: str) -> pd.Series:
    """By structure, whether it has FEWER links than the true one, AS_MANY, or MORE.

    Raises KeyError when the true structure is not in the table of structures.
    """
    n_links = structures.set_index("structure")["n_links"]
    return (n_links - n_links[truth]).map(lambda k: FEWER if k < 0 else MORE if k > 0 else AS_MANY)


def by_links(errors: pd.DataFrame, structures: pd.DataFrame, truth: str) -> pd.DataFrame:
    """The mean error in nats, of one draw, over the structures with FEWER links than the true one,
    AS_MANY and MORE: (method, links) by n.
    """
    group = errors["structure"].map(links(structures, truth)).rename("links")
    found = errors.groupby(["method", group, "n"])["error_nats"].mean().unstack("n")
    order = [(m, k) for m in present(errors["method"]) for k in (FEWER, AS_MANY, MORE)]
    return found.reindex([key for key in order if key in found.index])


def worst(errors: pd.DataFrame) -> pd.DataFrame:
    """By method, the row of the errors of one draw that is farthest from 0: its ``n``,
    ``structure``, ``error_nats`` and ``standard_error``.
    """
    order = errors.sort_values(["n", "structure"])  # of equal ones the same, whatever their order
    rows = order.groupby("method")["error_nats"].agg(lambda e: e.abs().idxmax())
    return errors.loc[rows[present(rows.index)]].set_index("method")
