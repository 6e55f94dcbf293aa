"""The error of each score: score minus evidence, by size and by number of parameters; and whether
it orders the structures as the evidence does.
"""

import numpy as np
import pandas as pd
import scipy

from latentdag.scores import SPECS, present
from latentdag.scores.base import Side
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.evidence import JUDGES
from latentdag.study.schema.frames import PAIR, correlation, in_order, method_columns

JUDGED = tuple(m for m, spec in SPECS.items() if spec.judged and m not in JUDGES)
LOWER_BOUNDS = tuple(m for m, spec in SPECS.items() if spec.side is Side.LOWER_BOUND)
# nats by which a bound may lie on the wrong side: ten times what tables are written to
SLACK = 1e-5
QUARTILES = {"lowest": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75, "highest": 1.0}


def errors(scores: pd.DataFrame) -> pd.DataFrame:
    """The table `errors`, a DataFrame, from ``scores``, the table of scores as `join_evidence`
    returns it: score minus ln evidence, in nats, for every structure, size and judged method that
    has both. `standard_error` joins both errors; it is nan where the evidence, or a Monte Carlo
    score, has none.
    """
    rows = in_order(scores[scores["method"].isin(JUDGED)])
    evidence = scores.loc[scores["method"] == "reference", [*PAIR, "score", "standard_error"]]
    both = rows.merge(evidence, on=PAIR, suffixes=("", "_evidence"))
    both["error_nats"] = both["score"] - both["score_evidence"]
    exact = both["method"].isin([m for m in JUDGED if not SPECS[m].monte_carlo])
    noise = both["standard_error"].astype(float).mask(exact, 0.0)
    both["standard_error"] = np.hypot(noise, both["standard_error_evidence"].astype(float))
    return both.dropna(subset="error_nats")[list(TABLES["errors"].columns)].reset_index(drop=True)


def mean_absolute(errors: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame, n by method, of the mean absolute error over the structures, in nats, from the
    table ``errors`` of one draw.
    """
    absolute = errors["error_nats"].abs()
    means = absolute.groupby([errors["n"], errors["method"]]).mean().unstack()
    return means[present(means.columns)]


def nearest_without_sampling(errors: pd.Series) -> str:
    """The name of the score with the smallest mean absolute error, from ``errors``, a Series of
    those of one size by method, in nats: of the scores that are neither the evidence nor Monte
    Carlo, the first in the registry of equals; "" where all are nan.
    """
    rivals = [m for m in errors.index if SPECS[m].side is not Side.EVIDENCE]
    known = errors[[m for m in rivals if not SPECS[m].monte_carlo]].dropna()
    return known.idxmin() if len(known) else ""


def order_correlation(scores: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame, n by method, of Spearman's rank correlation, over the structures, of each judged
    score with the reference, from the table ``scores`` of one draw; empty without the reference.
    """
    wide = method_columns(scores, "score", ["n", "structure"])
    if "reference" not in wide:
        return pd.DataFrame()
    wide = wide[wide["reference"].notna()]
    judged = present(set(wide) & set(JUDGED))
    correlations = {
        n: {m: correlation(of_size[m], of_size["reference"]) for m in judged}
        for n, of_size in wide.groupby(level="n")
        if len(of_size) > 1
    }
    return pd.DataFrame.from_dict(correlations, orient="index", columns=judged).dropna(how="all")


def quartiles_by_size(errors: pd.DataFrame, truth: str | None) -> pd.DataFrame:
    """A DataFrame by method and n (index, ascending) from the table ``errors`` of one draw, in
    nats: the `QUARTILES` of the error over the structures, a column each, and `true`, the error of
    the structure ``truth``, nan where it has none.
    """
    of_size = errors.groupby(["method", "n"])["error_nats"]
    of_truth = errors[errors["structure"] == truth].set_index(["method", "n"])["error_nats"]
    quartiles = {name: of_size.quantile(level) for name, level in QUARTILES.items()}
    return pd.DataFrame(quartiles).assign(true=of_truth)


def vb_minus_bic(errors: pd.DataFrame) -> pd.DataFrame:
    """The rows of VB in the table ``errors`` of one draw at the n and structures that BIC has, too,
    with VB - BIC in nats as their `error_nats`: the evidence cancels. `standard_error` stays that
    of VB's error; BIC's columns end in `_bic`.
    """
    vb, bic = (errors[errors["method"] == m] for m in ("vb", "bic"))
    both = vb.merge(bic, on=["n", "structure"], suffixes=("", "_bic"))
    return both.assign(error_nats=both["error_nats"] - both["error_nats_bic"])


def slopes(errors: pd.DataFrame, n_parameters: pd.Series) -> pd.DataFrame:
    """A DataFrame by n and method (index) from the table ``errors`` of one draw and
    ``n_parameters``, a Series of the number of free parameters by structure: the `slope` of the
    least-squares line of the error in that number, in nats per parameter, and its `slope_error`,
    from three structures of different size on.
    """
    lines = {}
    for key, group in errors.groupby(["n", "method"]):
        d = n_parameters[group["structure"]].to_numpy(dtype=float)
        if len(d) > 2 and d.min() < d.max():
            fit = scipy.stats.linregress(d, group["error_nats"].to_numpy())
            lines[key] = fit.slope, fit.stderr
    index = pd.MultiIndex.from_tuples(lines, names=["n", "method"])
    return pd.DataFrame([*lines.values()], index, columns=["slope", "slope_error"])
