"""How the error of each bound grows with the number of parameters.

The thesis (eq. 2.76 to 2.78) expects a bias of variational bounds to simpler models: each component
of a model adds its part to the Kullback-Leibler divergence, by which the bound is too low. Reads
the errors of the committed run, results/published/study/errors.csv and
results/published/study/scores.csv, all structures at five sizes of draw 0. Writes
results/experiments/bias_by_parameters.csv: for each size and score the slope of the error in the
number of free parameters, by least squares, with its standard error. Seconds.
"""

import common
import pandas as pd

from latentdag.study.one_draw.errors import slopes
from latentdag.study.schema import tables

RESULT = common.EXPERIMENTS / "bias_by_parameters.csv"
SIZES = (10, 80, 480, 1280, 10240)
METHODS = ("cs", "vb", "vb_collapsed", "vb_mix", "vb_lr", "ais")


def rows() -> list[dict]:
    errors = tables.read(common.PUBLISHED / "errors.csv", "errors")
    scores = tables.read(common.PUBLISHED / "scores.csv", "scores")
    n_parameters = scores.drop_duplicates("structure").set_index("structure")["n_parameters"]
    lines = slopes(errors[errors["draw"] == 0].dropna(subset="error_nats"), n_parameters)
    pairs = pd.MultiIndex.from_product([SIZES, METHODS], names=["n", "method"])
    return lines.loc[pairs].reset_index().to_dict("records")


if __name__ == "__main__":
    common.write(RESULT, rows())
