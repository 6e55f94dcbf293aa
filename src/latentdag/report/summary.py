"""The page of a study of simulated data, with the claims of the paper. The words are in
``templates/study.md.j2``.
"""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.engine.significance import FAR
from latentdag.report import markdown as md
from latentdag.scores import present
from latentdag.scores.reference import JOB, LOOSER
from latentdag.study.one_draw import at_one_size, errors, evidence_checks
from latentdag.study.one_draw.ranks import rank_by_size
from latentdag.study.one_draw.sizes import nearest_size, sizes_for_good
from latentdag.study.paper import claims as of_claims
from latentdag.study.paper import sources
from latentdag.study.paper.beal_ghahramani import all_claims
from latentdag.study.paper.numbers import BEST_FIRST, PAPER
from latentdag.study.paper.runs import AIS_CHAINS, PAPERS
from latentdag.study.schema import evidence as of_evidence
from latentdag.study.schema.frames import root_mean_square
from latentdag.study.schema.words import label, listing, number, place, plus_minus

# the paper's scores, and the evidence
IN_SHORT = ("map", "bic", "vb", "ais_single", "ais", "reference")
Study = SimpleNamespace  # what the views pick from: `write_summary` says what


def write_summary(config: Mapping, **tables: pd.DataFrame) -> str:
    """The page in Markdown, from the study's ``tables`` by their names; what is absent or empty is
    left out. Raises TypeError for a table that no study has.

    ``claims_held`` is that of another run, over many draws of the paper's structure: it goes next
    to this run's claims, but for claims about AIS where the two have different numbers of chains.
    Of ``config`` these keys are read: ``n`` (the size of figures 1 and 2 right, the paper's if
    absent), ``draw`` (the headline one, the first if absent), ``reference`` with its ``target``,
    ``ais`` with ``chains``, ``restarts`` with ``vb.same_starts``, and ``design``, where it says how
    draws are chosen.
    """
    every = md.by_name(tables)
    draws = {*every.ranks["draw"], *every.scores["draw"]}
    draw = int(config.get("draw", min(draws, default=0)))
    of_draw = {k: t[t["draw"] == draw] for k, t in vars(every).items() if "draw" in t}
    one = SimpleNamespace(**of_draw)
    one.scores = of_evidence.join_evidence(one.scores, one.evidence)
    is_true = every.structures["is_true"].astype(bool)
    truth = next(iter(every.structures.loc[is_true, "structure"]), None)
    n, chains = int(config.get("n", PAPER.n)), int(config.get("ais", {}).get("chains", 1))
    others = {"annealing": one.annealing, "times": every.timing, "chains": chains}
    others |= {"steps": every.benchmark, "pruned": every.pruned_states}
    study = Study(
        every=every,  # the tables of all draws by name
        one=one,  # of the headline draw; the reference's scores are the evidence there
        draw=draw,
        n=n,  # cases of the paper's figures
        truth=truth,  # None where it is not known
        methods=present({m for t in (one.scores, one.ranks, one.errors) for m in t["method"]}),
        chains=chains,  # of AIS
        claims=all_claims(one.scores, one.ranks, truth, n, **others),
        error=errors.mean_absolute(one.errors),  # n by method, nats
        config=config,
    )
    return md.written(
        "study.md.j2",
        draw=draw,
        n=n,
        truth=truth,
        methods=study.methods,
        design=config.get("design"),
        answer=answer(study),
        claims=claims(study),
        scores=scores_by_size(study),
        evidence=evidence(study),
        fits=md.fits_of(every.scores) if len(every.scores) else None,
    )


def answer(study: Study) -> md.View:
    """Values for the template, a dict, from the ``study`` of `write_summary`. Of the paper's scores
    and the evidence: from which size they rank the true structure first (``evidence``,
    ``first_at``, ``never``), what they rank first at one size (``best``), and in nats how far they
    are from the evidence there (``distances``); with how many of the ``claims`` the draw agrees
    (``counts``), and in how many draws of another run the scores need the paper's sizes
    (``over_draws``).
    """
    ranks, held = study.one.ranks, study.every.claims_held
    sizes = sorted(set(ranks["n"]))
    of_paper = study.one.scores[study.one.scores["method"].isin(IN_SHORT)]
    best = at_one_size.best_structures(of_paper[of_paper["n"] == study.n])["best"]
    ours = held[(held["source"] == sources.OURS) & (held["draws"] > 0)]
    at_papers_sizes = ours[ours["ais"].fillna("") == ""]
    return {
        "sizes": list(dict.fromkeys(sizes[:1] + sizes[-1:])) if study.truth else [],
        **_first(study),
        "best": [
            f"{s} by {listing([_with_chains(study, m) for m in best.index[best == s]])}"
            for s in best.unique()
        ],
        **_distances(study),
        "claims": len(_listed(study)),
        "counts": of_claims.counts(_listed(study)) if study.claims else None,
        "over_draws": [(r.claim, md.holds_in(r)) for r in at_papers_sizes.head(2).itertuples()],
    }


def _with_chains(study: Study, method: str) -> str:
    """The label of a score; of AIS with its number of chains, where it is not the paper's."""
    if method == "ais_single":
        return f"{label('ais')} with one chain"
    chains = f" with {study.chains} chains" if method == "ais" and study.chains > 1 else ""
    return label(method) + chains


def _first(study: Study) -> dict[str, Any]:
    """From which size the evidence and the paper's scores rank the true structure first."""
    ranks = study.one.ranks
    starts = {m: n for m, n in sizes_for_good(ranks).items() if m in IN_SHORT}
    wide, last, evidence = rank_by_size(ranks), max(ranks["n"], default=None), None
    high = rank_by_size(ranks, "rank_high")
    if "reference" in starts:
        good, first = starts.pop("reference"), wide.index[wide["reference"] == 1]
        evidence = {"start": good, "before": [str(n) for n in first if not good or n < good]}
    first_at, never = [], {}
    for m, n in starts.items():
        if not n:
            never[_with_chains(study, m)] = place(wide.loc[last, m])
            continue
        words = f"{_with_chains(study, m)} at {n} cases"
        if high.loc[n, m] > 1:
            words += f" (rank 1 to {high.loc[n, m]:g} under Monte Carlo error)"
        first_at.append(words)
    return {"last": last, "evidence": evidence, "first_at": first_at, "never": never}


def _distances(study: Study) -> dict[str, Any]:
    """Mean distances from the evidence at the size nearest to ``n``: those of the paper's scores,
    and of the nearest score without sampling. Empirical Bayes chooses a prior for each structure,
    so that its evidence is another: it is no rival.
    """
    distances = study.error
    methods = [m for m in ("ais", "ais_single", *BEST_FIRST[1:]) if m in distances]
    if not methods:
        return {"distances": []}
    n = nearest_size(distances.index, study.n)
    rivals = distances.drop(columns="vb_eb", errors="ignore")
    first = errors.nearest_without_sampling(rivals.loc[n])
    return {
        "near_n": n,
        "distances": [
            f"{_with_chains(study, m)} {number(distances.loc[n, m], '.2f')}" for m in methods
        ],
        "nearest": (label(first), distances.loc[n, first]) if first else None,
    }


def _listed(study: Study) -> list[of_claims.Claim]:
    """Each claim once: of several scores that play AIS, as the main one has it."""
    kinds = list(dict.fromkeys(c.ais for c in study.claims if c.ais))
    main = "ais" if "ais" in kinds else next(iter(kinds), "")
    return [claim for claim in study.claims if claim.ais in ("", main)]


def claims(study: Study) -> md.View:
    """Values for the template, a dict, from the ``study`` of `write_summary`: the claims with their
    verdicts, as ``by_place``: by source and section a list of (`Claim`, in how many draws of
    another run it holds, in words or "", its sentence). Of several scores that play AIS it has the
    main one's; ``of_ais`` is a table (``header``, ``rows``) of the verdicts that differ, or None.
    Beside them ``definitions``, the number of ``draws`` of the other run, and what the page says of
    ``chains`` and ``starts``. None without claims.
    """
    if not study.claims:
        return None
    held = study.every.claims_held
    of_draws = {(r.claim, r.ais): r for r in held.itertuples()}
    other_chains = study.chains != AIS_CHAINS[PAPERS] and len(held) > 0
    of_ais = md.by_ais(
        study.claims, lambda c: c.verdict, lambda rows: len({c.verdict for c in rows}) > 1
    )
    same_starts = study.config.get("restarts", {}).get("vb", {}).get("same_starts", False)

    def over_draws(claim: of_claims.Claim) -> str:
        row = of_draws.get((claim.claim, claim.ais))
        return "" if row is None or (claim.ais and other_chains) else md.holds_in(row)

    return {
        "by_place": _by_place([(claim, over_draws(claim)) for claim in _listed(study)]),
        "of_ais": of_ais,
        "definitions": list(dict.fromkeys(d for c in study.claims for d in c.definitions)),
        "draws": int((held["draws"] + held["undecided"]).max()) if len(held) else 0,
        "chains": study.chains if other_chains else None,
        "chains_of_draws": AIS_CHAINS[PAPERS],
        "starts": None if same_starts else sources.SAME_STARTS,
    }


def _by_place(rows: list[tuple[of_claims.Claim, str]]) -> dict[str, list]:
    """Claims with their draws and their sentence, by the source and its section."""
    by_section: dict[str, list] = {}
    for claim, draws in rows:
        section, _, sentence = claim.source.rpartition(", ")
        by_section.setdefault(section, []).append(
            (claim, draws, sentence.removeprefix("sentence "))
        )
    return by_section


def scores_by_size(study: Study) -> md.View:
    """A table, a dict of ``header`` and ``rows``, by score, from the ``study`` of `write_summary`:
    the mean absolute error in nats at three sizes, the order of the structures at one; the rank of
    the true structure at two, and the size from which it is first. Without columns that no score
    fills; None without sizes.
    """
    ranks, error, order = study.one.ranks, study.error, errors.order_correlation(study.one.scores)
    sizes = sorted({*ranks["n"], *error.index})
    if not sizes:
        return None
    n, last = nearest_size(sizes, study.n), sizes[-1]
    starts = sizes_for_good(ranks)
    rank, low, high = (rank_by_size(ranks, end) for end in ("rank", "rank_low", "rank_high"))
    columns = {
        f"error, n = {at}": {m: number(nats, ".2f") for m, nats in error.loc[at].items()}
        for at in sorted({sizes[0], n, last} & {*error.index})
    }
    if n in order.index:
        columns[f"order, n = {n}"] = {m: number(r, "z.3f") for m, r in order.loc[n].items()}
    for at in sorted({n, last} & {*rank.index}):
        places = zip(rank, rank.loc[at], low.loc[at], high.loc[at], strict=True)
        columns[f"rank, n = {at}"] = {m: md.place_between(*ends) for m, *ends in places}
    columns["first from n"] = {m: str(at or "never") for m, at in starts.items()}
    named = ("errors", "ranks", "posterior")
    return md.table_by_score(study.methods, columns) | {
        "errors": len(error) > 0,
        "ranks": len(ranks) > 0,
        "files": [f"`{name}.csv`" for name in named if len(getattr(study.one, name))],
    }


def evidence(study: Study) -> md.View:
    """Values for the template, a dict, from the ``study`` of `write_summary`: how far the evidence
    itself can be trusted, over all draws. The reference against ``exact`` evidence, its ``targets``
    and the ``missed`` ones, ``bounds`` that lie above it, tempered SMC (``far``), and upper bounds
    (``gaps``); differences in nats. None without the reference.
    """
    scores = study.every.scores[study.every.scores["score"].notna()]
    reference = scores[scores["method"] == "reference"]
    if reference.empty:
        return None
    settings = JOB.defaults() | study.config.get("reference", {})
    missed = evidence_checks.missed_targets(scores, settings["target"])
    exact = evidence_checks.exact_ratios(scores)
    both, sandwich = of_evidence.compared(study.every.scores), study.every.sandwich
    far, gaps = of_evidence.disagreements(both), evidence_checks.sandwich_gaps(sandwich)
    of_far = md.pairs(
        far.reset_index(), both.reset_index(), lambda r: f" ({plus_minus(r.difference, r.error)})"
    )
    above = evidence_checks.bounds_above_reference(study.every.errors)
    widest = next(gaps[gaps["largest"]].itertuples(), None)
    return {
        "pairs": len(reference),
        "exact": exact,
        "wrong": [f"{structure} at n = {n}" for structure, n in exact["wrong"]],
        "targets": [(n, times * settings["target"]) for n, times in LOOSER.items()],
        "missed": md.pairs(missed, reference),
        "bounds": (sum(above["above"]), sum(above["pairs"])),
        "compared": len(both),
        "mean_square": root_mean_square(both["z"]) if len(both) else None,
        "far": of_far,
        "beyond": FAR,
        "replaced": len(of_evidence.taken(both)),
        "gaps": len(gaps),
        "widest": widest and (plus_minus(widest.gap, widest.error), widest.structure, widest.n),
        "crossed": md.pairs(gaps[gaps["crossed"]], sandwich),
    }
