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
        of = {"draw": draw, "n": 480, "method": method}
        names = ("lead", "lead_error", "lead_at_1", "lead_at_1_error")
        rows.append(of | {"alpha": "1", "best_structure": at_1, "rank": rank_1})
        rows.append(of | {"alpha": "integrated", "best_structure": best, "rank": rank})
        rows[-1] |= dict(zip(names, leads, strict=True))
        rows.append(of | {"alpha": "4", "best_structure": "1-1-1-1", "rank": 1})
    return pd.DataFrame(rows).sample(frac=1.0, random_state=7)


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


def test_a_deterministic_score_has_no_error():
    leads = (0.01, np.nan, 0.01, np.nan)
    table = alpha_integrated(("1-1-0", "1-2-0", 1, 2, *leads), method="vb")
    (row,) = experiments.alpha_integrated_out(table)
    assert row["surely_another"] == 1


def test_slopes_are_those_of_vb_minus_bic_up_to_the_largest_size():
    columns = ["true_structure", "structure", "method", "against", "n", "draws", "slope"]
    rows = [
        ("1-2", "1-1", "vb", "bic", 10**8, 20, -0.25),
        ("1-2", "1-1", "vb", "bic", 10**6, 20, -0.5),
        ("1-2", "1-1", "vb", "map", 10**8, 20, -25.0),
        ("1-2", "1-1", "cs", "bic", 10**8, 20, 1.0),
    ]
    table = pd.DataFrame(rows, columns=columns).assign(slope_error=0.125)
    found = experiments.slopes_of_vb_minus_bic(table)
    assert found.loc[("1-2", "1-1")].to_dict() == {
        "draws": 20,
        "slope": -0.25,
        "slope_error": 0.125,
    }
    assert len(found) == 1


def test_errors_of_bridge_sampling_are_means_of_absolute_values():
    columns = ["n", "structure", "estimator", "error_nats"]
    rows = [(80, "a", "bridge sampling", -1.0), (80, "b", "bridge sampling", 3.0)]
    rows += [(80, "a", "reciprocal", 9.0), (480, "a", "bridge sampling", -4.0)]
    found = experiments.errors_of_bridge_sampling(pd.DataFrame(rows, columns=columns))
    assert found.loc[80].tolist() == pytest.approx([2, 2.0, np.std([1, 3], ddof=1) / np.sqrt(2)])
    assert found.loc[480, "mean"] == 4.0
