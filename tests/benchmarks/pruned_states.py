"""How many states of hidden causes VB and online VB leave without cases (thesis 2.4.3).

The thesis has it from a personal communication that online VB underfits seriously, by pruning its
own parameters. All structures with a cause, at four sizes of draw 0, the study's settings. A state
is pruned where q(theta) rests on less than one expected case in it, and rare where it rests on
less than one case in a hundred. Writes results/experiments/pruned_states.csv. Seconds.
"""

from pathlib import Path

import numpy as np

from latentdag import Prior, Structure, draw_study, enumerate_structures
from latentdag.inference.em.information import CompleteData
from latentdag.scores import compute
from latentdag.scores.base import Task
from latentdag.study.schema import tables

RESULT = Path(__file__).parents[2] / "results" / "experiments" / "pruned_states.csv"
SIZES, SEED = (480, 1280, 2560, 10240), 2003


def expected_cases(task: Task) -> dict[str, dict[str, np.ndarray]]:
    """By score and label the expected number of cases in each state of each cause."""
    found = compute(task, ["vb", "vb_online"])[1]
    result: dict[str, dict[str, np.ndarray]] = {"vb": {}, "vb_online": {}}
    for kernel, structures in task.kernels:
        alpha = kernel.prior_slots(task.prior)
        data = CompleteData(kernel, alpha)
        n_states = sum(kernel.family.hidden)
        for item, s in enumerate(structures):
            passes = found["vb_online"][s.label]
            u = kernel.untie(item, passes.posterior[np.argmax(passes.objective)])
            counts = {
                "vb": data.statistics(item, found["vb"][s.label].log_weights).expected,
                "vb_online": u - kernel.untied(item, alpha),
            }
            for method, of_parameters in counts.items():  # the causes' own come last
                result[method][s.label] = of_parameters[len(u) - n_states :]
    return result


def main() -> None:
    structures = [s for s in enumerate_structures() if any(s.parents)]
    cases = draw_study(Structure.from_label("1-12-12-2"), Prior(), max(SIZES), SEED).cases
    rows = []
    for n in SIZES:
        for method, by_label in expected_cases(Task(structures, cases[:n], seed=SEED)).items():
            for label, in_state in by_label.items():
                rows.append(
                    {
                        "n": n,
                        "structure": label,
                        "method": method,
                        "n_states": len(in_state),
                        "pruned": int((in_state < 1).sum()),
                        "rare": int((in_state < n / 100).sum()),
                    }
                )
            own = rows[-len(by_label) :]
            pruned, rare = (np.mean([r[what] > 0 for r in own]) for what in ("pruned", "rare"))
            print(f"n {n:5d} {method:10s} a pruned state in {pruned:.0%}, a rare one in {rare:.0%}")
    RESULT.parent.mkdir(exist_ok=True)
    tables.write(RESULT, "pruned_states", rows)


if __name__ == "__main__":
    main()
