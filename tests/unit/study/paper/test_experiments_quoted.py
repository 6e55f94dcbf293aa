"""What pages quote of the tables of experiments."""

import numpy as np
import pandas as pd
import pytest

from latentdag.study.paper import experiments


def alpha_integrated(*draws, method="reference"):
    """The table of one size, from (best at 1, best integrated, rank at 1, rank integrated, lead,
    lead's error, lead at 1, its error) of each draw.
    """
    rows = []
    for draw, (at_1, best, rank_1, rank, *leads) in enumerate(draws):
        none = [np.nan] * 4
        rows += [(draw, "1", at_1, rank_1, *none), (draw, "4", "1-1-1-1", 1, *none)]
        rows.append((draw, "integrated", best, rank, *leads))
    columns = ["draw", "alpha", "best_structure", "rank"]
    columns += ["lead", "lead_error", "lead_at_1", "lead_at_1_error"]
    table = pd.DataFrame(rows, columns=columns).assign(n=480, method=method)
    return table.sample(frac=1.0, random_state=7)


def test_picks_that_differ_with_alpha_integrated_out():
    table = alpha_integrated(
        ("1-1-0", "1-1-0", 2, 1, 0.0, 0.1, 0.0, 0.1),
        ("1-1-0", "1-2-0", 1, 2, 3.0, 1.0, 3.0, 1.0),  # another, surely
        ("1-1-0", "1-2-0", 1, 2, 3.0, 1.0, 1.5, 1.0),  # not surely with alpha 1
        ("1-1-0", "1-2-0", 3, 1, 1.5, 1.0, 3.0, 1.0),  # not surely with alpha integrated out
    )
    (row,) = experiments.alpha_integrated_out(table)
    assert (row["n"], row["method"], row["draws"], row["same"]) == (480, "reference", 4, 1)
    assert (row["surely_another"], row["first"], row["first_integrated"]) == (1, 2, 2)
    assert row["low"] < row["share"] == 0.25 < row["high"]
    # a deterministic score has no error
    vb = alpha_integrated(("1-1-0", "1-2-0", 1, 2, 0.01, np.nan, 0.01, np.nan), method="vb")
    assert experiments.alpha_integrated_out(vb)[0]["surely_another"] == 1


def test_slopes_are_those_of_vb_minus_bic_up_to_the_largest_size():
    columns = ["true_structure", "structure", "method", "against", "n", "draws", "slope"]
    rows = [
        ("1-2", "1-1", "vb", "bic", 10**8, 20, -0.25),
        ("1-2", "1-1", "vb", "bic", 10**6, 20, -0.5),
        ("1-2", "1-1", "vb", "map", 10**8, 20, -25.0),
        ("1-2", "1-1", "cs", "bic", 10**8, 20, 1.0),
    ]
    table = pd.DataFrame(rows, columns=columns).assign(slope_error=0.125)
    (row,) = experiments.slopes_of_vb_minus_bic(table).itertuples()
    assert row == (("1-2", "1-1"), 20, -0.25, 0.125)


def test_errors_of_bridge_sampling_are_means_of_absolute_values():
    columns = ["n", "structure", "estimator", "error_nats"]
    rows = [(80, "a", "bridge sampling", -1.0), (80, "b", "bridge sampling", 3.0)]
    rows += [(80, "a", "reciprocal", 9.0), (480, "a", "bridge sampling", -4.0)]
    errors = experiments.errors_of_bridge_sampling(pd.DataFrame(rows, columns=columns))
    assert errors.loc[80].tolist() == pytest.approx([2, 2.0, np.std([1, 3], ddof=1) / np.sqrt(2)])
    assert errors.loc[480, "mean"] == 4.0
