"""The numbers of the article: what `workflow/article/article.typ` shows, from the tables.

Everything is computed in `latentdag.study`, and only gathered here. Keys of the result are strings,
as JSON has them; a number that no table has is None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.scores import SPECS
from latentdag.scores.reference import target_at
from latentdag.study.many_draws.calibration import (
    better_than_the_reference,
    tests_of_the_reference,
)
from latentdag.study.many_draws.population import counts, design_counts
from latentdag.study.many_draws.sizes_found import QUANTILES, found_quantiles
from latentdag.study.one_draw.annealing import by_kind, claimed_levels, reached
from latentdag.study.one_draw.at_one_size import best_structures, parameter_trend
from latentdag.study.one_draw.distances import MEASURES, measures, nearer
from latentdag.study.one_draw.errors import error_by_size, slopes
from latentdag.study.one_draw.evidence_checks import (
    above_reference,
    against_exact,
    exact_gaps,
    missed_targets,
    sandwich_gaps,
    with_exact,
)
from latentdag.study.one_draw.ranks import beats, rank_by_size
from latentdag.study.one_draw.score_differences import (
    parts_of_gap,
    relabellings_in_error,
    score_gaps,
)
from latentdag.study.one_draw.sizes import sizes_for_good, some_sizes, stays_above
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.timing import beside_paper, ratio
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.evidence import with_evidence
from latentdag.study.schema.frames import root_mean_square
from latentdag.study.schema.two_methods import compared, disagreements, taken

BY_ERROR, _, BY_ORDER = MEASURES


def numbers(
    record: Mapping,
    study: Mapping[str, pd.DataFrame],
    populations: Mapping[str, Mapping[str, pd.DataFrame]],
    records: Mapping[str, Mapping],
) -> dict:
    """All numbers of the article, ready for JSON: nested mappings, lists, strings, numbers, None.

    ``study`` are tables of a study with the reference by their names: structures, scores, evidence,
    errors, ranks, annealing, timing, sandwich, and benchmark if it is there. ``populations`` are
    those of each population by its folder: design, structures, population, found, found_share,
    comparisons, and claims_held or calibration. The ``record`` of the study and the ``records`` of
    the populations are their provenance.json. Raises AttributeError for a table of the study that
    is missing.
    """
    found = {
        "paper": asdict(PAPER) | {"factor": PAPER.bic_from / PAPER.vb_from},
        "scores": _about_scores(),
        "record": _record(record),
        "study": of_study(record["config"], study),
        "populations": {
            name: of_population(tables) | {"record": _record(records[name])}
            for name, tables in populations.items()
        },
    }
    return _plain(found)


def _about_scores() -> dict:
    return {
        m: {"label": s.label, "title": s.title, "side": s.side.value, "source": s.source}
        for m, s in SPECS.items()
    }


def _record(record: Mapping) -> dict:
    """Of provenance.json what the article tells."""
    keys = ("command", "commit", "uncommitted_changes_to_code", "config", "python", "packages")
    known = {key: record[key] for key in (*keys, "machine", "start", "end")}
    seconds = [job["processor_seconds"] for job in record["jobs"].values()]
    return known | {"processor_minutes": sum(s for s in seconds if s is not None) / 60}


def of_study(config: Mapping, study: Mapping[str, pd.DataFrame]) -> dict:
    """The numbers of a study of single draws, of its first draw; ``config`` is its configuration.

    Errors are in nats, and relative to `latentdag.study.schema.evidence.with_evidence`.
    """
    every = SimpleNamespace(**study)
    draw = min(every.ranks["draw"])
    of_draw = {k: t[t["draw"] == draw] for k, t in vars(every).items() if "draw" in t}
    one = SimpleNamespace(**of_draw)
    one.scores = with_evidence(one.scores, one.evidence)
    true = every.structures[every.structures["is_true"].astype(bool)].iloc[0]
    n = config["figure_n"]
    at_n = one.scores[one.scores["n"] == n]
    sizes = sorted(set(one.ranks["n"]))
    distances = measures(one.errors, one.ranks, one.scores)
    places = rank_by_size(one.ranks)
    d = every.structures.set_index("structure")["n_parameters"]
    found = {
        "draw": draw,
        "n": n,
        "sizes": sizes,
        "shown": some_sizes(sizes),
        "true": true.to_dict(),
        "structures": len(every.structures),
        "classes": len(set(every.structures["class"])),
        "parameters": sorted({*d}),
        "same_parameters": _with_as_many(every.structures, true),
        "error": _by_method(distances[BY_ERROR]),
        "median_error": _by_method(error_by_size(one.errors, "median")),
        "order": _by_method(1 - distances[BY_ORDER]),
        "rank": _by_method(places),
        "for_good": sizes_for_good(one.ranks),
        "best": _rows(best_structures(at_n, true["structure"])),
        "trend": {m: parameter_trend(at_n, m) for m in ("map", "bic")},
        "ais_minus_vb": score_gaps(at_n, "ais", "vb"),
        "nearer": {
            f"{a}/{b}": nearer(distances, a, b).get(BY_ERROR)
            for a, b in (("ais", "vb"), ("vb", "bic"))
        },
        "gap_of_vb": _rows(parts_of_gap(one.scores)),
        "copies": _rows(relabellings_in_error(one.scores)),
        "slopes": _slopes(one.errors, d),
        "annealing": _annealing(one.annealing, one.scores),
        "times": _rows(beside_paper(every.timing).set_index("method")),
        "benchmark": _benchmark(study.get("benchmark"), n),
        "evidence": _evidence(every, config),
    }
    pairs = (("ais", "vb"), ("vb", "bic"))
    found["ratios"] = {f"{a}/{b}": ratio(every.timing, a, b) for a, b in pairs}
    if {"vb", "bic"} <= set(places):
        both = places[["vb", "bic"]].dropna()
        found["vb_against_bic"] = beats(both["vb"], both["bic"])
    return found


def _with_as_many(structures: pd.DataFrame, true: pd.Series) -> list[str]:
    """The structures with as many links and free parameters as the true one."""
    columns = ["n_links", "n_parameters"]
    return [*structures.loc[(structures[columns] == true[columns]).all(axis=1), "structure"]]


def _slopes(errors: pd.DataFrame, n_parameters: pd.Series) -> dict:
    """Of VB's error in the number of parameters, by size."""
    found = slopes(errors[errors["method"] == "vb"], n_parameters)
    return _rows(found.droplevel("method")) if len(found) else {}


def _annealing(annealing: pd.DataFrame, scores: pd.DataFrame) -> dict:
    """Of the first kind of annealing runs there is."""
    if annealing.empty:
        return {}
    kind, lengths = next(iter(by_kind(annealing).items()))
    prior = lengths.dropna(subset="estimate")
    levels, near = claimed_levels(annealing, scores), reached(annealing, scores)
    return {
        "n": kind[0],
        "chains": lengths["chains"].iloc[-1],
        "passes": {m: stays_above(prior["median"], level) for m, level in levels.items()},
        "longest": lengths.index[-1],
        "shortest": lengths.index[0],
        "spread": lengths["spread"].iloc[-1],
        "median_near": near[kind][2][1] if kind in near else None,
    }


def _benchmark(table: pd.DataFrame | None, n: int) -> dict:
    """Microseconds of a step at ``n`` cases, by its name."""
    if table is None:
        return {}
    return _rows(table[table["n"] == n].set_index("step"))


def _evidence(every: SimpleNamespace, config: Mapping) -> dict:
    """How far the evidence itself can be trusted: checks over all draws and sizes."""
    known = every.scores[every.scores["score"].notna()]
    target = config["reference"]["target"]
    both = compared(every.scores)
    exact = with_exact(known)
    exact = exact_gaps(exact) if len(exact) else exact
    gaps = sandwich_gaps(every.sandwich, None)
    largest = gaps[gaps["largest"]].iloc[0] if len(gaps) else {}
    return {
        "pairs": len(known[known["method"] == "reference"]),
        "targets": {str(n): target_at(n, target) for n in sorted(set(known["n"]))},
        "missed": len(missed_targets(known, target)),
        "exact": against_exact(known) | {"gap": _rows(exact).get("reference")},
        "bridge": {
            "pairs": len(both),
            "mean_square": root_mean_square(both["z"]) if len(both) else None,
            "far": len(disagreements(both)),
            "taken": len(taken(both)),
        },
        "above": _rows(above_reference(every.errors)),
        "sandwich": {"pairs": len(gaps), "largest": dict(largest)},
    }


def of_population(tables: Mapping[str, pd.DataFrame]) -> dict:
    """The numbers of a population of draws, of its statistics by structure, and of the classes of
    structures by class.
    """
    either = ("claims_held", "calibration")
    empty = {name: pd.DataFrame(columns=TABLES[name].columns) for name in either}
    t = SimpleNamespace(**empty | dict(tables))
    truths, priors = design_counts(t.design)
    one_prior = next(iter(priors)) if len(priors) == 1 else (None, None)
    found = {
        "draws": len(t.design),
        "truths": len(truths),
        "truth": next(iter(truths)) if len(truths) == 1 else None,
        "alpha": one_prior[0],
        "alpha_hidden": one_prior[1],
        "sizes": sorted(set(t.population["n"])),
        "shown": some_sizes(t.population["n"]),
        "classes": len(set(t.structures["class"])),
        "claims": t.claims_held.to_dict("records"),
        "by": {by: _by(t, by) for by in ("structure", "class")},
    }
    if len(t.calibration):
        number, better, sure = better_than_the_reference(t.calibration)
        tests = tests_of_the_reference(t.calibration)
        smallest = tests.pop("smallest", None)
        tests["smallest"] = None if smallest is None else smallest["p_value"]
        found["calibration"] = {
            "tests": tests,
            "comparisons": number,
            "better": better,
            "surely_better": len(sure),
            "rows": _of_calibration(t.calibration),
        }
    return found


def _by(t: SimpleNamespace, by: str) -> dict:
    share, place, pairs, sizes = (
        table[table["by"] == by] for table in (t.found_share, t.population, t.comparisons, t.found)
    )
    low, middle, high = QUANTILES
    names = {low: "low", middle: "median", high: "high"}
    return {
        "share": _nested(share.assign(number=counts(share)), ["method", "n"]),
        "at": _nested(place, ["method", "n"]),
        "pairs": _nested(pairs, ["method", "other"]),
        "found": _rows(found_quantiles(sizes).rename(columns=names)) if len(sizes) else {},
    }


def _of_calibration(calibration: pd.DataFrame) -> dict:
    """The rows by structure: by method, statistic and size."""
    rows = calibration[calibration["by"] == "structure"]
    return _nested(rows, ["method", "statistic", "n"])


def _by_method(wide: pd.DataFrame) -> dict:
    """A frame of n by method as {method: {n: value}}."""
    return {m: {str(n): value for n, value in wide[m].items()} for m in wide}


def _rows(frame: pd.DataFrame) -> dict:
    """A frame as {index: {column: value}}."""
    return {str(i): row for i, row in frame.to_dict("index").items()}


def _nested(frame: pd.DataFrame, keys: Sequence[str]) -> dict:
    """Rows by their values of ``keys``, one within the other."""
    found: dict = {}
    for row in frame.to_dict("records"):
        inner = found
        for key in keys[:-1]:
            inner = inner.setdefault(str(row[key]), {})
        inner[str(row[keys[-1]])] = row
    return found


def _plain(value: Any) -> Any:
    """What JSON can hold: numbers of NumPy are Python's, nan and infinite ones None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(inner) for inner in value]
    if value is None or value is pd.NA or isinstance(value, str | bool):
        return None if value is pd.NA else value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
