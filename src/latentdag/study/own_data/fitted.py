"""Rows of the tables of own data about fits: goodness of fit, parameters, residuals, the states of
each case, and those states against a column that is no variable of the model.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from typing import NamedTuple

import numpy as np
import pandas as pd

from latentdag.analysis import fit_tables
from latentdag.analysis.fit import Fit
from latentdag.analysis.fit_tables import names_of_states
from latentdag.data.counts import MISSING, Counts
from latentdag.data.tables import Table
from latentdag.scores import SPECS
from latentdag.study.one_draw.at_one_size import best_structures
from latentdag.study.schema.candidates import with_prior


def log_priors(posterior: pd.DataFrame, equally_probable: str) -> pd.Series:
    """The log prior ln p(structure), by name, from the table of posteriors; 0 if uniform."""
    if equally_probable == "structures":
        return pd.Series(0.0, index=posterior["structure"].unique())
    return np.log(posterior.groupby("structure", sort=False)["prior"].first())


def best_by_score(scores: pd.DataFrame, log_prior: pd.Series) -> pd.DataFrame:
    """`best_structures` by each score with ln p(structure) added, from the table of scores;
    ``score`` is without it.

    Likelihoods at an estimate are left out: without a penalty for parameters they rank the largest
    structure first.
    """
    judged = scores[scores["method"].map(lambda m: SPECS[m].judged).astype(bool)]
    best = best_structures(with_prior(judged, log_prior))
    return best.assign(score=best["score"] - best["best"].map(log_prior))


def chosen(scores: pd.DataFrame, log_prior: pd.Series) -> dict[str, list[str]]:
    """The structures that are best by some score, as `best_by_score` has it, and by which."""
    found: dict[str, list[str]] = {}
    for method, structure in best_by_score(scores, log_prior)["best"].items():
        found.setdefault(structure, []).append(method)
    return found


def fit_row(structure: str, methods: Sequence[str], found: Fit, table: Table) -> dict:
    """How well a structure fits, which is best by ``methods``."""
    (row,) = fit_tables.statistics(found, table)
    row |= {"structure": structure, "best_by": " ".join(methods)}
    row |= {"p_value": found.p_value, "p_error": found.p_error, "replicates": found.replicates}
    left_out = ("method", "cases", "restarts", "restarts_at_best")
    return {k: v for k, v in row.items() if k not in left_out}


def residual_rows(structure: str, found: Fit, table: Table) -> Iterator[dict]:
    """Bivariate residuals, the largest first."""
    for row in fit_tables.residuals(found, table):
        yield {"structure": structure} | row


def parameter_rows(structure: str, found: Fit, table: Table) -> Iterator[dict]:
    """Parameters with their intervals, empty for a fit without draws."""
    empty = dict.fromkeys(("low", "high", "effective_draws"))
    for row in fit_tables.parameters(found, table):
        yield {"structure": structure, "estimate": found.method} | empty | row


def membership_rows(structure: str, found: Fit, table: Table) -> Iterator[dict]:
    """For each pattern of values that occurs a row for each joint state of the causes."""
    states = fit_tables.names_of_states(found)
    rows = zip(found.patterns, fit_tables.memberships(found, table), strict=True)
    for i, (pattern, row) in enumerate(rows, start=1):
        values = ", ".join(
            "(missing)" if code == MISSING else levels[code]
            for levels, code in zip(table.levels, pattern, strict=True)
        )
        for state in states:
            yield {
                "structure": structure,
                "pattern": i,
                "values": values,
                "cases": row["cases"],
                "states": state,
                "probability": row[f"p({state})"],
                "modal": state == row["most_probable"],
                "entropy": row["entropy"],
            }


def largest_residuals(residuals: pd.DataFrame, count: int) -> dict[str, pd.DataFrame]:
    """By structure, in the table's order, the rows of its ``count`` largest residuals, the largest
    first.
    """
    ordered = residuals.sort_values("residual", ascending=False, kind="stable")
    return {
        structure: ordered[ordered["structure"] == structure].head(count)
        for structure in residuals["structure"].drop_duplicates()
    }


def map_estimate(parameters: pd.DataFrame, structure: str) -> pd.DataFrame:
    """The rows of the table of parameters that are the MAP estimate of ``structure``."""
    return parameters[(parameters["structure"] == structure) & (parameters["estimate"] == "map")]


def class_sizes(parameters: pd.DataFrame, membership: pd.DataFrame) -> pd.DataFrame:
    """The rows of the MAP estimate, of the structure of the table of memberships, that have the
    probabilities of the causes' states, and the name of each ``state`` in that table.
    """
    rows = map_estimate(parameters, membership["structure"].iloc[0])
    states = {state for joint in membership["states"] for state in joint.split(", ")}
    # the causes come first, so that a variable of the same name does no harm
    rows = rows.assign(state=rows["variable"] + " = " + rows["value"]).drop_duplicates("state")
    return rows[rows["state"].isin(states)]


def most_frequent(membership: pd.DataFrame, count: int) -> pd.DataFrame:
    """The rows of the ``count`` most frequent patterns with their most probable states."""
    modal = membership[membership["modal"].astype(bool)]
    return modal.sort_values("cases", ascending=False, kind="stable").head(count)


class Certainty(NamedTuple):
    """How well cases show their states: the share that is ``right`` in the mean if each case gets
    its most probable ones; mean ``entropy`` of its states, and the ``most`` it could be, in nats.
    """

    right: float
    entropy: float
    most: float


def certainty(membership: pd.DataFrame) -> Certainty:
    """From the table of memberships."""
    modal = membership[membership["modal"].astype(bool)]
    means = np.average(modal[["probability", "entropy"]], weights=modal["cases"], axis=0)
    return Certainty(*map(float, means), log(membership["states"].nunique()))


def beside_rows(
    structure: str, found: Fit, joint: Counts, column: str, values: Sequence[str]
) -> Iterator[dict]:
    """How many cases with each value of ``column`` have which most probable states: rows of the
    table ``beside``.

    ``joint`` are the cases with the code of the column's value behind those of the observed
    variables, (N, J + 1); ``values`` are what its codes mean. A case without a value there, or
    without any in the model, does not count.
    """
    states = names_of_states(found)
    best = found.memberships.argmax(axis=1)
    of_pattern = dict(zip(map(tuple, found.patterns.tolist()), best.tolist(), strict=True))
    cases: Counter = Counter()
    for (*pattern, code), number in zip(joint.patterns.tolist(), joint.numbers, strict=True):
        if tuple(pattern) in of_pattern and code != MISSING:
            cases[code, of_pattern[tuple(pattern)]] += int(number)
    for code, value in enumerate(values):
        for k, state in enumerate(states):
            about = {"structure": structure, "variable": column, "value": value, "states": state}
            yield about | {"cases": cases[code, k]}


def cross_table(beside: pd.DataFrame) -> pd.DataFrame:
    """The cases by states (rows) and values (columns), in the table's order; states that no case
    has are left out.
    """
    states, values = (list(dict.fromkeys(beside[name])) for name in ("states", "value"))
    cases = beside.pivot(index="states", columns="value", values="cases").loc[states, values]
    return cases[cases.sum(axis=1) > 0]
