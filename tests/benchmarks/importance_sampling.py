"""The evidence by importance sampling from VB's q(theta) (thesis 2.3.2).

Every seventh of the 136 structures at three sizes of draw 0. DRAWS parameters are drawn from
q(theta), Dirichlet(alpha + expected counts) at VB's best optimum, and weighted by p(theta, y) over
the proposal's density: that of q itself, and that of the mixture of q and all its relabelled
copies. By symmetry a draw from one copy has the same weight as a draw from the mixture. Prints each
result beside the evidence of the committed table, and writes
results/experiments/importance_sampling.csv. A minute.
"""

from pathlib import Path

import numpy as np
from scipy.special import gammaln

from latentdag import Prior, Structure, draw_study, enumerate_structures
from latentdag.engine.kernel.cells import log_likelihoods
from latentdag.engine.log_mean import log_mean_exp
from latentdag.engine.simd import LANES
from latentdag.inference.bridge.model import BridgeModel
from latentdag.inference.em.information import CompleteData
from latentdag.model.parameters import draw_log_gamma
from latentdag.scores import compute
from latentdag.scores.base import Task
from latentdag.study.schema import tables

RESULT = Path(__file__).parents[2] / "results" / "experiments" / "importance_sampling.csv"
EVIDENCE = Path(__file__).parents[2] / "results" / "evidence.csv"
SIZES, EVERY, SEED = (80, 480, 2560), 7, 2003
DRAWS = 2**14  # a multiple of LANES


def log_weights(
    model: BridgeModel, u: np.ndarray, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """ln weights (draws,), in nats, under q(theta) = Dirichlet(u), ``u`` (D,), and under the
    mixture of all its relabelled copies.
    """
    x = draw_log_gamma(np.tile(u, draws), rng).reshape(draws, -1)
    log_theta = x - np.logaddexp.reduceat(x, model.rows[:-1], axis=1)[:, model.row_of]
    lanes = np.exp(log_theta).reshape(-1, LANES, len(u)).transpose(0, 2, 1)
    likelihood = log_likelihoods(np.ascontiguousarray(lanes), model.cells).ravel()

    def log_beta(a: np.ndarray) -> float:
        return float(gammaln(a).sum() - gammaln(model.row_sums(a)).sum())

    constant = log_beta(u) - log_beta(model.alpha)
    # ln of each copy's density over the prior's, (draws, copies); the first relabelling is none
    copies = [log_theta[:, i] @ (u - model.alpha) - constant for i in model.relabellings()]
    mixture = np.logaddexp.reduce(copies) - np.log(len(copies))
    return likelihood - copies[0], likelihood - mixture


def effective(w: np.ndarray) -> float:
    """The effective number of draws with ln weights ``w``."""
    return float(np.exp(2 * np.logaddexp.reduce(w) - np.logaddexp.reduce(2 * w)))


def estimates(task: Task, draws: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What `log_weights` gives of each of the task's structures, by label."""
    found, result = compute(task, ["vb"])[1]["vb"], {}
    for kernel, structures in task.kernels:
        data = CompleteData(kernel, kernel.prior_slots(task.prior))
        for item, s in enumerate(structures):
            of_fit = data.statistics(item, found[s.label].log_weights)
            model = BridgeModel(kernel, item, s.without_childless(), task.prior)
            u, rng = of_fit.alpha + of_fit.expected, task.stream("importance sampling", s)
            result[s.label] = log_weights(model, u, draws, rng)
    return result


def main() -> None:
    structures = enumerate_structures()[2::EVERY]
    cases = draw_study(Structure.from_label("1-12-12-2"), Prior(), max(SIZES), SEED).cases
    evidence = tables.read(EVIDENCE, "evidence").set_index(["draw", "n", "structure"])
    rows = []
    for n in SIZES:
        for label, weights in estimates(Task(structures, cases[:n], seed=SEED), DRAWS).items():
            truth = evidence.loc[0, n, label]
            for proposal, w in zip(("one mode", "all copies"), weights, strict=True):
                estimate, error = log_mean_exp(w)
                rows.append(
                    {
                        "n": n,
                        "structure": label,
                        "proposal": proposal,
                        "effective_draws": effective(w),
                        "error_nats": estimate - truth["log_evidence"],
                        "standard_error": float(np.hypot(error, truth["standard_error"])),
                    }
                )
                print(*rows[-1].values(), flush=True)
    RESULT.parent.mkdir(exist_ok=True)
    tables.write(RESULT, "importance_sampling", rows)


if __name__ == "__main__":
    main()
