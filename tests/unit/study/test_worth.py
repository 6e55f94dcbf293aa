"""What each score is worth: measures by hand, baselines, and the reference's own error."""

from math import exp, nan

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from latentdag.study.many_draws.population import MEASURES
from latentdag.study.one_draw.worth import measures, worths

STRUCTURES = pd.DataFrame(
    {
        "structure": ["0-0", "0-1", "1-0", "1-1", "1-12", "12-12"],
        "class": list("abcdef"),
        "n_links": [0, 1, 1, 2, 3, 4],
        "n_parameters": [4, 6, 6, 8, 8, 8],
    }
)
EVIDENCE = [-10.0, -9.0, -12.0, -7.0, -8.0, -11.0]
VB = [-11.0, -9.5, -14.0, nan, -10.0, -9.9]
ERROR = [0.0, 0.1, 0.1, 0.4, 0.2, 0.9]  # the last is too large to measure errors by


def scores(n=80, draw=3, vb=VB, error=ERROR) -> pd.DataFrame:
    both = {"reference": (EVIDENCE, error), "vb": (vb, [nan] * 6)}
    rows = [
        {"draw": draw, "n": n, "structure": s, "method": m, "score": value, "standard_error": se}
        for m, (values, errors) in both.items()
        for s, value, se in zip(STRUCTURES["structure"], values, errors, strict=True)
    ]
    return pd.DataFrame(rows).assign(restarts=8.0)


def test_measures_by_hand():
    """The score does not have the best structure, and picks the second: 2 nats are lost."""
    found = worths(scores(), STRUCTURES, "0-1").set_index("method").loc["vb"]
    own, of = ([v for k, v in enumerate(x) if k != 3] for x in (VB, EVIDENCE))
    assert found["mean_absolute_error"] == pytest.approx((1 + 0.5 + 2 + 2) / 4)
    assert found["order"] == pytest.approx(spearmanr(own, of).statistic)
    # d = 6: in the same order; d = 8: two structures, in the opposite one; d = 4: one
    assert found["order_same_d"] == pytest.approx((1 * 1 - 1 * 1) / 2)
    p, q = ([exp(v) / sum(map(exp, x)) for v in x] for x in (own, of))
    distance = sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
    assert found["total_variation"] == pytest.approx(distance)
    assert found["regret"] == pytest.approx(-7 - -9)


def test_groups_are_weighted_by_their_size():
    """Three in the same order, two in the opposite one: (2 - 1) / 3."""
    d = np.array([8, 8, 8, 6, 6])
    own, of = np.array([1.0, 2, 3, 2, 1]), np.array([1.0, 2, 3, 1, 2])
    found = measures(own, of, d, np.ones(5, dtype=bool))
    assert found["order_same_d"] == pytest.approx(1 / 3)


def test_baselines_see_no_data():
    """Fewer are better; as no ln evidence they have no distance from it."""
    found = worths(scores(), STRUCTURES, "0-1").set_index("method")
    for name, column in (("fewer links", "n_links"), ("fewer parameters", "n_parameters")):
        own = found.loc[name]
        assert own["order"] == pytest.approx(spearmanr(-STRUCTURES[column], EVIDENCE).statistic)
        assert own[["mean_absolute_error", "total_variation"]].isna().all()
        assert own["regret"] == pytest.approx(-7 - -10)
    assert np.isnan(found.loc["fewer parameters", "order_same_d"].item())


def test_the_reference_has_its_own_error():
    """None without one, or where it is large; with one of 0.4 nats the mean absolute error is 0.4
    sqrt(2 / pi).
    """
    for last in (0.0, 0.9):
        exact = worths(scores(error=[0.0] * 5 + [last]), STRUCTURES, "0-1").set_index("method")
        assert exact.loc["reference", list(MEASURES)].tolist() == pytest.approx([0, 1, 1, 0, 0])
    error = 0.4
    found = pd.concat(
        worths(scores(error=[error] * 6, draw=draw), STRUCTURES, "0-1", 7) for draw in range(40)
    )
    own = found[found["method"] == "reference"]
    # 40 draws, 20 repetitions, 6 structures: a standard error of 0.6 error / sqrt(4800)
    wanted = error * np.sqrt(2 / np.pi)
    assert own["mean_absolute_error"].mean() == pytest.approx(wanted, abs=4 * 0.6 * error / 69)
    assert 0.9 < own["order"].mean() < 1
    assert own["mean_absolute_error"].nunique() == 40
