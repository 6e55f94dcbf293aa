"""Posterior over structures: `latentdag.study.one_draw.posterior`,
`latentdag.study.own_data.marginals.most_probable`,
`latentdag.study.own_data.marginals.more_than_the_table`,
`latentdag.study.own_data.marginals.saturated` and
`latentdag.study.own_data.marginals.not_listed`.
"""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from latentdag.model.structures import Structure
from latentdag.report.markdown import counted, label, number, some, table
from latentdag.study.one_draw.posterior import effective_number
from latentdag.study.own_data.marginals import (
    more_than_the_table,
    most_probable,
    not_listed,
    probability_of,
    saturated,
)

TITLE = "Posterior over structures"
SHOWN = 10  # structures
NAMED = 8  # variables, at most


def section(
    masses: pd.DataFrame,
    method: str,
    structures: pd.DataFrame,
    known: Mapping[str, Structure],
    names: Sequence[str],
) -> list[str]:
    """From the probabilities of structures by method, the table of structures, and these by name;
    ``method`` is the most trusted one.
    """
    best = most_probable(masses, method, SHOWN)
    about = structures.set_index("structure")
    rows = []
    for structure, of_methods in best.iterrows():
        rows.append(
            [
                structure,
                about.loc[structure, "class"],
                causes(known[structure], names),
                known[structure].n_parameters,
                about.loc[structure, "dimension"],
                *(number(p, ".3g") for p in of_methods),
            ]
        )
    these = "this structure holds" if len(best) == 1 else f"these {len(best)} structures hold"
    held = probability_of(masses[method], best.index)
    words = (
        f"By {label(method)}, the most trusted of the scores here, {these} {held:.0%} of the "
        f"posterior probability, which is spread as over {effective_number(masses[method]):.1f} "
        "equally probable ones. "
        f"{others(masses[method], best.index, 'structure', 'structures')}Structures of one class "
        "describe the same distributions; d counts free parameters, D is the effective dimension."
    )
    header = ["structure", "class", "causes", "d", "D", *map(label, masses)]
    n_cells = known[best.index[0]].family.n_cells
    full = saturated(structures, n_cells)
    more = more_than_the_table({name: known[name] for name in best.index})
    return [
        f"## {TITLE}",
        words,
        *_more_than_the_table_holds(best.index, masses[method], more, full, n_cells),
        table(header, rows),
    ]


def _more_than_the_table_holds(
    best: Iterable[str], mass: pd.Series, more: Mapping[str, int], full: Sequence[str], n_cells: int
) -> list[str]:
    """Which of the structures ``best`` have ``more`` parameters than the table has degrees of
    freedom, and which of them are ``full``: saturated; with what these hold of all probability.
    """
    free = n_cells - 1
    more = [f"{s} ({d})" for s, d in more.items()]
    listed = [s for s in best if s in full]
    if not more and not listed:
        return []
    words = f"A table of {counted(n_cells, 'cell')} has {free} degrees of freedom"
    words += f"; more free parameters have: {some(more)}. " if more else ". "
    if listed:
        words += (
            f"Of as many dimensions, D = {free}, are: {some(listed)}. Such a structure is "
            "saturated: it describes every table near those that it describes, and no degree of "
            "freedom is left to test it by. Its evidence is then a matter of where its prior "
            "expects tables, not of what it forbids. Saturated structures hold "
            f"{probability_of(mass, full):.0%} of the posterior probability."
        )
    return [words.strip()]


def others(mass: pd.Series, shown: pd.Index, one: str, many: str) -> str:
    """How many are not ``shown``, and what they have of all probability; nothing where all are."""
    count, probability = not_listed(mass, shown)
    if not count:
        return ""
    if count == 1:
        return f"1 {one} of probability {probability:.2g} is not listed. "
    return f"{count} {many} that share a probability of {probability:.2g} are not listed. "


def causes(structure: Structure, names: Sequence[str]) -> str:
    """Which observed variables each hidden one causes: by their ``names``, or as y1 to yJ where
    there are more than fit in a cell of a table.
    """
    if len(names) > NAMED:
        names = [f"y{j}" for j in range(1, len(names) + 1)]
    links = list(zip(names, structure.parents, strict=True))
    causes = [
        f"s{h + 1}: {', '.join(name for name, parents in links if h in parents)}"
        for h in sorted(set().union(*structure.parents))
    ]
    alone = [name for name, parents in links if not parents]
    return "; ".join(causes + ([f"without a cause: {', '.join(alone)}"] if alone else []))
