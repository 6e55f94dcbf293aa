"""Every value of tests/data/values.csv, numbers from other programs than this one, each within its
own tolerance; and relations between scores that hold always.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import oracles
import pytest

from latentdag import Structure, score
from latentdag.inference.particles.evidence import log_evidence
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA, Prior
from latentdag.scores import compute
from latentdag.scores.base import Task

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
CASES = np.loadtxt(DATA / "cases.csv", delimiter=",", skiprows=1, dtype=int)


def read():
    with (DATA / "values.csv").open() as file:
        for row in csv.DictReader(file):
            numbers = (float(row[name]) for name in ("alpha", "alpha_hidden", "value", "tolerance"))
            yield int(row["n"]), row["structure"], row["quantity"], *numbers


VALUES = list(read())


def each(*quantities):
    values = [v for v in VALUES if v[2] in quantities]
    columns = ("n", "label", "quantity", "alpha", "alpha_hidden", "value", "tolerance")
    return pytest.mark.parametrize(columns, values, ids=[" ".join(map(str, v[:5])) for v in values])


@each("exact")
def test_exact(n, label, quantity, alpha, alpha_hidden, value, tolerance):
    """Where enumeration cannot go, cs and vb stay below; without links both are exact."""
    if n > len(CASES):
        pytest.skip(f"the data of n = {n} were not published with the values")
    y, s = CASES[:n], Structure.from_label(label)
    prior = {"alpha": alpha, "alpha_hidden": alpha_hidden}
    settings = prior | {"restarts": 8, "max_iterations": 1500}
    if n <= 10 or label == "0-0-0-0":
        assert score(y, s, "exact", **prior).score == pytest.approx(value, abs=tolerance)
    if n > 10:
        cs, vb = (score(y, s, method, **settings).score for method in ("cs", "vb"))
        if label == "0-0-0-0":
            assert (cs, vb) == pytest.approx((value, value), abs=tolerance)
        else:
            assert cs <= vb + 1e-9 and vb < value


def test_the_reference_agrees():
    """With what was enumerated, and with estimates, whose tolerance is 4 standard errors + 0.05."""
    z = []
    for n, label, quantity, *prior, value, tolerance in VALUES:
        if quantity in ("exact", "evidence") and n <= 480:
            estimate = log_evidence(CASES[:n], Structure.from_label(label), Prior(*prior), 256, 32)
            own_error = 0 if quantity == "exact" else tolerance / 4
            error = np.hypot(estimate.standard_error, own_error) + 1e-6
            z.append((estimate.log_evidence - value) / error)
    assert len(z) > 90 and np.abs(z).max() < 5
    assert np.sqrt(np.mean(np.square(z))) < 1.25


@cache
def fits(n):
    """Scores by many restarts of every structure that has reference optima at this size."""
    labels = {v[1] for v in VALUES if v[0] == n and v[2] in ("map", "ml", "cs", "vb")}
    task = Task([Structure.from_label(label) for label in sorted(labels)], CASES[:n])
    # some of the likelihood's best optima are found by 3 of 64 starts: on some processors two hits
    # come first on one that is a hundredth of a nat lower
    everything = [
        *compute(task, ["map", "cs", "vb"], {"restarts": 64, "hits": 32})[0],
        *compute(task, ["ml"], {"restarts": 128, "hits": 8})[0],
    ]
    return {(s.structure.label, s.method): s for s in everything}


# The published optimum of 0-1-12-1 at n = 2560 stopped short of one. The MAP objective is nearly
# flat there along a ridge; ln p(y given theta) and cs are not stationary at its maximum, and still
# move by 1.1e-5 and 4.1e-4 nats on the last stretch. Newton's method ends, from each of several
# random starts, with a gradient below 1e-9 at these values.
FINISHED = {(2560, "0-1-12-1", "map"): -14065.670415577, (2560, "0-1-12-1", "cs"): -14173.320126724}


@each("map", "ml", "cs", "vb")
def test_optima(n, label, quantity, alpha, alpha_hidden, value, tolerance):
    assert (alpha, alpha_hidden) == (1, 1)
    finished = FINISHED.get((n, label, quantity), value)
    assert finished == pytest.approx(value, abs=1e-3)
    assert fits(n)[label, quantity].score == pytest.approx(finished, abs=tolerance)


ALPHAS = [MIN_ALPHA, 0.5, 1.0, 1e2, 1e5, 1e8, MAX_ALPHA]
UNEQUAL = [(1.0, MAX_ALPHA), (MAX_ALPHA, 1.0), (MIN_ALPHA, MAX_ALPHA), (MAX_ALPHA, MIN_ALPHA)]


@pytest.mark.parametrize(("alpha", "alpha_hidden"), [*((a, a) for a in ALPHAS), *UNEQUAL])
@pytest.mark.parametrize("label", ["1-1-1-1", "1-12-12-2"])
def test_every_score_over_the_whole_range_of_alpha(cases, label, alpha, alpha_hidden):
    """Against the enumeration by Polya's urn, which adds logarithms of ratios at any alpha."""
    s, y = Structure.from_label(label), cases[:6]
    n = len(y)
    expected = oracles.posterior(s, Prior(alpha, alpha_hidden), y)[1]

    def of(method, **settings):
        return score(y, s, method, alpha=alpha, alpha_hidden=alpha_hidden, **settings)

    assert of("exact").score == pytest.approx(expected, abs=1e-11)
    cs, vb, fit, ml = (of(m, restarts=16) for m in ("cs", "vb", "map", "ml"))
    assert all(r.converged for r in (cs, vb, fit, ml))
    assert cs.score <= vb.score + 1e-11
    assert vb.score <= expected + 1e-11
    assert fit.score <= ml.score + 1e-9
    assert of("bic", restarts=16).score == fit.score - s.n_parameters / 2 * np.log(n)
    if min(alpha, alpha_hidden) >= 100:
        # theta is known but for 1 / alpha, and every start leads to the one optimum
        assert cs.score >= expected - n**2 / alpha
        assert abs(fit.score - expected) < 2 * n**2 / alpha
        assert fit.restarts_at_best == fit.restarts
        assert vb.restarts_at_best == vb.restarts
    reference = of("reference")
    assert abs(reference.score - expected) < 6 * reference.standard_error + 2e-6
    for method in ("laplace", "cs_lr", "vb_lr"):
        curved = of(method, restarts=16)
        assert curved.reason or abs(curved.score) < 1000
    if min(alpha, alpha_hidden) >= 0.1:
        ais = of("ais", steps=1024, chains=16)
        assert abs(ais.score - expected) < 6 * ais.standard_error + 1e-9
