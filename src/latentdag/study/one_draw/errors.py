"""How far each score is from the reference evidence, and the reference from the exact one."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from latentdag.scores import SPECS
from latentdag.scores.base import Side
from latentdag.scores.reference import target_at
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import PAIR, in_order, present
from latentdag.study.schema.two_methods import JUDGES, best_evidence

JUDGED = tuple(m for m, spec in SPECS.items() if spec.judged and m not in JUDGES)
LOWER_BOUNDS = tuple(m for m, spec in SPECS.items() if spec.side is Side.LOWER_BOUND)
ROUNDING = 2e-6  # nats: of the difference of two scores, tabulated to 1e-6
SLACK = (
    1e-5  # nats by which a bound may lie on the wrong side: ten times what tables are written to
)
SURE = 3.0  # standard errors beyond which a bound on the wrong side of the evidence is no accident


def errors(scores: pd.DataFrame) -> pd.DataFrame:
    """The table of errors from the table of scores: score minus reference, in nats, for every
    structure, size and judged method that has both; by `best_evidence`.

    ``standard_error`` joins those of the score (0 for a deterministic one) and of the reference.
    """
    scores = best_evidence(scores)
    own = in_order(scores[scores["method"].isin(JUDGED)])
    both = own.merge(_reference(scores), on=PAIR, suffixes=("", "_reference"))
    both["error_nats"] = both["score"] - both["score_reference"]
    both["standard_error"] = np.hypot(
        both["standard_error"].fillna(0.0).astype(float),
        both["standard_error_reference"].fillna(0.0).astype(float),
    )
    return both.dropna(subset="error_nats")[list(TABLES["errors"].columns)].reset_index(drop=True)


def by_size(errors: pd.DataFrame, statistic: str | Callable) -> pd.DataFrame:
    """A statistic over the structures of the errors of one draw: n by method, in nats."""
    found = errors.groupby(["n", "method"])["error_nats"].agg(statistic).unstack()
    return found[present(found.columns)]


def mean_absolute(errors: pd.DataFrame) -> pd.DataFrame:
    """The mean absolute error over the structures, of one draw: n by method, in nats."""
    return by_size(errors.assign(error_nats=errors["error_nats"].abs()), "mean")


def spread(errors: pd.DataFrame) -> pd.DataFrame:
    """By method the median, lowest and highest error over all rows, in nats."""
    found = errors.groupby("method")["error_nats"].agg(["median", "min", "max"])
    return found.loc[present(found.index)]


def above_reference(errors: pd.DataFrame) -> pd.DataFrame:
    """For each lower bound of the evidence, of how many ``pairs`` of structure and size it lies
    ``above`` the reference by more than `SURE` standard errors.
    """
    over = errors["error_nats"] > SURE * errors["standard_error"] + SLACK
    found = over.groupby(errors["method"]).agg(["sum", "size"])
    found.columns = ["above", "pairs"]
    return found.loc[present(m for m in found.index if m in LOWER_BOUNDS)]


def z_scores(scores: pd.DataFrame) -> pd.Series:
    """(reference - exact) / standard error by draw, n, structure, wherever both are known.

    Where the reference is exact itself (no error but that of writing it down) there is no z: it is
    left out when it agrees and infinite when it does not.
    """
    exact = scores.loc[scores["method"] == "exact", [*PAIR, "score"]]
    both = _reference(scores).merge(exact, on=PAIR, suffixes=("", "_exact")).set_index(PAIR)
    gap, error = both["score"] - both["score_exact"], both["standard_error"]
    noisy = error > 5 * ROUNDING
    z = gap / error.where(noisy)
    wrong = ~noisy & (gap.abs() > 5 * error.fillna(0.0) + ROUNDING)
    z[wrong] = np.sign(gap[wrong]) * np.inf
    return z.dropna()


def missed_targets(scores: pd.DataFrame, target: float) -> pd.DataFrame:
    """Rows of the reference, where it has a score, whose standard error is above that of
    `target_at`, or missing; the farthest above first.
    """
    own = in_order(scores[(scores["method"] == "reference") & scores["score"].notna()])
    excess = own["standard_error"] / own["n"].map(lambda n: target_at(n, target)).astype(float)
    own = own.assign(excess=excess)
    return own[~(own["excess"] <= 1)].sort_values("excess", ascending=False, kind="stable")


def _reference(scores: pd.DataFrame) -> pd.DataFrame:
    return scores.loc[scores["method"] == "reference", [*PAIR, "score", "standard_error"]]
