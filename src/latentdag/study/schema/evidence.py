"""The evidence of every structure: the reference's, or the bridge's if that is more exact."""

from pathlib import Path

import pandas as pd

from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import PAIR
from latentdag.study.schema.two_methods import compared, taken


def evidence(scores: pd.DataFrame) -> pd.DataFrame:
    """The table of the evidence from the table of scores, in nats: one row for each row of the
    reference, in its order. ``method`` is the one that gave the number: ``bridge`` in the rows of
    `latentdag.study.schema.two_methods.taken`. ``log_evidence`` is nan where the reference has no
    score.
    """
    found = scores[scores["method"] == "reference"].rename(columns={"score": "log_evidence"})
    found = found[list(TABLES["evidence"].columns)].reset_index(drop=True)
    better = taken(compared(scores))
    pairs = pd.MultiIndex.from_frame(found[PAIR])
    rows = pairs.isin(better.index)
    values = better.loc[pairs[rows], ["bridge", "bridge_error"]]
    found.loc[rows, ["log_evidence", "standard_error"]] = values.to_numpy()
    found.loc[rows, "method"] = "bridge"
    return found


def join_evidence(scores: pd.DataFrame, evidence: pd.DataFrame | None) -> pd.DataFrame:
    """The table of scores as statistics read it: the reference's scores and standard errors are
    those of the table ``evidence``, where that has them (None: the study has no reference), and the
    bridge's rows are left out, as it scores some structures only.
    """
    read = scores[scores["method"] != "bridge"].copy()
    if evidence is None:
        return read
    known = evidence.set_index(PAIR)[["log_evidence", "standard_error"]]
    pairs = pd.MultiIndex.from_frame(read[PAIR])
    rows = (read["method"] == "reference") & pairs.isin(known.index)
    if rows.any():
        read.loc[rows, ["score", "standard_error"]] = known.loc[pairs[rows]].to_numpy()
    return read


def read_with_evidence(scores: str | Path, evidence: str | Path | None) -> pd.DataFrame:
    """The file of the scores `join_evidence`, the path of its table or None. Raises as
    `tables.read`.
    """
    known = None if evidence is None else tables.read(evidence, "evidence")
    return join_evidence(tables.read(scores, "scores"), known)
