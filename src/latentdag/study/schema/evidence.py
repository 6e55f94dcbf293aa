"""The evidence of every structure, the reference's or tempered SMC's, and whether the two agree."""

from pathlib import Path

import numpy as np
import pandas as pd

from latentdag.engine.significance import FAR
from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import PAIR

JUDGES = ("reference", "tempered_smc")
ENOUGH_RUNS = 8  # fewer say too little of an error
TRUSTED_SPREAD = 1.0  # nats by which runs spread whose error can be trusted
# nats: errors below this are of rounding; no hidden variable has children there
ERROR_ROUNDING = 1e-6


def compared(scores: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame by draw, n and structure (index) of those that have scores by `reference` and by
    `tempered_smc`, both with a standard error, in the table ``scores``; in nats. Columns:
    `reference` and `tempered_smc`, each with its `_error` and number of `_runs`; the `difference`,
    tempered_smc - reference, its standard `error`, above `ERROR_ROUNDING`, and `z`, their ratio.
    """
    wide = {}
    for method in JUDGES:
        rows = scores[scores["method"] == method].set_index(PAIR)
        wide[method] = rows["score"].astype(float)
        wide[f"{method}_error"] = rows["standard_error"].astype(float)
        wide[f"{method}_runs"] = rows["restarts"].astype(float)
    both = pd.DataFrame(wide).dropna(subset=["reference_error", "tempered_smc_error"]).sort_index()
    error = np.hypot(both["reference_error"], both["tempered_smc_error"])
    both = both.assign(difference=both["tempered_smc"] - both["reference"], error=error)
    both = both[both["error"] > ERROR_ROUNDING]
    return both.assign(z=both["difference"] / both["error"])


def disagreements(pairs: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``pairs``, the DataFrame of `compared`, that differ by over `FAR` standard errors
    of the difference, the farthest first.
    """
    far = pairs[pairs["z"].abs() > FAR]
    return far.sort_values("z", key=abs, ascending=False, kind="stable")


def taken(pairs: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``pairs``, the DataFrame of `compared`, in which the evidence is tempered SMC's:
    the two agree within `FAR`, and its error is the smaller. Both errors must come from
    `ENOUGH_RUNS` runs or more, and its runs spread by `TRUSTED_SPREAD` nats at most: of runs that
    spread wider, those that miss the tail have the smaller error, and would be chosen for it
    (tests/statistical/test_evidence.py).

    Taking the smaller of two estimated errors understates it: for simulated runs that spread by a
    nat at most, z against the evidence has root mean square 1.0 to 1.4, depending on which is how
    much more exact; from eight runs alone 1.2, from sixteen 1.05.
    """
    agree = pairs["z"].abs() <= FAR
    better = pairs["tempered_smc_error"] < pairs["reference_error"]
    enough = (pairs["reference_runs"] >= ENOUGH_RUNS) & (pairs["tempered_smc_runs"] >= ENOUGH_RUNS)
    spread = pairs["tempered_smc_error"] * np.sqrt(pairs["tempered_smc_runs"])
    return pairs[agree & better & enough & (spread <= TRUSTED_SPREAD)]


def evidence(scores: pd.DataFrame) -> pd.DataFrame:
    """The table `evidence`, a DataFrame, from ``scores``, the table of scores: a row for each row
    of the reference, in its order. `log_evidence` and its `standard_error`, in nats, are those of
    `method`: `tempered_smc` in the rows of `taken`, else `reference`. `log_evidence` is nan where
    the reference has no score.
    """
    table = scores[scores["method"] == "reference"].rename(columns={"score": "log_evidence"})
    table = table[list(TABLES["evidence"].columns)].reset_index(drop=True)
    better = taken(compared(scores))
    pairs = pd.MultiIndex.from_frame(table[PAIR])
    rows = pairs.isin(better.index)
    values = better.loc[pairs[rows], ["tempered_smc", "tempered_smc_error"]]
    table.loc[rows, ["log_evidence", "standard_error"]] = values.to_numpy()
    table.loc[rows, "method"] = "tempered_smc"
    return table


def join_evidence(scores: pd.DataFrame, evidence: pd.DataFrame | None) -> pd.DataFrame:
    """A copy of ``scores``, the table of scores, a DataFrame, as statistics read it: the
    reference's scores and standard errors are those of the table ``evidence``, where that has them
    (None: the study has no reference), and the tempered SMC's rows are left out, as it scores some
    structures only.
    """
    read = scores[scores["method"] != "tempered_smc"].copy()
    if evidence is None:
        return read
    by_pair = evidence.set_index(PAIR)[["log_evidence", "standard_error"]]
    pairs = pd.MultiIndex.from_frame(read[PAIR])
    rows = (read["method"] == "reference") & pairs.isin(by_pair.index)
    if rows.any():
        read.loc[rows, ["score", "standard_error"]] = by_pair.loc[pairs[rows]].to_numpy()
    return read


def read_with_evidence(scores: str | Path, evidence: str | Path | None) -> pd.DataFrame:
    """The table of scores in the file ``scores``, a DataFrame, as `join_evidence` returns it with
    the table in the file ``evidence`` (None: no evidence). Raises ValueError as `tables.read` does.
    """
    table = None if evidence is None else tables.read(evidence, "evidence")
    return join_evidence(tables.read(scores, "scores"), table)
