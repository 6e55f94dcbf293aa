"""The summary of a study of one's own data: what the scores say of the structures, as Markdown,
from the tables alone.

The words are in ``templates/data.md.j2``. Before each section the template names the statistics or
tables that it shows, and the view of this module that picks the numbers. A view gives None where
its section has nothing to show.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.model.parameters import Prior
from latentdag.model.structures import Family
from latentdag.report import shared
from latentdag.report.markdown import label, number, plus_minus, written
from latentdag.report.shared import View, by_name
from latentdag.search.structure_prior import number_of_structures
from latentdag.search.trust import most_trusted
from latentdag.study.one_draw.errors import spread
from latentdag.study.one_draw.posterior import class_dimensions, effective_number
from latentdag.study.own_data import fitted, marginals, published
from latentdag.study.own_data.searched import totals
from latentdag.study.schema import candidates
from latentdag.study.schema.frames import by_method
from latentdag.study.schema.words import shared_causes_in_words

SHOWN = 10  # structures, classes, sets of causes or patterns of values
FEW = 4  # pairs of variables that are named
LEAST = 0.0005  # probability of a number of causes that is named
MISFIT = 0.05  # of p
RESIDUALS = 3  # pairs of each structure
IN_A_LIST = 6  # variables whose pairs are listed; those of more stand in a square
CHANGED = 15  # pairs of variables whose sensitivity to the prior is listed
ENOUGH = 100  # effective draws
LEAST_DECIMALS = 3
BY_SCORE = ("scores", "posterior", "classes", "causes", "links", "errors")


@dataclass(frozen=True)
class OwnData:
    """What the views pick from: the ``tables`` by name, those by score with the scores that are
    shown; the cardinalities of the ``observed`` variables; the probabilities of structures by
    score, ``masses``, and the most ``trusted`` score; over what the prior is uniform; the alpha of
    all tables but one; and the scores that are ``left_out``.
    """

    tables: SimpleNamespace
    observed: Sequence[int]
    masses: pd.DataFrame
    trusted: str
    prior: str
    alpha: float
    left_out: list[str]

    @cached_property
    def hidden(self) -> list[str]:
        """The hidden variables of each family, by their numbers of states."""
        tables = self.tables
        return list(
            dict.fromkeys((tables.search if len(tables.search) else tables.structures)["hidden"])
        )

    @cached_property
    def names(self) -> list[str]:
        """Of the observed variables."""
        return candidates.variable_names(self.tables.variables)

    @cached_property
    def known(self) -> dict[str, Any]:
        """The structures by name."""
        return candidates.by_name(self.tables.structures, self.observed)

    @property
    def mass(self) -> pd.Series:
        """The probabilities of structures by the most trusted score."""
        return self.masses[self.trusted]

    @cached_property
    def best(self) -> str:
        """The most probable structure."""
        (best,) = marginals.most_probable(self.masses, self.trusted, 1).index
        return best

    @cached_property
    def best_by_score(self) -> pd.DataFrame:
        """See `latentdag.study.own_data.fitted.best_by_score`."""
        log_prior = fitted.log_priors(self.tables.posterior, self.prior)
        return fitted.best_by_score(self.tables.scores, log_prior)

    @property
    def n(self) -> int:
        """The number of cases."""
        return self.tables.scores["n"].iloc[0]


def write_data_summary(
    config: Mapping,
    observed: Sequence[int],
    *,
    main_alpha: float = Prior.alpha,
    asked: Sequence[str] = (),
    **tables: pd.DataFrame,
) -> str:
    """The summary in Markdown, from the ``tables`` by their names, of a study with ``data`` and the
    cardinalities of its ``observed`` variables. ``beside`` and ``published`` are there where a
    column or latent class models are compared with, ``alpha`` where other strengths of the prior
    than ``main_alpha`` are tried, ``search`` where structures were searched. Scores that no figure
    of ranks shows are left out unless they are ``asked`` for; the tables have them. Raises
    TypeError for a table that no study has.

    Of ``config`` the keys ``data.file`` and ``equally_probable`` are read; all keys are listed.
    """
    ran = by_name(tables)
    every = by_method(ran.posterior, "probability", "structure")
    trusted = most_trusted(every)
    shown = fitted.shown_scores(every, trusted, asked)
    of_shown = {
        name: t[t["method"].isin(shown)] for name, t in vars(ran).items() if name in BY_SCORE
    }
    data = OwnData(
        SimpleNamespace(**vars(ran) | of_shown),
        observed,
        masses=every[shown],
        trusted=trusted,
        prior=config["equally_probable"],
        alpha=main_alpha,
        left_out=[m for m in every if m not in shown],
    )
    return written(
        "data.md.j2", sys.modules[__name__], shared=shared, data=data, every=ran, config=config
    )


def in_short(data: OwnData) -> View:
    """The best structure, its causes and its fit."""
    best, tables = data.best_by_score, data.tables
    r = best.loc[data.trusted]
    first = r["best"]
    others = [(m, other) for m, other in best["best"].items() if m != data.trusted]
    numbers = marginals.number_of_causes(tables.causes)[data.trusted].dropna()
    links = tables.links[tables.links["method"] == data.trusted]
    pairs, sharing, apart = marginals.certain_pairs(links)
    fit = tables.fit
    tested = (fit["replicates"] > 0) & (fit["degrees_of_freedom"] > 0)
    return {
        "best": first,
        "causes": shared_causes_in_words(data.known[first].parents, data.names),
        "probability": data.mass[first],
        "lead": plus_minus(r["lead"], r["lead_error"]),
        "effective_number": effective_number(data.mass),
        "numbers": [f"{k} with probability {p:.3f}" for k, p in numbers.items() if p >= LEAST],
        **{"pairs": pairs, "sharing": sharing, "apart": apart},
        **{"certain": marginals.CERTAIN, "few": FEW, "misfit": MISFIT},
        "agree": [label(m) for m, other in others if other == first],
        "differ": [f"{label(m)} ({other})" for m, other in others if other != first],
        "fit": list(fit[(fit["structure"] == first) & tested].itertuples()),
        "states": _states(tables) if _has_states(tables) else None,
    }


def _has_states(tables: SimpleNamespace) -> bool:
    """Whether cases can differ in their states."""
    return len(set(tables.membership["states"])) > 1


def _states(tables: SimpleNamespace) -> dict[str, Any]:
    return {
        "structure": tables.membership["structure"].iloc[0],
        "sizes": fitted.class_sizes(tables.parameters, tables.membership),
        "right": fitted.certainty(tables.membership)["right"],
    }


def the_data(data: OwnData) -> View:
    """How many cases there are, and how many have each value of each variable."""
    values: dict[tuple[str, str], list[str]] = {}
    for r in data.tables.variables.itertuples():
        values.setdefault((f"y{r.variable}", r.name), []).append(f"{r.value} ({r.cases})")
    return {"n": data.n, "variables": values}


def the_search(data: OwnData) -> View:
    """Which structures were looked at, where there are too many to score all."""
    search = data.tables.search
    if search.empty:
        return None
    families = [
        Family(candidates.cardinalities(hidden), tuple(data.observed))
        for hidden in search["hidden"]
    ]
    scored, kept, probability = totals(search)
    numbers = [number_of_structures([family]) for family in families]
    return {
        "structures": number_of_structures(families),
        **{"scored": scored, "kept": kept, "probability": probability},
        "method": search["method"].iloc[0],
        "families": list(zip(search.itertuples(), numbers, strict=True)),
    }


def best_by_each_score(data: OwnData) -> View:
    """The best structure by each score, with its posterior probability."""
    masses = by_method(data.tables.posterior, "probability", "structure")
    return {
        "structures": len(set(data.tables.scores["structure"])),
        "rows": [
            (r, masses.loc[r.best, r.Index] if r.Index in masses else nan)
            for r in data.best_by_score.itertuples()
        ],
    }


def posterior_over_structures(data: OwnData) -> View:
    """The most probable structures, and what all of them hold of the probability."""
    tables, mass = data.tables, data.mass
    best = marginals.most_probable(data.masses, data.trusted, SHOWN)
    about = tables.structures.set_index("structure")
    n_cells = data.known[best.index[0]].family.n_cells
    more = marginals.more_than_the_table({name: data.known[name] for name in best.index})
    saturated = marginals.saturated(tables.structures, n_cells)
    rows = []
    for name, probabilities in best.iterrows():
        structure, row = data.known[name], about.loc[name]
        causes = candidates.causes_in_words(structure, data.names)
        cells = [name, row["class"], causes, structure.n_parameters, row["dimension"]]
        rows.append((cells, list(probabilities)))
    return {
        "rows": rows,
        "probability": marginals.probability_of(mass, best.index),
        "effective_number": effective_number(mass),
        "left": marginals.not_listed(mass, best.index),
        "n_cells": n_cells,
        "more": [f"{name} ({d})" for name, d in more.items()],
        "saturated": [name for name in best.index if name in saturated],
        "of_saturated": marginals.probability_of(mass, saturated),
    }


def posterior_over_classes(data: OwnData) -> View:
    """The most probable classes; where these are not equally probable beforehand, also with the
    same prior probability for each.
    """
    classes, trusted = data.tables.classes, data.trusted
    known = candidates.by_name(data.tables.structures, data.observed, "class")
    masses, equal = (by_method(classes, c, "class") for c in ("probability", "equal_classes"))
    members = by_method(classes, "members", "class")[trusted]
    dimension = class_dimensions(data.tables.structures)
    best = marginals.most_probable(masses, trusted, SHOWN)
    (first,) = marginals.most_probable(equal, trusted, 1).index
    rows = []
    for name, probabilities in best.iterrows():
        causes = candidates.causes_in_words(known[name], data.names)
        last = [] if data.prior == "classes" else [equal.loc[name, trusted]]
        rows.append(([name, causes, members[name], dimension[name]], [*probabilities, *last]))
    return {
        "rows": rows,
        "first_of_equal": first,
        "effective_number": effective_number(masses[trusted]),
        "effective_number_of_equal": effective_number(equal[trusted]),
        "left": marginals.not_listed(masses[trusted], best.index),
    }


def how_many_causes(data: OwnData) -> View:
    """The most probable sets of causes, and the probability of each number of causes."""
    masses = by_method(data.tables.causes, "of_classes", ["n_causes", "causes"])
    best = marginals.most_probable(masses, data.trusted, SHOWN)
    return {
        "numbers": marginals.number_of_causes(data.tables.causes)[data.trusted].to_dict(),
        "rows": [(list(key), list(probabilities)) for key, probabilities in best.iterrows()],
        "left": marginals.not_listed(masses[data.trusted], best.index),
    }


def common_causes(data: OwnData) -> View:
    """The probability that two variables share a cause: a list of pairs, or a square of many."""
    links, names = data.tables.links, data.names
    of = links[links["method"] == data.trusted]
    pairs = {(r.first_name, r.second_name): r.probability for r in of.itertuples()}
    if len(names) <= IN_A_LIST:
        return {"pairs": pairs}
    square = {name: [pairs.get((name, other), nan) for other in names[1:]] for name in names[:-1]}
    return {"pairs": None, "square": square}


def sensitivity_to_the_prior(data: OwnData) -> View:
    """Probabilities under several alphas; nothing where there is one."""
    table = data.tables.alpha
    if table.empty:
        return None
    empirical = table["method"] == marginals.EMPIRICAL
    estimated, fixed = table[empirical], table[~empirical]
    probabilities = marginals.by_statement(table)
    pairs, left_out = marginals.least_changed_pairs(probabilities, CHANGED)
    return {
        "alpha": data.alpha,
        "alphas": sorted(set(fixed["alpha"])),
        "hidden": fixed["alpha_hidden"].iloc[0],
        "empirical": marginals.EMPIRICAL,
        "estimate": list(estimated[["alpha", "alpha_hidden"]].iloc[0]) if len(estimated) else None,
        **{"most": CHANGED, "pairs": pairs, "shortened": bool(left_out)},
        "columns": list(probabilities),
        "rows": [(key, list(p)) for key, p in probabilities.drop(left_out).iterrows()],
    }


def how_well_the_best_structures_fit(data: OwnData) -> View:
    """Statistics of fit, and the largest bivariate residuals of each structure; and whether the
    p-value of the best one is the least that its replicates allow.
    """
    fit = data.tables.fit
    least = (fit["replicates"] > 0) & (fit["p_value"] * (1 + fit["replicates"]) < 1.5)
    return {
        "fit": fit,
        "n": data.n,
        "replicates": int(fit["replicates"].max()),
        "complete": fit["complete_cases"].max(),
        "residuals": _residuals(data.tables.residuals),
        "rejected": list(fit[(fit["structure"] == data.best) & least].itertuples()),
    }


def _residuals(table: pd.DataFrame) -> list[list[str]]:
    """A row for each structure, all of the same length; in a table of one variable there are no
    pairs.
    """
    found = [
        [
            name,
            *(f"{r.variable}, {r.other}: {number(r.residual, '.2f')}" for r in rows.itertuples()),
        ]
        for name, rows in fitted.largest_residuals(table, RESIDUALS).items()
    ]
    width = max(map(len, found), default=0)
    return [row + [""] * (width - len(row)) for row in found]


def states_of_the_cases(data: OwnData) -> View:
    """Probabilities of the states with intervals, and the most frequent patterns with theirs."""
    tables = data.tables
    if not _has_states(tables):
        return None
    return _states(tables) | {
        "certainty": fitted.certainty(tables.membership),
        "patterns": fitted.most_frequent(tables.membership, SHOWN),
    }


def comparison_with_column(data: OwnData) -> View:
    """Cases by their most probable states and by the values of a column that is no variable."""
    beside = data.tables.beside
    if beside.empty:
        return None
    cases = fitted.cross_table(beside)
    return {
        "column": beside["variable"].iloc[0],
        "structure": beside["structure"].iloc[0],
        "cases": cases,
        "shares": fitted.shares(cases),
        "association": fitted.association(cases),
    }


def comparison_with_published_results(data: OwnData) -> View:
    """By model the published numbers and those of its fit here."""
    if data.tables.published.empty:
        return None
    return {
        model: [(r.quantity, *_digits(r.published, r.found), r.agrees) for r in rows.itertuples()]
        for model, rows in published.by_model(data.tables.published).items()
    }


def _digits(known: float, found: float) -> tuple[str, str]:
    """Both with as many digits after the point: whole numbers without."""
    if float(known).is_integer() and float(found).is_integer():
        return f"{known:.0f}", f"{found:.0f}"
    digits = max(published.decimals(known), LEAST_DECIMALS)
    return f"{known:.{digits}f}", f"{found:.{digits}f}"


def fitted_parameters(data: OwnData) -> View:
    """The parameters of the most probable structure: a row for each state of the parents."""
    estimate = fitted.map_estimate(data.tables.parameters, data.best)
    rows: dict[tuple[str, str], list[str]] = {}
    for r in estimate.itertuples():
        interval = f" ({r.low:.3f} to {r.high:.3f})" if r.low == r.low else ""
        words = f"{r.value}: {r.shown:.3f}{interval}"
        rows.setdefault((r.variable, r.given), []).append(words)
    return {
        "rows": rows,
        "without_means": estimate["mean"].isna().all(),
        "draws": estimate["effective_draws"].min(),
        "enough": ENOUGH,
    }


def how_far_from_the_evidence(data: OwnData) -> View:
    """Errors over the structures, by score."""
    errors = data.tables.errors
    return {"spread": spread(errors)} if len(errors) else None
