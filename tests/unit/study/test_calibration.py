"""Whether posteriors are right about themselves: every column by hand."""

from math import erfc, inf, nan, sqrt

import pandas as pd
import pytest
from made_up import assert_rows

from latentdag.study.many_draws import calibration as module
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.schema.columns import TABLES

OF_ITSELF = ("accuracy", "log score", "Brier score")
BELOW = ("below the reference in log score", "below the reference in Brier score")


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


@pytest.mark.parametrize(("truth", "z"), [("a", nan), ("b", -inf)])
def test_what_is_certain_has_no_z_when_right_and_is_infinite_when_wrong(truth, z):
    columns = dict.fromkeys(TABLES["verdicts"].columns, 0.0)
    columns |= {"n": 10, "by": "structure", "method": "vb", "top": "a", "truth": truth}
    columns |= {"top_probability": 1.0, "log_probability": nan, "brier": nan}
    (found,) = calibration(pd.DataFrame([columns] * 4)).to_dict("records")
    assert found["z"] == pytest.approx(z, nan_ok=True)
    assert found["p_value"] == pytest.approx(nan if truth == "a" else 0.0, nan_ok=True)


def test_all_tests_together_are_at_most_certain():
    table = pd.DataFrame({"method": ["reference"] * 3, "z": 1.0, "p_value": 0.5})
    assert module.tests_of_the_reference(table)["together"] == 1
    assert module.tests_of_the_reference(table.assign(z=nan)) == {}
