"""Whether a score's posterior is right about itself, and whether any does better than the evidence.

When the truths are drawn uniformly from the structures, and parameters and data from the model, the
truth of a draw is distributed as the exact posterior says. Then the share of draws in which the
structure picked is the true one, the mean of ln p(truth) and the mean Brier score each have the
expectation and the variance that the posteriors themselves give; and no other score can have a
better mean ln p(truth) or Brier score, but by chance.
"""

import numpy as np
import pandas as pd
import scipy

from latentdag.engine.significance import LEVEL
from latentdag.study.many_draws.population import grouped
from latentdag.study.one_draw.score_arrays import EVIDENCE
from latentdag.study.schema.columns import TABLES

ERROR_ROUNDING = 1e-9  # standard errors below this are those of posteriors that are certain
ACCURACY, BELOW = "accuracy", "below the reference in "  # names of statistics
PROPER = (("log score", "log_probability", 1), ("Brier score", "brier", -1))  # sign: up is better
COLUMNS = {ACCURACY: "accuracy"} | {name: column for name, column, _ in PROPER}


def calibration(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The table `calibration`, a DataFrame, from the table ``verdicts`` of draws whose true
    structures are uniform: by size, kind (`by`) and score the means of accuracy, log score and
    Brier score, what the posteriors expect of them, z and its p-value; and how far log and Brier
    score are below the reference's. A draw in which the truth has no score is left out of the log
    score. z is normal for many draws; with few picks expected to be wrong, it is far from 0 too
    often.
    """
    reference = verdicts[verdicts["method"] == EVIDENCE]
    at = ["draw", "n", "by"]
    both = verdicts.merge(reference, "left", on=at, suffixes=("", "_reference"))
    both = both[both["probability"].notna()]
    right, p = both["top"] == both["truth"], both["top_probability"]
    both = both.assign(accuracy=right, expected_accuracy=p, variance_accuracy=p * (1 - p))
    rows = []
    for key, group in grouped(both, ["n", "by", "method"]):
        for name, column in COLUMNS.items():
            complete = group.dropna(subset=column)
            if draws := len(complete):
                error = np.sqrt(complete[f"variance_{column}"].sum()) / draws
                tested = _test(
                    complete[column].mean(), complete[f"expected_{column}"].mean(), error
                )
                rows.append((*key, name, draws, *tested))
        for name, column, sign in PROPER if key[-1] != EVIDENCE else ():
            gap = (sign * (group[f"{column}_reference"] - group[column])).dropna()
            if draws := len(gap):
                rows.append((*key, BELOW + name, draws, *_test(gap.mean(), 0.0, gap.sem())))
    return pd.DataFrame(rows, columns=TABLES["calibration"].columns)


def tests_of_the_reference(calibration: pd.DataFrame) -> dict:
    """A dict that says whether the reference is right about itself, from the table ``calibration``:
    the `number` of tests; how many have p `below` `LEVEL`, and how many are `expected` to; `last`,
    the largest size, `largest`, how many of those below are at it, and `sure`, how many of these
    say that the reference is too sure: it expects more of itself than comes true; the row of the
    `smallest` p, and its Bonferroni bound `together`. Empty where nothing can be tested.
    """
    rows = calibration[calibration["method"] == EVIDENCE].dropna(subset="z")
    if rows.empty:
        return {}
    p, number = rows["p_value"], len(rows)
    summary = {"number": number, "below": int((p < LEVEL).sum()), "expected": LEVEL * number}
    last = rows[(p < LEVEL) & (rows["n"] == rows["n"].max())]
    up = last["statistic"].map({ACCURACY: 1.0} | {name: sign for name, _, sign in PROPER})
    sure = int((up.astype(float) * last["z"] < 0).sum())
    summary |= {"last": int(rows["n"].max()), "largest": len(last), "sure": sure}
    return summary | {"smallest": rows.loc[p.idxmin()], "together": min(1.0, number * p.min())}


def pooled(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Whether the reference is right about itself over all sizes together, a DataFrame by statistic
    of `COLUMNS` (index), from the rows by structure of the table ``verdicts``: the mean `gap`,
    observed less expected, over the `draws` of each draw's mean over its sizes, with its
    `standard_error` and `p_value` by Student's t. Draws are independent, and sizes of one draw are
    not. Empty where there are fewer than two draws.
    """
    rows = verdicts[(verdicts["method"] == EVIDENCE) & (verdicts["by"] == "structure")]
    rows = rows.assign(
        accuracy=rows["top"] == rows["truth"], expected_accuracy=rows["top_probability"]
    )
    tests = {}
    for name, column in COLUMNS.items():
        gap = rows[column].astype(float) - rows[f"expected_{column}"].astype(float)
        of_draw = gap.groupby(rows["draw"]).mean().dropna()
        if len(of_draw) > 1:
            test = scipy.stats.ttest_1samp(of_draw, 0.0)
            tests[name] = len(of_draw), of_draw.mean(), of_draw.sem(), test.pvalue
    columns = ["draws", "gap", "standard_error", "p_value"]
    return pd.DataFrame.from_dict(tests, orient="index", columns=columns)


def better_than_the_reference(calibration: pd.DataFrame) -> dict[str, int]:
    """A dict of counts from the table ``calibration``: the `comparisons` of a score with the
    reference, by log score and by Brier score, and in how many it is `better`, and `surely_better`:
    with p below `LEVEL`.
    """
    statistics = [BELOW + name for name, _, _ in PROPER]
    rows = calibration[calibration["statistic"].isin(statistics)].dropna(subset="z")
    better = rows[rows["z"] < 0]
    sure = better[better["p_value"] < LEVEL]
    return {"comparisons": len(rows), "better": len(better), "surely_better": len(sure)}


def _test(value: float, expected: float, error: float) -> tuple[float, ...]:
    """The three, z and its two-sided p-value; no z of what is certain and as expected."""
    gap = value - expected
    if not error < ERROR_ROUNDING:  # or nan: of one draw
        z = gap / error
    elif abs(gap) < ERROR_ROUNDING:
        z = np.nan
    else:
        z = np.sign(gap) * np.inf
    return value, expected, error, z, 2 * scipy.stats.norm.sf(abs(z))
