"""Missing values: every score against enumerations of what is missing, and what must not change."""

import numpy as np
import pytest

from latentdag import (
    METHODS,
    Counts,
    Family,
    Prior,
    Structure,
    draw_parameters,
    score,
    simulate,
)
from latentdag.data.counts import MISSING
from latentdag.scores import settings_used

FAMILY = Family((2, 2), (2, 3, 2))
LABELS = ["0-0-0", "1-1-0", "1-1-1", "1-12-2", "12-12-12"]
PRIOR = Prior(0.7, 1.4)


def some_missing(structure, n, share, seed=0):
    """Cases from the prior as users give them, nan where a value is missing."""
    rng = np.random.default_rng(seed)
    cases, _ = simulate(structure, draw_parameters(structure, PRIOR, rng), n, rng)
    return np.where(rng.random(cases.shape) < share, np.nan, cases)


def coded(cases):
    return np.where(np.isnan(cases), MISSING, cases).astype(int)


SUMS = ("map", "vb", "exact", "cs", "vb_mf", "vb_online", "cs_lr", "vb_lr")


@pytest.mark.parametrize("method", SUMS)
def test_a_variable_that_is_never_observed_is_as_if_it_were_not_there(method):
    """The prior of its table integrates to 1."""
    structure = Structure.from_label("1-1-12-2", Family((2, 2), (2, 3, 2, 2)))
    cases = some_missing(structure, 9, 0.15, seed=3)
    cases[:, 1] = np.nan
    without = Structure.from_label("1-12-2", Family((2, 2), (2, 2, 2)))
    wanted = {"restarts": 40, "max_iterations": 3000}
    settings = {name: wanted[name] for name in settings_used(method) if name in wanted}
    found = score(cases, structure, method, **settings)
    expected = score(np.delete(cases, 1, axis=1), without, method, **settings)
    assert found.score == pytest.approx(expected.score, abs=2e-6)


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("ais", "bridge")])
def test_deleting_nothing_changes_nothing(method):
    structure = Structure.from_label("1-12-2", FAMILY)
    cases = some_missing(structure, 8, 0.0, seed=5)
    whole = cases.astype(int)
    quick = {"restarts": 4, "particles": 4, "runs": 2}
    settings = {name: quick[name] for name in settings_used(method) if name in quick}
    expected = score(whole, structure, method, **settings)
    if method != "vb_online":
        assert score(Counts.of(whole), structure, method, **settings) == expected
    assert score(cases, structure, method, **settings) == expected
    assert score(cases.astype(object), structure, method, **settings) == expected
    one_less = np.where(np.arange(24).reshape(8, 3) == 4, np.nan, cases)
    assert score(one_less, structure, method, **settings).score != expected.score
