"""The summary of a study: every claim of the paper beside what the tables of this run say, as
Markdown.

Nothing that is said of the run is written here beforehand: it is computed from the tables. Each
section is a file of `latentdag.report.study`, named after its title, and names the statistics that
it shows, which are in `latentdag.study`; what the paper says is in `latentdag.study.paper.numbers`.
"""

from collections.abc import Mapping
from types import SimpleNamespace

import pandas as pd

from latentdag.report import fits, without_a_score
from latentdag.report.markdown import counted, label, settings
from latentdag.report.study import (
    accuracy_of_each_score,
    ais_vb_and_bic_against_the_evidence,
    all_draws,
    all_structures,
    annealing_of_the_true_structure,
    below_the_papers_size,
    bounds_on_both_sides,
    by_class_of_equal_distributions,
    chickering_and_heckerman,
    claim_by_claim,
    computation_time,
    exact_evidence,
    how_far_from_the_evidence,
    how_much_of_vbs_error_is_ln_m,
    in_short,
    is_vbs_rank_limited,
    posterior_mass,
    ranks_of_the_true_structure,
    the_reference_itself,
    two_methods_for_the_evidence,
    variants_of_the_scores,
    vb_against_bic_as_n_grows,
    where_the_scores_fail,
    why_vb_lies_below_the_evidence,
)
from latentdag.study.one_draw.annealing import claimed_levels
from latentdag.study.one_draw.distances import measures
from latentdag.study.paper.beal_ghahramani import all_claims
from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.evidence import with_evidence


def write_summary(config: Mapping, **tables: pd.DataFrame) -> str:
    """The summary in Markdown, from the study's ``tables`` by their names; what is absent or empty
    is left out. Raises TypeError for a table that no study has.

    ``claims_held`` is that of another run, over many draws: it goes beside this run's claims.
    Of ``config`` these keys are read, and all keys are listed: ``n`` (the size of figures 1 and 2
    right, the paper's if absent), ``draw`` (the headline one, the first if absent) and
    ``true_structure`` (only if ``structures`` is absent); ``reference``, with its ``target``;
    ``ais``, with its number of ``chains``; ``restarts``, with ``vb.same_starts``; and ``design``,
    where it says how the draw was chosen.
    """
    if unknown := set(tables) - set(TABLES):
        raise TypeError(f"no study has the table {', '.join(sorted(unknown))}")
    n, chains = int(config.get("n", PAPER.n)), int(config.get("ais", {}).get("chains", 1))
    same_starts = config.get("restarts", {}).get("vb", {}).get("same_starts", False)
    tables = {name: pd.DataFrame(columns=t.columns) for name, t in TABLES.items()} | tables
    every = SimpleNamespace(**tables)  # draw; and of the headline one:
    first = min({*every.ranks["draw"], *every.scores["draw"]}, default=0)
    draw = int(config.get("draw", first))
    one = SimpleNamespace(**{k: t[t["draw"] == draw] for k, t in tables.items() if "draw" in t})
    is_true = every.structures["is_true"].astype(bool)
    truth = next(iter(every.structures.loc[is_true, "structure"]), config.get("true_structure"))
    one.scores = with_evidence(one.scores, one.evidence)
    at_n = one.scores[one.scores["n"] == n]
    levels = claimed_levels(one.annealing, one.scores)
    distances = measures(one.errors, one.ranks, one.scores)

    claims = all_claims(
        one.scores,
        one.ranks,
        truth,
        n,
        annealing=one.annealing,
        times=every.timing,
        chains=chains,
        steps=every.benchmark,
        pruned=every.pruned_states,
    )
    sections = [
        ["# What the paper says, and what this run found"],
        in_short.section(one.ranks, one.errors, at_n, claims, every.claims_held, n, truth),
        _preamble(every, draw, config.get("design")),
        claim_by_claim.section(claims, every.claims_held, same_starts),
        accuracy_of_each_score.section(one.errors, one.ranks, distances),
        where_the_scores_fail.section(one.errors, every.structures, truth),
        ranks_of_the_true_structure.section(one.ranks),
        below_the_papers_size.section(one.ranks),
        all_structures.section(at_n, n, truth),
        annealing_of_the_true_structure.section(one.annealing, levels),
        computation_time.section(every.timing, chains),
        ais_vb_and_bic_against_the_evidence.section(distances),
        is_vbs_rank_limited.section(one.ranks),
        how_far_from_the_evidence.section(one.errors, one.annealing, one.scores, truth),
        how_much_of_vbs_error_is_ln_m.section(one.scores),
        why_vb_lies_below_the_evidence.section(one.scores),
        vb_against_bic_as_n_grows.section(one.scores, truth),
        posterior_mass.section(one.posterior, truth),
        by_class_of_equal_distributions.section(
            one.ranks, one.posterior, one.classes, every.structures, truth
        ),
        chickering_and_heckerman.section(
            one.posterior, one.ranks, one.scores, one.errors, one.prior, every.cost
        ),
        the_reference_itself.section(every.scores, every.errors, config),
        two_methods_for_the_evidence.section(every.scores),
        bounds_on_both_sides.section(every.sandwich, truth),
        variants_of_the_scores.section(one.ranks, one.scores),
        all_draws.section(every.ranks),
        exact_evidence.section(every.scores),
        without_a_score.section(every.scores),
        fits.section(every.scores),
        [settings(config)] if config else [],
    ]
    return "\n\n".join(paragraph for section in sections for paragraph in section) + "\n"


def _preamble(tables: SimpleNamespace, draw: int, design: str | Mapping | None) -> list[str]:
    draws = max(len(set(table["draw"])) for table in (tables.ranks, tables.scores))
    words = (
        "The paper is Beal & Ghahramani (2003). Scores are natural logarithms, in nats. The "
        "*reference* is a Monte Carlo estimate of the evidence, p(y given structure). A label such "
        "as 1-12-12-2 lists the causes of each observed variable. LR is a correction by linear "
        "response. `latentdag score --help` defines all scores. The paper "
        "does not publish the parameters behind its data. Its ranks and sizes come from one draw "
        "of parameters and data, and the ranks here from another draw. This alone may explain a "
        "difference."
    )
    if draws > 1:
        words += (
            f" This summary is about draw {draw}, which was chosen before any result was seen. A "
            f"section near the end has the quantiles over all {counted(draws, 'draw')}."
        )
    elif isinstance(design, Mapping):
        sizes = " and ".join(f"{n} for {label(m)}" for m, n in design["nearest"].items())
        words += (
            f" This study has one draw (draw {draw}), which was chosen for its results: in "
            f"{design['population']}, the sizes from which on the scores rank its true structure "
            f"first are the nearest to {sizes}."
        )
    elif design is None:
        words += (
            f" This study has one draw (draw {draw}), which was chosen before any result was seen."
        )
    return [words]
