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


def statistics(fit: Fit, table: Table) -> list[dict]:
    """One row, a dict by column: the ln likelihood (nats), G2, X2, degrees of freedom, AIC and BIC
    of the ``fit`` (-2 ln L plus a penalty; with ``_parameters`` that of all parameters, not of the
    dimension), the numbers of cases, parameters and restarts, whether it converged, and with
    replicates the p-value of G2. ``table`` is not read: each of `TABLES` takes it.
    """
    row = {
        "structure": fit.structure.label,
        "method": fit.method,
        "cases": fit.n_cases,
        "complete_cases": fit.n_complete,
        "log_likelihood": fit.log_likelihood,
        "G2": fit.g2,
        "X2": fit.x2,
        "degrees_of_freedom": fit.degrees_of_freedom,
        "n_parameters": fit.structure.n_parameters,
        "dimension": fit.dimension,
        "AIC": fit.aic,
        "BIC": fit.bic,
        "AIC_parameters": fit.aic + 2 * fit.unidentified,
        "BIC_parameters": fit.bic + fit.unidentified * log(fit.n_cases),
        "restarts": fit.restarts,
        "restarts_at_best": fit.restarts_at_best,
        "converged": fit.converged,
    }
    if fit.replicates:
        row |= {"p_value": fit.p_value, "p_error": fit.p_error, "replicates": fit.replicates}
    return [row]


def parameters(fit: Fit, table: Table) -> list[dict]:
    """A list of rows, dicts by column: one for each p(state) of a cause, and for each p(value given
    its causes' states) of a variable of ``table``. Columns: ``variable``, ``given``, ``value``; if
    ``fit`` has draws the posterior ``mean``, the ends ``low`` and ``high`` of its 90 % interval,
    ``effective_draws``; the ``estimate``, map or ml, and the ``probability`` by it.
    """
    columns = {}
    if fit.draws is not None:
        low, high = map(all_probabilities, fit.draws.interval())
        columns = {"mean": all_probabilities(fit.draws.mean()), "low": low, "high": high}
        worth = all_probabilities(fit.draws.effective_draws())
        columns["effective_draws"] = [round(x) for x in worth]
    p = all_probabilities(fit.parameters)
    columns |= {"estimate": [fit.method] * len(p), "probability": p}
    of_places = zip(_places(fit, table), *columns.values(), strict=True)
    return [where | dict(zip(columns, values, strict=True)) for where, *values in of_places]


def all_probabilities(parameters: Parameters) -> list[float]:
    """All numbers of ``parameters`` in one list, in the order of the rows of `parameters` in this
    module: hidden variables first, then the table of each observed variable, row by row.
    """
    return [x for rows in (*parameters.hidden, *parameters.observed) for x in rows.ravel().tolist()]


def _places(fit: Fit, table: Table) -> Iterator[dict]:
    """The variable, its causes' states and its value for each number of `all_probabilities`."""
    hidden, names = fit.structure.family.hidden, names_of_variables(fit, table)
    for h, k in enumerate(hidden):
        for state in range(k):
            yield {"variable": f"s{h + 1}", "given": "", "value": str(state + 1)}
    for j, parents in enumerate(fit.structure.parents):
        for states in np.ndindex(*(hidden[i] for i in parents)):
            states_of_causes = name_states(parents, states)
            for level in table.levels[j]:
                yield {"variable": names[j], "given": states_of_causes, "value": level}


def residuals(fit: Fit, table: Table) -> list[dict]:
    """A list of rows, dicts by column, for each pair of variables: their names in ``table``,
    ``variable`` and ``other``, and their bivariate ``residual`` by ``fit`` (`Fit.residuals`), the
    largest first: about 1 where the structure holds.
    """
    names = names_of_variables(fit, table)
    largest_first = sorted(fit.residuals(), key=lambda pair: -pair[2])
    return [{"variable": names[i], "other": names[j], "residual": x} for i, j, x in largest_first]


def membership_columns(fit: Fit) -> dict[str, list]:
    """Columns by name, with a value for each of the patterns of ``fit``, in their order: for each
    joint state of the causes its probability in cases with the pattern, "p(s1 = 1, s2 = 2)" for
    instance; ``most_probable``, the name of the likeliest state, the first of equal ones; and the
    ``entropy`` of these probabilities, in nats.
    """
    states = names_of_states(fit)
    columns = {f"p({s})": p.tolist() for s, p in zip(states, fit.memberships.T, strict=True)}
    columns["most_probable"] = [states[k] for k in fit.memberships.argmax(axis=1)]
    return columns | {"entropy": fit.entropies.tolist()}


def memberships(fit: Fit, table: Table) -> list[dict]:
    """A list of rows, dicts by column, for each pattern of ``fit``: its value of each variable of
    ``table``, "" where it is missing; its number of ``cases``; and its `membership_columns`.
    """
    names, columns = names_of_variables(fit, table), membership_columns(fit)
    rows = []
    for m, of_pattern in enumerate(zip(*columns.values(), strict=True)):
        values = zip(names, table.levels, fit.patterns[m], strict=True)
        row = {name: "" if code == MISSING else levels[code] for name, levels, code in values}
        row["cases"] = int(fit.counts.numbers[m])
        rows.append(row | dict(zip(columns, of_pattern, strict=True)))
    return rows


def names_of_variables(fit: Fit, table: Table) -> list[str]:
    """The names of the variables of ``table``, with " (variable)" after a name that a cause or a
    column of `memberships` has.
    """
    taken = {"cases", "most_probable", "entropy", "converged"}
    taken |= {f"p({s})" for s in names_of_states(fit)}
    taken |= {f"s{h + 1}" for h in range(len(fit.structure.family.hidden))}
    return marked(table.names, taken)


def names_of_states(fit: Fit) -> list[str]:
    """The name of each joint state of the causes of ``fit``, in the order of `Fit.states`, such as
    "s1 = 1, s2 = 2", or ``none`` without causes.
    """
    return [name_states(range(len(states)), states) or NONE for states in fit.states]


def name_states(causes: Iterable[int], states: Iterable[int]) -> str:
    """The ``states`` of some ``causes``, both counted from 0, as text: "s1 = 1, s2 = 2"."""
    pairs = zip(causes, states, strict=True)
    return ", ".join(f"s{cause + 1} = {state + 1}" for cause, state in pairs)


TABLES: Mapping[str, Callable[[Fit, Table], list[dict]]] = {
    "fit": statistics,
    "parameters": parameters,
    "residuals": residuals,
    "memberships": memberships,
}
