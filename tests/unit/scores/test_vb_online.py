"""Online VB: a plain second implementation case by case, and the order of the cases."""

import numpy as np
import oracles
import pytest
from scipy.special import digamma

from latentdag import Family, Structure, score
from latentdag.model.parameters import Prior
from latentdag.scores import JOBS, run_job
from latentdag.scores.base import Task

JOB = JOBS["vb_online"]
PRIOR = Prior(0.8, 1.3)


def online(cases, labels, family=None, **settings):
    structures = [Structure.from_label(x, family or Family()) for x in labels]
    task = Task(structures, cases, PRIOR, seed=7, key=(3,))
    return task, *run_job(JOB, task, JOB.defaults() | {"restarts": 1} | settings)


def plain_pass(task, structure, size, cycles):
    """Sum over batches of F, every case on its own: evidence of the completed counts plus
    entropy.
    """
    ((kernel, _),) = task.kernels
    start = kernel.unpack(0, np.exp(task.start(kernel, [structure])(0, 0)))
    weights = list(start.hidden), oracles.tables(structure, start)
    family = structure.family
    prior = [np.full(k, task.prior.alpha_hidden) for k in family.hidden]
    prior += [np.full(t.shape, task.prior.alpha) for t in weights[1]]
    n_hidden, total = len(family.hidden), 0.0
    for first in range(0, task.n, size):
        batch = task.cases[first : first + size]
        for _ in range(cycles):
            q = type(start)(
                tuple(weights[0]), tuple(w.reshape(-1, w.shape[-1]) for w in weights[1])
            )
            of_hidden, of_observed = oracles.expected_counts(structure, q, batch)
            counts = of_hidden + of_observed
            posterior = [a + c for a, c in zip(prior, counts, strict=True)]
            mean_logs = [digamma(u) - digamma(u.sum(axis=-1, keepdims=True)) for u in posterior]
            before, weights = weights, ([], [])
            for i, x in enumerate(mean_logs):
                weights[i >= n_hidden].append(np.exp(x))
        # F = ln of the normalising constants of q(s), less sum counts ln weights, + ln B ratios
        total += oracles.log_likelihood(structure, q, batch)
        for w, c, a in zip(before[0] + before[1], counts, prior, strict=True):
            total -= np.sum(c * np.log(w))
            rows = zip(a.reshape(-1, a.shape[-1]), c.reshape(-1, c.shape[-1]), strict=True)
            for strength, row in rows:
                total += sum(map(oracles.log_gamma_ratio, strength, row))
                total -= oracles.log_gamma_ratio(strength.sum(), row.sum())
        prior = posterior
    return total


@pytest.mark.parametrize(
    ("family", "label", "size"),
    [(Family((2, 3), (3, 2, 4)), "1-12-2", 7), (Family((2, 2), (3, 2, 2)), "12-1-12", 5)],
    ids=str,
)
def test_a_plain_second_implementation(family, label, size):
    """With batches that do not fit, unequal cardinalities, and a prior other than 1."""
    cases = np.random.default_rng(8).integers(family.observed, size=(16, len(family.observed)))
    task, (found,), _ = online(cases, [label], family, batch=size)
    expected = plain_pass(task, task.structures[0], size, cycles=200)
    assert found.score == pytest.approx(expected, abs=1e-6)
    assert found.converged is True and found.restarts == found.restarts_at_best == 1
    assert found.iterations >= 2 * -(-16 // size)  # two steps a batch at least


def test_the_order_of_the_cases_counts_and_the_best_pass_is_kept(cases):
    s = Structure.from_label("1-12-12-2")

    def run(own, restarts):
        return score(own, s, "vb_online", batch=10, restarts=restarts)

    forth, back = run(cases[:60], 1), run(cases[:60][::-1], 1)
    assert abs(forth.score - back.score) > 1e-3
    _, (best,), found = online(cases[:60], [s.label], batch=10, restarts=6)
    passes = found[s.label]
    assert len(set(np.round(passes.objective, 3))) > 1
    assert best.score == passes.objective.max() and best.restarts == 6
    assert best.iterations == passes.iterations[np.argmax(passes.objective)]
    alone = [online(cases[:60], [s.label], batch=10, restarts=r)[2] for r in (1, 2)]
    for r, few in enumerate(alone, start=1):  # more passes only add passes
        assert few[s.label].objective.tolist() == passes.objective[:r].tolist()
