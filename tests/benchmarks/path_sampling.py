"""The evidence by path sampling, beside AIS, from the same chains.

Path sampling, or thermodynamic integration (Gelman & Meng 1998, Stat. Sci. 13, 163-185): ln p(y) is
the integral of E[ln p(y given theta)] over the inverse temperature from 0 to 1. An AIS chain's ln
weight is the sum over temperatures of ln p(y given theta) times the difference to the next one. So
the mean of the ln weights is the integral's estimate, as AIS's is ln of the mean weight; by
Jensen's inequality it is the lower. Reads the chains of the committed run,
results/ais_chains.csv, all structures at five sizes of draw 0. Writes
results/experiments/path_sampling.csv, and prints the mean absolute errors. Seconds.
"""

from pathlib import Path

import numpy as np

from latentdag.engine.log_mean import log_mean_exp
from latentdag.study.schema import tables

RESULTS = Path(__file__).parents[2] / "results"
RESULT = RESULTS / "experiments" / "path_sampling.csv"
SIZES = (10, 80, 480, 1280, 10240)


def path_sampling(log_weights: np.ndarray) -> tuple[float, float]:
    """ln p(y) in nats from the ln weights (C,) of chains, and its standard error."""
    return float(log_weights.mean()), float(log_weights.std(ddof=1) / np.sqrt(len(log_weights)))


ESTIMATORS = {"ais": log_mean_exp, "path sampling": path_sampling}


def main() -> None:
    evidence = tables.read(RESULTS / "evidence.csv", "evidence")
    evidence = evidence.set_index(["draw", "n", "structure"])
    chains = tables.read(RESULTS / "ais_chains.csv", "ais_chains")
    chains = chains[(chains["draw"] == 0) & chains["n"].isin(SIZES)]
    rows = []
    for (n, label), own in chains.groupby(["n", "structure"], sort=False):
        truth = evidence.loc[0, n, label]
        for method, estimator in ESTIMATORS.items():
            value, error = estimator(own["log_weight"].to_numpy())
            rows.append(
                {
                    "n": n,
                    "structure": label,
                    "method": method,
                    "error_nats": value - truth["log_evidence"],
                    "standard_error": float(np.hypot(error, truth["standard_error"])),
                }
            )
    RESULT.parent.mkdir(exist_ok=True)
    tables.write(RESULT, "path_sampling", rows)
    for n in SIZES:
        for method in ESTIMATORS:
            found = [abs(r["error_nats"]) for r in rows if (r["n"], r["method"]) == (n, method)]
            print(f"n {n:5d} {method:14s} mean absolute error {np.mean(found):.2f} nats")


if __name__ == "__main__":
    main()
