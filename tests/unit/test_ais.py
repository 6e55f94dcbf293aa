"""Parts of annealed importance sampling that have an exact answer."""

from dataclasses import replace

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais.annealing import Tuning, anneal, tune
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.scores import compute
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Task


@pytest.mark.parametrize(("label", "hidden"), [("1-12-12-2", (2, 2)), ("2-2-2-0", (3, 2))])
def test_one_step_is_plain_importance_sampling_from_the_start(cases, label, hidden):
    """With a single temperature the weight is p(y given the starting point): shows that starts are
    laid out as they should, those of childless hidden variables left out.
    """
    s = Structure.from_label(label, Family(hidden))
    parameters = oracles.random_parameters(s, np.random.default_rng(2))
    task = Task([s], cases[:30], Prior(0.7, 1.6))
    weights = annealing_runs(task, steps=1, chains=3, start=parameters)
    expected = oracles.log_likelihood(s, parameters, cases[:30])
    assert weights == pytest.approx([expected] * 3, rel=1e-12)
    assert len(set(annealing_runs(task, steps=1, chains=3))) == 3


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
    start = oracles.random_parameters(structures[0], np.random.default_rng(2))
    runs = annealing_runs(replace(task, structures=structures[:1]), 200, 2, start)
    assert runs == pytest.approx([-250.156248, -251.278650], abs=2e-6)
    assert one.temperatures[[0, 8, 15]] == pytest.approx([0.018827, 0.330172, 0.909284], abs=2e-6)


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
