"""VB from mean-field optima (thesis 2.3.2 with eq. 2.42): a better start than a draw of parameters?

Structures of the 136 in which causes share a child, at four sizes of draw 0. RESTARTS draws of
parameters are starts of VB, and of the mean field, whose optimum is another start of VB. Writes
results/experiments/mean_field_starts.csv: for each structure and start the share of the restarts
that reach the best bound known, and how far the restarts end below it. Two minutes.
"""

from collections.abc import Iterator

import common
import numpy as np

from latentdag import Prior, enumerate_structures
from latentdag.inference.em import optimiser
from latentdag.inference.em.fixed_point import SAME_OPTIMUM, Fits, maximise
from latentdag.inference.em.mean_field import MeanFieldVBEM
from latentdag.inference.em.mean_field import starts as marginals_of
from latentdag.inference.em.vbem import VBEM
from latentdag.inference.slots import Kernel
from latentdag.scores import compute
from latentdag.scores.vb_mf import causes_share_a_child

RESULT = common.EXPERIMENTS / "mean_field_starts.csv"
SIZES, RESTARTS, MAX_ITERATIONS = (80, 480, 2560, 10240), 16, 30_000


def joint_start(kernel: Kernel, algorithm: MeanFieldVBEM, item: int, log_q: np.ndarray):
    """E[ln theta] (H, F) under the best q(theta) for the product of marginals ``log_q`` (K, N)."""
    problem, flat = algorithm.problem(kernel.batch([item])), log_q.reshape(1, -1)
    optimiser.steps(problem, flat, np.empty_like(flat), np.empty_like(flat))
    return problem.expected_log[:, 0].reshape(kernel.n_states, -1)


def ends(kernel: Kernel, prior: Prior, items: np.ndarray, starts: np.ndarray) -> tuple[Fits, Fits]:
    """The fits of VB from ``starts`` (I, H, F), and from the mean-field optima they lead to."""
    alpha = kernel.prior_slots(prior)
    mean_field, marginals = MeanFieldVBEM(alpha), np.array(marginals_of(kernel, starts))
    fits = maximise(kernel, mean_field, items, marginals, MAX_ITERATIONS)
    fitted = zip(items, fits.log_weights, strict=True)
    optima = np.array([joint_start(kernel, mean_field, s, log_q) for s, log_q in fitted])
    return tuple(maximise(kernel, VBEM(alpha), items, x, MAX_ITERATIONS) for x in (starts, optima))


def rows() -> Iterator[dict]:
    structures = [s for s in enumerate_structures() if causes_share_a_child(s)]
    for task in common.tasks(SIZES, structures):
        best = {s.structure.label: s.score for s in compute(task, ["vb"])[0]}
        for kernel, members in task.kernels:
            items, start = np.repeat(np.arange(len(members)), RESTARTS), task.start(kernel, members)
            starts = np.array([start(i, r) for i in range(len(members)) for r in range(RESTARTS)])
            fits = ends(kernel, task.prior, items, starts)
            both = [f.objective.reshape(len(members), -1) for f in fits]
            for i, s in enumerate(members):
                top = max(best[s.label], *(bounds[i].max() for bounds in both))
                for name, bounds in zip(("parameters", "mean field"), both, strict=True):
                    below = top - bounds[i]
                    shares = {"share_best": float((below <= SAME_OPTIMUM).mean())}
                    which = {"n": task.n, "structure": s.label, "start": name}
                    yield which | shares | {"below_best": float(below.mean())}


if __name__ == "__main__":
    common.write(RESULT, rows())
