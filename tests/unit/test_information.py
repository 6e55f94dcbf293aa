"""The information that hidden states take away, against definitions written out plainly."""

from itertools import product

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import MISSING, cell_counts
from latentdag.inference.em.information import (
    CompleteData,
)
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior

PRIOR = Prior(0.8, 1.3)
SMALL = [
    ("1-12-2", Family((2, 3), (3, 2, 4))),
    ("1-1", Family((3,), (2, 3))),
    ("12-13-23", Family((2, 2, 2), (3, 2, 2))),
    ("1-12-12-2", Family((2, 2), (2, 3, 2, 2))),
    ("1", Family((2,), (4,))),
    ("1-0-1", Family((2,), (2, 2, 3))),
    ("0-0", Family((), (3, 2))),
]
each_family = pytest.mark.parametrize(("label", "family"), SMALL, ids=str)


class Setting:
    """A structure with random cases and parameters, and what the package says of them."""

    def __init__(self, label, family, n=12, prior=PRIOR, missing=0.0):
        rng = np.random.default_rng(1)
        self.structure, self.prior = Structure.from_label(label, family), prior
        cases = rng.integers(family.observed, size=(n, len(family.observed)))
        self.cases = np.where(rng.random(cases.shape) < missing, MISSING, cases)
        self.kernel = Kernel([self.structure], cell_counts(self.cases, family))
        self.alpha = self.kernel.prior_slots(prior)
        self.parameters = oracles.random_parameters(self.structure, rng)
        self.slots = np.log(self.kernel.pack(0, self.parameters))
        self.size = int(self.kernel.n_coordinates[0])

    def statistics(self):
        return CompleteData(self.kernel, self.alpha).statistics(0, self.slots)


def plain_covariance(setting):
    """Sum over cases of the covariance of the indicators, one hidden state after the other; in the
    order of the package's parameters.
    """
    structure, family = setting.structure, setting.structure.family
    place = {}
    for j, (parents, k) in enumerate(zip(structure.parents, family.observed, strict=True)):
        for states in product(*(range(family.hidden[i]) for i in parents)):
            for value in range(k):
                place["y", j, states, value] = len(place)
    for i, k in enumerate(family.hidden):
        for state in range(k):
            place["s", i, state] = len(place)
    mean, covariance = np.zeros(len(place)), np.zeros((len(place), len(place)))
    for case in setting.cases:
        filled = product(
            *([v] if v >= 0 else range(k) for v, k in zip(case, family.observed, strict=True))
        )
        joint = sum(oracles.joint(structure, setting.parameters, own) for own in filled)
        first, second = np.zeros(len(place)), np.zeros((len(place), len(place)))
        for p, s in zip(joint / joint.sum(), oracles.hidden_states(structure), strict=True):
            t = np.zeros(len(place))
            for i, state in enumerate(s):
                t[place["s", i, state]] = 1
            for j, parents in enumerate(structure.parents):
                if case[j] >= 0:
                    t[place["y", j, tuple(s[i] for i in parents), case[j]]] = 1
            first += p * t
            second += p * np.outer(t, t)
        mean += first
        covariance += second - np.outer(first, first)
    return mean, covariance


@each_family
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_mean_and_covariance_of_the_indicators(label, family, missing):
    setting = Setting(label, family, missing=missing)
    mean, covariance = plain_covariance(setting)
    statistics = setting.statistics()
    np.testing.assert_allclose(statistics.expected, mean, atol=1e-12)
    np.testing.assert_allclose(statistics.covariance, covariance, atol=1e-12)
    assert statistics.n_logits == setting.structure.n_parameters
