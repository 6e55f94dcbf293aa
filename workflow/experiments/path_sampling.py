"""The evidence by path sampling, beside AIS, from the same chains.

Path sampling, or thermodynamic integration (Gelman & Meng 1998, Stat. Sci. 13, 163-185): ln p(y) is
the integral of E[ln p(y given theta)] over the inverse temperature from 0 to 1. An AIS chain's ln
weight is the sum over temperatures of ln p(y given theta) times the difference to the next one. So
the mean of the ln weights is the integral's estimate, as AIS's is ln of the mean weight; by
Jensen's inequality it is the lower. Reads the chains of the committed run,
results/published/study/ais_chains.csv, all structures at five sizes of draw 0. Writes
results/experiments/path_sampling.csv, with the errors against the evidence of the published study,
and prints its rows. Seconds.
"""

from collections.abc import Iterator

import common
import numpy as np

from latentdag.engine.log_mean import log_mean_exp
from latentdag.study.schema import tables

RESULT = common.EXPERIMENTS / "path_sampling.csv"
SIZES = (10, 80, 480, 1280, 10240)


def path_sampling(log_weights: np.ndarray) -> tuple[float, float]:
    """ln p(y) in nats from the ln weights (C,) of chains, and its standard error."""
    return float(log_weights.mean()), float(log_weights.std(ddof=1) / np.sqrt(len(log_weights)))


ESTIMATORS = {"ais": log_mean_exp, "path sampling": path_sampling}


def rows() -> Iterator[dict]:
    evidence = common.evidence()
    chains = tables.read(common.PUBLISHED / "ais_chains.csv", "ais_chains")
    chains = chains[(chains["draw"] == 0) & chains["n"].isin(SIZES)]
    for (n, label), runs in chains.groupby(["n", "structure"], sort=False):
        for method, estimator in ESTIMATORS.items():
            estimated = estimator(runs["log_weight"].to_numpy())
            which = {"n": n, "structure": label, "method": method}
            yield which | common.error(*estimated, evidence.loc[0, n, label])


if __name__ == "__main__":
    common.write(RESULT, rows())
