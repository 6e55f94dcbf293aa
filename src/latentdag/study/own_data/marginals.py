"""What a posterior over structures says without a known true structure: the number of causes and of
their states, which observed variables share one, and how sensitive this is to alpha.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from latentdag.model.structures import Structure
from latentdag.ranking.names import states
from latentdag.ranking.prior import causes_of
from latentdag.ranking.probabilities import sum_by, sum_of_pairs
from latentdag.ranking.ranking import ENOUGH
from latentdag.scores import present
from latentdag.study.one_draw.posterior import posterior
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import method_columns

EMPIRICAL = "vb_eb"  # estimates alpha
CERTAIN = 0.95  # probability from which two variables share a cause almost certainly


def causes(posterior: pd.DataFrame, structures_by_name: Mapping[str, Structure]) -> pd.DataFrame:
    """The table `causes`, a DataFrame, from the table ``posterior`` of one draw and size and
    ``structures_by_name``: p(the causes have these numbers of states), by method; nan where no
    structure has a score. `probability` counts every hidden variable with children, `of_classes`
    those of the class: a cause of one variable is absorbed in that variable's table, and explains
    no association.
    """
    masses = method_columns(posterior, "probability", "structure")
    structures = [structures_by_name[name] for name in masses.index]
    sums = {
        "probability": sum_by(map(causes_of, structures), masses.to_numpy().T),
        "of_classes": sum_by((causes_of(s.absorbed()) for s in structures), masses.to_numpy().T),
    }
    every = sorted({c for by_causes in sums.values() for c in by_causes}, key=lambda c: (len(c), c))
    none = 0 * masses.max().to_numpy()  # nan for a method without any score
    rows = [
        pd.DataFrame(
            {
                "n_causes": len(causes),
                "causes": states(causes),
                "method": masses.columns,
                **{name: by_causes.get(causes, none) for name, by_causes in sums.items()},
            }
        )
        for causes in every
    ]
    return pd.concat(rows, ignore_index=True)[list(TABLES["causes"].columns)]


def number_of_causes(causes: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame of p(number of causes) by number (index) and method (columns): sums of the
    probabilities `of_classes` in the table ``causes``; nan for a method without any.
    """
    sums = causes.groupby(["n_causes", "method"])["of_classes"].sum(min_count=1)
    return method_columns(sums.reset_index(), "of_classes", "n_causes")


def links(
    posterior: pd.DataFrame, structures_by_name: Mapping[str, Structure], names: Sequence[str]
) -> pd.DataFrame:
    """The table `links`, a DataFrame, from the table ``posterior`` of one draw and size and
    ``structures_by_name``: p(two observed variables share a hidden cause), by method; nan where no
    structure has a score. ``names`` are those of the variables.
    """
    masses = method_columns(posterior, "probability", "structure")
    sums = sum_of_pairs(
        [structures_by_name[name].parents for name in masses.index], masses.to_numpy().T
    )
    rows = [
        {"first_name": a, "second_name": b, "method": method, "probability": p}
        for (a, b), of_methods in zip(combinations(names, 2), sums.T.tolist(), strict=True)
        for method, p in zip(masses.columns, of_methods, strict=True)
    ]
    return pd.DataFrame(rows, columns=TABLES["links"].columns)


def certain_pairs(links: pd.DataFrame) -> tuple[int, list[tuple[str, str]], list[tuple[str, str]]]:
    """From ``links``, the rows of one method in the table of this name: how many pairs of variables
    there are, and lists of those that share a cause with a probability of at least `CERTAIN`, and
    of at most 1 - `CERTAIN`.
    """
    pairs = list(zip(links["first_name"], links["second_name"], links["probability"], strict=True))
    sharing = [(a, b) for a, b, p in pairs if p >= CERTAIN]
    apart = [(a, b) for a, b, p in pairs if p <= 1 - CERTAIN]
    return len(pairs), sharing, apart


def marginals_by_alpha(
    prior: pd.DataFrame,
    posteriors: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    methods: Sequence[str],
    alpha: float,
    alpha_hidden: float,
    structures_by_name: Mapping[str, Structure],
    names: Sequence[str],
) -> pd.DataFrame:
    """The table `alpha`, a DataFrame, of marginals by alpha: p(causes), of classes, and p(two
    variables share a cause), for each of ``methods``, and by empirical Bayes where that is among
    the scores, with the alpha of its most probable structure. Text that a row does not have is
    empty.

    ``prior`` has the scores under each alpha but the main one, ``alpha``, which the tables
    ``posteriors`` and ``scores`` are of: p(structure) before the data is what it is there.
    ``names`` are those of the observed variables.
    """
    by_alpha = {(alpha, alpha_hidden): posteriors[posteriors["method"].isin(methods)]}
    # rows are sorted by n_parameters too; sums over structures do not depend on their order
    selected = prior[prior["method"].isin(methods)].assign(n_parameters=0)
    log_prior = np.log(posteriors.drop_duplicates("structure").set_index("structure")["prior"])
    for value, under in selected.groupby("alpha"):
        by_alpha[value, alpha_hidden] = posterior(under, log_prior)
    parts = sorted(by_alpha.items(), key=lambda part: part[0])
    estimated = posteriors[posteriors["method"] == EMPIRICAL]
    if estimated["probability"].notna().any():
        best = estimated.loc[estimated["probability"].idxmax(), "structure"]
        fit = scores[(scores["method"] == EMPIRICAL) & (scores["structure"] == best)].iloc[0]
        parts.append(((fit["alpha"], fit["alpha_hidden"]), estimated))
    marginals = []
    for (value, of_hidden), table in parts:
        of_causes = causes(table, structures_by_name)
        of_causes["probability"] = of_causes["of_classes"]
        for rows in (of_causes, links(table, structures_by_name, names)):
            marginals.append(rows.assign(alpha=value, alpha_hidden=of_hidden))
    every = pd.concat(marginals, ignore_index=True)[list(TABLES["alpha"].columns)]
    return every.fillna(dict.fromkeys(("causes", "first_name", "second_name"), ""))


def most_probable(masses: pd.DataFrame, method: str, count: int) -> pd.DataFrame:
    """The rows of ``masses``, probabilities of structures (index) by method (columns), that are
    most probable by ``method``, the most probable first: as many as make up 99 % of the
    probability, and ``count`` at most.
    """
    ranked = masses.sort_values(method, ascending=False, kind="stable")
    before = ranked[method].cumsum().shift(fill_value=0.0)
    return ranked[before < ENOUGH].head(count)


def not_listed(mass: pd.Series, listed: Iterable[str]) -> tuple[int, float]:
    """How many structures, or classes, of ``mass``, a Series of probabilities, are not ``listed``,
    and the sum of their probabilities.
    """
    left = mass.drop(listed)
    return len(left), float(left.sum())


def probabilities_by_alpha(alphas: pd.DataFrame, method: str) -> pd.DataFrame:
    """A DataFrame of p(the causes have these numbers of states), causes by alpha, from ``alphas``,
    the table of marginals by alpha: by ``method``, or by the last score that the table has if it
    lacks this one.
    """
    fixed = alphas[(alphas["method"] != EMPIRICAL) & (alphas["causes"] != "")]
    methods = set(fixed["method"])
    rows = fixed[fixed["method"] == (method if method in methods else present(methods)[-1])]
    wide = rows.pivot(index="causes", columns="alpha", values="probability")
    return wide.loc[rows["causes"].unique()]


def uncertain_pairs(links: pd.DataFrame) -> list:
    """A list of named tuples, from ``links``, the rows of one method in the table of this name:
    those of pairs of variables of which it is not almost certain that they share a cause, or that
    they do not; the most uncertain first.
    """
    distance = (links["probability"] - 0.5).abs()
    order = distance[distance < CERTAIN - 0.5].sort_values(kind="stable").index
    return list(links.loc[order].itertuples())


def saturated(structures: pd.DataFrame, n_cells: int, mass: pd.Series) -> tuple[list[str], float]:
    """A list of the names in the table ``structures`` of those with the effective dimension of the
    saturated model, ``n_cells`` - 1; and their share of all probability, from ``mass``, a Series by
    name.
    """
    full = structures["dimension"] == n_cells - 1
    names = structures.loc[full, "structure"].tolist()
    return names, float(mass.reindex(names).sum())
