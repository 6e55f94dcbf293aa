"""What each score is worth on one draw: its distance from the evidence, whether it puts the
structures in the same order, how far its posterior is from the evidence's, and what its pick loses;
beside two baselines that see no data, and what Monte Carlo error makes of the evidence.
"""

import numpy as np
import pandas as pd

from latentdag.engine.streams import generator
from latentdag.ranking.probabilities import normalise
from latentdag.scores import SPECS
from latentdag.study.one_draw.errors import JUDGED
from latentdag.study.one_draw.score_arrays import EVIDENCE, exact_enough, highest, structure_arrays
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import rank_correlation

FEWER_LINKS, FEWER_PARAMETERS = "fewer links", "fewer parameters"  # are better, as baselines
BASELINES = (FEWER_LINKS, FEWER_PARAMETERS)
REPETITIONS = 20  # of the evidence with its error


def worths(
    scores: pd.DataFrame, structures: pd.DataFrame, true_structure: str, seed: int = 0
) -> pd.DataFrame:
    """The table `worths` of one draw, a DataFrame, from ``scores``, the table of scores as
    `join_evidence` returns it, and the table ``structures``: a row by size for each score of the
    evidence that implies a posterior, for the `BASELINES`, and for the reference. That row is what
    an exact score would have: means over `REPETITIONS` of the evidence plus a normal error, where
    it is small (`exact_enough`), from a stream of ``seed``. Raises ValueError as `structure_arrays`
    does.
    """
    arrays = structure_arrays(scores, structures, true_structure)
    exact = exact_enough(scores, arrays)
    about = structures.set_index("structure").loc[arrays.items]
    d = about["n_parameters"].to_numpy()
    baselines = dict(zip(BASELINES, (-about["n_links"].to_numpy(), -d), strict=True))
    rows = []
    for i, n in enumerate(arrays.sizes):
        evidence = arrays.reference[i]
        error = np.where(exact[i], arrays.reference_error[i], 0.0)
        if np.isnan(evidence).all():
            continue
        measured = {
            m: measures(arrays.scores[i, k], evidence, d, exact[i])
            for k, m in enumerate(arrays.methods)
            if m in JUDGED and SPECS[m].posterior and arrays.scored[i, k]
        }
        for name, better in baselines.items():
            measured[name] = measures(better.astype(float), evidence, d, exact[i])
            measured[name] |= {"mean_absolute_error": np.nan, "total_variation": np.nan}
        noise = generator(seed, "worth", arrays.draw, int(n)).normal(size=(REPETITIONS, len(d)))
        again = [measures(evidence + error * z, evidence, d, exact[i]) for z in noise]
        measured[EVIDENCE] = pd.DataFrame(again).mean().to_dict()
        rows += [
            {"draw": arrays.draw, "n": int(n), "method": m} | values
            for m, values in measured.items()
        ]
    return pd.DataFrame(rows, columns=list(TABLES["worths"].columns))


def measures(
    values: np.ndarray, evidence: np.ndarray, d: np.ndarray, exact: np.ndarray
) -> dict[str, float]:
    """A dict of the measures of a score by name, from K structures, arrays of shape (K,): its
    ``values``, the ln ``evidence``, the numbers ``d`` of free parameters, and whether the evidence
    is ``exact`` enough to measure errors by. Mean absolute error and regret are in nats; `order` is
    the rank correlation with the evidence, `order_same_d` that among structures with equal d; total
    variation is that of the posteriors. A structure without a score, nan, does not count.
    """
    there = ~np.isnan(values) & ~np.isnan(evidence)
    judged = there & exact
    distance = normalise(values[there]) - normalise(evidence[there])
    groups = [there & (d == value) for value in np.unique(d[there])]
    within = np.array([(rank_correlation(values[g], evidence[g]), g.sum() - 1) for g in groups])
    within = within[~np.isnan(within[:, 0])]
    picked = highest(np.where(there, values, np.nan))
    errors = np.abs(values - evidence)[judged]
    return {
        "mean_absolute_error": errors.mean() if judged.any() else np.nan,
        "order": rank_correlation(values[there], evidence[there]),
        "order_same_d": np.average(within[:, 0], weights=within[:, 1]) if len(within) else np.nan,
        "total_variation": np.abs(distance).sum() / 2,
        "regret": np.nanmax(evidence) - evidence[picked],
    }
