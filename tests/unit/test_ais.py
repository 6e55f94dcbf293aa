"""Parts of annealed importance sampling that have an exact answer."""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, score
from latentdag.data.counts import cell_counts
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais.annealing import Tuning, anneal, tune
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.scores import compute
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Task


def chains_of(kernel, prior, streams, start=None):
    """The target of the kernel's first structure, and the first LANES chains."""
    goal = ais.target(kernel, 0, prior)
    return goal, ais._begin(goal, *ais._draws(kernel, 0, prior, streams, start))


def slots_of(kernel, values):
    """Untied parameters (D, LANES) of the kernel's first structure as slots (LANES, H, F)."""
    return np.array([kernel.expand(0, x) for x in values.T])


def test_schedule_ends_at_exactly_one_and_never_falls(cases):
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:80], s.family))
    tuning = tune(kernel, 0, Prior(), [generator(0, "pilot", c) for c in range(4)])
    for steps in (1, 7, 64, 1000):
        schedule = tuning.schedule(np.arange(1, steps + 1), steps)
        assert schedule[-1] == 1.0
        assert (np.diff(schedule, prepend=0.0) > 0).all()
    assert tuning.schedule(np.array([500]), 1000)[0] < 0.45  # non-linear: most steps near the prior


def test_one_step_is_plain_importance_sampling_from_the_start(cases):
    """With a single temperature the weight is p(y given the starting point): shows that starts are
    laid out as they should.
    """
    s = Structure.from_label("1-12-12-2")
    parameters = oracles.random_parameters(s, np.random.default_rng(2))
    task = Task([s], cases[:30], Prior(0.7, 1.6))
    weights = annealing_runs(task, steps=1, chains=3, start=parameters)
    assert weights == pytest.approx(
        [oracles.log_likelihood(s, parameters, cases[:30])] * 3, rel=1e-12
    )
    fresh = annealing_runs(task, steps=1, chains=3)
    assert len(set(fresh)) == 3


def test_a_start_may_name_childless_hidden_variables():
    """The first of two hidden variables has no child: its probabilities must not be taken for those
    of the second.
    """
    s = Structure.from_label("2-2", Family((3, 2), (2, 2)))
    parameters = oracles.random_parameters(s, np.random.default_rng(6))
    cases = [[0, 1], [1, 0], [1, 1]]
    weights = annealing_runs(Task([s], np.array(cases)), steps=1, chains=2, start=parameters)
    assert weights == pytest.approx([oracles.log_likelihood(s, parameters, cases)] * 2, rel=1e-12)


def test_a_given_start_has_the_scale_that_the_prior_expects():
    """Every row of theta is g / sum(g), and g / alpha is 1 in the mean."""
    family = Family((2, 3), (3, 2))
    s = Structure.from_label("12-2", family)
    kernel = Kernel([s], cell_counts([[0, 1]], family))
    slots = kernel.pack(0, oracles.random_parameters(s, np.random.default_rng(5)))[None]
    _, chains = chains_of(kernel, Prior(0.7, 1.4), [generator(0, 1)], slots)
    batch, g = kernel.batch([0]), np.exp(slots_of(kernel, chains.x))[:1]
    assert batch.row_sums(g) == pytest.approx(np.broadcast_to([3, 2, 2, 3], (1, 6, 4)))
    assert g / batch.spread(batch.row_sums(g)) == pytest.approx(slots)


def test_pinned_chains(cases):
    """An accidental change of schedule, pilots, proposal or streams would change every published
    number: here it shows. Rounding may differ between processors, decisions hardly ever do.
    """
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "1-1-1-1", "1-1-2-2")]
    task = Task(structures, cases[:40], Prior(0.7, 1.6), seed=7, key=(3,))
    found = compute(task, ["ais"], {"steps": 200, "chains": 2})[1]["ais"]
    chains = {label: by_size[40] for label, by_size in found.items()}
    assert chains["1-12-12-2"].log_weights == pytest.approx([-252.961830, -269.201084], abs=2e-6)
    assert chains["1-1-1-1"].log_weights == pytest.approx([-251.853670, -261.463958], abs=2e-6)
    assert chains["1-1-2-2"].log_weights == pytest.approx([-277.396248, -263.468817], abs=2e-6)
    one = chains["1-1-1-1"]
    assert one.steps == 200
    assert one.acceptance.shape == (2, 16)
    # parts of 12 or 13 of the 200 temperatures
    assert one.acceptance.mean(axis=0)[[0, 8, 15]] == pytest.approx([9 / 26, 4 / 26, 6 / 24])
    assert one.temperatures.shape == (16,)
    assert one.temperatures[[0, 8, 15]] == pytest.approx([0.018827, 0.330172, 0.909284], abs=2e-6)


def test_every_chain_has_a_stream_of_its_own(cases, monkeypatch):
    """Named by purpose, draw, number of cases, structure and chain; pilots share none with chains
    that are reported, nor chains from the prior with those from the true parameters.
    """
    keys = []

    def recorded(*key):
        keys.append(key)
        return generator(*key)

    monkeypatch.setattr("latentdag.engine.streams.generator", recorded)
    s = Structure.from_label("1-1-1-1")
    task = Task([s], cases[:20], seed=7, key=(3,), sizes=(10, 20))
    compute(task, ["ais"], {"steps": 2, "chains": 2})
    each = (("ais pilot", 16), ("ais", 2))
    expected = {
        (7, purpose, 3, n, s.label, chain)
        for n in (10, 20)
        for purpose, chains in each
        for chain in range(chains)
    }
    assert len(keys) == 36 and set(keys) == expected
    parameters = oracles.random_parameters(s, np.random.default_rng(2))
    for start, name in ((None, "prior"), (parameters, "true")):
        keys.clear()
        annealing_runs(task, steps=2, chains=3, start=start)
        own = {(7, "annealing", 3, 20, "1-1-1-1", 2, name, chain) for chain in range(3)}
        pilots = {key for key in expected if key[1] == "ais pilot" and key[3] == 20}
        assert len(keys) == 19 and set(keys) == pilots | own


def test_in_how_many_parts_a_chain_is_run_changes_no_bit(cases, monkeypatch):
    """Between parts its progress is reported."""
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:20], s.family))
    ends = np.array([0.0, 0.5, 1.0])
    tuning = Tuning(ends, ends, np.array([-1.0, -2.0]))

    def run():
        chains = [generator(0, "parts", c) for c in range(2)]
        return anneal(kernel, 0, Prior(), tuning, 2500, chains).log_weights

    in_parts = run()
    monkeypatch.setattr(ais, "AT_ONCE", 2**20)
    assert (run() == in_parts).all()


@pytest.mark.parametrize("prior", [Prior(0.09, 1.0), Prior(1.0, 0.09)], ids=str)
def test_where_its_chains_hardly_mix_ais_is_refused(cases, prior):
    s = Structure.from_label("1-1-1-1")
    with pytest.raises(ValueError, match="^ais needs alpha and alpha_hidden of at least 0.1, got"):
        compute(Task([s], cases[:5], prior), ["ais"])
    # no hidden variable, nothing that alpha_hidden could be too small for
    empty = Task([Structure.from_label("0-0-0-0")], cases[:5], Prior(1.0, 0.09))
    assert np.isfinite(compute(empty, ["ais"], {"steps": 2, "chains": 1})[0][0].score)


def test_pilots_and_chains_have_streams_of_their_own_and_chains_do_not_touch_each_other(cases):
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:20], s.family))
    tuning = tune(kernel, 0, Prior(), [generator(0, "pilot", c) for c in range(4)])
    assert isinstance(tuning, Tuning)

    def run(chains):
        streams = [generator(0, "c", c) for c in chains]
        return anneal(kernel, 0, Prior(), tuning, 70, streams)

    everyone = run(range(40))  # two and a half times LANES
    for chains in ([5], range(7), range(16), [39, 3]):
        some = run(chains)
        for name in ("log_weights", "acceptance"):
            assert (getattr(some, name) == getattr(everyone, name)[list(chains)]).all(), name
    assert len(set(everyone.log_weights)) == 40
    assert ((everyone.acceptance >= 0) & (everyone.acceptance <= 1)).all()
    assert 0.1 < everyone.acceptance.mean() < 0.5  # tuned
    assert (np.diff(everyone.temperatures) > 0).all()


def test_the_number_of_chains_only_adds_chains(cases):
    """Chain c of 8 is chain c of 3: named streams, and pilots that do not depend on the chains."""
    s = Structure.from_label("1-12-12-2")
    task = Task([s], cases[:20])
    assert (annealing_runs(task, 64, 8)[:3] == annealing_runs(task, 64, 3)).all()
    r = score(cases[:20], s, "ais", steps=64, chains=1)
    assert np.isnan(r.standard_error)
    assert (r.iterations, r.restarts) == (64, 1)
