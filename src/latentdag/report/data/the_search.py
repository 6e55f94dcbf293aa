"""The search: which structures were looked at where there are too many to score all; from
the table of search and `latentdag.study.own_data.searched.totals`, and
`latentdag.search.structure_prior.number_of_structures`.
"""

from collections.abc import Sequence

import pandas as pd

from latentdag.model.structures import Family
from latentdag.report.markdown import label, table
from latentdag.search.structure_prior import number_of_structures
from latentdag.study.own_data.searched import totals
from latentdag.study.schema.candidates import cardinalities

TITLE = "The search"


def section(search: pd.DataFrame | None, observed: Sequence[int]) -> list[str]:
    """Nothing without a search; ``observed`` are the cardinalities of the observed variables."""
    if search is None:
        return []
    families = [Family(cardinalities(hidden), tuple(observed)) for hidden in search["hidden"]]
    scored, kept, probability = totals(search)
    words = (
        f"Of {_large(number_of_structures(families))} structures a search scored {scored} by "
        f"{label(search['method'].iloc[0])}. The best of them, {kept}, which hold "
        f"{probability:.1%} of the posterior probability among these by that "
        "score, have every score. All that follows is about them: a structure that the search has "
        "not met, or that is not kept, counts as not there, and probabilities are among those "
        "kept. The probability of a structure beforehand is that among all."
    )
    rows = [
        [r.hidden, _large(number_of_structures([family])), r.rounds, r.scored, r.kept]
        for r, family in zip(search.itertuples(), families, strict=True)
    ]
    header = ["hidden variables", "structures", "rounds", "scored", "kept"]
    return [f"## {TITLE}", words, table(header, rows)]


def _large(number: int) -> str:
    return f"{number:,}" if number < 1e9 else f"{float(number):.1e}"
