"""How far is each score from the evidence, and how many steps does AIS need?
The table of errors for the true structure, and `latentdag.study.one_draw.annealing.steps_within`.
"""

import pandas as pd

from latentdag.report.markdown import counted, label, plus_minus, table
from latentdag.study.one_draw.annealing import REACHED, by_length, steps_within
from latentdag.study.schema.frames import by_method, drawn

TITLE = "How far is each score from the evidence, and how many steps does AIS need?"


def section(
    errors: pd.DataFrame, annealing: pd.DataFrame, scores: pd.DataFrame, truth: str | None
) -> list[str]:
    """From the tables of one draw."""
    own = errors[errors["structure"] == truth]
    own = own[own["method"].isin(drawn("tightness", own["method"]))]
    text = [] if own.empty else _of_the_truth(own)
    lines = [
        _steps(*key, runs, scores)
        for key, runs in annealing.groupby(["n", "structure", "transition"])
    ]
    text += ["\n".join(filter(None, lines))] if any(lines) else []
    return [f"## {TITLE}", *text] if text else []


def _of_the_truth(errors: pd.DataFrame) -> list[str]:
    error, noise = (by_method(errors, column) for column in ("error_nats", "standard_error"))
    rows = [[n, *(plus_minus(error[m][n], noise[m][n], "+") for m in error)] for n in error.index]
    return [
        "Score minus reference of the true structure, in nats:",
        table(["n", *map(label, error)], rows),
    ]


def _steps(
    n: int, structure: str, transition: str, runs: pd.DataFrame, scores: pd.DataFrame
) -> str:
    """From how many steps annealing is near the reference; nothing where that is not known."""
    at = (scores["n"] == n) & (scores["structure"] == structure)
    level = scores.loc[at & (scores["method"] == "reference"), "score"].dropna()
    found = by_length(runs).dropna(subset="estimate")
    if level.empty or found.empty:
        return ""
    chains = counted(int(found["chains"].max()), "chain")
    words = [
        _from_steps(what, found[column], level.iloc[0])
        for what, column in (
            (f"the log mean weight of {chains}", "estimate"),
            ("the median chain", "median"),
        )
    ]
    return f"- {structure} at n = {n}, {transition} transitions: {'; '.join(words)}."


def _from_steps(what: str, values: pd.Series, level: float) -> str:
    first, for_good = steps_within(values, level)
    longest = f"{values.iloc[-1] - level:+z.2f} nats at {values.index[-1]}"
    near = f"within {counted(round(REACHED), 'nat')} of the reference"
    if first is None:
        return f"{what} needs more than {values.index[-1]} steps to come {near}, {longest}"
    then = "" if for_good == first else f" (for good: {'no' if for_good is None else for_good})"
    return f"{what} is {near} from {first} steps{then}, {longest}"
