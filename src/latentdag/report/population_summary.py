"""The page of a population of draws. The words are in ``templates/population.md.j2``."""

from collections.abc import Mapping
from types import SimpleNamespace

import pandas as pd

from latentdag.engine.significance import LEVEL
from latentdag.report import markdown as md
from latentdag.scores import present
from latentdag.study.many_draws import calibration as of_calibration
from latentdag.study.many_draws.population import design_counts, wrong_against_true
from latentdag.study.one_draw.sizes import nearest_size
from latentdag.study.paper import sources
from latentdag.study.paper.claims_held import SIZES, over_draws
from latentdag.study.paper.findings import compared_pairs, of_structure, recovered_by
from latentdag.study.paper.numbers import PAPER

FILES = ("population", "found_share", "cases_needed", "comparisons", "worth")  # with more numbers
PAIRS = (("vb", "bic"), ("vb", "cs"), ("ais", "vb"))


def write_population_summary(config: Mapping, **tables: pd.DataFrame) -> str:
    """The page in Markdown, from the tables of a population of draws by their names: design,
    structures, verdicts, population, found, found_share and comparisons. Raises TypeError for a
    table that no study has.

    ``calibration`` is given where the truths are drawn uniformly from the structures,
    ``claims_held`` where all have one: the paper's claims are about one structure; ``cases_needed``
    where there is an evidence. Of ``config`` the keys ``n``, the size of figures (the paper's if
    absent), and ``ais.chains`` are read. All numbers are about structures; the tables have those
    about classes.
    """
    n, of = int(config.get("n", PAPER.n)), md.by_name(tables)
    by_structure = ("population", "found", "found_share", "comparisons", "cases_needed")
    rows = {name: of_structure(getattr(of, name)) for name in (*by_structure, "calibration")}
    every_calibration = of.calibration
    of = SimpleNamespace(**vars(of) | rows)
    return md.written(
        "population.md.j2",
        draws=draws(of) | {"chains": config.get("ais", {}).get("chains")},
        pairs=compared_pairs(PAIRS, [vars(of)]),
        wrong=wrong_picks(of),
        scores=scores(of, n),
        calibration=calibration(every_calibration),
        claims=claims(of),
    )


def draws(tables: SimpleNamespace) -> md.View:
    """Values for the template, a dict, from ``tables`` by name: the ``number`` of draws and of
    ``truths``, the ``truth`` if there is one, the ``priors`` (alpha, alpha of hidden variables,
    number of draws), the numbers of ``structures`` and ``classes``, and the ``sizes``; and
    ``at_papers_sizes``, of draws with one truth, how often VB and BIC need no more than the paper's
    sizes.
    """
    truths, priors = design_counts(tables.design)
    shares = [recovered_by(tables.found_share, n).get(m) for m, n in SIZES.items()]
    true_prior = tables.design.filter(["true_alpha", "true_alpha_hidden"]).drop_duplicates()
    return {
        "number": len(tables.design),
        "truths": len(truths),
        "truth": next(iter(truths)) if len(truths) == 1 else None,
        "priors": [(*prior, number) for prior, number in priors.items()],
        "other_prior": true_prior.to_numpy().tolist() if true_prior.shape[1] else [],
        "structures": len(tables.structures),
        "classes": len(set(tables.structures["class"])),
        "sizes": sorted(set(tables.population["n"])),
        "has_ais": "ais" in set(tables.population["method"]),
        "at_papers_sizes": [r for r in shares if r is not None] if len(truths) == 1 else [],
    }


def wrong_picks(tables: SimpleNamespace) -> md.View:
    """Values for the template, a dict, from the table ``verdicts`` of ``tables``: at how many of
    the ``sizes`` wrong structures predict the next cases ``worse`` than the true one, or
    ``better``, by tests at ``level``. None where no score picks the true structure and another a
    wrong one.
    """
    wrong = wrong_against_true(tables.verdicts)
    if wrong.empty:
        return None
    worse, better = map(list(wrong["sure"]).count, (1, -1))
    return {"sizes": len(wrong), "worse": worse, "better": better, "level": LEVEL}


def scores(tables: SimpleNamespace, n: int) -> md.View:
    """A table, a dict of ``header`` and ``rows``, with a row for each score, from ``tables`` by
    name: the share of draws in which it finds the truth by the paper's sizes and by the largest,
    and the cases that it needs relative to the evidence; at the size nearest to ``n`` its error and
    its regret (nats); and its accuracy and the one that it expects, where the truths are drawn
    uniformly. None without sizes.
    """
    sizes = {*tables.found_share["n"]}
    if not sizes:
        return None
    shown = sorted({*(nearest_size(sizes, at) for at in (n, *SIZES.values())), max(sizes)})
    at = nearest_size(tables.population["n"], n)
    of_n = [r for r in tables.population.itertuples() if r.n == at]
    columns = {
        f"found by {size}": {
            r.method: md.share(r.share, r.low, r.high)
            for r in tables.found_share.itertuples()
            if r.n == size
        }
        for size in shown
    }
    columns |= {
        "cases / evidence's": {
            r.method: md.median_ratio(r.ratio_least, r.ratio_most, r.ratio_low, r.ratio_high)
            for r in tables.cases_needed.itertuples()
            if r.draws
        },
        "error": {r.method: md.with_error(r, "mean_absolute_error") for r in of_n},
        "regret": {r.method: md.with_error(r, "regret") for r in of_n},
        "accuracy (expected)": {
            r.method: f"{md.percent(r.value)} ({md.percent(r.expected)})"
            for r in tables.calibration.itertuples()
            if r.n == at and r.statistic == of_calibration.ACCURACY
        },
    }
    methods = present({*columns["error"], *tables.found_share["method"]})
    return md.table_by_score(methods, columns) | {
        "files": [f"`{name}.csv`" for name in FILES if len(getattr(tables, name))],
        "n": at,
    }


def calibration(rows: pd.DataFrame) -> md.View:
    """Values for the template, a dict, from ``rows``, the table of calibration, None if it is
    empty: the ``tests`` of whether the reference is as right as it expects to be, at ``level``; and
    in how many of the ``comparisons`` with it other scores are ``better``, and ``surely_better``.
    """
    if rows.empty:
        return None
    return {
        "tests": of_calibration.tests_of_the_reference(rows),
        "level": LEVEL,
        **of_calibration.better_than_the_reference(rows),
    }


def claims(tables: SimpleNamespace) -> md.View:
    """Values for the template, a dict, from the table ``claims_held`` of ``tables``: the ``number``
    of claims of the sources, and ``rows`` that say in how many draws each holds; apart, as
    ``of_ais``, a table of those that several scores of AIS can play; and by verdict ``counts`` of
    claims that hold in most of the draws that can test them ("yes"), or do not. None without
    claims.
    """
    held = tables.claims_held[tables.claims_held["source"] != sources.OURS]
    if held.empty:
        return None
    of_ais = md.by_ais(held.itertuples(), md.holds_in)
    rows = [[r.claim, r.paper, md.holds_in(r)] for r in held.itertuples() if not (of_ais and r.ais)]
    verdicts = [over_draws(row) for row in held.to_dict("records")]
    counts = {word: verdicts.count(word) for word in ("yes", "no", "open", "")}
    return {"number": len(held), "rows": rows, "of_ais": of_ais, "counts": counts}
