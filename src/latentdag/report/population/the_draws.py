"""The draws: what is drawn and scored, from the tables of design, populations and structures;
`latentdag.study.many_draws.population.design_counts`.
"""

from collections.abc import Collection, Mapping

import pandas as pd

from latentdag.report.markdown import counted, label
from latentdag.study.many_draws.population import design_counts
from latentdag.study.schema.frames import present

TITLE = "The draws"
NOTE = (
    "The paper has one draw of parameters and data, and calls averaging over more of them "
    "prohibitive (its note 4). A share of draws has its Wilson 95 % interval in brackets. A mean "
    "over draws has its standard error after ±. *By structure*, the truth is the true structure, "
    "and structures are ranked by their scores. *By class*, the truth is the class of structures "
    "that describe the same distributions as the true one, and classes are ranked by posterior "
    "mass, which some scores do not have."
)


def section(design: pd.DataFrame, population: pd.DataFrame, structures: pd.DataFrame) -> list[str]:
    """From the tables of design, of populations and of structures."""
    truths, priors = design_counts(design)
    draws = counted(len(design), "draw")
    if len(truths) == 1:
        (truth,) = truths
        what = f"This run has {draws} of parameters and data from the structure {truth}"
    else:
        what = (
            f"This run has {draws} of parameters and data, from {len(truths)} true structures, "
            f"each true in {_range(truths.values())}"
        )
    sizes = sorted(set(population["n"]))
    span = f"n = {sizes[0]}"
    if len(sizes) > 1:
        span = f"{len(sizes)} sizes from {sizes[0]} to {sizes[-1]} cases"
    scores = ", ".join(label(m) for m in present(population["method"]))
    return [
        f"## {TITLE}",
        f"{what}; {_priors(priors)}. {counted(len(structures), 'structure')} of "
        f"{len(set(structures['class']))} different models are scored at {span}, by {scores}.",
        NOTE,
    ]


def _range(counts: Collection[int]) -> str:
    low, high = min(counts), max(counts)
    return counted(high, "draw") if low == high else f"{low} to {counted(high, 'draw')}"


def _priors(priors: Mapping[tuple[float, float], int]) -> str:
    words = [
        f"alpha = {alpha:g} and {hidden:g} for hidden variables"
        + (f" in {counted(count, 'draw')}" if len(priors) > 1 else "")
        for (alpha, hidden), count in priors.items()
    ]
    return f"Dirichlet prior with {'; '.join(words)}"
