"""The bound of a mixture of several q(s) and of all their relabelled copies.

For q(s) = sum over components k of w_k q_k(s), the entropy is at least

    sum over k of w_k (entropy of q_k - ln sum over l of w_l exp(-D_kl)),

D_kl the Bhattacharyya distance (Kolchinsky & Tracey 2017, Entropy 19, 361, eq. 10 with alpha =
1/2). E_q[ln p(s, y)] is the mean over the components. So with L_k the collapsed bound at q_k

    ln p(y given m) >= sum over k of w_k (L_k - ln sum over l of w_l exp(-D_kl)).

A relabelling of one component changes no L. The same relabelling of two components changes no
distance between them. So every component brings its images under a group of G relabellings, all
with the same weight. With S_kl the sum over the group of exp(-D) between k and the image of l, the
bound is

    sum over k of w_k (L_k + ln G - ln sum over l of w_l S_kl).

S_kk lies between 1 (no image overlaps with the component: ln G is gained) and G (nothing is).
"""

from itertools import product
from math import log

import numpy as np

from latentdag.inference.relabellings import n_relabellings, relabellings
from latentdag.model.structures import Structure

MOST_RELABELLINGS = 5040  # above, the rotations of the states of each hidden variable serve
MOST_STEPS, GAIN = 1000, 1e-10  # of the ascent over the weights; nats


def images(structure: Structure) -> np.ndarray:
    """The group of relabellings of ``structure`` as permutations of joint states, indices (G, H):
    image g of a q (..., H) is ``q[..., group[g]]``. All relabellings, or where they are too many
    the rotations of the states of each hidden variable.
    """
    sizes = structure.family.hidden
    states = np.arange(structure.family.n_states).reshape(sizes)
    if n_relabellings(structure) <= MOST_RELABELLINGS:
        group = relabellings(structure)
    else:
        same = tuple(range(len(sizes)))
        rotated = [[np.roll(range(k), by) for by in range(k)] for k in sizes]
        group = ((same, orders) for orders in product(*rotated))
    return np.array([states.transpose(v)[np.ix_(*orders)].ravel() for v, orders in group])


def overlaps(q: np.ndarray, counts: np.ndarray, group: np.ndarray) -> np.ndarray:
    """S (K, K): for each two components the sum of exp(-D) over the ``group`` (G, H), D the
    Bhattacharyya distance between one and the image of the other. ``q`` (K, N, H) are their
    responsibilities, ``counts`` (N,) the numbers of cases in the cells.
    """
    root = np.sqrt(q)
    matrix = np.zeros((len(q), len(q)))
    for a, one in enumerate(root):
        for b, other in enumerate(root[: a + 1]):
            affinity = np.einsum("nh,ngh->gn", one, other[:, group])
            with np.errstate(divide="ignore"):
                matrix[a, b] = matrix[b, a] = np.exp(np.log(affinity) @ counts).sum()
    return matrix


def value(weights: np.ndarray, bounds: np.ndarray, overlap: np.ndarray, n_images: int) -> float:
    """The lower bound on ln evidence in nats of a mixture of K components with ``weights`` (K,),
    from 0 and of sum 1, each with its ``n_images`` relabelled images, itself among them. ``bounds``
    (K,) are their L in nats, ``overlap`` (K, K) is S of `overlaps`, no logarithms.
    """
    used = weights > 0
    mixed = overlap[used] @ weights
    return float(weights[used] @ (bounds[used] + log(n_images) - np.log(mixed)))


def best_weights(bounds: np.ndarray, overlap: np.ndarray, n_images: int) -> np.ndarray:
    """Weights (K,) at a local maximum of `value` for K components, where it is not below the best
    component with its ``n_images`` images. ``bounds`` (K,) are their L in nats, ``overlap`` (K, K)
    is S of `overlaps`.
    """
    best = np.zeros(len(bounds))
    best[np.argmax(bounds - np.log(np.diagonal(overlap)))] = 1.0
    weights = np.exp(bounds - bounds.max())
    weights /= weights.sum()
    now = value(weights, bounds, overlap, n_images)
    for _ in range(MOST_STEPS):
        mixed = overlap @ weights
        gradient = bounds - np.log(mixed) - overlap @ (weights / mixed)
        before, length = now, 1.0
        while length > GAIN:
            tried = weights * np.exp(length * (gradient - gradient.max()))
            tried /= tried.sum()
            now = value(tried, bounds, overlap, n_images)
            if now >= before:
                weights = tried
                break
            now, length = before, length / 2
        if now - before < GAIN:
            break
    return weights if now > value(best, bounds, overlap, n_images) else best
