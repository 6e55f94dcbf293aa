"""What a posterior over structures says without a known true structure: the number of causes and of
their states, which observed variables share one, and how sensitive this is to alpha.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from latentdag.model.structures import Structure
from latentdag.search.ranking import causes_of, class_of, sharing
from latentdag.study.one_draw.posterior import posterior
from latentdag.study.schema.candidates import states
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import method_columns

EMPIRICAL = "vb_eb"  # estimates alpha
ENOUGH = 0.99  # of the posterior probability: what lies beyond it is not shown
CERTAIN = 0.95  # probability from which two variables share a cause almost certainly


def causes(posterior: pd.DataFrame, known: Mapping[str, Structure]) -> pd.DataFrame:
    """The table of causes from posteriors of one draw and size, and the structures ``known`` by
    name: p(the causes have these numbers of states), by method; nan where no structure has a score.
    ``probability`` counts every hidden variable with children, ``of_classes`` those of the class: a
    cause of one variable is absorbed in that variable's table, and explains no association.
    """
    masses = method_columns(posterior, "probability", "structure")
    of = {
        "probability": {name: causes_of(s) for name, s in known.items()},
        "of_classes": {name: causes_of(s.absorbed()) for name, s in known.items()},
    }
    every = sorted({c for own in of.values() for c in own.values()}, key=lambda c: (len(c), c))
    none = 0 * masses.max()  # nan for a method without any score
    sums = {}
    for column, own in of.items():
        by_causes = masses.groupby([states(own[name]) for name in masses.index]).sum(min_count=1)
        by_causes = by_causes.reindex(map(states, every), fill_value=0.0) + none
        sums[column] = by_causes.stack(future_stack=True)
    found = pd.DataFrame(sums).rename_axis(["causes", "method"]).reset_index()
    found["n_causes"] = [len(counts) for counts in every for _ in masses]
    return found[list(TABLES["causes"].columns)]


def number_of_causes(causes: pd.DataFrame) -> pd.DataFrame:
    """From the table of causes, p(as many causes), of classes: number by method."""
    sums = causes.groupby(["n_causes", "method"])["of_classes"].sum(min_count=1)
    return method_columns(sums.reset_index(), "of_classes", "n_causes")


def links(
    posterior: pd.DataFrame, known: Mapping[str, Structure], names: Sequence[str]
) -> pd.DataFrame:
    """The table of links from the same: p(two observed variables share a hidden cause), by method;
    nan where no structure has a score. ``names`` are those of the variables.
    """
    masses = method_columns(posterior, "probability", "structure")
    shared = np.array([sharing(known[name].parents) for name in masses.index], dtype=bool)
    has_score = masses.notna().any()
    rows = [
        {"first_name": a, "second_name": b, "method": method, "probability": p}
        for (a, b), pair in zip(combinations(names, 2), shared.T, strict=True)
        for method, p in masses[pair].sum().where(has_score).items()
    ]
    return pd.DataFrame(rows, columns=TABLES["links"].columns)


def certain_pairs(links: pd.DataFrame) -> tuple[int, list[tuple[str, str]], list[tuple[str, str]]]:
    """From the rows of one method in the table of links: how many pairs of variables there are, and
    those that share a cause with a probability of at least `CERTAIN`, and of at most 1 - `CERTAIN`.
    """
    pairs = list(zip(links["first_name"], links["second_name"], links["probability"], strict=True))
    sharing = [(a, b) for a, b, p in pairs if p >= CERTAIN]
    apart = [(a, b) for a, b, p in pairs if p <= 1 - CERTAIN]
    return len(pairs), sharing, apart


def causes_and_links(
    table: pd.DataFrame, known: Mapping[str, Structure], names: Sequence[str]
) -> pd.DataFrame:
    """The marginals of a table of posteriors, of one draw and size: p(causes) of classes, and p(two
    variables share a cause), by method; see `latentdag.study.own_data.marginals`.
    """
    of_causes = causes(table, known)
    of_classes = of_causes.assign(probability=of_causes["of_classes"]).drop(columns="of_classes")
    both = pd.concat([of_classes, links(table, known, names)], ignore_index=True)
    return both.fillna(dict.fromkeys(("causes", "first_name", "second_name"), ""))


def marginals_by_alpha(
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
    by_alpha = {(alpha, alpha_hidden): posteriors[posteriors["method"].isin(methods)]}
    # rows are sorted by n_parameters too; sums over structures do not depend on their order
    asked = prior[prior["method"].isin(methods)].assign(n_parameters=0)
    log_prior = np.log(posteriors.drop_duplicates("structure").set_index("structure")["prior"])
    for value, under in asked.groupby("alpha"):
        by_alpha[value, alpha_hidden] = posterior(under, log_prior)
    parts = sorted(by_alpha.items(), key=lambda part: part[0])
    estimated = posteriors[posteriors["method"] == EMPIRICAL]
    if estimated["probability"].notna().any():
        best = estimated.loc[estimated["probability"].idxmax(), "structure"]
        fit = scores[(scores["method"] == EMPIRICAL) & (scores["structure"] == best)].iloc[0]
        parts.append(((fit["alpha"], fit["alpha_hidden"]), estimated))
    found = [
        causes_and_links(table, known, names).assign(alpha=value, alpha_hidden=of_hidden)
        for (value, of_hidden), table in parts
    ]
    return pd.concat(found, ignore_index=True)[list(TABLES["alpha"].columns)]


def most_probable(masses: pd.DataFrame, method: str, count: int) -> pd.DataFrame:
    """The structures that are most probable by ``method``, from probabilities, structure by
    method: as many as make up 99 % of the probability, and ``count`` at most.
    """
    ranked = masses.sort_values(method, ascending=False, kind="stable")
    before = ranked[method].cumsum().shift(fill_value=0.0)
    return ranked[before < ENOUGH].head(count)


class ProbableLinks(NamedTuple):
    """What the structures with the same causes, once absorbed, have in common."""

    causes: tuple[int, ...]  # the numbers of states
    probability: float  # of these causes
    links: Structure  # all links of any of these structures
    shares: dict[tuple[int, int], float]  # p(link from i to j given these causes)
    best: str  # the name of the most probable of these structures
    best_probability: float


def most_probable_links(
    mass: pd.Series, known: Mapping[str, Structure], count: int
) -> list[ProbableLinks]:
    """By the causes of classes of equal distributions, the most probable first: which links they
    have, from the probabilities of the structures ``known`` by name; as many as make up 99 % of the
    probability, and ``count`` at most. Hidden variables of every structure are matched to those of
    the most probable one, with as many links in common as possible.
    """
    mass = mass[mass > 0].sort_values(ascending=False, kind="stable")
    by_causes: dict[tuple[int, ...], dict[str, Structure]] = {}
    for name in mass.index:
        own = class_of(known[name])
        by_causes.setdefault(own.family.hidden, {})[name] = own
    found = {}
    for causes, members in by_causes.items():
        best, first = next(iter(members.items()))
        total, sums = float(mass[list(members)].sum()), {}
        for name, own in members.items():
            for link in _matched(own, first):
                sums[link] = sums.get(link, 0.0) + float(mass[name]) / total
        parents = [
            tuple(i for i in range(len(causes)) if (i, j) in sums)
            for j in range(len(first.parents))
        ]
        links = Structure(tuple(parents), first.family)
        found[states(causes)] = ProbableLinks(causes, total, links, sums, best, float(mass[best]))
    masses = pd.DataFrame({"mass": {name: own.probability for name, own in found.items()}})
    return [found[name] for name in most_probable(masses, "mass", count).index]


def _matched(own: Structure, first: Structure) -> set[tuple[int, int]]:
    """The links (i, j) of a structure, its hidden variables named as those of the ``first``."""
    hidden = np.array(own.family.hidden)
    has_link, of_first = (
        np.array([[i in parents for parents in s.parents] for i in range(len(hidden))], dtype=int)
        for s in (own, first)
    )
    in_common = has_link @ of_first.T if len(hidden) else np.zeros((0, 0))
    in_common[hidden[:, None] != hidden] = -len(own.parents) - 1  # never those of another size
    _, renamed = scipy.optimize.linear_sum_assignment(in_common, maximize=True)
    return {(int(renamed[i]), j) for j, parents in enumerate(own.parents) for i in parents}


def probability_of(mass: pd.Series, names: Iterable[str]) -> float:
    """The share of all probability that structures, or classes, of these names have."""
    return float(mass.reindex(names).sum())


def not_listed(mass: pd.Series, listed: Iterable[str]) -> tuple[int, float]:
    """How many structures, or classes, are not ``listed``, and their share of all probability."""
    left = mass.drop(listed)
    return len(left), float(left.sum())


def statement_probabilities(alphas: pd.DataFrame) -> pd.DataFrame:
    """The probabilities of the table of marginals by alpha, statement by (score, alpha), empirical
    Bayes last; nan where a score has none. A statement is (causes, first_name, second_name): either
    causes with their states, or two variables that share one.
    """
    statement = ["causes", "first_name", "second_name"]
    wide = alphas.pivot(index=statement, columns=["method", "alpha"], values="probability")
    columns = sorted(wide, key=lambda column: (column[0] == EMPIRICAL, column))
    return wide.loc[alphas.set_index(statement).index.unique(), columns]


def least_changed_pairs(probabilities: pd.DataFrame, most: int) -> tuple[int, list]:
    """Of the `statement_probabilities`, the number of pairs of variables that may share a cause;
    and where they are more than ``most``, all but the ``most`` whose probability changes most.
    """
    of_pairs = probabilities[probabilities.index.get_level_values("causes") == ""]
    change = of_pairs.max(axis=1) - of_pairs.min(axis=1)
    return len(change), list(change.sort_values(ascending=False, kind="stable").index[most:])


def more_than_the_table(known: Mapping[str, Structure]) -> dict[str, int]:
    """Those of the structures, by name, that have more free parameters, childless hidden variables
    left out, than their table has degrees of freedom, cells - 1; and how many they have.
    """
    counts = {name: s.without_childless().n_parameters for name, s in known.items()}
    return {name: d for name, d in counts.items() if d > known[name].family.n_cells - 1}


def saturated(structures: pd.DataFrame, n_cells: int) -> list[str]:
    """The structures with the effective dimension of the saturated model, ``n_cells`` - 1."""
    full = structures["dimension"] == n_cells - 1
    return structures.loc[full, "structure"].tolist()
