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


def test_the_audit_is_a_mean_over_draws_of_means_over_structures():
    """Draws count alike, whatever their number of structures; posteriors are of one draw."""
    columns = ["draw", "structure", "log_evidence", "audited", "z"]
    rows = [
        (0, "a", -10.0, -10.0, 3.5),
        (1, "a", -20.0, -18.0, -4.0),
        (1, "b", -20.0, -20.0, -2.0),
        (1, "c", -90.0, -90.0, np.nan),  # neither has an error
    ]
    table = pd.DataFrame(rows, columns=columns).assign(n=80)
    later = table[table["draw"] == 1].assign(n=480, audited=table["log_evidence"] + 5)
    by_size = experiments.audit_of_evidence(pd.concat([later, table]))
    of = by_size.loc[80]
    assert (of["draws"], of["structures"], of["below"], of["above"]) == (2, 4, 1, 1)
    assert (of["z"], of["z_error"]) == pytest.approx((0.25, 3.25))
    assert (of["nats"], of["nats_error"]) == pytest.approx((-1 / 3, 1 / 3))
    assert of["z_scale"] == pytest.approx(np.sqrt((3.5**2 + 4**2 + 2**2) / 3))
    assert of["most_moved"] == pytest.approx(np.exp(2) / (1 + np.exp(2)) - 1 / 2)
    assert of["same_first"] == 2
    # a constant moves no posterior, and a draw alone has no error
    assert by_size.loc[480, "most_moved"] == pytest.approx(0.0)
    assert np.isnan(by_size.loc[480, "z_error"])
    over_all = experiments.audit_over_all_sizes(by_size)
    assert (over_all["structures"], over_all["data_sets"], over_all["same_first"]) == (7, 3, 3)
    assert over_all["most_moved"] == of["most_moved"]


def test_the_first_structure_of_the_audit_may_be_another():
    rows = [(0, 80, "a", -10.0, -10.0, 0.0), (0, 80, "b", -11.0, -9.0, -4.0)]
    columns = ["draw", "n", "structure", "log_evidence", "audited", "z"]
    (row,) = experiments.audit_of_evidence(pd.DataFrame(rows, columns=columns)).itertuples()
    p, q = 1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))
    assert (row.same_first, row.most_moved) == (0, pytest.approx(p - q))
