"""Annealed importance sampling: chains of several data sets side by side, against each alone."""

from itertools import product
from unittest import mock

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.data.counts import MISSING, cell_counts
from latentdag.engine.simd import LANES
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais.annealing import Tuning, anneal, tune
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.scores import JOBS, compute, run_job
from latentdag.scores.ais import annealing_runs, lots_by_shape
from latentdag.scores.base import Task
from latentdag.scores.exact import log_evidence

PRIOR = Prior(0.7, 1.6)


@pytest.mark.parametrize(("label", "hidden"), [("1-12-12-2", (2, 2)), ("2-2-2-0", (3, 2))])
def test_one_step_is_plain_importance_sampling_from_the_start(cases, label, hidden):
    """With a single temperature the weight is p(y given the starting point): shows that starts are
    laid out as they should, those of childless hidden variables left out.
    """
    s = Structure.from_label(label, Family(hidden))
    parameters = oracles.random_parameters(s, np.random.default_rng(2))
    task = Task([s], cases[:30], PRIOR)
    weights = annealing_runs(task, steps=1, chains=3, start=parameters)
    expected = oracles.log_likelihood(s, parameters, cases[:30])
    assert weights == pytest.approx([expected] * 3, rel=1e-12)
    assert len(set(annealing_runs(task, steps=1, chains=3))) == 3


def test_in_how_many_parts_a_chain_is_run_changes_no_bit(cases, monkeypatch):
    """Between parts its progress is reported."""
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:20], s.family))
    ends = np.array([0.0, 0.5, 1.0])
    tuning = Tuning(ends, ends, np.array([[-1.0], [-2.0]]))

    def run():
        chains = [generator(0, "parts", c) for c in range(2)]
        return anneal(kernel, 0, Prior(), tuning, 2500, chains).log_weights

    in_parts = run()
    monkeypatch.setattr(ais, "STEPS_PER_CALL", 2**20)
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
        alone = run(chains)
        for name in ("log_weights", "acceptance"):
            assert (getattr(alone, name) == getattr(everyone, name)[list(chains)]).all(), name
    assert len(set(everyone.log_weights)) == 40
    assert ((everyone.acceptance >= 0) & (everyone.acceptance <= 1)).all()
    assert 0.1 < everyone.acceptance.mean() < 0.5  # tuned
    of_steps, part = tuning.schedule(np.arange(1, 71), 70), np.arange(70) * 16 // 70
    means = [of_steps[part == k].mean() for k in range(16)]
    assert everyone.temperatures == pytest.approx(means)


def test_kinds_of_ais(cases):
    """`ais_single` is the first chain of `ais`; the others have streams and pilots of their own,
    and rows move by themselves.
    """
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "1-1-0-1")]
    task, settings = Task(structures, cases[:40], PRIOR, 7, (3,)), {"steps": 64, "chains": LANES}
    scores, chains = run_job(JOBS["ais"], task, settings, methods=["ais_single"])
    table = JOBS["ais"].tables["ais_chains"](task, chains)
    first = {row["structure"]: row["log_weight"] for row in table if row["chain"] == 0}
    assert {s.structure.label: s.score for s in scores} == pytest.approx(first, rel=1e-14)
    assert all(np.isnan(s.standard_error) and s.restarts == 1 for s in scores)

    task, settings = (
        Task(structures, cases[:40], PRIOR, 7, (3,), (20, 40)),
        settings | {"chains": 2},
    )
    streams, really = [], Task.stream

    def stream(task, purpose, *which):
        streams.append((purpose, task.n, *which))
        return really(task, purpose, *which)

    with mock.patch.object(Task, "stream", stream):
        for job in ("ais", "ais_long", "ais_rows"):
            with mock.patch.object(ais, "target", wraps=ais.target) as targets:
                run_job(JOBS[job], task, settings)
            assert {call.args[3] for call in targets.call_args_list} == {job == "ais_rows"}
    assert len(set(streams)) == len(streams) == 3 * 2 * 2 * (ais.PILOT_CHAINS + 2)

    kernel = Kernel(structures[:1], cell_counts(cases[:40], structures[0].family))
    for by_row, lengths in ((False, [64]), (True, [5] * 12 + [2] * 2)):
        goal = ais.target([kernel], 0, PRIOR, by_row)
        assert np.diff(goal.moves).tolist() == lengths
        pilots = [generator(0, "pilot", c) for c in range(4)]
        assert tune(kernel, 0, PRIOR, pilots, by_row).log_steps.shape == (32, len(lengths))


@pytest.mark.parametrize("family", [Family((2, 2), (2, 2, 2)), Family((2, 3), (3, 2, 3))], ids=str)
def test_structures_of_one_shape_keep_their_evidence(family):
    """With sorted variables each has the data's columns in its own order: no evidence changes."""
    rng, structures = np.random.default_rng(4), enumerate_structures(family)
    holes = rng.integers(family.observed, size=(7, 3))
    holes[0, 1] = holes[3, 2] = MISSING
    sizes = [Task(structures, holes[:n], PRIOR) for n in (2, 7)]
    lots, seen = list(lots_by_shape(sizes, 3)), set()
    for item, lot in lots:
        assert len(lot) <= LANES // 3
        assert len({kernel.structures for _, _, kernel in lot}) == 1
        for of_size, s, kernel in lot:
            cases = np.repeat(kernel.patterns, kernel.counts.astype(int), axis=0)
            (expected,) = log_evidence(of_size.cases, [s], PRIOR)
            (value,) = log_evidence(cases, [kernel.structures[item]], PRIOR)
            assert value == pytest.approx(expected, rel=1e-12)
            seen.add((of_size.n, s))
    assert len(seen) == sum(len(lot) for _, lot in lots) == 2 * len(structures)
    assert len(lots) < len(structures)


NAMES = ("log_weights", "acceptance", "temperatures")
SIZES = (3, 10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280)


@pytest.mark.parametrize(
    ("job", "chains"), [("ais", 1), ("ais", 3), ("ais", LANES), ("ais_long", 1), ("ais_rows", 2)]
)
def test_sizes_together_or_apart_to_the_bit(cases, job, chains):
    """More chains than lanes, some of them copies; structures with one and two hidden causes. With
    as many chains as lanes it is `anneal` for each size.
    """
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "1-2-12-12", "1-1-0-1")]
    job, settings = JOBS[job], {"steps": 40, "chains": chains}
    everything = Task(structures, cases, PRIOR, seed=7, key=(3,), sizes=SIZES)
    scores, chains_by_label = run_job(job, everything, settings)
    rows = {name: list(of(everything, chains_by_label)) for name, of in job.tables.items()}
    scores = [s for s in scores if s.method == job.name]
    assert [(s.n, s.structure) for s in scores] == [(n, s) for n in SIZES for s in structures]
    for sizes in ((3,), (80, 640), (1280,)):
        for few in (structures, structures[1:2]):
            shorter = cases[: max(sizes)]
            part_of_work = Task(few, shorter, PRIOR, seed=7, key=(3,), sizes=sizes)
            if len(sizes) == 1:  # as a library's user has it
                part_of_work = Task(few, shorter, PRIOR, seed=7, key=(3,))
            again, by_label = run_job(job, part_of_work, settings, methods=[job.name])
            labels = [s.label for s in few]
            expected = [s for s in scores if s.n in sizes and s.structure in few]
            assert [repr(s) for s in again] == [repr(s) for s in expected]
            for label, n, name in product(labels, sizes, NAMES):
                one, other = (getattr(f[label][n], name) for f in (chains_by_label, by_label))
                assert np.array_equal(one, other), name
            for name, of in job.tables.items():
                part = [r for r in rows[name] if r["n"] in sizes and r["structure"] in labels]
                assert list(of(part_of_work, by_label)) == part
                assert len(part) == len(labels) * len(sizes) * (chains if "chains" in name else 16)
