"""WBIC where the tempered posterior has a closed form, and what reading it must not change."""

from math import log, nan

import numpy as np
import oracles
import pytest
from scipy.special import digamma

from latentdag import Family, Structure, score
from latentdag.data.counts import cell_counts
from latentdag.engine.streams import generator
from latentdag.inference.ais import walk
from latentdag.inference.ais.annealing import Chains, Tuning, anneal
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.scores import compute
from latentdag.scores.base import Task
from latentdag.scores.wbic import WBIC


def closed_form(cases, alpha, tau):
    """E[ln p(y given theta)], every observed variable on its own: theta ~ Dirichlet(alpha + tau
    counts).
    """
    total = 0.0
    for column, k in zip(cases.T, (3, 2), strict=True):
        counts = np.bincount(column, minlength=k)
        u = alpha + tau * counts
        total += counts @ (digamma(u) - digamma(u.sum()))
    return total


@pytest.mark.parametrize(("n", "alpha"), [(40, 0.8), (480, 2.0)])
def test_without_links_it_is_the_closed_form(n, alpha):
    """Few parameters, so that chains are exact enough to tell the temperature from others."""
    family, tau = Family((2,), (3, 2)), 1 / log(n)
    cases = np.random.default_rng(2).integers(family.observed, size=(n, 2))
    settings = {"alpha": alpha, "chains": 24, "steps": 2048, "seed": 3}
    found = score(cases, Structure.from_label("0-0", family), "wbic", **settings)
    assert abs(found.score - closed_form(cases, alpha, tau)) < 4 * found.standard_error
    for other in (tau / 1.5, 1.5 * tau):
        assert abs(found.score - closed_form(cases, alpha, other)) > 5 * found.standard_error
    assert (found.iterations, found.restarts) == (2048, 24)


TUNING = Tuning(np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.8, 1.0]), np.full(2, -2.5))


def run(cases, steps, watch):
    """Two chains."""
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:40], s.family))
    streams = [generator(0, "watched", c) for c in range(2)]
    return anneal(kernel, 0, Prior(), TUNING, steps, streams, watch=watch)


def test_the_mean_over_the_window_by_a_plain_loop(cases, monkeypatch):
    """Of the states after the step at each temperature within a tenth of tau in its logarithm."""
    started = []
    begin = walk.begin

    def recorded(target, x, streams):
        started.append((x.copy(), streams.copy()))
        return begin(target, x, streams)

    monkeypatch.setattr(walk, "begin", recorded)
    chains = run(cases, steps=500, watch=0.3)
    temperatures = TUNING.schedule(np.arange(1, 501), 500)
    inside = (0.3 * np.exp(-0.1) <= temperatures) & (temperatures <= 0.3 * np.exp(0.1))
    assert 10 < inside.sum() < 100
    ((x, streams),) = started
    for c in range(2):
        of_chain = oracles.annealing_chain(
            *(Structure.from_label("1-12-12-2"), cases[:40], Prior()),
            *(x[:, c], streams[:, c], temperatures, np.full(16, -2.5)),
        )
        assert chains.log_weights[c] == pytest.approx(of_chain[0], rel=1e-10)
        assert chains.watched[c] == pytest.approx(of_chain[2][inside].mean(), rel=1e-10)


def test_it_changes_no_bit_of_the_chains(cases):
    without, watched = run(cases, 300, None), run(cases, 300, 0.2)
    for name in ("log_weights", "acceptance", "temperatures"):
        assert (getattr(without, name) == getattr(watched, name)).all(), name
    assert np.isnan(without.watched).all() and np.isfinite(watched.watched).all()
    # nor does the watched temperature itself matter
    other = run(cases, 300, 0.9)
    assert (other.log_weights == watched.log_weights).all()
    assert (other.watched > watched.watched).all()


@pytest.mark.parametrize("watch", [0.0, -0.1, 1.01, nan])
def test_what_is_no_temperature_cannot_be_watched(cases, watch):
    with pytest.raises(ValueError, match="^watch must be a temperature above 0 and at most 1, got"):
        run(cases, 4, watch)


def test_the_score_is_the_mean_of_the_chains_with_its_error(cases):
    s = Structure.from_label("1-1-1-1")
    values = np.array([-7.0, -4.0, -1.0])
    parts = np.zeros((3, 1))
    task = Task([s], cases[:20])
    (found,) = WBIC.read(task, {s.label: {20: Chains(np.zeros(3), parts, parts, values, 64)}})
    assert (found.score, found.standard_error) == (-4.0, pytest.approx(3 / 3**0.5))
    one = Chains(np.zeros(1), parts[:1], parts[:1], values[:1], 64)
    (found,) = WBIC.read(task, {s.label: {20: one}})
    assert found.score == -7.0 and np.isnan(found.standard_error)


def test_every_structure_gets_the_mean_of_its_own_chains(cases):
    labels = ["12-12-12-12", "0-0-0-0", "1-1-2-2"]
    task = Task([Structure.from_label(x) for x in labels], cases[:80], seed=5)
    scores, found = compute(task, ["wbic"], {"steps": 256, "chains": 2})
    assert [s.structure.label for s in scores] == labels
    for s in scores:
        assert s.score == found["ais"][s.structure.label][80].watched.mean()


@pytest.mark.parametrize(
    ("n", "steps", "reason"), [(1, 64, "3 cases"), (2, 64, "3 cases"), (40, 1, "no temperature")]
)
def test_no_score_gives_the_reason(cases, n, steps, reason):
    found = score(
        cases[:n], Structure.from_label("1-1-1-1"), "wbic", steps=steps, chains=2, alpha=1.0
    )
    assert np.isnan(found.score) and np.isnan(found.standard_error)
    assert reason in found.reason
    assert np.isfinite(score(cases[:3], Structure.from_label("1-1-1-1"), "wbic", steps=64).score)
