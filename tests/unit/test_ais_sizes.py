"""Chains of several data sets side by side: each lane has its own."""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.engine.kernel.cells import log_likelihoods
from latentdag.engine.simd import LANES
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais import walk
from latentdag.inference.slots import LONGEST_PRODUCT, Kernel
from latentdag.model.parameters import Prior
from latentdag.scores import compute, run_job
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


def test_it_is_that_of_plain_loops():
    s = Structure.from_label("12-2", Family((2, 3), (3, 2)))
    kernels = kernels_of(s, range(1, LANES + 1))
    rng = np.random.default_rng(3)
    parameters = [oracles.random_parameters(s, rng) for _ in kernels]
    packed = [kernels[0].untie(0, kernels[0].pack(0, p)) for p in parameters]
    found = log_likelihoods(np.stack(packed, axis=1)[None], cells_of(kernels))[0]
    for n, p, value in zip(range(1, LANES + 1), parameters, found, strict=True):
        assert value == pytest.approx(oracles.log_likelihood(s, p, drawn(s.family, n)), rel=1e-12)


def test_the_data_of_other_lanes_change_no_bit():
    s = Structure.from_label("1-12-12-2")
    mine = kernels_of(s, [3, 480, 10240])
    weights = theta(s, mine[0])
    expected = None
    for others in ([1] * 13, [10240] * 13, [80, 5120, 2560, 1, 40] * 2 + [640] * 3):
        kernels = mine + kernels_of(s, others, seed=5)
        found = log_likelihoods(weights[None], cells_of(kernels))[0, :3]
        expected = found if expected is None else expected
        assert (found == expected).all()


def test_only_cells_of_a_lane_can_make_its_data_impossible():
    """The second value of y1 has probability 0: it occurs in every other lane."""
    s = Structure.from_label("1-0", Family((2,), (2, 2)))
    with_it, without = ([[0, 0], [1, 1]], [[0, 0], [0, 1]])
    kernels = [Kernel([s], cell_counts(c, s.family)) for c in (with_it, without) * (LANES // 2)]
    never = oracles.random_parameters(s, np.random.default_rng(0))
    never.observed[0][:] = [1.0, 0.0]
    weights = np.repeat(kernels[0].untie(0, kernels[0].pack(0, never))[:, None], LANES, axis=1)
    found = log_likelihoods(weights[None], cells_of(kernels))[0]
    assert (found[::2] == -np.inf).all()
    assert found[1::2] == pytest.approx(oracles.log_likelihood(s, never, without))


def test_a_run_by_plain_loops():
    """Data, temperatures, step sizes and random numbers: each lane has its own."""
    s = Structure.from_label("12-2", Family((2, 3), (3, 2)))
    sizes = [5, 40, 12]
    kernels = [kernels_of(s, sizes)[lane % 3] for lane in range(LANES)]
    goal = ais.target_of_lanes(kernels, 0, PRIOR)
    streams = [generator(1, "lane", lane) for lane in range(LANES)]
    chains = ais._begin(goal, *ais._draws(kernels[0], 0, PRIOR, streams))
    x, states = chains.x.copy(), chains.streams.copy()
    temperatures = np.linspace(0, 1, 41)[:, None] ** np.linspace(1, 3, LANES)
    log_steps = np.linspace(-1, 0, 2 * LANES).reshape(2, LANES)
    accepted = np.zeros((1, LANES))
    part = np.zeros(40, dtype=int)
    walk.run(goal, chains, temperatures, log_steps, part, accepted)
    for lane in range(LANES):
        log_weight, moves, _ = oracles.annealing_chain(
            *(s, drawn(s.family, sizes[lane % 3]), PRIOR, x[:, lane], states[:, lane]),
            *(temperatures[1:, lane], log_steps[:, lane]),
        )
        assert chains.log_weight[0, lane] == pytest.approx(log_weight, rel=1e-11)
        assert accepted[0, lane] == sum(moves)


TUNINGS = [
    ais.Tuning(np.array([0.0, 0.4, 1.0]), np.array([0.0, middle, 1.0]), np.full(2, log_step))
    for middle, log_step in ((0.8, -1.5), (0.7, -2.0), (0.6, -2.5))
]
NAMES = ("log_weights", "acceptance", "temperatures")


def test_alone_or_side_by_side_it_is_the_same_chain():
    """Up to rounding: of the likelihood, which is summed in another order. Over two lots."""
    s = Structure.from_label("1-12-12-2")
    kernels = kernels_of(s, [10, 80, 480])

    def streams():
        return [[generator(2, k, c) for c in range(7)] for k in range(3)]

    found = ais.anneal_each(kernels, 0, PRIOR, TUNINGS, 200, streams())
    for k, own in enumerate(streams()):
        alone = ais.anneal(kernels[k], 0, PRIOR, TUNINGS[k], 200, own)
        assert len(set(found[k].log_weights)) == 7
        for name in NAMES:
            expected = pytest.approx(getattr(alone, name), rel=1e-9)
            assert getattr(found[k], name) == expected, name
        assert found[k].steps == alone.steps


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


def test_sixteen_chains_are_those_of_one_data_set(cases):
    s = Structure.from_label("1-12-12-2")
    task = Task([s], cases[:80], seed=7, sizes=(10, 80))
    found = compute(task, ["ais"], {"steps": 40, "chains": LANES})[1]["ais"][s.label]
    for n in (10, 80):
        kernel, own = Kernel([s], cell_counts(cases[:n], s.family)), task.truncated(n)
        pilots = [own.stream("ais pilot", s, c) for c in range(ais.PILOT_CHAINS)]
        tuning = ais.tune(kernel, 0, Prior(), pilots)
        streams = [own.stream("ais", s, c) for c in range(LANES)]
        expected = ais.anneal(kernel, 0, Prior(), tuning, 40, streams)
        assert (found[n].log_weights == expected.log_weights).all()


@pytest.mark.parametrize("chains", [1, LANES])
def test_shares_of_the_work_add_up_to_the_structures_at_all_sizes(cases, chains):
    shares = []
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "1-1-0-1")]
    task = Task(structures, cases[:40], sizes=(3, 10, 40), report=shares.append)
    run_job(JOB, task, {"steps": 1500, "chains": chains})
    assert sum(shares) == pytest.approx(2 * 3)


def test_every_size_and_chain_has_a_stream_of_its_own(cases, monkeypatch):
    keys = []

    def recorded(*key):
        keys.append(key)
        return generator(*key)

    monkeypatch.setattr("latentdag.engine.streams.generator", recorded)
    s = Structure.from_label("1-1-1-1")
    task = Task([s], cases[:20], seed=7, key=(3,), sizes=(10, 20))
    run_job(JOB, task, {"steps": 2, "chains": 2})
    expected = {
        (7, purpose, 3, n, "1-1-1-1", chain)
        for n in (10, 20)
        for purpose, chains in (("ais pilot", 16), ("ais", 2))
        for chain in range(chains)
    }
    assert len(keys) == 36 and set(keys) == expected
