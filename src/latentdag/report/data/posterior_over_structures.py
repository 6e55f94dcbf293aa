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
from latentdag.study.schema.candidates import causes_in_words

TITLE = "Posterior over structures"
SHOWN = 10  # structures


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
                causes_in_words(known[structure], names),
                known[structure].n_parameters,
                about.loc[structure, "dimension"],
                *(number(p, ".3g") for p in of_methods),
            ]
        )
    these = "this structure holds" if len(best) == 1 else f"these {len(best)} structures hold"
    held = probability_of(masses[method], best.index)
    words = (
        f"By {label(method)}, the most trusted score, {these} {held:.0%} of the posterior "
        "probability. The posterior is as uncertain as one over "
        f"{effective_number(masses[method]):.1f} equally probable structures. "
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
    words += f". Structures with more free parameters: {some(more)}. " if more else ". "
    if listed:
        words += (
            f"Saturated structures (D = {free}): {some(listed)}. A saturated structure has as many "
            "dimensions as the table, so that no degree of freedom is left to test it, and it "
            "excludes no table near its fit. Its evidence depends on how its prior spreads over "
            f"the tables. Saturated structures have {probability_of(mass, full):.0%} of the "
            "posterior probability."
        )
    return [words.strip()]


def others(mass: pd.Series, shown: pd.Index, one: str, many: str) -> str:
    """How many are not ``shown``, and what they have of all probability; nothing where all are."""
    count, probability = not_listed(mass, shown)
    if not count:
        return ""
    if count == 1:
        return f"1 {one} of probability {probability:.2g} is not listed. "
    return f"{count} {many} with a total probability of {probability:.2g} are not listed. "
