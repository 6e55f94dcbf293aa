"""How much of what a posterior over structures says hangs on alpha, the strength of the prior."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from latentdag.model.structures import Structure
from latentdag.study.one_draw.posterior import posterior
from latentdag.study.own_data.marginals import causes, links
from latentdag.study.schema.columns import TABLES

EMPIRICAL = "vb_eb"  # estimates alpha


def marginals(
    table: pd.DataFrame, known: Mapping[str, Structure], names: Sequence[str]
) -> pd.DataFrame:
    """The marginals of a table of posteriors, of one draw and size: p(causes), and p(two variables
    share a cause), by method; see `latentdag.study.own_data.marginals`.
    """
    both = pd.concat([causes(table, known), links(table, known, names)], ignore_index=True)
    return both.fillna(dict.fromkeys(("causes", "first_name", "second_name"), ""))


def under_alphas(
    prior: pd.DataFrame,
    posteriors: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    methods: Sequence[str],
    alpha: float,
    alpha_hidden: float,
    known: Mapping[str, Structure],
    names: Sequence[str],
) -> pd.DataFrame:
    """The table of marginals by alpha, for each of ``methods``, and by empirical Bayes where that
    is among the scores, with the alpha of its most probable structure.

    ``prior`` has the scores under each alpha but the study's own, ``alpha``, which the tables of
    ``posteriors`` and ``scores`` are of: p(structure) before the data is what it is there.
    ``known`` are the structures by name, ``names`` those of the observed variables.
    """
    own = {alpha: posteriors[posteriors["method"].isin(methods)]}
    parameters = {name: structure.n_parameters for name, structure in known.items()}
    asked = prior[prior["method"].isin(methods)]
    asked = asked.assign(n_parameters=asked["structure"].map(parameters))
    prior_of = posteriors.drop_duplicates("structure").set_index("structure")["prior"]
    own |= {value: posterior(under, np.log(prior_of)) for value, under in asked.groupby("alpha")}
    found = [
        marginals(own[value], known, names).assign(alpha=value, alpha_hidden=alpha_hidden)
        for value in sorted(own)
    ]
    estimated = posteriors[posteriors["method"] == EMPIRICAL]
    if estimated["probability"].notna().any():
        best = estimated.loc[estimated["probability"].idxmax(), "structure"]
        (fit,) = scores[
            (scores["method"] == EMPIRICAL) & (scores["structure"] == best)
        ].itertuples()
        of_estimate = {"alpha": fit.alpha, "alpha_hidden": fit.alpha_hidden}
        found.append(marginals(estimated, known, names).assign(**of_estimate))
    return pd.concat(found, ignore_index=True)[list(TABLES["alpha"].columns)]
