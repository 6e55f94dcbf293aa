"""Every value of tests/data/values.csv: numbers from other programs than this one, each within its
own tolerance.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, score
from latentdag.data.counts import cell_counts
from latentdag.scores import compute
from latentdag.scores.base import Task

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
CASES = np.loadtxt(DATA / "cases.csv", delimiter=",", skiprows=1, dtype=int)


def read():
    with (DATA / "values.csv").open() as file:
        for row in csv.DictReader(file):
            yield (
                int(row["n"]),
                row["structure"],
                float(row["alpha"]),
                float(row["alpha_hidden"]),
                row["quantity"],
                float(row["value"]),
                float(row["tolerance"]),
            )


VALUES = list(read())
ENUMERATED = [v for v in VALUES if v[4] == "exact" and v[0] <= 10]
CONVOLVED = [v for v in VALUES if v[4] == "exact" and v[0] > 10]
OPTIMA = [v for v in VALUES if v[4] in ("map", "ml", "cs", "vb")]
EVIDENCE = [v for v in VALUES if v[4] == "evidence"]
columns = ("n", "label", "alpha", "alpha_hidden", "quantity", "value", "tolerance")


def each(values):
    return pytest.mark.parametrize(
        columns,
        values,
        ids=["-n".join((v[4], str(v[0]))) + f" {v[1]} {v[2]:g} {v[3]:g}" for v in values],
    )


def test_none_is_left_out():
    assert len(VALUES) == len(ENUMERATED) + len(CONVOLVED) + len(OPTIMA) + len(EVIDENCE) == 159
    assert CASES.shape == (2560, 4)


@each(ENUMERATED)
def test_exact(n, label, alpha, alpha_hidden, quantity, value, tolerance):
    r = score(
        CASES[:n], Structure.from_label(label), "exact", alpha=alpha, alpha_hidden=alpha_hidden
    )
    assert r.score == pytest.approx(value, abs=tolerance)


@each(CONVOLVED)
def test_closed_forms_at_large_n(n, label, alpha, alpha_hidden, quantity, value, tolerance):
    """Enumeration cannot go there. 0-0-0-0 is closed: cs, vb and exact must all give it. With a
    private parent the oracle's own convolution must agree, which test_exact ties to the package at
    n = 10; the bounds stay below it, and AIS meets it at n = 80.
    """
    if n > len(CASES):
        pytest.skip(
            f"cases.csv has {len(CASES)} cases: the data of n = {n} were not published with the "
            "values"
        )
    y, s = CASES[:n], Structure.from_label(label)
    if label == "0-0-0-0":
        for method in ("cs", "vb", "exact"):
            assert score(y, s, method).score == pytest.approx(value, abs=tolerance), method
        return
    total = 0.0
    for j, parents in enumerate(s.parents):
        if parents:
            total += oracles.log_evidence_private_parent(y[:, j], 5, alpha, alpha_hidden)
        else:
            total += oracles.log_dirichlet_multinomial(np.bincount(y[:, j], minlength=5), alpha)
    assert total == pytest.approx(value, abs=tolerance)
    cs, vb = (score(y, s, method, restarts=8, max_iterations=1500).score for method in ("cs", "vb"))
    assert cs <= vb + 1e-9
    assert vb < value
    if n == 80:
        r = score(y, s, "ais", steps=8192, chains=16)
        assert r.standard_error < 1
        assert abs(r.score - value) < 4 * r.standard_error


@cache
def fits(n):
    """Scores of every structure that has reference optima at this size: many restarts, for these
    are the best of many.
    """
    structures = [
        Structure.from_label(label) for label in sorted({v[1] for v in OPTIMA if v[0] == n})
    ]
    task = Task(structures, CASES[:n])
    # some of the likelihood's best optima are found by 3 of 64 starts: on some processors two hits
    # come first on one that is a hundredth of a nat lower
    everything = [
        *compute(task, ["map", "cs", "vb"], {"restarts": 64, "hits": 32})[0],
        *compute(task, ["ml"], {"restarts": 128, "hits": 8})[0],
    ]
    return {(s.structure.label, s.method): s for s in everything}


@cache
def stationary(n, label):
    """``map`` and ``cs`` at the MAP estimate that Newton's method finds from several random starts,
    all the same.
    """
    objective = oracles.PointObjective(
        Structure.from_label(label), cell_counts(CASES[:n], Family()).table(Family())
    )
    optima = []
    for seed in range(3):
        start = objective.pack(
            oracles.random_parameters(Structure.from_label(label), np.random.default_rng(seed))
        )
        optima.append(objective.newton(objective.ascend(start)))
    best = max(optima, key=lambda x: objective(x)[0])
    assert np.abs(objective(best)[1]).max() < 1e-9
    assert all(objective(x)[0] == pytest.approx(objective(best)[0], abs=1e-8) for x in optima)
    return {"map": objective.log_likelihood(best), "cs": objective.cheeseman_stutz(best)}


# The published optimum of 0-1-12-1 at n = 2560 stopped short of one. The MAP objective is nearly
# flat there along a ridge; ln p(y given theta) and cs are not stationary at its maximum, and still
# move by 1.1e-5 and 4.1e-4 nats on the last stretch. Newton's method ends, from each of several
# random starts, with a gradient below 1e-9 at map = -14065.670415577 and cs = -14173.320126724. So
# these two are compared with that computation, at the published tolerances.
UNFINISHED = {(2560, "0-1-12-1", "map"), (2560, "0-1-12-1", "cs")}


@each(OPTIMA)
def test_optima(n, label, alpha, alpha_hidden, quantity, value, tolerance):
    assert (alpha, alpha_hidden) == (1, 1)
    if (n, label, quantity) in UNFINISHED:
        assert abs(stationary(n, label)[quantity] - value) < 1e-3
        value = stationary(n, label)[quantity]
    assert fits(n)[label, quantity].score == pytest.approx(value, abs=tolerance)


BY_AIS = ("0-1-12-1", "1-1-1-1", "1-12-12-2")


@cache
def annealed():
    """At the paper's 16384 temperatures; the estimate and its standard error."""
    task = Task([Structure.from_label(label) for label in BY_AIS], CASES[:80])
    scores, _ = compute(task, ["ais"], {"steps": 16384, "chains": 16})
    return {s.structure.label: (s.score, s.standard_error) for s in scores}


@each(EVIDENCE)
def test_evidence(n, label, alpha, alpha_hidden, quantity, value, tolerance):
    """VB is a bound for every entry; AIS meets three of those at n = 80. (test_reference.py has the
    method that reaches all.)
    """
    vb = score(CASES[:n], Structure.from_label(label), "vb", restarts=16).score
    assert value - 25 < vb < value + tolerance
    if n == 80 and label in BY_AIS:
        estimate, error = annealed()[label]
        assert error < 1
        assert abs(estimate - value) < 4 * error + tolerance
