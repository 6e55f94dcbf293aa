"""The evidence of every structure, the reference's or the bridge's, and whether the two agree."""

from pathlib import Path

import numpy as np
import pandas as pd

from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import PAIR, root_mean_square

JUDGES = ("reference", "bridge")
FAR = 3.0  # combined standard errors beyond which two estimates do not agree
RUNS = 8  # fewer say too little of an error
SPREAD = 1.0  # nats by which runs spread whose error can be trusted
ROUNDING = 1e-6  # nats: errors below this are of rounding; no hidden variable has children there


def compared(scores: pd.DataFrame) -> pd.DataFrame:
    """By draw, n and structure that have both with an error, in nats: ``reference`` and ``bridge``,
    each with its ``_error`` and number of ``_runs``; the ``difference`` bridge - reference, the
    combined standard ``error``, and ``z``, their ratio.
    """
    wide = {}
    for method in JUDGES:
        rows = scores[scores["method"] == method].set_index(PAIR)
        wide[method] = rows["score"].astype(float)
        wide[f"{method}_error"] = rows["standard_error"].astype(float)
        wide[f"{method}_runs"] = rows["restarts"].astype(float)
    both = pd.DataFrame(wide).dropna(subset=["reference_error", "bridge_error"]).sort_index()
    error = np.hypot(both["reference_error"], both["bridge_error"])
    both = both.assign(difference=both["bridge"] - both["reference"], error=error)
    both = both[both["error"] > ROUNDING]
    return both.assign(z=both["difference"] / both["error"])


def agreement(pairs: pd.DataFrame) -> pd.DataFrame:
    """By n, over the rows of `compared`: the number of ``pairs``; the ``mean`` difference in nats;
    the root ``mean_square`` of z, and how many lie ``beyond`` `FAR`; the ``largest`` z by absolute
    value, and its ``structure``; and in how many pairs the evidence is the ``bridge``'s.
    """
    rows = pairs.reset_index()
    farthest = rows.sort_values("z", key=abs, ascending=False, kind="stable").drop_duplicates("n")
    farthest = farthest.set_index("n")
    found = rows.groupby("n").agg(
        pairs=("z", "size"),
        mean=("difference", "mean"),
        mean_square=("z", root_mean_square),
        beyond=("z", lambda z: (z.abs() > FAR).sum()),
    )
    bridge = taken(pairs).groupby("n").size().reindex(found.index, fill_value=0)
    return found.assign(largest=farthest["z"], structure=farthest["structure"], bridge=bridge)


def disagreements(pairs: pd.DataFrame) -> pd.DataFrame:
    """Rows of `compared` beyond `FAR`, the farthest first."""
    far = pairs[pairs["z"].abs() > FAR]
    return far.sort_values("z", key=abs, ascending=False, kind="stable")


def taken(pairs: pd.DataFrame) -> pd.DataFrame:
    """Rows of `compared` in which the evidence is the bridge's: the two agree within `FAR`, and the
    bridge is the more exact. Both errors must come from `RUNS` runs or more, and the bridge's runs
    spread by `SPREAD` nats at most: of runs that spread wider, those that miss the tail have the
    smaller error, and would be chosen for it (tests/statistical/test_evidence.py).

    Taking the smaller of two estimated errors understates it: for simulated runs that spread by a
    nat at most, z against the evidence has root mean square 1.0 to 1.4, depending on which is how
    much more exact; from eight runs alone 1.2, from sixteen 1.05.
    """
    agree = pairs["z"].abs() <= FAR
    better = pairs["bridge_error"] < pairs["reference_error"]
    enough = (pairs["reference_runs"] >= RUNS) & (pairs["bridge_runs"] >= RUNS)
    spread = pairs["bridge_error"] * np.sqrt(pairs["bridge_runs"])
    return pairs[agree & better & enough & (spread <= SPREAD)]


def evidence(scores: pd.DataFrame) -> pd.DataFrame:
    """The table of the evidence from the table of scores, in nats: one row for each row of the
    reference, in its order. ``method`` is the one that gave the number: ``bridge`` in the rows of
    `taken`. ``log_evidence`` is nan where the reference has no score.
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
    """The file of scores, `join_evidence` with that of the evidence, if any. Raises as `read`."""
    known = None if evidence is None else tables.read(evidence, "evidence")
    return join_evidence(tables.read(scores, "scores"), known)
