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


def test_errors_of_estimates_are_means_over_structures():
    """Of signed errors, and of their sizes; beyond counts those of twice their standard error."""
    rows = [("a", 80, e, 2.0) for e in (1.0, -3.0, 5.0, 7.0)] + [("b", 80, -0.5, 0.25)]
    table = pd.DataFrame(rows, columns=["estimator", "n", "error_nats", "standard_error"])
    errors = experiments.errors_of_estimates(table, ["n", "estimator"])
    assert errors.index.tolist() == [(80, "a"), (80, "b")]
    a = errors.loc[(80, "a")]
    assert (a["structures"], a["absolute"], a["signed"], a["median"]) == (4, 4.0, 2.5, 3.0)
    assert (a["largest"], a["claimed"], a["beyond"]) == (7.0, 2.0, 0.5)
    roots = np.std([1, 3, 5, 7], ddof=1) / 2, np.std([1, -3, 5, 7], ddof=1) / 2
    assert (a["absolute_error"], a["signed_error"]) == pytest.approx(roots)
    assert errors.loc[(80, "b"), "beyond"] == 0.0  # at twice its error, not beyond it
    bridge = table.assign(estimator=["bridge sampling", "reciprocal", *["bridge sampling"] * 3])
    assert experiments.errors_of_bridge_sampling(bridge).loc[80, "structures"] == 4


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


def test_the_audit_of_the_truth_is_held_against_the_published_verdicts():
    """The rank and the probability are those among the structures of the table, of one draw."""
    columns = ["draw", "structure", "log_evidence", "audited"]
    rows = [
        (0, "a", np.log(0.6), np.log(0.2)),
        (0, "b", np.log(0.3), np.log(0.7)),
        (0, "c", np.log(0.1), np.log(0.1)),
        (1, "a", np.log(0.25), np.log(0.25)),
        (1, "b", np.log(0.75), np.log(0.75)),
    ]
    table = pd.DataFrame(rows, columns=columns).assign(n=80)
    columns = ["n", "draw", "method", "by", "truth", "rank", "probability"]
    verdicts = [(80, 0, "reference", "structure", "b", 2, 0.25)]
    verdicts += [(80, 1, "reference", "structure", "b", 2, 0.8)]
    verdicts += [
        (80, 0, "vb", "structure", "b", 1, 0.9),
        (80, 0, "reference", "class", "b", 1, 0.9),
    ]
    verdicts = pd.DataFrame(verdicts, columns=columns)
    (row,) = experiments.audit_of_the_truth(table, verdicts).itertuples()
    assert (row.Index, row.draws, row.first, row.first_audited, row.as_published) == (
        80,
        2,
        1,
        2,
        1,
    )
    assert (row.difference, row.difference_error) == pytest.approx((-0.2, 0.2))
    assert row.moved == pytest.approx(0.05)
