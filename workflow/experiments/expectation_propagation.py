"""The evidence by expectation propagation with Dirichlet messages (thesis 2.3.2, paper sec. 5).

Minka (2001, UAI 17, 362-369): the factor p(y_i given theta) of each case is replaced by a message,
a product of powers theta^b; q(theta), prior times messages, is Dirichlet(u). A message is made anew
so that q(theta) has the mean of ln theta of its cavity (q without the message) times the factor.
Cases of one pattern share their message; all messages are made at once. Its fixed points are those
of a relaxed Bethe free energy. Every seventh of the 136 structures at three sizes of draw 0, from
VB's best optimum; ln M is added for the relabelled copies of that mode, as for `cs_lr`. Writes
results/experiments/expectation_propagation.csv. Some minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import common
import numpy as np
from common import log_beta
from scipy.special import polygamma, psi

from latentdag.inference.relabellings import log_copies
from latentdag.inference.tempered.estimates import TemperedModel

RESULT = common.EXPERIMENTS / "expectation_propagation.csv"
SIZES, EVERY = (80, 480, 2560), 7
SWEEPS, CHANGE = 3000, 1e-6  # at most; in u, of the last sweep
DAMPING = 0.8  # what a message keeps of the one before


@dataclass(frozen=True)
class Factors:
    """The cases as one structure with D parameters in R rows sees them, by pattern."""

    picks: np.ndarray  # (N, H, variables), parameters whose product is p(y_i, h given theta)
    counts: np.ndarray  # (N,), cases of the pattern
    model: TemperedModel

    @classmethod
    def of(cls, model: TemperedModel) -> Factors:
        kernel = model.kernel
        parameter = kernel.expand(model.item, np.arange(len(model.alpha)))  # (H, F)
        columns = kernel.patterns + kernel.first[: kernel.patterns.shape[1]]
        observed = parameter[:, columns].transpose(1, 0, 2)
        causes = parameter.ravel()[kernel.state_slots].T  # (H, causes)
        causes = np.broadcast_to(causes, (len(columns), *causes.shape))
        picks = np.concatenate([observed, causes], axis=2)
        return cls(picks, kernel.counts, model)

    def tilted(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ln E[p(y_i given theta)] under each pattern's cavity Dirichlet(v_i), ``v`` (N, D); and
        how often each parameter is picked, in expectation given y_i, (N, D).
        """
        log_mean = np.log(v) - np.log(self.model.row_sums(v))[:, self.model.row_of]
        at = np.arange(len(v))[:, None, None]
        log_joint = log_mean[at, self.picks].sum(axis=2)  # (N, H)
        log_z = np.logaddexp.reduce(log_joint, axis=1)
        picked = np.zeros_like(v)
        share = np.exp(log_joint - log_z[:, None])[:, :, None]
        np.add.at(picked, (at, self.picks), np.broadcast_to(share, self.picks.shape))
        return log_z, picked

    def mean_log(self, v: np.ndarray, picked: np.ndarray) -> np.ndarray:
        """E[ln theta] (N, D) under cavity times factor; psi(x + 1) is psi(x) + 1 / x."""
        rows, picked_rows = self.model.row_sums(v), self.model.row_sums(picked)
        of_rows = psi(rows) + picked_rows / rows
        return psi(v) + picked / v - of_rows[:, self.model.row_of]

    def dirichlet(self, mean_log: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The parameters (N, D) with E[ln theta] = ``mean_log``, by Newton's method."""
        a = start
        for _ in range(50):
            rows = self.model.row_sums(a)
            off = psi(a) - psi(rows)[:, self.model.row_of] - mean_log
            if np.abs(off).max() < 1e-12:
                break
            curvature, of_row = polygamma(1, a), polygamma(1, rows)
            ratio = self.model.row_sums(off / curvature) * of_row
            ratio /= 1 - of_row * self.model.row_sums(1 / curvature)
            a = np.maximum(a - (off + ratio[:, self.model.row_of]) / curvature, a / 10)
        return a

    def log_evidence(self, u: np.ndarray, messages: np.ndarray) -> float:
        """ln of the integral of prior times messages, each as large as its factor."""
        v = u - messages
        of_u, of_alpha = (log_beta(self.model, x) for x in (u, self.model.alpha))
        scale = self.tilted(v)[0] + log_beta(self.model, v) - of_u
        return float(of_u - of_alpha + self.counts @ scale)


def propagate(factors: Factors, u: np.ndarray) -> tuple[float, int, bool]:
    """ln evidence at the fixed point, nan if it was not reached, sweeps, and whether it was; from
    q(theta) = Dirichlet(``u``).

    A message whose cavity is no distribution stays as it is in that sweep.
    """
    messages = factors.tilted(np.broadcast_to(u, (len(factors.counts), len(u))))[1]
    u = factors.model.alpha + factors.counts @ messages
    for sweep in range(1, SWEEPS + 1):
        v = u - messages
        proper = (v > 0).all(axis=1)
        v = np.where(proper[:, None], v, u)
        picked = factors.tilted(v)[1]
        new = factors.dirichlet(factors.mean_log(v, picked), v + picked) - v
        new = DAMPING * messages + (1 - DAMPING) * new
        messages = np.where(proper[:, None], new, messages)
        before, u = u, factors.model.alpha + factors.counts @ messages
        if (u <= 0).any():
            break
        if proper.all() and np.abs(u - before).max() < CHANGE:
            return factors.log_evidence(u, messages), sweep, True
    return np.nan, sweep, False


def rows() -> Iterator[dict]:
    evidence = common.evidence()
    for task in common.tasks(SIZES, common.every(EVERY)):
        for kernel, item, s, fit in common.fits_of_vb(task):
            model = TemperedModel(kernel, item, s.without_childless(), task.prior)
            u = fit.alpha + fit.expected
            value, sweeps, converged = propagate(Factors.of(model), u)
            mean = kernel.expand(item, u / fit.row_sums(u)[fit.row])
            value += log_copies(model.structure, mean)
            course = {"iterations": sweeps, "converged": converged}
            error = common.error(value, 0.0, evidence.loc[0, task.n, s.label])
            yield {"n": task.n, "structure": s.label} | course | error


if __name__ == "__main__":
    common.write(RESULT, rows())
