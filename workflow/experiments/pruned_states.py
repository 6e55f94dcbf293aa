"""How many states of hidden causes VB and online VB leave without cases (thesis 2.4.3).

The thesis has it from a personal communication that online VB underfits seriously, by pruning its
own parameters. All structures with a cause, at four sizes of draw 0, the study's settings. A state
is pruned where q(theta) rests on less than one expected case in it, and rare where it rests on
less than one case in a hundred. Writes results/experiments/pruned_states.csv. Seconds.
"""

from collections.abc import Iterator

import common
import numpy as np
import pandas as pd

from latentdag import Structure, enumerate_structures
from latentdag.data.counts import cell_counts
from latentdag.inference.slots import Kernel
from latentdag.scores import JOBS, compute, settings_of
from latentdag.scores.base import Task
from latentdag.scores.vb_online import Passes

RESULT = common.EXPERIMENTS / "pruned_states.csv"
SIZES = (480, 1280, 2560, 10240)


def online_posterior(task: Task, structure: Structure, start: np.ndarray) -> np.ndarray:
    """The parameters of q(theta) (H, F) after the pass over all cases from ``start``."""
    settings = settings_of(JOBS["vb_online"], {})
    kernel = Kernel([structure.without_childless()], task.counts)
    passes, cases = Passes(kernel.prior_slots(task.prior), start[None]), task.one_by_one()
    for first in range(0, task.n, settings["batch"]):
        batch = cell_counts(cases[first : first + settings["batch"]], structure.family)
        passes.take(Kernel(kernel.structures, batch), settings["max_iterations"])
    return passes.posterior[0]


def expected_cases(task: Task) -> dict[str, dict[str, np.ndarray]]:
    """By score and label the expected number of cases in each state of each cause."""
    online = compute(task, ["vb_online"])[1]["vb_online"]
    starts = {kernel: task.start(kernel, structures) for kernel, structures in task.kernels}
    result: dict[str, dict[str, np.ndarray]] = {"vb": {}, "vb_online": {}}
    for kernel, item, s, fit in common.fits_of_vb(task):
        best, n_states = np.argmax(online[s.label].objective), sum(kernel.family.hidden)
        u = kernel.untie(item, online_posterior(task, s, starts[kernel](item, best)))
        for method, counts in (("vb", fit.expected), ("vb_online", u - fit.alpha)):
            result[method][s.label] = counts[len(u) - n_states :]  # the causes' own come last
    return result


def rows() -> Iterator[dict]:
    structures = [s for s in enumerate_structures() if any(s.parents)]
    for task in common.tasks(SIZES, structures):
        for method, by_label in expected_cases(task).items():
            for label, cases in by_label.items():
                which = {"n": task.n, "structure": label, "method": method, "n_states": len(cases)}
                pruned, rare = (int((cases < least).sum()) for least in (1, task.n / 100))
                yield which | {"pruned": pruned, "rare": rare}


def main() -> None:
    table = pd.DataFrame(common.write(RESULT, rows()))
    print((table.set_index(["n", "method"])[["pruned", "rare"]] > 0).groupby(level=[0, 1]).mean())


if __name__ == "__main__":
    main()
