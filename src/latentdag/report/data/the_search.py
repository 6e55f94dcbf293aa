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
        f"There are {_large(number_of_structures(families))} structures. A search scored {scored} "
        f"of them by {label(search['method'].iloc[0])}, and kept the best {kept}. By that score, "
        f"those kept have {probability:.1%} of the posterior probability of all that were scored. "
        "Every other score is computed for the structures that were kept. All tables are about "
        "these, and posterior probabilities are normalised over them. The prior probability of a "
        "structure is its prior probability among all structures."
    )
    rows = [
        [r.hidden, _large(number_of_structures([family])), r.rounds, r.scored, r.kept]
        for r, family in zip(search.itertuples(), families, strict=True)
    ]
    header = ["hidden variables", "structures", "rounds", "scored", "kept"]
    return [f"## {TITLE}", words, table(header, rows)]


def _large(number: int) -> str:
    return f"{number:,}" if number < 1e9 else f"{float(number):.1e}"
