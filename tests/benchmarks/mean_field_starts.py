"""VB from mean-field optima (thesis 2.3.2 with eq. 2.42): a better start than a draw of parameters?

Structures of the 136 in which causes share a child, at four sizes of draw 0. RESTARTS draws of
parameters are starts of VB, and of the mean field, whose optimum is another start of VB. Writes
results/experiments/mean_field_starts.csv: for each structure and start the share of the restarts
that reach the best bound known, and how far the restarts end below it. Two minutes.
"""

from collections.abc import Iterator

import common
import numpy as np
from scipy.special import psi

from latentdag import Prior, enumerate_structures
from latentdag.inference.em.fixed_point import Fits, maximise
from latentdag.inference.em.information import CompleteData
from latentdag.inference.em.mean_field import MeanField, MeanFieldVBEM
from latentdag.inference.em.restarts import SAME_OPTIMUM
from latentdag.inference.em.vbem import VBEM
from latentdag.inference.slots import Kernel
from latentdag.scores import compute
from latentdag.scores.vb_mf import causes_share_a_child

RESULT = common.EXPERIMENTS / "mean_field_starts.csv"
SIZES, RESTARTS, MAX_ITERATIONS = (80, 480, 2560, 10240), 16, 30_000


def joint_start(data: CompleteData, cells: MeanField, item: int, log_q: np.ndarray) -> np.ndarray:
    """E[ln theta] (H, F) under the q(theta) that is best for q(s) = the product of the marginals
    ``log_q`` (K, N), whose cells are in the table's order.
    """
    kernel = cells.kernel
    by_cause = np.split(np.exp(log_q), np.cumsum(kernel.family.hidden)[:-1])
    of_states = [p[states].T for p, states in zip(by_cause, kernel.digits, strict=True)]
    q = np.empty(of_states[0].shape)  # (N, H), the kernel's cells
    q[kernel.in_table_order] = np.prod(of_states, axis=0)
    found = data.statistics(item, q=q)
    u = found.alpha + found.expected
    return kernel.expand(item, psi(u) - psi(found.row_sums(u))[found.row])


def ends(kernel: Kernel, prior: Prior, items: np.ndarray, starts: np.ndarray) -> tuple[Fits, Fits]:
    """The fits of VB from ``starts``, log weights (I, H, F), and from the mean-field optima that
    they lead to.
    """
    alpha = kernel.prior_slots(prior)
    cells, data = MeanField(kernel), CompleteData(kernel, alpha)
    marginals = np.array([cells.start(s, x) for s, x in zip(items, starts, strict=True)])
    fits = maximise(cells, MeanFieldVBEM(alpha), items, marginals, MAX_ITERATIONS)
    found = zip(items, fits.log_weights, strict=True)
    optima = np.array([joint_start(data, cells, s, log_q) for s, log_q in found])
    return tuple(maximise(kernel, VBEM(alpha), items, x, MAX_ITERATIONS) for x in (starts, optima))


def rows() -> Iterator[dict]:
    structures = [s for s in enumerate_structures() if causes_share_a_child(s)]
    for task in common.tasks(SIZES, structures):
        best = {s.structure.label: s.score for s in compute(task, ["vb"])[0]}
        for kernel, own in task.kernels:
            items, start = np.repeat(np.arange(len(own)), RESTARTS), task.start(kernel, own)
            starts = np.array([start(i, r) for i in range(len(own)) for r in range(RESTARTS)])
            fits = ends(kernel, task.prior, items, starts)
            both = [f.objective.reshape(len(own), -1) for f in fits]
            for i, s in enumerate(own):
                top = max(best[s.label], *(bounds[i].max() for bounds in both))
                for name, bounds in zip(("parameters", "mean field"), both, strict=True):
                    below = top - bounds[i]
                    shares = {"share_best": float((below <= SAME_OPTIMUM).mean())}
                    which = {"n": task.n, "structure": s.label, "start": name}
                    yield which | shares | {"below_best": float(below.mean())}


if __name__ == "__main__":
    common.write(RESULT, rows())
