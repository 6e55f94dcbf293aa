"""Rows of the tables of own data about fits: goodness of fit, parameters, residuals, the states of
each case, and those states against a column that is no variable of the model.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import nan

import numpy as np
import pandas as pd
import scipy  # loads scipy.stats when it is first used

from latentdag.analysis import fit_tables
from latentdag.analysis.fit import Fit
from latentdag.analysis.fit_tables import names_of_states
from latentdag.data.counts import MISSING, Counts
from latentdag.data.tables import Table
from latentdag.scores import SPECS
from latentdag.study.one_draw.at_one_size import best_structures
from latentdag.study.schema.candidates import with_prior
from latentdag.study.schema.columns import TABLES

COMPARED = ("laplace", "vb", "bic")  # scores next to the most trusted one
OTHERS = len(COMPARED)
MOST_CELLS, MOST_ROWS = 120, 24  # of the tables of parameters on the page


def log_priors(posterior: pd.DataFrame, equally_probable: str) -> pd.Series:
    """A Series of ln p(structure), by name, from the table ``posterior``; 0 for every structure, as
    it is uniform, where ``equally_probable`` is "structures".
    """
    if equally_probable == "structures":
        return pd.Series(0.0, index=posterior["structure"].unique())
    return np.log(posterior.groupby("structure", sort=False)["prior"].first())


def best_by_score(scores: pd.DataFrame, log_prior: pd.Series) -> pd.DataFrame:
    """The DataFrame of `best_structures` by each score in the table ``scores`` of one data set,
    with ``log_prior``, a Series of ln p(structure) by name, added. Likelihoods at an estimate are
    left out: they rank the largest structure first.
    """
    judged = scores[scores["method"].map(lambda m: SPECS[m].judged).astype(bool)]
    return best_structures(with_prior(judged, log_prior))


def shown_scores(
    methods: Iterable[str], most_trusted: str, requested: Collection[str]
) -> list[str]:
    """A list of the scores that the page shows: the ``most_trusted`` one, and at most `OTHERS`
    others of the ``methods`` that ran: first those ``requested`` by name, then those of `COMPARED`,
    then the rest.
    """
    ran = [m for m in methods if m != most_trusted]
    compared = [m for m in COMPARED if m in ran]
    named = [m for m in ran if m in requested]
    return [most_trusted, *dict.fromkeys([*named, *compared, *ran])][: 1 + OTHERS]


def chosen(scores: pd.DataFrame, log_prior: pd.Series) -> dict[str, list[str]]:
    """A dict, by name of each structure that is best by some score, of the list of scores by which
    it is best: as `best_by_score` has it from the table ``scores`` and ``log_prior``.
    """
    best = best_by_score(scores, log_prior)["best"]
    return {structure: list(best.index[best == structure]) for structure in best.unique()}


def fit_row(structure: str, methods: Sequence[str], fit: Fit, table: Table) -> dict:
    """The row, a dict, of the table `fit` for ``fit``, the `Fit` to ``table`` of the structure
    named ``structure``, which is best by the scores ``methods``.
    """
    (row,) = fit_tables.statistics(fit, table)
    row |= {"structure": structure, "best_by": " ".join(methods)}
    row |= {"p_value": fit.p_value, "p_error": fit.p_error, "replicates": fit.replicates}
    return {name: row[name] for name in TABLES["fit"].columns}


def residual_rows(structure: str, fit: Fit, table: Table) -> Iterator[dict]:
    """Yields rows, dicts, of the table `residuals` for ``fit``, the `Fit` to ``table`` of the
    structure named ``structure``, one for each pair of variables, the largest bivariate residual
    first.
    """
    for row in fit_tables.residuals(fit, table):
        yield {"structure": structure} | row


def parameter_rows(structure: str, fit: Fit, table: Table) -> Iterator[dict]:
    """Yields rows, dicts, of the table `parameters` for ``fit``, the `Fit` to ``table`` of the
    structure named ``structure``: its probabilities, and their posterior means and intervals, None
    without posterior draws.
    """
    empty = dict.fromkeys(("mean", "low", "high", "effective_draws"))
    for row in fit_tables.parameters(fit, table):
        yield {"structure": structure} | empty | row


def membership_rows(structure: str, fit: Fit, table: Table) -> Iterator[dict]:
    """Yields rows, dicts, of the table `membership` for ``fit``, the `Fit` to ``table`` of the
    structure named ``structure``: for each pattern of values that occurs a row for each joint state
    of the causes, with its probability.
    """
    states, columns = names_of_states(fit), TABLES["membership"].variable_columns(table.names)
    of_patterns = fit.patterns, fit.counts.numbers, fit.memberships, fit.entropies
    for i, (pattern, cases, p, entropy) in enumerate(zip(*of_patterns, strict=True), start=1):
        cells = [
            None if code == MISSING else levels[code]
            for levels, code in zip(table.levels, pattern, strict=True)
        ]
        values = ", ".join("(missing)" if value is None else value for value in cells)
        by_variable = {c: value or "" for c, value in zip(columns, cells, strict=True)}
        for k, state in enumerate(states):
            yield {
                "structure": structure,
                "pattern": i,
                "values": values,
                "cases": cases,
                "states": state,
                "probability": p[k],
                "modal": k == p.argmax(),
                "entropy": entropy,
            } | by_variable


def largest_residuals(residuals: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame by structure (index): the row of its largest residual in table ``residuals``."""
    ordered = residuals.sort_values("residual", ascending=False, kind="stable")
    return ordered.drop_duplicates("structure").set_index("structure")


def map_estimate(parameters: pd.DataFrame, structure: str) -> pd.DataFrame:
    """The rows of the MAP estimate of ``structure`` in the table ``parameters``, with a column
    `shown`: the posterior mean, or without draws of the posterior the probability at the MAP
    estimate.
    """
    rows = parameters[(parameters["structure"] == structure) & (parameters["estimate"] == "map")]
    return rows.assign(shown=rows["mean"].fillna(rows["probability"]))


def class_sizes(parameters: pd.DataFrame, membership: pd.DataFrame) -> pd.DataFrame:
    """The rows of `map_estimate` in ``parameters``, of the structure of the table ``membership``,
    that have the probabilities of the causes' states, with the state's name in that table as a
    further column `state`.
    """
    rows = map_estimate(parameters, membership["structure"].iloc[0])
    states = {state for joint in membership["states"] for state in joint.split(", ")}
    rows = rows.assign(state=rows["variable"] + " = " + rows["value"])
    return rows[rows["state"].isin(states)]


def by_parents(estimate: pd.DataFrame, n_causes: int) -> tuple[list[dict], int]:
    """A list of dicts, tables of p(value given the states of the causes), from ``estimate``, the
    `map_estimate` of a structure with ``n_causes`` hidden variables: one for each set of causes,
    with `states` of these and `rows` of variable, value and a probability for each state. A
    variable with two values has the row of the second. After the list the number of variables that
    are left out, so that all tables together have at most `MOST_CELLS` probabilities in `MOST_ROWS`
    rows.
    """
    hidden = [f"s{h + 1}" for h in range(n_causes)]
    observed = estimate[~estimate["variable"].isin(hidden)]
    tables: dict[tuple[str, ...], list] = {}
    n_cells = n_rows = left_out = 0
    for variable, of_variable in observed.groupby("variable", sort=False):
        wide = of_variable.pivot(index="value", columns="given", values="shown")
        wide = wide.loc[of_variable["value"].unique(), of_variable["given"].unique()]
        wide = wide.tail(1) if len(wide) == 2 else wide
        if n_cells + wide.size > MOST_CELLS or n_rows + len(wide) > MOST_ROWS:
            left_out += 1
            continue
        n_cells, n_rows = n_cells + wide.size, n_rows + len(wide)
        rows = tables.setdefault(tuple(wide), [])
        rows += [(variable, value, list(row)) for value, row in wide.iterrows()]
    return [{"states": states, "rows": rows} for states, rows in tables.items()], left_out


def widest_interval(estimate: pd.DataFrame) -> float:
    """The largest width of the 90 % intervals in ``estimate``, a `map_estimate`; nan for none."""
    return float((estimate["high"] - estimate["low"]).max())


def share_right(membership: pd.DataFrame) -> float:
    """The expected share of cases whose states are right, if each case is assigned to its most
    probable ones, from the table ``membership``.
    """
    modal = membership[membership["modal"].astype(bool)]
    return float(np.average(modal["probability"], weights=modal["cases"]))


def crossed_rows(
    structure: str, fit: Fit, joint: Counts, column: str, values: Sequence[str]
) -> Iterator[dict]:
    """Yields rows, dicts, of the table `beside`: how many cases with each value of ``column`` have
    which most probable states by ``fit``, that of the structure named ``structure``. ``joint`` are
    the cases with the code of the column behind those of the observed variables, (N, J + 1);
    ``values`` are what its codes mean. A case without a value there, or without any in the model,
    does not count.
    """
    states = names_of_states(fit)
    best = fit.memberships.argmax(axis=1)
    of_pattern = dict(zip(map(tuple, fit.patterns.tolist()), best.tolist(), strict=True))
    cases = np.zeros((len(values), len(states)), dtype=int)
    for (*pattern, code), number in zip(joint.patterns.tolist(), joint.numbers, strict=True):
        if tuple(pattern) in of_pattern and code != MISSING:
            cases[code, of_pattern[tuple(pattern)]] += number
    of_states = cases.sum(axis=0)
    for (code, k), number in np.ndenumerate(cases):
        about = {"structure": structure, "variable": column, "value": values[code]}
        share = number / of_states[k] if of_states[k] else None
        yield about | {"states": states[k], "cases": number, "share": share}


def cross_table(beside: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame of the number of cases by states (index) and values (columns), in the order of
    the table ``beside``, without states that no case has.
    """
    states, values = (list(dict.fromkeys(beside[name])) for name in ("states", "value"))
    cases = beside.pivot(index="states", columns="value", values="cases").loc[states, values]
    return cases[cases.sum(axis=1) > 0]


def shares(cases: pd.DataFrame) -> pd.DataFrame:
    """The shares of the values among the cases of each state, from ``cases``, a `cross_table`."""
    return cases.div(cases.sum(axis=1), axis=0)


def association(cases: pd.DataFrame) -> float:
    """Cramer's V of states and values in ``cases``, a `cross_table`, from 0 to 1 where one tells
    the other, states taken as observed; nan where either has one value.
    """
    seen = cases.loc[:, cases.sum() > 0].to_numpy()
    return scipy.stats.contingency.association(seen) if min(seen.shape) > 1 else nan
