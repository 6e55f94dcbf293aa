"""The summary of a study, beside the paper's claims. The words are in ``templates/study.md.j2``."""

import sys
from collections.abc import Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.report.markdown import View, by_ais, by_name, fits_of, pairs, start, written
from latentdag.scores import drawn
from latentdag.scores.reference import JOB, LOOSER
from latentdag.study.one_draw import annealing, at_one_size, evidence_checks, posterior
from latentdag.study.one_draw import distances as of_distances
from latentdag.study.one_draw import errors as of_errors
from latentdag.study.one_draw import score_differences as differences
from latentdag.study.one_draw.ranks import pairwise_wins, rank_by_size
from latentdag.study.one_draw.sizes import nearest_size, sizes_for_good
from latentdag.study.paper import claims as of_claims
from latentdag.study.paper import sources, timing
from latentdag.study.paper.beal_ghahramani import all_claims
from latentdag.study.paper.numbers import BEST_FIRST, PAPER
from latentdag.study.schema import evidence as of_evidence
from latentdag.study.schema.frames import method_columns, root_mean_square
from latentdag.study.schema.words import label, number, place, plus_minus

BY_ERROR = of_distances.MEASURES[0]
# that the template shows as they are
STATISTICS = (annealing, at_one_size, of_distances, of_errors, evidence_checks, posterior)
STATISTICS += (differences, timing, of_claims)
IN_SHORT = ("map", "bic", "vb", "ais", "reference")  # the paper's scores, and the evidence
Study = SimpleNamespace  # what the views pick from: `write_summary` says what


def write_summary(config: Mapping, **tables: pd.DataFrame) -> str:
    """The summary in Markdown, from the study's ``tables`` by their names; what is absent or empty
    is left out. Raises TypeError for a table that no study has.

    ``claims_held`` is that of another run, over many draws: it goes beside this run's claims. Of
    ``config`` these keys are read, and all keys are listed: ``n`` (the size of figures 1 and 2
    right, the paper's if absent), ``draw`` (the headline one, the first if absent),
    ``true_structure`` (only if ``structures`` is absent), ``reference``, with its ``target``,
    ``ais``, with ``chains``, ``restarts``, with ``vb.same_starts``, and ``design``, where it says
    how draws are chosen.
    """
    every = by_name(tables)
    draws = {*every.ranks["draw"], *every.scores["draw"]}
    draw = int(config.get("draw", min(draws, default=0)))
    of_draw = {k: t[t["draw"] == draw] for k, t in vars(every).items() if "draw" in t}
    one = SimpleNamespace(**of_draw)
    one.scores = of_evidence.join_evidence(one.scores, one.evidence)
    is_true = every.structures["is_true"].astype(bool)
    truth = next(iter(every.structures.loc[is_true, "structure"]), config.get("true_structure"))
    n, chains = int(config.get("n", PAPER.n)), int(config.get("ais", {}).get("chains", 1))
    others = {"annealing": one.annealing, "times": every.timing, "chains": chains}
    others |= {"steps": every.benchmark, "pruned": every.pruned_states}
    study = Study(
        every=every,  # the tables of all draws by name
        one=one,  # of the headline draw; the reference's scores are the evidence there
        draw=draw,
        n=n,  # cases of the paper's figures
        at_n=one.scores[one.scores["n"] == n],
        truth=truth,  # None where it is not known
        methods={m for t in (one.scores, one.ranks, one.errors) for m in t["method"]},
        chains=chains,  # of AIS
        claims=all_claims(one.scores, one.ranks, truth, n, **others),
        distances=of_distances.measures(one.errors, one.ranks, one.scores),
        config=config,
    )
    views, values = sys.modules[__name__], {"study": study, "every": every, "config": config}
    values["fits"] = fits_of(every.scores)
    return written("study.md.j2", views, STATISTICS, **values)


def of_figure(figure: str, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the scores that a figure draws."""
    return table[table["method"].isin(drawn(figure, table["method"]))]


def in_short(study: Study) -> View:
    """Of the paper's scores and the evidence: from which size they rank the true structure first,
    what they rank first at one size, and how far they are from the evidence there.
    """
    ranks, held = study.one.ranks, study.every.claims_held
    sizes = sorted(set(ranks["n"]))
    by_limit = of_distances.sizes_by_limit(of_distances.vb_limits(ranks))
    of_paper = study.at_n[study.at_n["method"].isin(IN_SHORT)]
    best = at_one_size.best_structures(of_paper)["best"]
    told = (held["claim"] == of_claims.VB_BEFORE_BIC) | (held["source"] == sources.OURS)
    found = {
        "span": " to ".join(map(str, dict.fromkeys(sizes[:1] + sizes[-1:]))) if study.truth else "",
        **_first(ranks),
        "limits": {what: len(sizes) for what, sizes in by_limit.items()},
        "best": {s: list(map(label, best.index[best == s])) for s in best.unique()},
        **_distances_in_short(study),
        "claims": len(study.claims),
        "sources": list(dict.fromkeys(c.source.partition(",")[0] for c in study.claims)),
        "counts": of_claims.counts(study.claims) if study.claims else None,
        "over_draws": list(held[told & (held["draws"] > 0)].head(3).itertuples()),
    }
    return found if any(found.values()) else None


def _first(ranks: pd.DataFrame) -> dict[str, Any]:
    """From which size the evidence and the paper's scores rank the true structure first."""
    starts = {m: n for m, n in sizes_for_good(ranks).items() if m in IN_SHORT}
    if not starts:
        return {"last": None, "evidence": None, "found": [], "never": {}}
    wide = rank_by_size(ranks)
    last, evidence = wide.index[-1], None
    if "reference" in starts:
        good, first = starts.pop("reference"), wide.index[wide["reference"] == 1]
        evidence = {"start": good, "before": [str(n) for n in first if not good or n < good]}
    low, high = (rank_by_size(ranks, end) for end in ("rank_low", "rank_high"))
    ends = {m: (low.loc[n, m], high.loc[n, m]) for m, n in starts.items() if n}
    found = [
        f"{label(m)} at {starts[m]} cases"
        + (f" (ranks {a:g} to {b:g} under Monte Carlo error)" if a < b else "")
        for m, (a, b) in ends.items()
    ]
    never = {label(m): place(wide.loc[last, m]) for m, n in starts.items() if not n}
    return {"last": last, "evidence": evidence, "found": found, "never": never}


def _distances_in_short(study: Study) -> dict[str, Any]:
    """Mean distances from the evidence at the size nearest to ``n``."""
    distances = study.distances[BY_ERROR]
    shown = [m for m in BEST_FIRST if m in distances]
    if not shown:
        return {"distances": []}
    n = nearest_size(distances.index, study.n)
    # empirical Bayes chooses a prior for each structure: it has another evidence
    of_one = distances.drop(columns="vb_eb", errors="ignore")
    first, second = (of_distances.nearest(d, sampling=False)[n] for d in (distances, of_one))
    near = f"{label(first)} is nearest ({distances.loc[n, first]:.2f})" if first else ""
    if second != first and second:
        near += f", with a prior for each structure, then {label(second)} "
        near += f"({distances.loc[n, second]:.2f})"
    told = [f"{label(m)} {distances.loc[n, m]:.2f}" for m in shown]
    return {"near_n": n, "distances": told, "nearest": near}


def claim_by_claim(study: Study) -> View:
    """The claims, and in how many draws of another study each of them holds."""
    if not study.claims:
        return None
    held = study.every.claims_held
    claims, of_ais = by_ais(study.claims)
    same_starts = study.config.get("restarts", {}).get("vb", {}).get("same_starts", False)
    return {
        "claims": claims,
        "of_ais": of_ais,
        "words": " ".join(f"{c.claim} {c.paper}" for c in study.claims),
        "held": {(r.claim, r.ais): r for r in held.itertuples()},
        "many": int((held["draws"] + held["undecided"]).max()) if len(held) else 0,
        "other_starts": not same_starts and any("VB" in claim.claim for claim in study.claims),
        "place_of_starts": sources.SAME_STARTS,
        "ours": [r for r in held.itertuples() if r.source == sources.OURS and r.draws],
    }


def below_n(study: Study) -> View:
    """AIS, VB and BIC against each other at sizes below the paper's."""
    small = study.one.ranks[study.one.ranks["n"] < PAPER.n]
    methods = [m for m in BEST_FIRST if m in set(small["method"])]
    if len(methods) < 2:
        return None
    return {"n": PAPER.n, "wins": pairwise_wins(small, methods)}


def ais_vb_and_bic_against_the_evidence(study: Study) -> View:
    """Three measures of the distance from the evidence."""
    distances = study.distances
    methods = [m for m in BEST_FIRST if m in distances[BY_ERROR]]
    if not methods:
        return None
    names = dict(zip(of_distances.MEASURES, ("error", "rank_off", "order"), strict=True))
    sizes = distances[BY_ERROR].index
    shown = {
        name: distances[what].reindex(index=sizes)[[m for m in methods if m in distances[what]]]
        for what, name in names.items()
    }
    named = {name: distances[what] for what, name in names.items()}
    return shown | {
        "columns": 1 + sum(map(len, map(list, shown.values()))),
        "nearer": {(a, b): of_distances.nearer(named, a, b) for a, b in pairwise(methods)},
        "in_order": of_distances.sizes_in_order(distances, methods) if len(methods) > 1 else {},
        "best_first": ", then ".join(map(label, methods)),
    }


def how_far_is_each_score_from_the_evidence(study: Study) -> View:
    """Errors of the true structure, and the steps from which annealing is near the reference."""
    one = study.one
    errors = of_figure("tightness", one.errors[one.errors["structure"] == study.truth])
    steps = annealing.reached(one.annealing, one.scores)
    if errors.empty and not steps:
        return None
    error, noise = (method_columns(errors, column) for column in ("error_nats", "standard_error"))
    return {"error": error, "noise": noise, "reached": steps, "near": round(annealing.REACHED)}


def vb_against_bic_as_n_grows(study: Study) -> View:
    """VB minus BIC by size, and its growth."""
    scores, truth = study.one.scores, study.truth
    others = ("bic", "bic_dim")
    gaps = {m: differences.difference_by_size(scores, truth, m) for m in others}
    gaps = {m: by_size for m, by_size in gaps.items() if len(by_size)}
    if not gaps:
        return None
    sizes = sorted(set().union(*(by_size.index for by_size in gaps.values())))
    growth = {m: differences.growth_in_short(scores, truth, m) for m in gaps}
    return {
        "sizes": sizes,
        "differences": {m: by_size.reindex(sizes) for m, by_size in gaps.items()},
        "growth": {m: found for m, found in growth.items() if found},
    }


def by_class_of_equal_distributions(study: Study) -> View:
    """The rank and the posterior mass of the true structure's class."""
    one, structures, truth = study.one, study.every.structures, study.truth
    if one.classes.empty or one.posterior.empty or structures.empty or truth is None:
        return None
    known = posterior.class_counts(structures, truth)
    # under a prior uniform over structures, the mass of a class of one is the structure's
    priors = ("probability", "equal_classes") if known["others"] else ("equal_classes",)
    shown = [
        (posterior.classes_as_posterior(one.classes, prior), known["of_truth"]) for prior in priors
    ]
    starts = [posterior.mass_from(*of) for of in shown]
    ranks = one.ranks[one.ranks["method"].isin(posterior.BELIEVED)]
    return {
        "counts": known,
        "ranks": ranks,
        "first": {m: start(n) for m, n in sizes_for_good(ranks, "class_rank").items()},
        "masses": [posterior.mass(*of) for of in shown],
        "over": {
            m: " / ".join(start(of[m]) if m in of else "none" for of in starts)
            for m in {m: None for of in starts for m in of}
        },
        "share": posterior.SHARE,
    }


def the_reference_itself(study: Study) -> View:
    """The reference of all draws against exact evidence, its targets and lower bounds."""
    known = study.every.scores[study.every.scores["score"].notna()]
    reference = known[known["method"] == "reference"]
    if reference.empty:
        return None
    settings = JOB.defaults() | study.config.get("reference", {})
    missed = evidence_checks.missed_targets(known, settings["target"])
    exact_ratios = evidence_checks.exact_ratios(known)
    return {
        "exact_ratios": exact_ratios,
        "wrong": [f"{structure} at n = {n}" for structure, n in exact_ratios["wrong"]],
        "targets": {n: times * settings["target"] for n, times in LOOSER.items()},
        "missed": pairs(
            missed, reference, lambda r: f" ({number(r.standard_error, '.2f') or 'none'})"
        ),
        "pairs": len(reference),
        "above": evidence_checks.bounds_above_reference(study.every.errors),
        "sure": of_errors.SURE,
    }


def two_methods_for_the_evidence(study: Study) -> View:
    """Tempered SMC against the reference, over all draws."""
    both = of_evidence.compared(study.every.scores)
    if both.empty:
        return None
    far, of = of_evidence.disagreements(both).reset_index(), both.reset_index()
    return {
        "agreement": of_evidence.agreement(both),
        "pairs": len(both),
        "mean_square": root_mean_square(both["z"]),
        "far": pairs(far, of, lambda r: f" ({r.difference:+.2f} ± {r.error:.2f} nats)"),
        "beyond": number(of_evidence.FAR, "g"),
        "runs": of_evidence.RUNS,
        "spread": round(of_evidence.SPREAD),
    }


def bounds_on_both_sides(study: Study) -> View:
    """The gaps between the bounds of all draws, of the true structure and of others."""
    sandwich = study.every.sandwich
    if sandwich.empty:
        return None
    gaps = evidence_checks.sandwich_gaps(sandwich, study.truth)

    def names(rows: pd.DataFrame) -> list[str]:
        return pairs(rows, sandwich, lambda r: f" ({plus_minus(r.gap, r.error)} nats)")

    groups = []
    for of_truth in (True, False):
        own = gaps[gaps["of_truth"] == of_truth]
        if len(own):
            (largest,) = names(own[own["largest"]])
            wide, crossed = names(own[own["wide"]]), names(own[own["crossed"]])
            found = {"pairs": len(own), "largest": largest, "wide": wide, "crossed": crossed}
            groups.append((of_truth, found))
    return {"groups": groups, "wide": round(evidence_checks.WIDE), "sure": of_errors.SURE}


def variants_of_the_scores(study: Study) -> View:
    """Differences of ranks and of scores between variants of a score."""
    gaps = {
        (a, b): (
            differences.rank_gaps(study.one.ranks, a, b),
            differences.score_gaps(study.one.scores, a, b),
        )
        for a, b in differences.VARIANTS
    }
    gaps = {variants: found for variants, found in gaps.items() if any(found)}
    return {"gaps": gaps} if gaps else None
