"""How the fits went, against plain loops over the rows of the scores."""

from math import nan
from statistics import median

import made_up
import numpy as np
from made_up import SIZES, TRUE, assert_rows

from latentdag.study.one_draw import fits

SCORES = made_up.scores()
FITS = fits.fits(SCORES)
JOBS = ("map", "ml", "vb")  # each named as the score that every one of its fits gives


def key(row):
    return row["draw"], row["n"], row["structure"]


def test_each_fit_counts_once_whichever_scores_were_read_off_it():
    expected = {(*key(r), job) for job in JOBS for r in made_up.rows(SCORES, method=job)}
    found = [(*key(r), r["job"]) for r in made_up.rows(FITS)]
    assert len(found) == len(set(found)) and set(found) == expected


def test_fits_that_did_not_converge():
    failed = {
        job: sorted(key(r) for r in made_up.rows(SCORES, method=job) if not r["converged"])
        for job in JOBS
    }
    assert all(0 < len(own) < 60 for own in failed.values())
    counts = {job: {"fits": 60, "failed": len(failed[job])} for job in JOBS}
    assert_rows(fits.convergence(FITS), counts)
    by_size = {}
    for draw, n, job in sorted({(d, n, j) for j in JOBS for d, n, _ in failed[j]}):
        structures = [s for s in made_up.IN_ORDER if (draw, n, s) in failed[job]]
        by_size[draw, n, job] = structures
    found = fits.not_converged_by_size(FITS).set_index(["draw", "n", "job"])["structures"]
    assert found.to_dict() == by_size and list(found.index) == list(by_size)


def test_restarts_that_ended_at_the_best_optimum():
    expected = {}
    for job in JOBS:
        rows = made_up.rows(SCORES, method=job)
        hits, restarts = ([r[c] for r in rows] for c in ("restarts_at_best", "restarts"))
        expected[job] = {
            "fits": 60,
            "fewest_restarts": min(restarts),
            "most_restarts": max(restarts),
            "fewest": min(hits),
            "tenth": np.interp(0.1 * 59, range(60), sorted(hits)),
            "median": median(hits),
            "share": median(h / r for h, r in zip(hits, restarts, strict=True)),
            "once": hits.count(1),
        }
    assert_rows(fits.at_best(FITS), expected)


def test_structures_without_a_score_by_reason():
    """The made-up reason where made-up scores lack one, and others in other rows."""
    reasons = {(0, "bic"): "no maximum", (1, "bic"): "a minimum", (1, "ais"): "a minimum"}
    table = SCORES.copy()
    for (draw, method), reason in reasons.items():
        lost = (table["draw"] == draw) & (table["method"] == method) & (table["structure"] == TRUE)
        table.loc[lost, ["score", "reason"]] = nan, reason
    sizes = sorted(SIZES)
    expected = {
        ("bic", "a minimum"): [(1, n, TRUE) for n in sizes],
        ("bic", "no maximum"): [(0, n, TRUE) for n in sizes],
        ("cs", "no maximum"): [(0, 480, TRUE)],
        ("ais", "a minimum"): [(1, n, TRUE) for n in sizes],
    }
    found = fits.lost_by_reason(table)
    keys = {why: [key(r) for r in made_up.rows(rows)] for why, rows in found.items()}
    assert keys == expected and list(keys) == list(expected)
    assert len(fits.without_score(table)) == 16
