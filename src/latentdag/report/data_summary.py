"""The summary of a study of one's own data. The words are in ``templates/data.md.j2``."""

import sys
from collections.abc import Mapping, Sequence
from math import nan
from types import SimpleNamespace

import pandas as pd

from latentdag.model.parameters import Prior
from latentdag.model.structures import Family
from latentdag.ranking.names import cardinalities, causes_in_words
from latentdag.ranking.prior import number_of_structures
from latentdag.ranking.trust import most_trusted
from latentdag.report.markdown import (
    View,
    by_name,
    escaped,
    label,
    number,
    plus_minus,
    written,
)
from latentdag.study.one_draw import errors, fits, posterior
from latentdag.study.own_data import fitted, marginals, published, searched
from latentdag.study.schema import candidates
from latentdag.study.schema.frames import method_columns
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
STATISTICS = (errors, fits, fitted)  # that the template shows as they are
BY_SCORE = ("scores", "posterior", "classes", "causes", "links", "errors")
# columns of the tables that have names of a user's variables, or their values
NAMES_AND_VALUES = {
    "variables": ("name", "value"),
    "links": ("first_name", "second_name"),
    "alpha": ("first_name", "second_name"),
    "parameters": ("variable", "value"),
    "membership": ("values",),
    "residuals": ("variable", "other"),
    "beside": ("variable", "value"),
}
OwnData = SimpleNamespace  # what the views pick from: `write_data_summary` says what


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
    ran = by_name({name: _escaped(name, table) for name, table in tables.items()})
    every = method_columns(ran.posterior, "probability", "structure")
    trusted = most_trusted(every)
    shown = fitted.shown_scores(every, trusted, asked)
    of_shown = {k: t[t["method"].isin(shown)] for k, t in vars(ran).items() if k in BY_SCORE}
    of = SimpleNamespace(**vars(ran) | of_shown)
    log_prior = fitted.log_priors(of.posterior, config["equally_probable"])
    data = OwnData(
        tables=of,  # by name; those by score with the scores that are shown
        observed=tuple(observed),
        names=candidates.variable_names(of.variables),
        # of each family, by their numbers of states
        hidden=list(dict.fromkeys((of.search if len(of.search) else of.structures)["hidden"])),
        known=candidates.by_name(of.structures, observed),
        masses=every[shown],  # probabilities, structure by score
        trusted=trusted,
        mass=every[trusted],
        best=marginals.most_probable(every, trusted, 1).index[0],
        best_by_score=fitted.best_by_score(of.scores, log_prior),
        n=of.scores["n"].iloc[0],
        prior=config["equally_probable"],  # over what it is uniform
        alpha=main_alpha,
        left_out=[m for m in every if m not in shown],
    )
    views, values = sys.modules[__name__], {"data": data, "every": ran, "config": config}
    return written("data.md.j2", views, STATISTICS, **values)


def _escaped(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with names and values of the user's as Markdown that shows them as they are."""
    columns = [c for c in NAMES_AND_VALUES.get(name, ()) if c in table]
    return table.assign(**{c: table[c].map(escaped) for c in columns})


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
        "effective_number": posterior.effective_number(data.mass),
        "numbers": [f"{k} with probability {p:.3f}" for k, p in numbers.items() if p >= LEAST],
        **{"pairs": pairs, "sharing": sharing, "apart": apart},
        **{"certain": marginals.CERTAIN, "few": FEW, "misfit": MISFIT},
        "agree": [label(m) for m, other in others if other == first],
        "differ": [f"{label(m)} ({other})" for m, other in others if other != first],
        "fit": list(fit[(fit["structure"] == first) & tested].itertuples()),
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
    families = [Family(cardinalities(hidden), data.observed) for hidden in search["hidden"]]
    scored, kept, probability = searched.totals(search)
    numbers = [number_of_structures([family]) for family in families]
    return {
        "structures": number_of_structures(families),
        **{"scored": scored, "kept": kept, "probability": probability},
        "method": search["method"].iloc[0],
        "families": list(zip(search.itertuples(), numbers, strict=True)),
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
        causes = causes_in_words(structure, data.names)
        cells = [name, row["class"], causes, structure.n_parameters, row["dimension"]]
        rows.append((cells, list(probabilities)))
    return {
        "rows": rows,
        "probability": marginals.probability_of(mass, best.index),
        "effective_number": posterior.effective_number(mass),
        "left": marginals.not_listed(mass, best.index),
        "n_cells": n_cells,
        "more": [f"{name} ({d})" for name, d in more.items()],
        "saturated": [name for name in best.index if name in saturated],
        "of_saturated": marginals.probability_of(mass, saturated),
    }


def posterior_over_classes(data: OwnData) -> View:
    """The most probable classes, by the prior and, if it is another, with all equally probable."""
    classes, trusted = data.tables.classes, data.trusted
    known = candidates.by_name(data.tables.structures, data.observed, "class")
    masses, equal = (method_columns(classes, c, "class") for c in ("probability", "equal_classes"))
    members = method_columns(classes, "members", "class")[trusted]
    dimension = posterior.class_dimensions(data.tables.structures)
    best = marginals.most_probable(masses, trusted, SHOWN)
    (first,) = marginals.most_probable(equal, trusted, 1).index
    rows = []
    for name, probabilities in best.iterrows():
        causes = causes_in_words(known[name], data.names)
        last = [] if data.prior == "classes" else [equal.loc[name, trusted]]
        rows.append(([name, causes, members[name], dimension[name]], [*probabilities, *last]))
    return {
        "rows": rows,
        "first_of_equal": first,
        "effective_number": posterior.effective_number(masses[trusted]),
        "effective_number_of_equal": posterior.effective_number(equal[trusted]),
        "left": marginals.not_listed(masses[trusted], best.index),
    }


def how_many_causes(data: OwnData) -> View:
    """The most probable sets of causes, and the probability of each number of causes."""
    masses = method_columns(data.tables.causes, "of_classes", ["n_causes", "causes"])
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
    probabilities = marginals.statement_probabilities(table)
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
    """Statistics of fit, residuals, and whether the best one's p-value is the least possible."""
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
    """A row for each structure, all of one length; a table of one variable has no pairs."""
    found = [
        [
            name,
            *(f"{r.variable}, {r.other}: {number(r.residual, '.2f')}" for r in rows.itertuples()),
        ]
        for name, rows in fitted.largest_residuals(table, RESIDUALS).items()
    ]
    width = max(map(len, found), default=0)
    return [row + [""] * (width - len(row)) for row in found]


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
