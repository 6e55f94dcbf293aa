"""The numbers of the article: what `workflow/article/article.typ` shows, from the tables.

Everything is computed in `latentdag.study`, and only gathered here. Keys of the result are strings,
as JSON has them; a number that no table has is None.
"""

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.inference import ais, particles
from latentdag.report.markdown import by_name
from latentdag.scores import SPECS
from latentdag.scores.reference import target_at
from latentdag.study.many_draws import calibration as of_calibration
from latentdag.study.many_draws.population import counts, design_counts
from latentdag.study.many_draws.recovery import recovery_quantiles
from latentdag.study.one_draw import at_one_size, errors, evidence_checks, ranks, score_differences
from latentdag.study.one_draw.annealing import length_statistics, levels, of_one_kind, steps_near
from latentdag.study.one_draw.sizes import for_good, nearest_size, sizes_for_good
from latentdag.study.paper import experiments
from latentdag.study.paper.claims_held import over_draws
from latentdag.study.paper.findings import (
    nearer_to_the_evidence,
    of_structure,
    on_the_same_draws,
    over_all_sizes,
    recovered_on_the_same_draws,
    where_they_differ,
)
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import AIS_CHAINS, AIS_KINDS, EQUAL_COST, FINE_GRID, PAPERS
from latentdag.study.paper.timing import ratio
from latentdag.study.schema.evidence import compared, disagreements, join_evidence
from latentdag.study.schema.frames import root_mean_square

CHOICES = {  # of ours that no setting has
    "pilot_chains": ais.annealing.PILOT_CHAINS,
    "pilot_steps": ais.annealing.PILOT_STEPS,
    "pilot_power": ais.annealing.PILOT_POWER,
    "acceptance": ais.annealing.TARGET_ACCEPTANCE,
    "resample_below": particles.evidence.RESAMPLE_BELOW,
    "rejuvenation": particles.evidence.GROWTH,
}
NEARER = (("ais", "vb"), ("vb", "bic"))  # whose distances from the evidence are compared
SMALL = 80  # cases, at which the article has the numbers of small sizes
OF_RECORD = ("command", "commit", "uncommitted_changes_to_code", "config", "python", "packages")
OF_RECORD += ("machine", "end")


def numbers(
    record: Mapping,
    study: Mapping[str, pd.DataFrame],
    populations: Mapping[str, Mapping[str, pd.DataFrame]],
    records: Mapping[str, Mapping],
    of_experiments: Mapping[str, pd.DataFrame],
) -> dict:
    """All numbers of the article, ready for JSON: nested mappings, lists, strings, numbers, None.

    ``study`` are tables of a study with the reference by their names: structures, scores, evidence,
    errors, ranks, annealing, timing, sandwich, and benchmark if it is there. ``populations`` are
    those of each population by its folder: design, structures, population, found, found_share,
    comparisons, and those of claims, verdicts, claims_held, calibration and worth that it has.
    ``record`` and ``records`` are their provenance.json. ``of_experiments`` are the tables of
    experiments that pages quote (`latentdag.study.paper.runs.TABLES`), or none. Raises
    AttributeError where the study lacks a table.
    """
    if FINE_GRID in populations:
        finest = over_all_sizes(*(populations[run]["verdicts"] for run in (PAPERS, FINE_GRID)))
        populations = {**populations, FINE_GRID: {**populations[FINE_GRID], **finest}}
    article = {
        "paper": vars(PAPER) | {"factor": PAPER.bic_from / PAPER.vb_from},
        "scores": {m: {"label": s.label, "side": s.side.value} for m, s in SPECS.items()},
        "record": _record(record),
        "study": _of_study(record["config"], study),
        "choices": CHOICES,
        "ais": _by_chains(populations),
        "kinds_of_ais": _kinds_of_ais(populations),
        "experiments": _experiments(of_experiments),
        "populations": {
            name: _of_population(tables) | {"record": _record(records[name])}
            for name, tables in populations.items()
        },
    }
    return _plain(article)


def _record(record: Mapping) -> dict:
    """What is told of a record, with the commits that ``scored`` the draws, which are those of its
    parts if it has any, and when each ended; its minutes are also those of the parts.
    """
    parts = [*record.get("parts", {}).values()]
    runs = (record, *parts)
    seconds = [job["processor_seconds"] for run in runs for job in run["jobs"].values()]
    kept = {key: record[key] for key in OF_RECORD}
    kept["processor_minutes"] = sum(s for s in seconds if s is not None) / 60
    ends = {run["commit"]: run["end"] for run in sorted(parts or runs, key=lambda run: run["end"])}
    return kept | {"scored": [{"commit": commit, "end": end} for commit, end in ends.items()]}


def _by_chains(populations: Mapping[str, Mapping[str, pd.DataFrame]]) -> dict:
    """The claims about AIS, its accuracy, and in how many draws it finds the truth by the paper's
    size, by its number of chains, over the same ``draws``; and there the accuracy of VB. Empty
    where there is one number of chains.
    """
    of = {
        chains: (populations[run], "ais")
        for run, chains in AIS_CHAINS.items()
        if {"claims", "verdicts"} <= set(populations.get(run, {}))
    }
    if len(of) < 2:
        return {}
    at, held = on_the_same_draws(of)
    of_vb, _ = on_the_same_draws({chains: (tables, "vb") for chains, (tables, _) in of.items()})
    return {
        "chains": list(of),
        "vb_at": of_vb[min(of)].set_index("n").to_dict("index"),
        "found_by": {
            chains: row.to_dict()
            for chains, row in recovered_on_the_same_draws(of, PAPER.ais_first).items()
        },
        "draws": max(table["draws"].max() for table in at.values()),
        "at": {chains: table.set_index("n").to_dict("index") for chains, table in at.items()},
        "claims": {
            claim: {chains: row | {"word": over_draws(row)} for chains, row in of_run.items()}
            for claim, of_run in held.items()
        },
    }


def _kinds_of_ais(populations: Mapping[str, Mapping[str, pd.DataFrame]]) -> dict:
    """By kind of AIS and size what it is worth, over the draws that all kinds have; empty without
    the run of the kinds with one chain.
    """
    if EQUAL_COST not in populations:
        return {}
    of = {k: (populations[run], m) for k, (run, m) in AIS_KINDS.items() if run in populations}
    at, _ = on_the_same_draws(of)
    return {kind: table.set_index("n").to_dict("index") for kind, table in at.items()}


def _experiments(of: Mapping[str, pd.DataFrame]) -> dict:
    """What the article quotes of experiments, by the names of their tables."""
    if not of:
        return {}
    integrated = experiments.alpha_integrated_out(of["alpha_integrated"])
    slopes = experiments.slopes_of_vb_minus_bic(of["asymptotics"])
    errors = experiments.errors_of_bridge_sampling(of["bridge_sampling"])
    audit = experiments.audit_of_evidence(of["evidence_audit"])
    return {
        "alpha_integrated": [row for row in integrated if row["method"] == "reference"],
        "asymptotics": _nested(slopes.reset_index(), ["true_structure", "structure"]),
        "bridge_sampling": errors.to_dict("index"),
        "evidence_audit": {
            "by_size": audit.to_dict("index"),
            "all": experiments.audit_over_all_sizes(audit),
        },
    }


def _of_study(config: Mapping, study: Mapping[str, pd.DataFrame]) -> dict:
    """The numbers of the first draw of a study; errors are in nats, from the evidence."""
    every = SimpleNamespace(**study)
    draw = min(every.ranks["draw"])
    of_draw = {k: t[t["draw"] == draw] for k, t in vars(every).items() if "draw" in t}
    one = SimpleNamespace(**of_draw)
    one.scores = join_evidence(one.scores, one.evidence)
    true = every.structures[every.structures["is_true"].astype(bool)].iloc[0]
    size = ["n_links", "n_parameters"]
    alike = (every.structures[size] == true[size]).all(axis=1)
    n = config["figure_n"]
    at_n = one.scores[one.scores["n"] == n]
    sizes = sorted(set(one.ranks["n"]))
    error = errors.mean_absolute(one.errors)
    places = ranks.rank_by_size(one.ranks)
    d = every.structures.set_index("structure")["n_parameters"]
    of_vb = errors.slopes(one.errors[one.errors["method"] == "vb"], d)
    steps = study.get("benchmark", pd.DataFrame(columns=["n", "step"]))
    study_numbers = {
        "draw": draw,
        "n": n,
        "sizes": sizes,
        "small": nearest_size(sizes, SMALL),
        "true": true.to_dict(),
        "structures": len(every.structures),
        "classes": len(set(every.structures["class"])),
        "parameters": sorted({*d}),
        "same_parameters": every.structures.loc[alike, "structure"].tolist(),
        "error": error.to_dict(),
        **{
            end: ranks.rank_by_size(one.ranks, end).to_dict()
            for end in ("rank", "rank_low", "rank_high")
        },
        "median_rank": ranks.median_ranks(one.ranks, below=n).to_dict(),
        "for_good": sizes_for_good(one.ranks),
        "best": at_one_size.best_structures(at_n, true["structure"]).to_dict("index"),
        "trend": {m: at_one_size.parameter_trend(at_n, m) for m in ("map", "bic")},
        "ais_minus_vb": score_differences.score_gaps(at_n, "ais", "vb"),
        "vb_minus_cs": score_differences.score_gaps(one.scores, "vb", "cs"),
        "nearer": {
            f"{a}/{b}": ranks.beats(error[a], error[b]) if {a, b} <= set(error) else None
            for a, b in NEARER
        },
        "slopes": of_vb.droplevel("method").to_dict("index"),
        "annealing": _annealing(one.annealing, one.scores),
        "times": every.timing.dropna(subset="paper_seconds").set_index("method").to_dict("index"),
        "ratios": {"ais/vb": ratio(every.timing, "ais", "vb")},
        "benchmark": steps[steps["n"] == n].set_index("step").to_dict("index"),
        "evidence": _evidence(every, config),
    }
    if {"vb", "bic"} <= set(places):
        study_numbers["vb_against_bic"] = ranks.beats(places["vb"], places["bic"])
    return study_numbers


def _annealing(annealing: pd.DataFrame, scores: pd.DataFrame) -> dict:
    """The numbers of the first kind of annealing runs that the table has."""
    if annealing.empty:
        return {}
    runs = of_one_kind(annealing)
    lengths = length_statistics(runs)
    median = lengths.dropna(subset="estimate")["median"]
    by_method = levels(runs, scores)["score"]
    return {
        "chains": lengths["chains"].iloc[-1],
        "passes": {m: for_good(median > by_method[m]) for m in ("bic", "vb") if m in by_method},
        "longest": lengths.index[-1],
        "spread": lengths["spread"].iloc[-1],
        "median_near": steps_near(median, by_method.get("reference", nan)),
    }


def _evidence(every: SimpleNamespace, config: Mapping) -> dict:
    """How far the evidence itself can be trusted: checks over all draws and sizes."""
    scored = every.scores[every.scores["score"].notna()]
    target = config["reference"]["target"]
    both = compared(every.scores)
    gaps = evidence_checks.sandwich_gaps(every.sandwich)
    return {
        "pairs": len(scored[scored["method"] == "reference"]),
        "targets": {n: target_at(n, target) for n in set(scored["n"])},
        "missed": len(evidence_checks.missed_targets(scored, target)),
        "exact": evidence_checks.exact_ratios(scored),
        "tempered_smc": {
            "pairs": len(both),
            "mean_square": root_mean_square(both["z"]),
            "far": len(disagreements(both)),
        },
        "above": evidence_checks.bounds_above_reference(every.errors).to_dict("index"),
        "sandwich": {
            "pairs": len(gaps),
            "below_zero": len(gaps[gaps["gap"] < 0]),
            "largest": dict(gaps[gaps["largest"]].iloc[0]) if len(gaps) else {},
        },
    }


def _of_population(tables: Mapping[str, pd.DataFrame]) -> dict:
    """The numbers of a population of draws, about structures and not their classes."""
    t = by_name(tables)
    truths, priors = design_counts(t.design)
    share = of_structure(t.found_share)
    population = {
        "draws": len(t.design),
        "truth": next(iter(truths)) if len(truths) == 1 else None,
        "alpha": next(iter(priors))[0] if len(priors) == 1 else None,
        "true_alpha": t.design["true_alpha"].iloc[0] if "true_alpha" in t.design else None,
        "sizes": sorted(set(share["n"])),
        "claims": [row | {"word": over_draws(row)} for row in t.claims_held.to_dict("records")],
        "share": _nested(share.assign(number=counts(share)), ["method", "n"]),
        "at": _nested(of_structure(t.population), ["method", "n"]),
        "nearer": _nearer(t.verdicts),
        "pairs": _nested(
            of_structure(t.comparisons).assign(
                verdict=lambda rows: [where_they_differ(row)["cases"] for _, row in rows.iterrows()]
            ),
            ["method", "other"],
        ),
        "gap_of_vb": score_differences.parts_of_mean_gap(of_structure(t.population)).to_dict(
            "index"
        ),
        "worth": _nested(t.worth, ["method", "n"]),
        "found": recovery_quantiles(of_structure(t.found)),
    }
    if len(t.calibration):
        tests = of_calibration.tests_of_the_reference(t.calibration)
        population["calibration"] = {
            "tests": {key: tests[key] for key in tests if key != "smallest"},
            "pooled": of_calibration.pooled(t.verdicts).to_dict("index"),
            **of_calibration.better_than_the_reference(t.calibration),
            "rows": _nested(of_structure(t.calibration), ["method", "statistic", "n"]),
        }
    return population


def _nearer(verdicts: pd.DataFrame) -> dict:
    """Where AIS is nearer to the evidence than VB, and VB nearer than BIC, over the draws."""
    present = {*verdicts["method"]} if len(verdicts) else set()
    of = {
        f"{a}/{b}": nearer_to_the_evidence(verdicts, a, b) for a, b in NEARER if {a, b} <= present
    }
    return {pair: where | {"gap": where["gap"].to_dict("index")} for pair, where in of.items()}


def _nested(frame: pd.DataFrame, keys: Sequence[str]) -> dict:
    """Rows by their values of ``keys``, one within the other."""
    nested: dict = {}
    for row in frame.to_dict("records"):
        inner = nested
        for key in keys[:-1]:
            inner = inner.setdefault(row[key], {})
        inner[row[keys[-1]]] = row
    return nested


def _plain(value: Any) -> Any:
    """What JSON can hold: keys as strings, numbers of Python; nan and infinite ones are None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(inner) for inner in value]
    if hasattr(value, "item"):
        value = value.item()
    unknown = value is pd.NA or (isinstance(value, float) and not isfinite(value))
    return None if unknown else value
