"""Parts of annealed importance sampling that have an exact answer."""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, score
from latentdag.counts import cell_counts
from latentdag.kernel import Kernel
from latentdag.model import Prior
from latentdag.sampling.ais import Tuning, _Walk, anneal, tune
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Task
from latentdag.streams import generator


def test_schedule_ends_at_exactly_one_and_never_falls(cases):
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:80], s.family))
    (tuning,) = tune(kernel, np.array([0]), Prior(), [[generator(0, "pilot", c) for c in range(4)]])
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


def test_a_chain_from_the_true_parameters_has_larger_weights(cases):
    s = Structure.from_label("1-12-12-2")
    task = Task([s], cases[:480])
    estimate = np.exp(Task.start(task, *task.kernels[0])(0, 0))  # any point of the prior
    assert estimate.shape == (4, 24)
    good = oracles.PointObjective(s, task.counts)
    theta = good.unpack(
        good.ascend(good.pack(oracles.random_parameters(s, np.random.default_rng(0))))
    )
    from latentdag import Parameters

    best = Parameters(tuple(theta[:2]), tuple(t.reshape(-1, 5) for t in theta[2:]))
    assert annealing_runs(task, 64, 4, start=best).mean() > annealing_runs(task, 64, 4).mean() + 50


@pytest.mark.parametrize(
    ("family", "label"), [(Family(), "1-12-12-2"), (Family((2, 2, 2), (2, 2, 2)), "12-13-23")]
)
def test_density_and_proposal_do_not_depend_on_the_names_of_hidden_states(family, label):
    rng = np.random.default_rng(3)
    s = Structure.from_label(label, family)
    cases = np.column_stack([rng.integers(k, size=30) for k in family.observed])
    kernel = Kernel([s], cell_counts(cases, family))
    walk = _Walk(kernel.batch([0, 0]), Prior(0.7, 1.4), [generator(0, c) for c in range(2)])
    x = walk._x.copy()
    h = len(family.hidden)
    for i in range(h):
        table = x.reshape(2, *family.hidden, -1)
        flipped = np.flip(table, axis=1 + i).reshape(x.shape).copy()
        first = sum(family.observed) + sum(family.hidden[:i])
        flipped[..., first : first + 2] = flipped[..., [first + 1, first]]
        for a, b in zip(walk._evaluate(x), walk._evaluate(flipped), strict=True):
            assert np.allclose(a, b, rtol=1e-13)
        assert not np.allclose(x, flipped)
    walk.begin_block(np.array([0.3, 0.3]), np.zeros(2), 4)
    scale = walk._scale
    assert np.allclose(scale, scale[:, :1])  # the same for every hidden state
    assert (scale[0] == scale[1]).all()  # and wherever the chain is: nothing adapts to it
    for i, k in enumerate(family.hidden):
        first = sum(family.observed) + sum(family.hidden[:i])
        assert np.allclose(scale[..., first : first + k], scale[..., first : first + 1])


def test_the_density_is_the_prior_times_the_tempered_likelihood():
    """ln p(x) = sum alpha x - e^x over untied coordinates: gamma variables whose rows, normalised,
    are Dirichlet.
    """
    family = Family((2, 3), (3, 2))
    s = Structure.from_label("12-2", family)
    kernel = Kernel([s], cell_counts([[0, 1], [2, 0]], family))
    walk = _Walk(kernel.batch([0]), Prior(0.7, 1.4), [generator(0, 1)])
    g = oracles.random_parameters(s, np.random.default_rng(4))
    scaled = [np.asarray(p) * 1.7 for p in (*g.hidden, *g.observed)]
    from latentdag import Parameters

    x = np.log(kernel.pack(0, Parameters(tuple(scaled[:2]), tuple(scaled[2:]))))[None]
    log_likelihood, log_prior = walk._evaluate(x)
    expected = sum(
        np.sum(a * np.log(p) - p) for a, p in zip((1.4, 1.4, 0.7, 0.7), scaled, strict=True)
    )
    assert log_prior[0] == pytest.approx(expected, rel=1e-12)
    assert log_likelihood[0] == pytest.approx(
        oracles.log_likelihood(s, g, [[0, 1], [2, 0]]), rel=1e-12
    )


def test_pilots_and_chains_have_streams_of_their_own_and_chains_do_not_touch_each_other(cases):
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:20], s.family))
    (tuning,) = tune(kernel, np.array([0]), Prior(), [[generator(0, "pilot", c) for c in range(4)]])
    assert isinstance(tuning, Tuning)

    def run(chains):
        return anneal(
            kernel,
            np.zeros(len(chains), dtype=int),
            Prior(),
            [tuning] * len(chains),
            70,
            [generator(0, "c", c) for c in chains],
        )

    everyone = run(range(70))  # more than one batch
    assert (run([5]).log_weights == everyone.log_weights[5]).all()
    assert (run([69, 3]).log_weights == everyone.log_weights[[69, 3]]).all()
    assert (run([69, 3]).acceptance == everyone.acceptance[[69, 3]]).all()
    assert ((everyone.acceptance >= 0) & (everyone.acceptance <= 1)).all()
    assert 0.1 < everyone.acceptance.mean() < 0.5  # tuned
    assert (np.diff(everyone.temperatures, axis=1) > 0).all()


def test_the_number_of_chains_only_adds_chains(cases):
    """Chain c of 8 is chain c of 3: named streams, and pilots that do not depend on the chains."""
    s = Structure.from_label("1-12-12-2")
    task = Task([s], cases[:20])
    assert (annealing_runs(task, 64, 8)[:3] == annealing_runs(task, 64, 3)).all()
    r = score(cases[:20], s, "ais", steps=64, chains=1)
    assert np.isnan(r.standard_error)
    assert (r.iterations, r.restarts) == (64, 1)
