"""The page of a study of one's own data. The words are in ``templates/data.md.j2``."""

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace

import pandas as pd

from latentdag.engine.significance import LEVEL
from latentdag.model.parameters import Prior
from latentdag.model.structures import Family
from latentdag.ranking.names import cardinalities
from latentdag.ranking.prior import number_of_structures
from latentdag.ranking.trust import most_trusted
from latentdag.report import markdown as md
from latentdag.study.one_draw import posterior
from latentdag.study.own_data import fitted, marginals, searched
from latentdag.study.schema import candidates
from latentdag.study.schema.frames import method_columns
from latentdag.study.schema.words import label, number, plus_minus, shared_causes_in_words

ROWS = 10  # of a table, at most
PAIRS_NAMED = 4  # pairs of variables that are named in a list, at most
PROBABLE = 0.0005  # probability of a number of causes that is named
SPARSE = 10  # degrees of freedom for each case, beyond which G2 says little
EFFECTIVE_DRAWS = 100  # effective draws behind an interval
# columns of the tables that have names of a user's variables, or their values
NAMES_AND_VALUES = {
    "variables": ("name", "value"),
    "links": ("first_name", "second_name"),
    "alpha": ("first_name", "second_name"),
    "parameters": ("variable", "value"),
    "residuals": ("variable", "other"),
    "beside": ("variable", "value"),
}
OwnData = SimpleNamespace  # what the views pick from: `write_data_summary` says what


def write_data_summary(
    config: Mapping,
    observed: Sequence[int],
    *,
    main_alpha: float = Prior.alpha,
    requested: Sequence[str] = (),
    **tables: pd.DataFrame,
) -> str:
    """The page in Markdown, from the ``tables`` by their names, of a study with ``data`` and the
    cardinalities of its ``observed`` variables. ``beside`` is there where the states are compared
    with a column, ``alpha`` where strengths of the prior other than ``main_alpha`` are tried,
    ``search`` where structures were searched. The page has the most trusted score and three others,
    the ``requested`` ones first; the tables have all. Raises TypeError for a table that no study
    has.

    Of ``config`` the keys ``data.file`` and ``equally_probable`` are read.
    """
    of = md.by_name({name: _escaped(name, table) for name, table in tables.items()})
    every = method_columns(of.posterior, "probability", "structure")
    trusted = most_trusted(every)
    shown = fitted.shown_scores(every, trusted, requested)
    log_prior = fitted.log_priors(of.posterior, config["equally_probable"])
    best = fitted.best_by_score(of.scores[of.scores["method"].isin(every)], log_prior)
    data = OwnData(
        tables=of,
        observed=tuple(observed),
        names=candidates.variable_names(of.variables),
        structures=candidates.by_name(of.structures, observed),
        masses=every[shown],  # probabilities, structure by score, the most trusted score first
        trusted=trusted,
        best_by_score=best,
        best=best["best"][trusted],
    )
    return md.written(
        "data.md.j2",
        file=md.escaped(config["data"]["file"]),
        prior=config["equally_probable"],
        labels=[label(m) for m in data.masses],
        question=question(data),
        answer=answer(data),
        structures=structures(data),
        causes=causes(data),
        alphas=sensitivity_to_the_prior(data, main_alpha),
        fit=fit(data),
        states=states(data),
        parameters=parameters(data),
        beside=comparison_with_a_column(data),
        fits=md.fits_of(of.scores),
    )


def _escaped(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with names and values of the user's as Markdown that shows them as they are."""
    columns = [c for c in NAMES_AND_VALUES.get(name, ()) if c in table]
    return table.assign(**{c: table[c].map(md.escaped) for c in columns})


def question(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: the number of cases
    ``n``; the ``names`` of the variables; the number of ``structures``, and whether any name is
    ``shortened``; the numbers of states of the ``hidden`` variables, as text, by family.
    ``search``, None without one, has the number of structures ``of`` which it looked for the best,
    by which ``method``, how many it ``scored`` and ``kept``, and the ``probability`` of these.
    """
    search = data.tables.search
    families = list(dict.fromkeys((search if len(search) else data.tables.structures)["hidden"]))
    view = {
        "n": data.tables.scores["n"].iloc[0],
        "names": data.names,
        "structures": len(data.structures),
        "hidden": families,
        "shortened": any(md.shortened(name) != name for name in data.structures),
        "search": None,
    }
    if len(search):
        scored, kept, probability = searched.totals(search)
        every = [Family(cardinalities(hidden), data.observed) for hidden in families]
        numbers = {"of": number_of_structures(every), "method": search["method"].iloc[0]}
        view["search"] = numbers | {"scored": scored, "kept": kept, "probability": probability}
    return view


def answer(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: the ``best``
    structure by the most trusted score, its ``causes`` in words, its ``probability`` and its
    ``lead`` before the second (nats); by which scores it is the best (``agree``, ``differ``); the
    probable ``numbers`` of causes; the number of ``pairs`` of variables, and in words how many of
    them share a cause, or share none, for certain (``kinds``).
    """
    of_trusted = data.best_by_score.loc[data.trusted]
    of_others = data.best_by_score["best"].drop(data.trusted)
    links = data.tables.links
    links = links[links["method"] == data.trusted]
    pairs, sharing, apart = marginals.certain_pairs(links)
    numbers = marginals.number_of_causes(data.tables.causes)[data.trusted].dropna()
    return {
        "best": md.shortened(data.best),
        "causes": shared_causes_in_words(data.structures[data.best].parents, data.names),
        "probability": data.masses[data.trusted][data.best],
        "lead": plus_minus(of_trusted["lead"], of_trusted["lead_error"]),
        "numbers": [
            f"{k} with probability {number(p, '.3f')}" for k, p in numbers.items() if p >= PROBABLE
        ],
        "pairs": pairs,
        "kinds": [_certain("share a cause", sharing), _certain("share none", apart)],
        "agree": [label(m) for m, other in of_others.items() if other == data.best],
        "differ": [label(m) for m, other in of_others.items() if other != data.best],
    }


def _certain(kind: str, pairs: Sequence[tuple[str, str]]) -> str:
    """How many pairs of variables are of a kind for certain, few of them by name."""
    names = f" ({'; '.join(' and '.join(pair) for pair in pairs)})" if pairs else ""
    words = f"{len(pairs)} {kind} with probability {number(marginals.CERTAIN, 'g')} or more"
    return words + (names if len(pairs) <= PAIRS_NAMED else "")


def structures(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: ``rows`` of name,
    parameters, dimension and probabilities by score of the most probable structures; how many are
    ``left`` with which probability; the ``effective_number``; the ``saturated`` ones; and
    ``classes``, the first and the first if all are equally probable, if they differ.
    """
    mass = data.masses[data.trusted]
    best = marginals.most_probable(data.masses, data.trusted, ROWS)
    of = data.tables.structures.set_index("structure")[["n_parameters", "dimension"]]
    n_cells = data.structures[best.index[0]].family.n_cells
    saturated, of_saturated = marginals.saturated(data.tables.structures, n_cells, mass)
    return {
        "rows": [
            [md.shortened(name), *of.loc[name], *_numbers(row, ".3g")]
            for name, row in best.iterrows()
        ],
        "effective_number": posterior.effective_number(mass),
        "left": marginals.not_listed(mass, best.index),
        "saturated": [md.shortened(name) for name in best.index if name in saturated],
        "of_saturated": of_saturated,
        "classes": _classes_differ(data),
    }


def _numbers(values: Iterable[float], form: str) -> list[str]:
    """Cells of a row."""
    return [number(value, form) for value in values]


def _classes_differ(data: OwnData) -> list[str]:
    """The most probable class, and the one with all classes equally probable, where they differ."""
    of = (method_columns(data.tables.classes, c, "class") for c in ("probability", "equal_classes"))
    first, equal = (marginals.most_probable(masses, data.trusted, 1).index[0] for masses in of)
    return [md.shortened(first), md.shortened(equal)] if first != equal else []


def causes(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: ``rows`` of the most
    probable sets of causes, their states and probabilities by score, and how many are ``left`` with
    which probability; and in words the ``pairs`` of variables of which it is least certain whether
    they share a cause, and how many ``more`` there are.
    """
    masses = method_columns(data.tables.causes, "of_classes", ["n_causes", "causes"])
    best = marginals.most_probable(masses[list(data.masses)], data.trusted, ROWS)
    links = data.tables.links
    uncertain = marginals.uncertain_pairs(links[links["method"] == data.trusted])
    return {
        "rows": [[states, *_numbers(row, ".3g")] for (_, states), row in best.iterrows()],
        "left": marginals.not_listed(masses[data.trusted], best.index),
        "pairs": [
            f"{r.first_name} and {r.second_name} {number(r.probability, '.2f')}"
            for r in uncertain[:ROWS]
        ],
        "more": max(0, len(uncertain) - ROWS),
        "certain": marginals.CERTAIN,
    }


def sensitivity_to_the_prior(data: OwnData, alpha: float) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: probabilities of the
    causes under several ``alphas``, ``rows`` of the causes' states and a probability for each;
    ``alpha`` is that of all other results. None where no other alpha is tried.
    """
    if data.tables.alpha.empty:
        return None
    probabilities = marginals.probabilities_by_alpha(data.tables.alpha, data.trusted)
    return {
        "alpha": alpha,
        "alphas": list(probabilities),
        "rows": [
            [states, *_numbers(row, ".3f")] for states, row in probabilities.head(ROWS).iterrows()
        ],
    }


def fit(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: ``rows`` of
    statistics of fit of the structures that some score ranks first, each with the pair of variables
    that the structure fits worst; of the ``best`` structure its row of the table, None without a
    p-value, whether it misses something (``misfit``), and whether no simulated table fits as badly
    (``rejected``).
    """
    table = data.tables.fit
    tested = (table["replicates"] > 0) & (table["degrees_of_freedom"] > 0)
    worst = {
        r.Index: f"{r.variable}, {r.other}: {r.residual:.2f}"
        for r in fitted.largest_residuals(data.tables.residuals).itertuples()
    }
    rows, best = [], None
    for r, has_p in zip(table.itertuples(), tested, strict=True):
        p = _p_value(r) if has_p else ""
        cells = [
            number(r.log_likelihood, ".2f"),
            md.statistic(r.G2),
            md.large(r.degrees_of_freedom),
        ]
        cells += [p, number(r.AIC, ".1f"), number(r.BIC, ".1f"), worst.get(r.structure, "")]
        rows.append([md.shortened(r.structure), *cells])
        if r.structure == data.best and has_p:
            best = SimpleNamespace(**r._asdict(), p=p)
    misfit = bool(best and best.p_value < LEVEL)
    return {
        "rows": rows[:ROWS],
        "best": best,
        "misfit": misfit,
        # no simulated table fits as badly: p = 1 / (1 + replicates)
        "rejected": misfit and best.p_value * (1 + best.replicates) < 1.5,
        "replicates": int(table["replicates"].max()),
        "complete": table["complete_cases"].max(),
        "n": data.tables.scores["n"].iloc[0],
        "sparse": bool((table["degrees_of_freedom"] > SPARSE * table["complete_cases"]).any()),
    }


def _p_value(r) -> str:
    """p of a fit with its Monte Carlo error; where all simulated tables fit worse, its bound."""
    if r.p_value == 1:
        return f"above {1 - 1 / (1 + r.replicates):.2g}"
    return f"{r.p_value:.3f} ± {r.p_error:.3f}"


def states(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: as text the
    probability of each state of the causes, ``shares``, and its ``intervals``; and the share of
    cases that are expected to be ``right`` if each is assigned to its most probable states. None
    where no cause has a child.
    """
    membership = data.tables.membership
    if len(set(membership["states"])) < 2:
        return None
    sizes = fitted.class_sizes(data.tables.parameters, membership)
    return {
        "right": fitted.share_right(membership),
        "shares": [f"{r.state}: {md.percent(r.shown)}" for r in sizes.itertuples()],
        "intervals": [
            f"{r.state}: {number(r.low, '.2f')} to {number(r.high, '.2f')}"
            for r in sizes.dropna(subset="low").itertuples()
        ],
    }


def parameters(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: the ``tables`` of
    `fitted.by_parents` for the most probable structure, with numbers as text, and how many
    variables are ``left_out``; whether the numbers are posterior ``means``, the width of the
    ``widest`` interval, and the least number of effective ``draws``.
    """
    estimate = fitted.map_estimate(data.tables.parameters, data.best)
    n_causes = len(data.structures[data.best].family.hidden)
    tables, left_out = fitted.by_parents(estimate, n_causes)
    for table in tables:
        table["rows"] = [[*names, *_numbers(row, ".2f")] for *names, row in table["rows"]]
    return {
        "tables": tables,
        "left_out": left_out,
        "means": bool(estimate["mean"].notna().any()),
        "widest": fitted.widest_interval(estimate),
        "draws": estimate["effective_draws"].min(),
        "enough": EFFECTIVE_DRAWS,
    }


def comparison_with_a_column(data: OwnData) -> md.View:
    """Values for the template, a dict, from ``data`` of `write_data_summary`: the cases by their
    most probable states (``rows``) and the ``values`` of a ``column`` that is no variable, with the
    share of each value, and Cramér's ``v``. None without such a column.
    """
    beside = data.tables.beside
    if beside.empty:
        return None
    cases = fitted.cross_table(beside)
    shares = fitted.shares(cases)
    return {
        "column": beside["variable"].iloc[0],
        "values": list(cases),
        "rows": [
            [states, *(f"{k} ({md.percent(shares[value][states])})" for value, k in row.items())]
            for states, row in cases.head(ROWS).iterrows()
        ],
        "v": fitted.association(cases),
    }
