"""How far is each score from the evidence, and how many steps does AIS need?
The table of errors for the true structure, and `latentdag.study.one_draw.annealing.reached`.
"""

import pandas as pd

from latentdag.report.markdown import counted, label, plus_minus, table
from latentdag.study.one_draw.annealing import REACHED, reached
from latentdag.study.schema.frames import by_method, drawn

TITLE = "How far is each score from the evidence, and how many steps does AIS need?"


def section(
    errors: pd.DataFrame, annealing: pd.DataFrame, scores: pd.DataFrame, truth: str | None
) -> list[str]:
    """From the tables of one draw."""
    of_truth = errors[errors["structure"] == truth]
    of_truth = of_truth[of_truth["method"].isin(drawn("tightness", of_truth["method"]))]
    text = [] if of_truth.empty else _of_the_truth(of_truth)
    lines = []
    for (n, structure, transition), (chains, of_mean, of_median) in reached(
        annealing, scores
    ).items():
        words = [
            _steps(f"the log mean weight of {counted(chains, 'chain')}", *of_mean),
            _steps("the median chain", *of_median),
        ]
        lines.append(f"- {structure} at n = {n}, {transition} transitions: {'; '.join(words)}.")
    text += ["\n".join(lines)] if lines else []
    return [f"## {TITLE}", *text] if text else []


def _of_the_truth(errors: pd.DataFrame) -> list[str]:
    error, noise = (by_method(errors, column) for column in ("error_nats", "standard_error"))
    rows = [[n, *(plus_minus(error[m][n], noise[m][n], "+") for m in error)] for n in error.index]
    return [
        "Score minus reference of the true structure, in nats:",
        table(["n", *map(label, error)], rows),
    ]


def _steps(what: str, first: int | None, for_good: int | None, longest: int, gap: float) -> str:
    """From how many steps annealing is near the reference."""
    last = f"at {longest} steps it differs by {gap:+z.2f} nats"
    near = f"within {counted(round(REACHED), 'nat')} of the reference"
    if first is None:
        return f"{what} needs more than {longest} steps to come {near}; {last}"
    then = ""
    if for_good != first:
        stays = "never" if for_good is None else f"from {for_good}"
        then = f" (at every larger number: {stays})"
    return f"{what} is {near} from {first} steps on{then}; {last}"
