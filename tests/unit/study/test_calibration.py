"""A posterior that is right about itself passes, one that is too sure does not."""

from math import erfc, isinf, nan, sqrt

import numpy as np
import pandas as pd
import pytest
import scipy
from made_up import assert_rows

from latentdag.study.many_draws import calibration as module
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.schema.columns import TABLES

OF_ITSELF = ("accuracy", "log score", "Brier score")
BELOW = ("below the reference in log score", "below the reference in Brier score")
METHODS = ("bic", "cs", "vb", "reference")


def verdicts(method, scores, true):
    """The columns of verdicts that calibration reads, from their definitions: scores (draws, K)."""
    logs = scipy.special.log_softmax(scores, axis=1)
    p, draws = np.exp(logs), np.arange(len(scores))
    briers = 1 + (p**2).sum(axis=1, keepdims=True) - 2 * p
    columns = {"draw": draws, "n": 10, "by": "structure", "method": method}
    columns |= {"top": p.argmax(axis=1).astype(str), "truth": true.astype(str)}
    columns |= {"probability": p[draws, true], "top_probability": p.max(axis=1)}
    for name, values in (("log_probability", logs), ("brier", briers)):
        expected = (p * values).sum(axis=1)
        columns |= {name: values[draws, true], f"expected_{name}": expected}
        columns[f"variance_{name}"] = (p * (values - expected[:, None]) ** 2).sum(axis=1)
    return pd.DataFrame(columns).reindex(columns=TABLES["verdicts"].columns)


def simulated(draws, seed):
    """Draws whose truth comes from a known posterior. The reference has it; VB is too sure, having
    it raised to a power above 1; CS is not sure enough; BIC has noise added to it.
    """
    rng = np.random.default_rng(seed)
    evidence = rng.normal(-500, 1.5, size=(draws, 20))
    p = scipy.special.softmax(evidence, axis=1)
    true = (rng.random((draws, 1)) > p.cumsum(axis=1)).sum(axis=1)
    noise = rng.normal(0, 1.5, size=evidence.shape)
    scores = (evidence + noise, 0.3 * evidence, 2.5 * evidence, evidence)
    each = zip(METHODS, scores, strict=True)
    return pd.concat([verdicts(m, own, true) for m, own in each])


def z_scores(table):
    return table.pivot(index="statistic", columns="method", values="z")


def test_the_posterior_that_made_the_truths_passes_and_no_other():
    posteriors = simulated(300, seed=11)
    z = z_scores(calibration(posteriors))
    assert (z["reference"].dropna().abs() < 3).all()
    too_sure, unsure = z.loc[[*OF_ITSELF], "vb"], z.loc[[*OF_ITSELF], "cs"]
    signs = np.array([1, 1, -1])
    assert (too_sure * signs < -4).all() and (unsure * signs > 4).all()
    assert (z.loc[[*BELOW], ["vb", "bic", "cs"]] > 3).all(axis=None)
    # the names of the two exchanged: the right posterior is far better than the one called so
    names = {"vb": "reference", "reference": "vb"}
    z = z_scores(calibration(posteriors.assign(method=posteriors["method"].replace(names))))
    assert (z.loc[[*BELOW], "vb"] < -3).all()


def test_every_column():
    """A draw in which the truth, or the reference, has no score is left out of some; without a
    reference at a size, nothing is compared with it there.
    """
    columns = {
        "top_probability": (0.5, 0.8, 0.6), "probability": (0.4, 0.1, 0.0),
        "top": ("a", "b", "c"), "truth": ("a", "a", "c"),
        "log_probability": (-1.0, -2.0, nan), "brier": (0.5, 1.2, 0.3),
        "expected_log_probability": (-0.7, -0.5, -0.6), "expected_brier": (0.4, 0.5, 0.3),
        "variance_log_probability": (0.3, 0.1, 0.2), "variance_brier": (0.02, 0.03, 0.04),
    }  # fmt: skip
    vb = pd.DataFrame(columns).assign(draw=range(3), n=10, by="structure", method="vb")
    known = {"log_probability": (-0.5, -1.0, -0.2), "brier": (0.4, nan, 0.1)}
    reference = vb.assign(method="reference", **known)
    of_class = pd.concat([vb, reference]).assign(by="class", log_probability=nan)
    without = vb.assign(method="map", probability=nan)
    table = pd.concat([vb.assign(n=480), of_class, reference, without, vb])
    # draws, value, expected, standard error
    accuracy = (3, 2 / 3, 1.9 / 3, sqrt(0.25 + 0.16 + 0.24) / 3)
    log_score, brier = (2, -1.5, -0.6, sqrt(0.4) / 2), (3, 2 / 3, 0.4, 0.1)
    of_vb = dict(zip(OF_ITSELF, (accuracy, log_score, brier), strict=True))
    below = {BELOW[0]: (2, 0.75, 0.0, 0.25), BELOW[1]: (2, 0.15, 0.0, 0.05)}
    of_reference = of_vb | {OF_ITSELF[1]: (3, -1.7 / 3, -0.6, sqrt(0.6) / 3)}
    of_reference[OF_ITSELF[2]] = (2, 0.25, 0.35, sqrt(0.06) / 2)
    no_logs = {name: own for name, own in (of_vb | below).items() if "log" not in name}
    expected = {(10, "class", "vb", name): own for name, own in no_logs.items()}
    expected |= {
        (10, "class", "reference", name): of_reference[name] for name in ("accuracy", "Brier score")
    }
    parts = ((10, "vb", of_vb | below), (10, "reference", of_reference), (480, "vb", of_vb))
    for n, m, part in parts:
        expected |= {(n, "structure", m, name): own for name, own in part.items()}
    for key, (draws, value, mean, error) in expected.items():
        z = (value - mean) / error
        row = {"draws": draws, "value": value, "expected": mean, "standard_error": error}
        expected[key] = row | {"z": z, "p_value": erfc(abs(z) / sqrt(2))}
    found = calibration(table)
    assert list(found) == list(TABLES["calibration"].columns)
    assert_rows(found.set_index(["n", "by", "method", "statistic"]), expected)


def test_what_is_certain_has_no_z_when_right_and_is_infinite_when_wrong():
    scores = np.tile([0.0, -2000, -2000], (4, 1))
    right, wrong = (calibration(verdicts("vb", scores, np.full(4, true))) for true in (0, 2))
    assert right["z"].isna().all() and right["p_value"].isna().all()
    assert all(isinf(value) for value in wrong["z"]) and (wrong["p_value"] == 0).all()
    assert wrong["value"].tolist() == pytest.approx([0, -2000, 2])
    assert ((wrong["z"] < 0) == (wrong["statistic"] != "Brier score")).all()


def test_all_tests_together_are_at_most_certain():
    table = pd.DataFrame({"method": ["reference"] * 3, "z": 1.0, "p_value": 0.5})
    assert module.tests_of_the_reference(table)["together"] == 1
    assert module.tests_of_the_reference(table.assign(z=nan)) == {}
