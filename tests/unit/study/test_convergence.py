"""How the fits went, by hand."""

from math import nan

import pandas as pd
from made_up import assert_rows, named

from latentdag.study.one_draw import fits

# draw, n, structure, converged, restarts, restarts at the best: of fits at MAP and by VB
OF_MAP = [
    (1, 80, "b", True, 16.0, 4.0),
    (0, 80, "b", False, 8.0, 1.0),
    (0, 480, "a", True, 32.0, 8.0),
    (0, 80, "a", False, 8.0, 2.0),
    (1, 80, "a", False, 20.0, 0.0),
]
OF_VB = [(0, 80, "a", True, 10.0, 5.0), (0, 80, "b", pd.NA, 9.0, nan)]
COLUMNS = ["draw", "n", "structure", "converged", "restarts", "restarts_at_best", "method"]
SCORES = pd.DataFrame(
    [(*row, m) for m in ("bic", "cs", "map") for row in OF_MAP]  # read off one fit
    + [(*row, "vb") for row in OF_VB]
    + [(0, 80, "a", pd.NA, 8.0, nan, "ais")],
    columns=COLUMNS,
).assign(score=-1.0, n_parameters=3, reason="")
SCORES["converged"] = SCORES["converged"].astype("boolean")
FITS = fits.fits(SCORES)


def test_each_fit_counts_once_whichever_scores_were_read_off_it():
    found = FITS[["job", "draw", "n", "structure"]].apply(tuple, axis=1).tolist()
    expected = [("map", *row[:3]) for row in OF_MAP] + [("vb", 0, 80, "a")]
    assert sorted(found) == sorted(expected)


def test_fits_that_did_not_converge():
    counts = {"map": (5, 3), "vb": (1, 0)}
    assert_rows(fits.convergence(FITS), named(("fits", "failed"), counts))
    found = fits.not_converged_by_size(FITS).to_numpy().tolist()
    assert found == [[0, 80, "map", ["a", "b"]], [1, 80, "map", ["a"]]]
    assert len(fits.not_converged(FITS)) == 3


def test_restarts_that_ended_at_the_best_optimum():
    """Of 0, 1, 2, 4 and 8; the median share is that of 2 of 8, or 4 of 16, or 8 of 32."""
    names = ("fits", "fewest_restarts", "most_restarts", "fewest", "tenth", "median", "share")
    rows = {"map": (5, 8, 32, 0, 0.4, 2, 0.25, 2), "vb": (1, 10, 10, 5, 5, 5, 0.5, 0)}
    assert_rows(fits.at_best(FITS), named((*names, "once"), rows))


def test_structures_without_a_score_by_reason():
    lost = {("vb", 0, "a"): "no maximum", ("bic", 1, "a"): "a minimum"}
    lost |= {("bic", 0, "a"): "no maximum", ("bic", 1, "b"): "a minimum"}
    keys = zip(SCORES["method"], SCORES["draw"], SCORES["structure"], strict=True)
    reasons = [lost.get(key, "") for key in keys]
    table = SCORES.assign(reason=reasons, score=[nan if r else -1.0 for r in reasons])
    found = fits.lost_by_reason(table)
    rows = {why: own[["draw", "n", "structure"]].to_numpy().tolist() for why, own in found.items()}
    assert list(rows.items()) == [
        (("bic", "a minimum"), [[1, 80, "a"], [1, 80, "b"]]),
        (("bic", "no maximum"), [[0, 80, "a"], [0, 480, "a"]]),
        (("vb", "no maximum"), [[0, 80, "a"]]),
    ]
    assert len(fits.without_score(table)) == 5
