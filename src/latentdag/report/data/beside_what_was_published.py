"""Beside what was published: a latent class model of the literature, by
`latentdag.study.own_data.likelihood_ratio`.
"""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import table
from latentdag.structures import Structure
from latentdag.study.own_data import degrees_of_freedom, likelihood_ratio

TITLE = "Beside what was published"


def section(
    published: Mapping | None,
    scores: pd.DataFrame,
    parameters: pd.DataFrame,
    cases: pd.DataFrame,
    known: Mapping[str, Structure],
) -> list[str]:
    """Likelihood ratio statistic against the saturated model, and class sizes; of one of the
    structures ``known`` by name.
    """
    if not published:
        return []
    structure = published["structure"]
    own = scores[(scores["structure"] == structure) & (scores["method"] == "ml")]
    ratio = likelihood_ratio(own["score"].iloc[0], cases)
    freedom = degrees_of_freedom(known[structure])
    fitted = parameters[(parameters["structure"] == structure) & (parameters["estimate"] == "ml")]
    sizes = sorted(fitted.loc[fitted["variable"] == "s1", "probability"])
    theirs = sorted(published["class_sizes"])
    rows = [
        ["likelihood ratio statistic", f"{published['likelihood_ratio']:.3f}", f"{ratio:.3f}"],
        *(["class size", f"{a:.3f}", f"{b:.3f}"] for a, b in zip(theirs, sizes, strict=True)),
    ]
    degrees = "1 degree" if freedom == 1 else f"{freedom} degrees"
    return [
        f"## {TITLE}",
        f"{published['source']}: the latent class model {structure} at its maximum likelihood, "
        f"against the saturated model ({degrees} of freedom).",
        table(["", "published", "this run"], rows),
    ]
