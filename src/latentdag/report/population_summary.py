"""The summary of a population of draws. The words are in ``templates/population.md.j2``."""

import sys
from collections import defaultdict
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.report.markdown import View, by_ais, by_name, written
from latentdag.scores import METHODS, present
from latentdag.study.many_draws import calibration as of_calibration
from latentdag.study.many_draws.population import design_counts
from latentdag.study.many_draws.prediction import LEVEL, apart_from_the_evidence, wrong_against_true
from latentdag.study.many_draws.sizes_found import QUANTILES, found_quantiles
from latentdag.study.one_draw.score_arrays import EVIDENCE
from latentdag.study.one_draw.sizes import nearest_size, some_sizes
from latentdag.study.one_draw.worth import BASELINES
from latentdag.study.paper.claims_held import SIZES, shares_at_papers_sizes
from latentdag.study.paper.findings import of_structure
from latentdag.study.paper.numbers import PAPER

KINDS = ("structure", "class")
IN_SHORT = ("bic", "vb", "ais", "reference")
PAIRS = (("vb", "bic"), ("vb", "cs"), ("ais", "vb"))
AGAINST = ("bic", "vb", "reference")


def write_population_summary(config: Mapping, **tables: pd.DataFrame) -> str:
    """The summary in Markdown, from the tables of a population of draws by their names: design,
    structures, verdicts, population, found, found_share, comparisons and reliability. Raises
    TypeError for a table that no study has.

    ``calibration`` is given where the truths are drawn uniformly from the structures,
    ``claims_held`` where all have one: the paper's claims are about one structure;
    ``cases_needed`` and ``worth`` where there is an evidence. Of ``config`` the key ``n`` is read,
    the size of figures (the paper's if absent); all are listed.
    """
    n, of = int(config.get("n", PAPER.n)), by_name(tables)
    return written("population.md.j2", sys.modules[__name__], tables=of, n=n, config=config)


def cells(frame: pd.DataFrame, value: str | None = None) -> SimpleNamespace | None:
    """A table with a row for each of ``methods`` and a column for each of ``sizes``: ``rows`` has
    that of a frame for each (method, n). The sizes are some of the frame's, and the paper's where
    they are among them. Scores without any ``value`` are left out; None where that leaves none.
    """
    sizes = {int(n) for n in frame["n"]}
    shown = sorted({*some_sizes(sizes), *(sizes & set(SIZES.values()))})
    told = frame if value is None else frame[frame[value].notna()]
    methods = present(told.loc[told["n"].isin(shown), "method"])
    rows = {(r.method, r.n): r for r in frame.itertuples()}
    return SimpleNamespace(methods=methods, sizes=shown, rows=rows) if methods else None


def cells_by_kind(frame: pd.DataFrame, value: str | None = None) -> dict[str, SimpleNamespace]:
    """The `cells` of the rows of each kind, without those that are none."""
    found = {kind: cells(rows, value) for kind, rows in by_kind(frame).items()}
    return {kind: of_kind for kind, of_kind in found.items() if of_kind}


def by_kind(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows by structure, and those by class, where there are some."""
    rows = {kind: frame[frame["by"] == kind] for kind in KINDS}
    return {kind: of_kind for kind, of_kind in rows.items() if len(of_kind)}


def in_short(tables: SimpleNamespace) -> View:
    """How often the paper's scores and the evidence find the truth, and how far off they are."""
    population, shares, comparisons = map(
        of_structure, (tables.population, tables.found_share, tables.comparisons)
    )
    judged = population[population["method"] != EVIDENCE]  # its own regret is 0 by construction
    pairs = {(r.method, r.other): r for r in comparisons.itertuples()}
    one = len(set(tables.design["true_structure"])) == 1
    rows = of_structure(tables.calibration)
    accuracy = rows[rows["statistic"] == "accuracy"]
    return {
        "shares_at_papers_sizes": list(shares_at_papers_sizes(shares).itertuples()) if one else [],
        "found": _in_short(shares, PAPER.n),
        "found_at_last": _in_short(shares, shares["n"].max()),
        "pairs": [pairs[pair] for pair in PAIRS if pair in pairs],
        "errors": _in_short(population.dropna(subset="mean_absolute_error"), PAPER.n),
        "regret": _in_short(judged.dropna(subset="regret"), PAPER.n),
        "accuracy": _in_short(accuracy, PAPER.n),
    }


def _in_short(rows: pd.DataFrame, n: int) -> dict[str, Any]:
    """The rows of the paper's scores and the evidence at the size nearest to ``n``."""
    if rows.empty:
        return {"rows": []}
    n = nearest_size(rows["n"], n)
    at_n = {r.method: r for r in rows[rows["n"] == n].itertuples()}
    return {"n": n, "rows": [at_n[m] for m in IN_SHORT if m in at_n]}


def the_draws(tables: SimpleNamespace) -> View:
    """What is drawn and scored."""
    truths, priors = design_counts(tables.design)
    true_prior = tables.design.filter(["true_alpha", "true_alpha_hidden"]).drop_duplicates()
    return {
        "draws": len(tables.design),
        "truths": len(truths),
        "truth": next(iter(truths)) if len(truths) == 1 else None,
        "fewest": min(truths.values()),
        "most": max(truths.values()),
        "priors": priors,
        "other_prior": true_prior.to_numpy().tolist() if true_prior.shape[1] else [],
        "structures": len(tables.structures),
        "classes": len(set(tables.structures["class"])),
        "sizes": sorted(set(tables.population["n"])),
        "methods": present(tables.population["method"]),
    }


def how_many_cases(tables: SimpleNamespace) -> View:
    """Sample sizes relative to the evidence's, by score; nothing where there is no evidence."""
    if tables.cases_needed.empty:
        return None
    needed = by_kind(tables.cases_needed[tables.cases_needed["draws"] > 0].set_index("method"))
    return {"by_kind": {kind: rows.loc[present(rows.index)] for kind, rows in needed.items()}}


def found_by_n_cases(tables: SimpleNamespace) -> View:
    """How often the truth is found for good, and from which size on."""
    shares, found = tables.found_share, tables.found
    if shares.empty:
        return None
    quantiles = [found_quantiles(found[found["by"] == kind]) for kind in KINDS]
    methods = quantiles[0].index.union(quantiles[1].index, sort=False)
    return {
        "shares": cells_by_kind(shares, "share"),
        "levels": QUANTILES,
        "sizes": {m: [of.loc[m] if m in of.index else None for of in quantiles] for m in methods},
    }


def claims_draw_by_draw(tables: SimpleNamespace) -> View:
    """In how many draws each claim holds; apart, those that several scores of AIS can play."""
    if tables.claims_held.empty:
        return None
    rows, of_ais = by_ais(tables.claims_held.itertuples())
    return {"rows": rows, "of_ais": of_ais}


def side_by_side(tables: SimpleNamespace) -> View:
    """Each score against BIC, VB and the reference."""
    return {kind: _pairs(rows) for kind, rows in by_kind(tables.comparisons).items()} or None


def _pairs(comparisons: pd.DataFrame) -> list:
    """The row of each score against each of `AGAINST`; no pair twice."""
    rows = {(r.method, r.other): r for r in comparisons.itertuples()}
    methods = present(method for method, _ in rows)
    pairs = [(m, other) for other in AGAINST for m in methods if (m, other) in rows]
    return [rows[m, o] for i, (m, o) in enumerate(pairs) if (o, m) not in pairs[:i]]


def worth(tables: SimpleNamespace) -> View:
    """What each score is worth at some of the sizes."""
    rows = tables.worth
    if rows.empty:
        return None
    shown = rows[rows["n"].isin(some_sizes(rows["n"]))]
    place = [*METHODS, *BASELINES].index
    ordered = sorted(shown.itertuples(), key=lambda row: (row.n, place(row.method)))
    return {"rows": ordered, "baselines": BASELINES}


def prediction(tables: SimpleNamespace) -> View:
    """Loss in predicting the next cases, and of wrong structures against the true one."""
    by_top = cells_by_kind(tables.population, "lost_by_top")
    if not by_top:
        return None
    wrong = wrong_against_true(tables.verdicts)
    apart = apart_from_the_evidence(tables.verdicts)
    worse, better = (
        list(wrong.index[wrong["sure"] == sign]) if len(wrong) else [] for sign in (1, -1)
    )
    return {
        "by_top": by_top,
        "by_average": cells_by_kind(tables.population, "lost_by_average"),
        "level": LEVEL,
        **{"wrong": wrong, "worse": worse, "better": better},
        "apart": cells(apart.reset_index()) if len(apart) else None,
    }


def calibration(tables: SimpleNamespace) -> View:
    """The reference against its expected values, and the other scores against it and theirs."""
    rows = tables.calibration
    number, better, sure = of_calibration.better_than_the_reference(rows)
    below = {}
    for name, _, _ in of_calibration.PROPER:
        of_name = rows[rows["statistic"] == of_calibration.BELOW + name]
        below |= {(name, kind): found for kind, found in cells_by_kind(of_name, "value").items()}
    sure = sure.assign(name=sure["statistic"].str.removeprefix(of_calibration.BELOW))
    found = {
        "of_reference": _reference_rows(rows[rows["method"] == EVIDENCE]),
        "below": below,
        "z": cells_by_kind(of_calibration.deviations(rows)),
    }
    if not any(found.values()):
        return None
    return found | {
        "tests": of_calibration.tests_of_the_reference(rows),
        "level": of_calibration.LEVEL,
        "statistics": of_calibration.OF_ITSELF,
        **{"comparisons": number, "better": better, "surely_better": list(sure.itertuples())},
    }


def _reference_rows(reference: pd.DataFrame) -> dict[str, list]:
    """By kind and size the number of draws, and of each statistic the row, or None."""
    found = defaultdict(list)
    for kind, rows in by_kind(reference).items():
        of = {(r.n, r.statistic): r for r in rows.itertuples()}
        for n in sorted(set(rows["n"])):
            draws = max(r.draws for (at, _), r in of.items() if at == n)
            statistics = [of.get((n, name)) for name in of_calibration.OF_ITSELF]
            found[kind].append((n, draws, statistics))
    return dict(found)


def reliability_of_the_probabilities(tables: SimpleNamespace, n: int) -> View:
    """How often statements come true, by their probability, at the size nearest to ``n``."""
    reliability = tables.reliability
    if reliability.empty:
        return None
    n = nearest_size(reliability["n"], n)
    here = reliability[(reliability["n"] == n) & (reliability["number"] > 0)]
    by_statement = {}
    for what in set(here["what"]):
        rows = here[here["what"] == what]
        by_statement[what] = {
            "methods": present(rows["method"]),
            "bins": sorted(set(rows["bin"])),
            "rows": {(r.bin, r.method): r for r in rows.itertuples()},
        }
    return {"n": n, "by_statement": by_statement}
