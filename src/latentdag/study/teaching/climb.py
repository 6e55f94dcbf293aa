"""EM and variational Bayesian EM one half-step at a time: a lower bound that climbs.

Both algorithms raise a lower bound by turns, over the hidden states and over the parameters:

    EM      F(q, theta) = E_q[ln p(s, y given theta)] + entropy of q(s) + ln p(theta)
    VBEM    F = E_q[ln p(s, y given theta)] + entropy of q(s) - KL(q(theta) || p(theta))

The E-step takes the q(s) that maximises F, the M-step the theta, or the q(theta). EM's F lies below
ln p(y given theta) + ln p(theta) by KL(q(s) || p(s given y, theta)). The E-step makes that 0: the
bound touches. VBEM's F lies below the ln evidence by KL(q(s) q(theta) || p(s, theta given y)).
That is never 0 where there are hidden causes, as the posterior is no such product.

The steps are plain ones, without the acceleration that the scores' optimiser has.
"""

from collections.abc import Iterator
from math import inf, nan
from typing import NamedTuple

import numpy as np

from latentdag.engine.special import log_gamma_ratio
from latentdag.inference import em
from latentdag.inference.slots import Batch
from latentdag.scores.base import Task

GAIN = 1e-6  # nats: the climb ends with an iteration that gains less
MOST = 1000  # iterations


class HalfStep(NamedTuple):
    """What holds after a half-step."""

    algorithm: str  # EM or VBEM
    iteration: int  # from 0
    half_step: str  # E or M
    bound: float  # F, nats
    # ln p(y given theta) + ln p(theta) at the half-step's theta, nats; nan for VBEM
    target: float = nan


def climbs(task: Task, most: int = MOST) -> Iterator[HalfStep]:
    """Yields a `HalfStep` for every half-step of EM to the MAP estimate, and then of VBEM, for the
    one structure of ``task``. Both start at one theta drawn from the prior, the first start of the
    study's fits of `map`, and end when an iteration gains less than GAIN nats, or after ``most``.
    VBEM's first E-step has no value, as no q(theta) goes before it. ln p(theta) is the density of
    the logits.
    """
    ((kernel, structures),) = task.kernels
    batch, alpha = kernel.batch(np.zeros(1, dtype=int)), kernel.prior_slots(task.prior)
    start = task.start(kernel, structures)(0, 0)
    yield from _em(batch, alpha, start[None], most)
    yield from _vbem(batch, alpha, start[None], most)


def _em(batch: Batch, alpha: np.ndarray, log_theta: np.ndarray, most: int) -> Iterator[HalfStep]:
    """EM from ``log_theta`` (1, H, F)."""
    before = -inf
    for iteration in range(most):
        log_likelihood, counts = batch.expected_counts(np.exp(log_theta))
        log_prior = batch.log_prior(log_theta, alpha)
        entropy = log_likelihood - batch.total(counts * log_theta)
        bound = batch.total(counts * log_theta) + entropy + log_prior
        target = log_likelihood + log_prior
        yield HalfStep("EM", iteration, "E", bound.item(), target.item())
        if bound.item() - before < GAIN:
            return
        before = bound.item()
        log_theta = batch.kernel.log_normalise(np.log(alpha + counts[0]))[None]
        log_prior = batch.log_prior(log_theta, alpha)
        bound = batch.total(counts * log_theta) + entropy + log_prior
        target = batch.log_likelihood(np.exp(log_theta)) + log_prior
        yield HalfStep("EM", iteration, "M", bound.item(), target.item())


def _vbem(
    batch: Batch, alpha: np.ndarray, log_weights: np.ndarray, most: int
) -> Iterator[HalfStep]:
    """VBEM from ``log_weights`` (1, H, F), which stand for E[ln theta] in the first E-step."""
    before, divergence = -inf, nan
    rows = batch.row_sums(np.broadcast_to(alpha, log_weights.shape))
    for iteration in range(most):
        log_sum, counts = batch.expected_counts(np.exp(log_weights))
        entropy = log_sum - batch.total(counts * log_weights)
        if iteration:
            bound = batch.total(counts * log_weights) + entropy - divergence
            yield HalfStep("VBEM", iteration, "E", bound.item())
        u = alpha + counts
        log_weights = em.vbem.expected_log(batch, u, batch.row_sums(u))
        # ln B(u) - ln B(alpha), B the multivariate beta function
        ratio = batch.total(log_gamma_ratio(np.broadcast_to(alpha, u.shape), counts))
        ratio = ratio - batch.block_total(log_gamma_ratio(rows, batch.row_sums(counts)))
        divergence = batch.total(counts * log_weights) - ratio  # KL(q(theta) || p(theta))
        bound = batch.total(counts * log_weights) + entropy - divergence
        yield HalfStep("VBEM", iteration, "M", bound.item())
        if bound.item() - before < GAIN:
            return
        before = bound.item()
