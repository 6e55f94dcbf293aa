"""The summary of a population of draws: what many draws show about the question of the
paper, as Markdown, from the tables alone.

Each section is a file of `latentdag.report.population`, named after its title, and names the
statistics that it shows, which are in `latentdag.study`.
"""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import settings
from latentdag.report.population import calibration as of_calibration
from latentdag.report.population import (
    errors_over_draws,
    first_from_n_on,
    how_many_cases,
    how_often_first,
    in_short,
    prediction,
    probability_of_the_truth,
    ranks_over_draws,
    regret,
    reliability_of_the_probabilities,
    side_by_side,
    the_claims_draw_by_draw,
    the_draws,
)
from latentdag.study.paper.numbers import PAPER


def write_population_summary(
    config: Mapping,
    *,
    design: pd.DataFrame,
    structures: pd.DataFrame,
    verdicts: pd.DataFrame,
    population: pd.DataFrame,
    found: pd.DataFrame,
    found_share: pd.DataFrame,
    comparisons: pd.DataFrame,
    reliability: pd.DataFrame,
    claims_held: pd.DataFrame | None = None,
    calibration: pd.DataFrame | None = None,
    cases_needed: pd.DataFrame | None = None,
) -> str:
    """The summary in Markdown, from the tables of a population of draws.

    ``calibration`` is given where the truths are drawn uniformly from the structures,
    ``claims_held`` where all have one: the paper's claims are about one structure;
    ``cases_needed`` where there is an evidence. Of
    ``config`` the key ``n`` is read, the size of figures (the paper's if absent); all are listed.
    """
    sections = [
        ["# What many draws show"],
        in_short.section(design, population, found_share, comparisons, calibration),
        the_draws.section(design, population, structures),
        how_many_cases.section(cases_needed),
        first_from_n_on.section(found, found_share, design),
        side_by_side.section(comparisons),
        [] if claims_held is None else the_claims_draw_by_draw.section(claims_held),
        how_often_first.section(population),
        ranks_over_draws.section(population),
        probability_of_the_truth.section(population),
        errors_over_draws.section(population),
        regret.section(population),
        prediction.section(population, verdicts),
        [] if calibration is None else of_calibration.section(calibration),
        reliability_of_the_probabilities.section(reliability, int(config.get("n", PAPER.n))),
        [settings(config)] if config else [],
    ]
    return "\n\n".join(paragraph for section in sections for paragraph in section) + "\n"
