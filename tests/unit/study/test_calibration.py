"""A posterior that is right about itself passes, one that is too sure does not."""

from math import erfc, isinf, isnan, nan, sqrt
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
import scipy

from latentdag.scores import METHODS
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.schema.columns import TABLES

pytestmark = pytest.mark.slow

OWN = ("accuracy", "log score", "Brier score")
BELOW = ("below the reference in log score", "below the reference in Brier score")
LABELS = ("0-0", "0-1", "1-1", "1-12", "12-12")
STRUCTURES = pd.DataFrame({"structure": LABELS, "class": ("0-0", "0-0", "1-1", "1-12", "1-12")})
TRUTH = pd.DataFrame({"n": [10], "log_likelihood": [-9.0]})


def drawn(draws: int, seed: int) -> pd.DataFrame:
    """Verdicts on draws whose truth comes from a known posterior. The reference has it; VB is too
    sure, having it raised to a power above 1; CS is not sure enough; BIC has noise added to it.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for draw in range(draws):
        evidence = rng.normal(-500, 1.5, size=len(LABELS))
        true = rng.choice(LABELS, p=scipy.special.softmax(evidence))
        scores = {
            "reference": evidence,
            "vb": 2.5 * evidence,
            "cs": 0.3 * evidence,
            "bic": evidence + rng.normal(0, 1.5, size=len(LABELS)),
        }
        rows = [
            {"draw": draw, "n": 10, "structure": s, "method": m, "score": score}
            for m, values in scores.items()
            for s, score in zip(LABELS, values, strict=True)
        ]
        table = pd.DataFrame(rows).assign(standard_error=nan, n_parameters=9, restarts=8)
        parts.append(verdicts(table, STRUCTURES, true, TRUTH))
    return pd.concat(parts)


def z(table, by, method):
    own = table[(table["by"] == by) & (table["method"] == method)]
    return own.set_index("statistic")["z"]


@pytest.fixture(scope="module")
def posteriors():
    return drawn(300, seed=11)


@pytest.mark.parametrize("by", ["structure", "class"])
def test_the_posterior_that_made_the_truths_passes_and_no_other(posteriors, by):
    table = calibration(posteriors)
    assert (z(table, by, "reference").abs() < 3).all()
    too_sure = z(table, by, "vb")
    assert too_sure["accuracy"] < -4 and too_sure["log score"] < -4
    assert too_sure["Brier score"] > 4
    unsure = z(table, by, "cs")
    assert unsure["accuracy"] > 4 and unsure["log score"] > 4
    assert unsure["Brier score"] < -4
    for method in ("vb", "bic", "cs"):
        worse = z(table, by, method)
        assert (worse[list(BELOW)] > 3).all()


def test_a_reference_that_is_beaten_shows(posteriors):
    """The names of the two exchanged: the right posterior is far better than the one called so."""
    names = {"vb": "reference", "reference": "vb"}
    table = calibration(posteriors.assign(method=posteriors["method"].replace(names)))
    assert (z(table, "structure", "vb")[list(BELOW)] < -3).all()


def simulated(draws: int, seed: int) -> pd.DataFrame:
    """The columns of the reference's verdicts that calibration reads, from the definitions."""
    rng = np.random.default_rng(seed)
    p = scipy.special.softmax(rng.normal(0, 1.5, size=(draws, 40)), axis=1)
    true = (rng.random((draws, 1)) > p.cumsum(axis=1)).sum(axis=1)
    of_true = p[np.arange(draws), true]
    logs, briers = np.log(p), 1 + (p**2).sum(axis=1, keepdims=True) - 2 * p
    columns = {"draw": np.arange(draws), "n": 10, "by": "structure", "method": "reference"}
    columns |= {"top": p.argmax(axis=1).astype(str), "truth": true.astype(str)}
    columns |= {"probability": of_true, "top_probability": p.max(axis=1)}
    for name, values in (("log_probability", logs), ("brier", briers)):
        expected = (p * values).sum(axis=1)
        columns |= {
            name: values[np.arange(draws), true],
            f"expected_{name}": expected,
            f"variance_{name}": (p * (values - expected[:, None]) ** 2).sum(axis=1),
        }
    return pd.DataFrame(columns).reindex(columns=TABLES["verdicts"].columns)


def test_p_values_are_uniform_over_repetitions():
    p = {name: [] for name in OWN}
    for seed in range(60):
        table = calibration(simulated(200, seed))
        for name, value in zip(table["statistic"], table["p_value"], strict=True):
            p[name].append(value)
    for name, values in p.items():
        assert scipy.stats.kstest(values, "uniform").pvalue > 0.01, name


def test_every_column_by_plain_loops():
    own = drawn(12, seed=5)
    own.loc[(own["method"] == "bic") & (own["draw"] < 4), "log_probability"] = nan
    own.loc[(own["method"] == "reference") & (own["draw"] == 7), "brier"] = nan
    far = own.assign(n=480)[own["method"] != "reference"]
    without = pd.DataFrame([{"draw": 0, "n": 10, "by": "structure", "method": "map", "rank": 1.0}])
    shuffled = pd.concat([own, far, without]).sample(frac=1, random_state=1)
    rows = shuffled.to_dict("records")
    reference = {(r["draw"], r["n"], r["by"]): r for r in rows if r["method"] == "reference"}
    table = calibration(shuffled)
    assert list(table.columns) == list(TABLES["calibration"].columns)
    keys = []
    for n in (10, 480):
        for by in ("class", "structure"):
            for m in ("bic", "cs", "vb", "reference"):
                if m == "reference":
                    keys += [(n, by, m, s) for s in OWN if n == 10]
                else:
                    keys += [(n, by, m, s) for s in (*OWN, *BELOW) if n == 10 or s in OWN]
    names = ["n", "by", "method", "statistic"]
    assert [tuple(row) for row in table[names].to_numpy()] == keys
    assert [m for m in METHODS if m in set(own["method"])] == ["bic", "cs", "vb", "reference"]
    for found in table.to_dict("records"):
        here = [r for r in rows if all(r[k] == found[k] for k in ("n", "by", "method"))]
        if found["statistic"] == "accuracy":
            p = [r["top_probability"] for r in here]
            values = [float(r["top"] == r["truth"]) for r in here]
            expected, error = mean(p), sqrt(sum(q * (1 - q) for q in p)) / len(p)
        elif found["statistic"] in OWN:
            column = {"log score": "log_probability", "Brier score": "brier"}[found["statistic"]]
            known = [r for r in here if not isnan(r[column])]
            values = [r[column] for r in known]
            expected = mean(r[f"expected_{column}"] for r in known)
            error = sqrt(sum(r[f"variance_{column}"] for r in known)) / len(known)
        else:
            log_score = found["statistic"] == BELOW[0]
            column, sign = ("log_probability", 1) if log_score else ("brier", -1)
            others = [reference[r["draw"], r["n"], r["by"]] for r in here]
            both = [(a[column], b[column]) for a, b in zip(others, here, strict=True)]
            values = [sign * (a - b) for a, b in both if not isnan(a + b)]
            expected, error = 0.0, stdev(values) / sqrt(len(values))
        assert found["draws"] == len(values)
        right = mean(values), expected, error, (mean(values) - expected) / error
        value = [found[name] for name in ("value", "expected", "standard_error", "z")]
        assert value == pytest.approx(right, abs=1e-12)
        assert found["p_value"] == pytest.approx(erfc(abs(right[3]) / sqrt(2)))
    of_vb = table[(table["method"] == "vb") & (table["n"] == 480)]
    assert set(of_vb["statistic"]) == set(OWN)  # the reference did not run there


def certain(right: bool) -> pd.DataFrame:
    """Verdicts by posteriors that are certain, and right or not."""
    gaps = dict(zip(LABELS, (0, 2000, 2000, 2000, 2000), strict=True))
    rows = [
        {"draw": d, "n": 10, "structure": s, "method": "reference", "score": -gap}
        for d in range(4)
        for s, gap in gaps.items()
    ]
    table = pd.DataFrame(rows).assign(standard_error=nan, n_parameters=9, restarts=8)
    true = LABELS[0] if right else LABELS[2]
    return pd.concat(verdicts(own, STRUCTURES, true, TRUTH) for _, own in table.groupby("draw"))


def test_what_is_certain_has_no_z_when_right_and_is_infinite_when_wrong():
    right, wrong = (calibration(certain(right)) for right in (True, False))
    assert right["z"].isna().all() and right["p_value"].isna().all()
    assert all(isinf(value) for value in wrong["z"]) and (wrong["p_value"] == 0).all()
    assert wrong.loc[wrong["statistic"] == "log score", "value"].iloc[1] == pytest.approx(-2000)
    assert (wrong.loc[wrong["statistic"] != "Brier score", "z"] < 0).all()


def test_a_draw_in_which_the_truth_has_no_score_counts_as_wrong():
    rows = [
        {"draw": d, "n": 10, "structure": s, "method": "vb", "score": -3.0 if s != "1-1" else nan}
        for d in range(5)
        for s in LABELS
    ]
    table = pd.DataFrame(rows).assign(standard_error=nan, n_parameters=9, restarts=8)
    own = pd.concat(verdicts(t, STRUCTURES, "1-1", TRUTH) for _, t in table.groupby("draw"))
    found = calibration(own)
    found = found[found["by"] == "structure"].set_index("statistic")
    assert "log score" not in found.index
    assert found.loc["accuracy", ["value", "expected"]].tolist() == [0.0, 0.25]
    assert found.loc["Brier score", "value"] == pytest.approx(1 + 4 / 16)


def test_of_two_structures_that_are_equally_probable_one_alone_is_picked():
    rows = [
        {"draw": 0, "n": 10, "structure": s, "method": "vb", "score": -float(s not in LABELS[:2])}
        for s in LABELS
    ]
    table = pd.DataFrame(rows).assign(standard_error=nan, n_parameters=9, restarts=8)
    own = [
        verdicts(table.assign(draw=d), STRUCTURES, true, TRUTH)
        for d, true in enumerate((LABELS[0], LABELS[1], LABELS[1], LABELS[1]))
    ]
    found = calibration(pd.concat(own))
    found = found[(found["by"] == "structure") & (found["statistic"] == "accuracy")]
    assert set(pd.concat(own).query("by == 'structure'")["rank"]) == {1}
    assert found["value"].tolist() == [0.25]
