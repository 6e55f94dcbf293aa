"""A posterior that is right about itself passes, one that is too sure does not."""

from math import erfc, isinf, nan, sqrt
from statistics import mean, stdev

import made_up_population
import numpy as np
import pandas as pd
import pytest
import scipy
from made_up import assert_rows, rows

from latentdag.study.many_draws import calibration as module
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.schema.columns import TABLES

OF_ITSELF = ("accuracy", "log score", "Brier score")
BELOW = ("below the reference in log score", "below the reference in Brier score")
METHODS = ("bic", "cs", "vb", "reference")


def verdicts(method, scores, true, by="structure"):
    """The columns of verdicts that calibration reads, from their definitions: scores (draws, K)."""
    logs = scipy.special.log_softmax(scores, axis=1)
    p, draws = np.exp(logs), np.arange(len(scores))
    briers = 1 + (p**2).sum(axis=1, keepdims=True) - 2 * p
    columns = {"draw": draws, "n": 10, "by": by, "method": method}
    columns |= {"top": p.argmax(axis=1).astype(str), "truth": true.astype(str)}
    columns |= {"probability": p[draws, true], "top_probability": p.max(axis=1)}
    for name, values in (("log_probability", logs), ("brier", briers)):
        expected = (p * values).sum(axis=1)
        columns |= {name: values[draws, true], f"expected_{name}": expected}
        columns[f"variance_{name}"] = (p * (values - expected[:, None]) ** 2).sum(axis=1)
    return pd.DataFrame(columns).reindex(columns=TABLES["verdicts"].columns)


def simulated(draws, seed, by="structure"):
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
    return pd.concat([verdicts(m, own, true, by) for m, own in each])


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


def test_p_values_are_uniform_over_repetitions():
    p = [calibration(simulated(200, seed)).query("method == 'reference'") for seed in range(60)]
    for name, own in pd.concat(p).groupby("statistic")["p_value"]:
        assert scipy.stats.kstest(own, "uniform").pvalue > 0.01, name


def plain(table, n, by, method, statistic):
    """A row of the table from its definition."""
    own = rows(table, n=n, by=by, method=method)
    if statistic == "accuracy":
        p = [r["top_probability"] for r in own]
        values = [float(r["top"] == r["truth"]) for r in own]
        expected, error = mean(p), sqrt(sum(q * (1 - q) for q in p)) / len(p)
    else:
        column, sign = ("log_probability", 1) if "log" in statistic else ("brier", -1)
        own = [r for r in own if r[column] is not None]
        if statistic in BELOW:
            reference = {r["draw"]: r[column] for r in rows(table, n=n, by=by, method="reference")}
            pairs = [(reference[r["draw"]], r[column]) for r in own]
            values = [sign * (a - b) for a, b in pairs if a is not None]
            expected, error = 0.0, stdev(values) / sqrt(len(values))
        else:
            values = [r[column] for r in own]
            expected = mean(r[f"expected_{column}"] for r in own)
            error = sqrt(sum(r[f"variance_{column}"] for r in own)) / len(own)
    z = (mean(values) - expected) / error
    row = {"draws": len(values), "value": mean(values), "expected": expected}
    return row | {"standard_error": error, "z": z, "p_value": erfc(abs(z) / sqrt(2))}


def test_every_column():
    """A draw in which the truth, or the reference, has no score is left out of some; without a
    reference at a size, nothing is compared with it there.
    """
    own = pd.concat([simulated(12, 5), simulated(12, 6, by="class")])
    own.loc[(own["method"] == "bic") & (own["draw"] < 4), "log_probability"] = nan
    own.loc[(own["method"] == "reference") & (own["draw"] == 7), "brier"] = nan
    far = own.assign(n=480)[own["method"] != "reference"]
    without = pd.DataFrame([{"draw": 0, "n": 10, "by": "structure", "method": "map", "rank": 1.0}])
    table = pd.concat([own, far, without]).sample(frac=1, random_state=1)
    table["draw"] += 3
    expected = {}
    for n in (10, 480):
        for by in ("class", "structure"):
            for m in METHODS if n == 10 else METHODS[:-1]:
                compared = BELOW if n == 10 and m != "reference" else ()
                for statistic in (*OF_ITSELF, *compared):
                    expected[n, by, m, statistic] = plain(table, n, by, m, statistic)
    found = calibration(table)
    assert list(found) == list(TABLES["calibration"].columns)
    assert_rows(found.set_index(["n", "by", "method", "statistic"]), expected)
    none = calibration(own.assign(log_probability=nan))
    assert "log score" not in set(none["statistic"]) and "accuracy" in set(none["statistic"])


def test_what_is_certain_has_no_z_when_right_and_is_infinite_when_wrong():
    scores = np.tile([0.0, -2000, -2000], (4, 1))
    right, wrong = (calibration(verdicts("vb", scores, np.full(4, true))) for true in (0, 2))
    assert right["z"].isna().all() and right["p_value"].isna().all()
    assert all(isinf(value) for value in wrong["z"]) and (wrong["p_value"] == 0).all()
    assert wrong["value"].tolist() == pytest.approx([0, -2000, 2])
    assert ((wrong["z"] < 0) == (wrong["statistic"] != "Brier score")).all()


def calibrated():
    """With p and z of its own in every row, and a reference that has no z at one size."""
    table = made_up_population.tables(6, (20, 480, 1120)).calibration
    table = table.sort_values(["n", "by", "method", "statistic"]).reset_index(drop=True)
    rng = np.random.default_rng(4)
    table = table.assign(z=rng.normal(size=len(table)), p_value=rng.uniform(0, 0.2, len(table)))
    lost = (table["n"] == 480) & (table["statistic"] == "accuracy")
    table.loc[lost, ["z", "p_value"]] = nan
    return table.sample(frac=1, random_state=7)


def test_the_reference_about_itself():
    table = calibrated()
    own = rows(table, method="reference", z=lambda z: z is not None)
    found = module.tests_of_the_reference(table)
    smallest = min(own, key=lambda r: r["p_value"])
    assert found.pop("smallest").to_dict() == smallest
    below = sum(r["p_value"] < 0.05 for r in own)
    together = len(own) * smallest["p_value"]
    counts = {"number": len(own), "below": below, "expected": 0.05 * len(own)}
    assert below > 0 and together < 1
    assert found == pytest.approx(counts | {"together": together})
    assert module.tests_of_the_reference(table.assign(p_value=0.5))["together"] == 1
    for nothing in (table.assign(z=nan), table[table["method"] != "reference"]):
        assert module.tests_of_the_reference(nothing) == {}


def test_scores_that_are_better_than_the_reference():
    table = calibrated()
    own = rows(table, statistic=BELOW.__contains__, z=lambda z: z is not None)
    better = [r for r in own if r["z"] < 0]
    sure = [r for name in BELOW for r in better if r["statistic"] == name and r["p_value"] < 0.05]
    *counts, found = module.better_than_the_reference(table)
    assert counts == [len(own), len(better)] and len(better) < len(own)
    assert found.to_dict("records") == sure and 0 < len(sure) < len(better)


def test_deviations_of_all_scores_but_the_reference():
    table = calibrated()
    expected = {}
    for r in rows(table, statistic=OF_ITSELF.__contains__, method=lambda m: m != "reference"):
        name = r["statistic"].replace(" ", "_")
        expected.setdefault((r["by"], r["method"], r["n"]), {})[name] = r["z"]
    found = module.deviations(table).set_index(["by", "method", "n"]).sort_index()
    assert_rows(found, dict(sorted(expected.items())))
