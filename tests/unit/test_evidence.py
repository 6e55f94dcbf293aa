"""Errors, posteriors and z-scores, on scores made by hand whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from latentdag.study import errors as evidence
from latentdag.study import tables

COLUMNS = ("draw", "n", "structure", "method", "score", "standard_error", "n_parameters")


def table(*rows):
    """Rows of n, structure, method, score, standard error; b has the fewest parameters, then come a
    and c.
    """
    parameters = {"b": 18, "a": 22, "c": 22}
    return pd.DataFrame([(0, *row, parameters[row[1]]) for row in rows], columns=COLUMNS)


NAN = np.nan
SCORES = table(
    (10, "a", "vb", -12.0, NAN), (10, "b", "vb", -9.0, NAN), (10, "a", "ais", -10.0, 0.4), (10, "b", "ais", -8.0, NAN),
    (10, "a", "map", -5.0, NAN), (10, "a", "bic", -20.0, NAN), (10, "a", "exact", -10.6, NAN), (10, "b", "exact", -8.0, NAN),
    (10, "a", "reference", -10.5, 0.3), (10, "b", "reference", -8.0, 0.0), (20, "a", "bic", -30.0, NAN),
    (20, "c", "cs", -3.0, NAN), (20, "c", "reference", -1.0, 0.2), (20, "c", "bic_ml", -4.0, NAN),
)  # fmt: skip


def test_errors_are_score_minus_reference_with_both_standard_errors():
    rows = evidence.error_rows(SCORES)
    expected = [
        (0, 10, "a", "bic", -9.5, 0.3), (0, 10, "b", "vb", -1.0, 0.0), (0, 10, "a", "vb", -1.5, 0.3),
        (0, 10, "b", "ais", 0.0, 0.0), (0, 10, "a", "ais", 0.5, 0.5), (0, 10, "b", "exact", 0.0, 0.0),
        (0, 10, "a", "exact", -0.1, 0.3), (0, 20, "c", "cs", -2.0, 0.2), (0, 20, "c", "bic_ml", -3.0, 0.2),
    ]  # fmt: skip
    assert [row[:4] for row in rows] == [row[:4] for row in expected]
    np.testing.assert_allclose([row[4:] for row in rows], [row[4:] for row in expected], atol=1e-12)
    shuffled = evidence.error_rows(SCORES.sample(frac=1, random_state=3))
    assert shuffled == rows


def test_posterior_is_uniform_prior_times_evidence():
    scores = table(
        (10, "a", "reference", -1e5, 0.1), (10, "b", "reference", -1e5 + np.log(3), 0.1), (10, "a", "vb", -5000.0, NAN),
        (10, "b", "vb", 0.0, NAN), (10, "a", "map", 0.0, NAN), (20, "c", "bic", 7.0, NAN), (20, "a", "bic", 7.0, NAN),
    )  # fmt: skip
    rows = evidence.posterior_rows(scores)
    assert [row[:4] for row in rows] == [
        (0, 10, "b", "vb"), (0, 10, "a", "vb"), (0, 10, "b", "reference"), (0, 10, "a", "reference"),
        (0, 20, "a", "bic"), (0, 20, "c", "bic"),
    ]  # fmt: skip
    np.testing.assert_allclose([row[4] for row in rows], [1, 0, 0.75, 0.25, 0.5, 0.5], rtol=1e-9)


def test_draws_do_not_mix():
    both = pd.concat(
        [
            SCORES,
            SCORES.assign(draw=1, score=SCORES["score"] - 7 * (SCORES["method"] == "reference")),
        ]
    )
    errors = pd.DataFrame(evidence.error_rows(both), columns=tables.COLUMNS["errors"])
    apart = (
        errors[errors["draw"] == 1]["error_nats"].to_numpy()
        - errors[errors["draw"] == 0]["error_nats"].to_numpy()
    )
    np.testing.assert_allclose(apart, 7)
    posterior = pd.DataFrame(evidence.posterior_rows(both), columns=tables.COLUMNS["posterior"])
    np.testing.assert_allclose(posterior.groupby(["draw", "n", "method"])["probability"].sum(), 1)


def test_mass_counts_from_where_it_stays():
    masses = {
        "vb": (0.9, 0.5, 0.6, 0.7),
        "reference": (0.6, 0.7, 0.8, 0.9),
        "bic": (0.9, 0.9, 0.9, 0.1),
    }
    rows = [
        (0, n, "a", m, p)
        for m, ps in masses.items()
        for n, p in zip((10, 20, 40, 80), ps, strict=True)
    ]
    rows += [(0, n, "b", m, 1 - p) for _, n, _, m, p in rows]
    posterior = pd.DataFrame(rows, columns=tables.COLUMNS["posterior"]).sample(
        frac=1, random_state=1
    )
    assert evidence.mass_from(posterior, "a") == {"bic": None, "vb": 40, "reference": 10}
    assert evidence.mass_from(posterior, "a", share=0.65) == {
        "bic": None,
        "vb": 80,
        "reference": 20,
    }
    assert evidence.mass_from(posterior, "c") == {}


def test_z_scores_leave_out_what_is_exact_and_expose_what_is_not():
    z = evidence.z_scores(SCORES)
    assert z.index.tolist() == [(0, 10, "a")] and z.iloc[0] == pytest.approx(0.1 / 0.3)
    wrong = SCORES.assign(score=SCORES["score"] - 1e-3 * (SCORES["method"] == "reference"))
    assert evidence.z_scores(wrong).loc[(0, 10, "b")] == -np.inf
    rounded = SCORES.assign(score=SCORES["score"] + 1e-6 * (SCORES["method"] == "reference"))
    assert len(evidence.z_scores(rounded)) == 1


def test_without_references_there_is_nothing_to_say():
    scores = SCORES[SCORES["method"] != "reference"]
    assert evidence.error_rows(scores) == [] and evidence.z_scores(scores).empty
    assert {row[3] for row in evidence.posterior_rows(scores)} == {"bic", "cs", "vb", "ais"}
    empty = pd.DataFrame(columns=tables.COLUMNS["scores"])
    assert evidence.error_rows(empty) == evidence.posterior_rows(empty) == []
