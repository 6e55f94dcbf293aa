"""The tables of a fit, as rows: statistics, parameters, residuals and memberships."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import log

import numpy as np

from latentdag.analysis.fit import Fit
from latentdag.data.counts import MISSING
from latentdag.data.tables import Table, marked
from latentdag.model.parameters import Parameters
from latentdag.ranking.names import NONE

UNIDENTIFIED = (
    "the data do not identify all class sizes and probabilities of this structure, which has more "
    "parameters than dimensions: other values fit as well"
)


def statistics(found: Fit, table: Table) -> list[dict]:
    """One row: ln likelihood (nats), G2, X2, degrees of freedom, AIC, BIC, and the restarts."""
    row = {
        "structure": found.structure.label,
        "method": found.method,
        "cases": found.n_cases,
        "complete_cases": found.n_complete,
        "log_likelihood": found.log_likelihood,
        "G2": found.g2,
        "X2": found.x2,
        "degrees_of_freedom": found.degrees_of_freedom,
        "n_parameters": found.structure.n_parameters,
        "dimension": found.dimension,
        "AIC": found.aic,
        "BIC": found.bic,
        "AIC_parameters": found.aic + 2 * found.unidentified,
        "BIC_parameters": found.bic + found.unidentified * log(found.n_cases),
        "restarts": found.restarts,
        "restarts_at_best": found.restarts_at_best,
        "converged": found.converged,
    }
    if found.replicates:
        row |= {"p_value": found.p_value, "p_error": found.p_error, "replicates": found.replicates}
    return [row]


def parameters(found: Fit, table: Table) -> list[dict]:
    """p(state) of each cause, and p(value given its causes' states) of each variable, by the
    ``estimate``; with draws first the posterior mean of each, its 90 % interval, effective draws.
    """
    columns = {}
    if found.draws is not None:
        low, high = map(all_probabilities, found.draws.interval())
        columns = {"mean": all_probabilities(found.draws.mean()), "low": low, "high": high}
        worth = all_probabilities(found.draws.effective_draws())
        columns["effective_draws"] = [round(x) for x in worth]
    p = all_probabilities(found.parameters)
    columns |= {"estimate": [found.method] * len(p), "probability": p}
    of_places = zip(_places(found, table), *columns.values(), strict=True)
    return [where | dict(zip(columns, own, strict=True)) for where, *own in of_places]


def all_probabilities(parameters: Parameters) -> list[float]:
    """All probabilities in the order of the rows of the table: hidden variables first."""
    return [x for rows in (*parameters.hidden, *parameters.observed) for x in rows.ravel().tolist()]


def _places(found: Fit, table: Table) -> Iterator[dict]:
    """The variable, its causes' states and its value for each number of `all_probabilities`."""
    hidden, names = found.structure.family.hidden, names_of_variables(found, table)
    for h, k in enumerate(hidden):
        for state in range(k):
            yield {"variable": f"s{h + 1}", "given": "", "value": str(state + 1)}
    for j, parents in enumerate(found.structure.parents):
        for states in np.ndindex(*(hidden[i] for i in parents)):
            given = name_states(parents, states)
            for level in table.levels[j]:
                yield {"variable": names[j], "given": given, "value": level}


def residuals(found: Fit, table: Table) -> list[dict]:
    """Bivariate residuals, the largest first: about 1 where the structure holds."""
    names = names_of_variables(found, table)
    largest_first = sorted(found.residuals(), key=lambda pair: -pair[2])
    return [{"variable": names[i], "other": names[j], "residual": x} for i, j, x in largest_first]


def membership_columns(found: Fit) -> dict[str, list]:
    """By pattern p(states of the causes), the most probable states, and the entropy in nats."""
    states = names_of_states(found)
    columns = {f"p({s})": p.tolist() for s, p in zip(states, found.memberships.T, strict=True)}
    columns["most_probable"] = [states[k] for k in found.memberships.argmax(axis=1)]
    return columns | {"entropy": found.entropies.tolist()}


def memberships(found: Fit, table: Table) -> list[dict]:
    """A row for each pattern: its values, its number of cases, and its `membership_columns`."""
    names, columns = names_of_variables(found, table), membership_columns(found)
    rows = []
    for m, of_pattern in enumerate(zip(*columns.values(), strict=True)):
        values = zip(names, table.levels, found.patterns[m], strict=True)
        row = {name: "" if code == MISSING else levels[code] for name, levels, code in values}
        row["cases"] = int(found.counts.numbers[m])
        rows.append(row | dict(zip(columns, of_pattern, strict=True)))
    return rows


def names_of_variables(found: Fit, table: Table) -> list[str]:
    """The variables' names, marked where a cause or a column of the memberships has the same."""
    taken = {"cases", "most_probable", "entropy", "converged"}
    taken |= {f"p({s})" for s in names_of_states(found)}
    taken |= {f"s{h + 1}" for h in range(len(found.structure.family.hidden))}
    return marked(table.names, taken)


def names_of_states(found: Fit) -> list[str]:
    """The name of each joint state of the causes."""
    return [name_states(range(len(states)), states) or NONE for states in found.states]


def name_states(causes: Iterable[int], states: Iterable[int]) -> str:
    """The states of some causes, both counted from 0, as in "s1 = 1, s2 = 2"."""
    pairs = zip(causes, states, strict=True)
    return ", ".join(f"s{cause + 1} = {state + 1}" for cause, state in pairs)


TABLES: Mapping[str, Callable[[Fit, Table], list[dict]]] = {
    "fit": statistics,
    "parameters": parameters,
    "residuals": residuals,
    "memberships": memberships,
}
