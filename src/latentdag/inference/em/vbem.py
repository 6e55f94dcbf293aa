"""Variational Bayesian EM: the bound F of Beal & Ghahramani (2003, eq. 5 to 7), maximised."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from latentdag.engine.functions import anchor, log_gamma_ratio, log_of, normalised
from latentdag.engine.jit import compiled
from latentdag.engine.simd import everywhere, fma, load, store, vectors
from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.em.lane_slots import Slots, begin, e_step, slots_in, slots_of
from latentdag.inference.em.optimiser import implement
from latentdag.inference.slots import Batch


class Posterior(NamedTuple):
    """q(theta), Dirichlet(alpha + expected counts), for the fits in the lanes. It is all that VBEM
    needs as a problem of the optimiser.
    """

    share: np.ndarray  # (H F, LANES)
    slots: Slots
    anchors: np.ndarray  # (H F, 3, LANES): what `log_gamma_ratio` needs of the prior
    rows: np.ndarray  # (H variables, 4, LANES): the prior's row sums, and the same of these


def posterior_of(batch: Batch, alpha: np.ndarray) -> Posterior:
    """The `Posterior` for fits of the structures in ``batch``, whose lanes are still empty.
    ``alpha``, the prior's Dirichlet parameters, has shape (F,), or (C, H, F) for a prior of each
    item's own.
    """
    slots = slots_of(batch, alpha)
    anchors, rows = vectors(len(slots.share), 3), vectors(batch.block_share[0].size, 4)
    return Posterior(slots.share, slots, anchors, rows)


@compiled
def keep_anchor(alpha, anchors, place):
    """Put the three vectors that `log_gamma_ratio` needs of ``alpha`` (LANES,) into ``anchors``, in
    the rows from ``place`` on.
    """
    for i, x in enumerate(anchor(alpha)):
        store(anchors, place + i, x)


@compiled
def anchor_in(anchors, place):
    """The three vectors (LANES,) in the rows of ``anchors`` from ``place`` on, which
    `log_gamma_ratio` takes as its ``anchor``.
    """
    return load(anchors, place), load(anchors, place + 1), load(anchors, place + 2)


@compiled
def keep_anchors(posterior):
    """Fill ``posterior.anchors`` and ``posterior.rows`` from the prior in ``posterior.slots``."""
    slots = posterior.slots
    for row in range(len(posterior.rows)):
        total = everywhere(0.0)
        for slot in range(*slots_in(slots, row)):
            alpha = load(slots.prior, slot)
            total = total + alpha
            keep_anchor(alpha, posterior.anchors, 3 * slot)
        store(posterior.rows, 4 * row, total)
        keep_anchor(total, posterior.rows, 4 * row + 1)


@compiled
def update(posterior, expected_log, u):
    """Returns the sum over rows of ln B(alpha + counts) - ln B(alpha), the ln evidence of completed
    cases in nats, (LANES,). Puts alpha + counts into ``u``, E[ln theta] = psi(u) - psi(row sum of
    u) into ``expected_log``, both (H F, LANES).
    """
    slots = posterior.slots
    log_evidence = everywhere(0.0)
    for row in range(len(posterior.rows)):
        begin, end = slots_in(slots, row)
        value, total = everywhere(0.0), everywhere(0.0)  # value is still to be lowered by ln m 2^e
        m, e = everywhere(1.0), everywhere(0.0)
        for slot in range(begin, end):
            alpha, count = load(slots.prior, slot), load(slots.counts, slot)
            kept = anchor_in(posterior.anchors, 3 * slot)
            ratio, product, psi_u = log_gamma_ratio(alpha, count, kept)
            m, e = normalised(m * product, e)
            value, total = value + ratio, total + count
            store(u, slot, alpha + count)
            store(expected_log, slot, psi_u)
        alpha, kept = load(posterior.rows, 4 * row), anchor_in(posterior.rows, 4 * row + 1)
        ratio, product, psi_total = log_gamma_ratio(alpha, total, kept)
        value = (value - ratio) - log_of(*normalised(m / product, e))
        log_evidence = fma(load(slots.share, begin), value, log_evidence)
        for slot in range(begin, end):
            store(expected_log, slot, load(expected_log, slot) - psi_total)
    return log_evidence


@compiled
def complete(slots, log_weights):
    """E-step at ``log_weights`` (H F, LANES): returns the entropy of q(s) of all cases, in nats,
    (LANES,); puts the expected counts into ``slots.counts``.
    """
    entropy = e_step(slots, log_weights)  # ... less the mean of ln q(s)
    for k in range(len(slots.share)):
        count = load(slots.share, k) * load(slots.counts, k)
        entropy = fma(count, 0.0 - load(log_weights, k), entropy)
    return entropy


@compiled
def step(posterior, log_weights, after, mass):
    """One iteration of a fit: E step at ``log_weights`` (H F, LANES), M step. Returns the bound F
    there, in nats, (LANES,); writes E[ln theta] into ``after``, q(theta)'s Dirichlet parameters
    into ``mass``.
    """
    return complete(posterior.slots, log_weights) + update(posterior, after, mass)


implement(Posterior, begin=begin, ready=keep_anchors, step=step)


def expected_log(batch: Batch, u: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """E[ln theta] (C, H, F) under Dirichlet(u), from ``u`` (C, H, F) and its row ``sums``
    (C, H, variables).
    """
    return scipy.special.psi(u) - batch.spread(scipy.special.psi(sums))


@dataclass(frozen=True)
class VBEM(Algorithm):
    """One iteration of variational Bayesian EM: the objective is `bound`, the next log weights are
    E[ln theta]. ``alpha`` has shape (F,), or (S, H, F) for a prior of its own for each of the
    kernel's structures. F is a bound wherever extrapolation may lead.
    """

    alpha: np.ndarray

    def problem(self, batch: Batch) -> NamedTuple:
        """The `Posterior` for fits of the structures in ``batch``, with no fit in any lane yet."""
        alpha = self.alpha if self.alpha.ndim == 1 else self.alpha[batch.items]
        return posterior_of(batch, alpha)


def bound(
    batch: Batch, log_weights: np.ndarray, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """F in nats (C,) at ``log_weights`` (C, H, F), the Dirichlet parameters of q(theta) (C, H, F),
    and their row sums (C, H, variables); ``alpha`` as in `VBEM`.

    q(s) is proportional to the product of the weights, jointly for all hidden variables of a case;
    q(theta) is optimal for it, Dirichlet(alpha + expected counts). Then F = entropy of q(s) + sum
    over rows of ln B(alpha + counts) - ln B(alpha), with B the multivariate beta function. At the
    weights of a point estimate it is the Cheeseman-Stutz score (thesis eq. 2.133).
    """
    objective, _, u = VBEM(alpha).step(batch, log_weights)
    return objective, u, batch.row_sums(u)
