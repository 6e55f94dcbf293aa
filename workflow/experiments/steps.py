"""Processor time of one step of each algorithm, per fit or chain with all lanes full, beside the
same step written plainly.

"Plainly" means one structure at a time, vectorised over the cells that occur, in log space, with
NumPy. Prints a table and writes results/experiments/benchmark.csv.
"""

import time
from collections.abc import Iterator
from functools import partial

import common
import numpy as np
from common import TRUE
from scipy.special import gammaln, logsumexp, psi

from latentdag import Prior, enumerate_structures
from latentdag.data.counts import Counts, cell_counts
from latentdag.engine.cells import expected_counts
from latentdag.engine.jit import compiled
from latentdag.engine.simd import LANES
from latentdag.inference.ais import annealing as ais
from latentdag.inference.em.fixed_point import Algorithm, maximise
from latentdag.inference.em.lane_slots import slots_of
from latentdag.inference.em.point_estimate import EM
from latentdag.inference.em.vbem import VBEM
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import draw_log_gamma, parent_configuration

SIZES, USUAL = (80, 480, 10240), 480  # cases
SECONDS = 1.5  # for which a call is repeated
RESULT = common.EXPERIMENTS / "benchmark.csv"
PRIOR = Prior()


def microseconds(function, per_call: int) -> float:
    """Best processor time of a call over repetitions, divided by the items that it handles."""
    function()
    best, end = np.inf, time.process_time() + SECONDS
    while time.process_time() < end:
        begin = time.process_time()
        function()
        best = min(best, time.process_time() - begin)
    return best / per_call * 1e6


class Plain:
    """EM, VBEM and Metropolis for one structure, as one would first write them."""

    def __init__(self, counts: Counts, rng: np.random.Generator):
        self.patterns, self.n = counts.patterns, counts.numbers
        self.states = np.array(list(np.ndindex(*TRUE.family.hidden)))
        self.rows = [parent_configuration(TRUE, j, self.states) for j in range(4)]
        self.hidden = [draw_log_gamma(np.ones(2), rng) for _ in range(2)]
        self.observed = [
            draw_log_gamma(np.ones(5 * (r.max() + 1)), rng).reshape(-1, 5) for r in self.rows
        ]

    def log_joint(self, hidden, observed):
        """ln p(s, y) of every hidden state and pattern."""
        prior = sum(h[self.states[:, i]] for i, h in enumerate(hidden))
        return prior[:, None] + sum(
            o[r][:, self.patterns[:, j]]
            for j, (o, r) in enumerate(zip(observed, self.rows, strict=True))
        )

    @staticmethod
    def normalised(tables_):
        return [t - logsumexp(t, axis=-1, keepdims=True) for t in tables_]

    def expected_counts(self, hidden, observed):
        joint = self.log_joint(hidden, observed)
        evidence = logsumexp(joint, axis=0)
        weights = np.exp(joint - evidence) * self.n
        h = [np.array([weights[self.states[:, i] == k].sum() for k in range(2)]) for i in range(2)]
        o = []
        for j, rows in enumerate(self.rows):
            table = np.zeros((rows.max() + 1, 5))
            for state, row in enumerate(rows):
                table[row] += np.bincount(self.patterns[:, j], weights[state], minlength=5)
            o.append(table)
        return self.n @ evidence, h, o

    def e_step(self):
        tables = self.normalised(self.hidden), self.normalised(self.observed)
        return *tables, *self.expected_counts(*tables)

    def em(self):
        hidden, observed, value, h, o = self.e_step()
        value += sum(t.sum() for t in hidden + observed)
        return value, [np.log((t + 1) / (t + 1).sum(axis=-1, keepdims=True)) for t in h + o]

    def vbem(self):
        hidden, observed, value, h, o = self.e_step()
        value -= sum((c * t).sum() for c, t in zip(h + o, hidden + observed, strict=True))
        posterior = [t + 1 for t in h + o]
        value += sum(gammaln(u).sum() - gammaln(u.sum(axis=-1)).sum() for u in posterior)
        return value, [psi(u) - psi(u.sum(axis=-1, keepdims=True)) for u in posterior]

    def metropolis(self, rng, step=0.1):
        hidden, observed = (
            [x + step * rng.standard_normal(x.shape) for x in t]
            for t in (self.hidden, self.observed)
        )
        joint = self.log_joint(self.normalised(hidden), self.normalised(observed))
        value = self.n @ logsumexp(joint, axis=0) + sum(
            (x - np.exp(x)).sum() for x in hidden + observed
        )
        return value > np.log(rng.random())


@compiled
def e_steps(slots, times):
    for _ in range(times):
        expected_counts(slots.weights, slots.cells, slots.scratch, slots.counts)


def iteration(kernel: Kernel, algorithm: Algorithm, items: np.ndarray, starts: np.ndarray) -> float:
    """Microseconds of an iteration of one fit, with all that belongs to it, to the optimum."""
    maximise(kernel, algorithm, items, starts, 3)
    before = time.process_time()
    fits = maximise(kernel, algorithm, items, starts, 30_000)
    return (time.process_time() - before) / fits.iterations.sum() * 1e6


def compiled_steps(counts: Counts) -> dict:
    """Microseconds of each step for a fit or chain of two hidden variables, all lanes full."""
    structures = [s for s in enumerate_structures() if s == s.without_childless()]
    kernel = Kernel(structures, counts)
    alpha = kernel.prior_slots(PRIOR)
    items = np.repeat(np.arange(len(structures)), 8)
    rng = np.random.default_rng(0)
    starts = np.array(
        [
            kernel.log_normalise(kernel.expand(i, draw_log_gamma(kernel.untied(i, alpha), rng)))
            for i in items
        ]
    )
    slots = slots_of(kernel.batch(items[:LANES]), alpha)
    slots.weights[:] = np.exp(starts[:LANES].reshape(LANES, -1).T)
    true = structures.index(TRUE)
    tuning = ais.Tuning(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([[-2.0]]))
    streams = [np.random.default_rng(i) for i in range(LANES)]
    return {
        "E-step with ln likelihood": microseconds(lambda: e_steps(slots, 100), 100 * LANES),
        "EM iteration": iteration(kernel, EM(alpha), items, starts),
        "VBEM iteration": iteration(kernel, VBEM(alpha), items, starts),
        "Metropolis AIS step": microseconds(
            lambda: ais.anneal(kernel, true, PRIOR, tuning, 16384, streams), LANES * 16384
        ),
    }


def rows() -> Iterator[dict]:
    cases = common.cases_of(max(SIZES))
    for n in SIZES:
        counts, rng = cell_counts(cases[:n], TRUE.family), np.random.default_rng(0)
        plain = Plain(counts, rng)
        plainly = plain.e_step, plain.em, plain.vbem, partial(plain.metropolis, rng)
        for (step, fast), function in zip(compiled_steps(counts).items(), plainly, strict=True):
            slow = microseconds(function, 1)
            times = {"microseconds": fast, "plain_microseconds": slow, "ratio": slow / fast}
            yield {"step": step, "n": n} | times


def main() -> None:
    written = common.write(RESULT, rows())
    usual = {row["step"]: row["microseconds"] for row in written if row["n"] == USUAL}
    for row in written:
        if row["n"] != USUAL:
            longer = row["microseconds"] / usual[row["step"]]
            print(f"{row['step']}: {longer:.2f} times the time at n = {row['n']}")


if __name__ == "__main__":
    main()
