"""Chains of several data sets side by side: each lane has its own."""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.engine.kernel.cells import log_likelihoods
from latentdag.engine.simd import LANES
from latentdag.inference.slots import LONGEST_PRODUCT, Kernel
from latentdag.model.parameters import Prior
from latentdag.scores import run_job
from latentdag.scores.ais import JOB
from latentdag.scores.base import Task

PRIOR = Prior(0.7, 1.6)


def drawn(family, n, seed=0):
    return np.random.default_rng([seed, n]).integers(
        family.observed, size=(n, len(family.observed))
    )


def kernels_of(s, sizes, seed=0):
    """One for each data set, its cases drawn at random."""
    return [Kernel([s], cell_counts(drawn(s.family, n, seed), s.family)) for n in sizes]


def cells_of(kernels):
    return kernels[0].cells_of_lanes(0, kernels)


def theta(s, kernel, lanes=LANES):
    """Untied parameters of settings drawn at random, (D, lanes)."""
    rng = np.random.default_rng(1)
    settings = [kernel.pack(0, oracles.random_parameters(s, rng)) for _ in range(lanes)]
    return np.stack([kernel.untie(0, slots) for slots in settings], axis=1)


@pytest.mark.parametrize(
    ("family", "label"),
    [
        (Family(), "1-12-12-2"),  # 625 cells: more than LONGEST_PRODUCT
        (Family((2, 3), (3, 2)), "12-2"),
        (Family((2, 2, 2), (2, 2, 2)), "12-13-23"),
        (Family((), (3, 2)), "0-0"),
        (Family((2,), (4,)), "1"),
    ],
    ids=str,
)
def test_each_lane_has_the_likelihood_of_its_own_data(family, label):
    """Counts of one to thirteen binary digits, and cells that occur in a few lanes only."""
    s = Structure.from_label(label, family)
    kernels = kernels_of(s, [1, 2, 3, 4, 5, 7, 9, 12, 20, 33, 80, 300, 480, 2560, 5119, 10240])
    weights = theta(s, kernels[0])
    found = log_likelihoods(weights[None], cells_of(kernels))[0]
    for lane, kernel in enumerate(kernels):
        alone = np.repeat(weights[:, lane, None], LANES, axis=1)
        expected = log_likelihoods(alone[None], kernel.cells_of(0))[0, 0]
        assert found[lane] == pytest.approx(expected, rel=1e-13)
    if family == Family():
        assert len(cells_of(kernels).counts) > LONGEST_PRODUCT


NAMES = ("log_weights", "acceptance", "temperatures")


SIZES = (3, 10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280)


@pytest.mark.parametrize("chains", [1, 3, LANES])
def test_sizes_together_or_apart_to_the_bit(cases, chains):
    """More chains than lanes, some of them copies; structures with one and two hidden causes. With
    as many chains as lanes it is `anneal` for each size.
    """
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "1-2-12-12", "1-1-0-1")]
    settings = {"steps": 40, "chains": chains}
    everything = Task(structures, cases, PRIOR, seed=7, key=(3,), sizes=SIZES)
    scores, found = run_job(JOB, everything, settings)
    rows = {name: list(of(everything, found)) for name, of in JOB.tables.items()}
    assert [(s.n, s.structure) for s in scores] == [(n, s) for n in SIZES for s in structures]
    for sizes in ((3,), (80, 640), (1280,)):
        for some in (structures, structures[1:2]):
            shorter = cases[: max(sizes)]
            own = Task(some, shorter, PRIOR, seed=7, key=(3,), sizes=sizes)
            if len(sizes) == 1:  # as a library's user has it
                own = Task(some, shorter, PRIOR, seed=7, key=(3,))
            again, by_label = run_job(JOB, own, settings)
            labels = [s.label for s in some]
            here = [s for s in scores if s.n in sizes and s.structure in some]
            assert [repr(s) for s in again] == [repr(s) for s in here]
            for label in labels:
                for n in sizes:
                    for name in NAMES:
                        one, other = (getattr(f[label][n], name) for f in (found, by_label))
                        assert np.array_equal(one, other), name
            for name, of in JOB.tables.items():
                part = [r for r in rows[name] if r["n"] in sizes and r["structure"] in labels]
                assert list(of(own, by_label)) == part
                assert len(part) == len(labels) * len(sizes) * (chains if "chains" in name else 16)
