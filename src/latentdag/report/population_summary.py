"""The summary of a population of draws: what many draws say of the paper's question, as Markdown,
from the tables alone.

Each section is a file of `latentdag.report.population`, named after its title, and names the
statistics that it shows, which are in `latentdag.study`.
"""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import settings
from latentdag.report.population import calibration as of_calibration
from latentdag.report.population import (
    errors_over_draws,
    found_for_good,
    how_often_first,
    prediction,
    probability_of_the_truth,
    ranks_over_draws,
    regret,
    side_by_side,
    the_draws,
    the_papers_claims_draw_by_draw,
    whether_probabilities_come_true,
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
) -> str:
    """The summary in Markdown, from the tables of a population of draws.

    ``calibration`` is given where the truths are drawn uniformly from the structures,
    ``claims_held`` where all have one: the paper's claims are about one structure. Of
    ``config`` the key ``n`` is read, the size of figures (the paper's if absent); all are listed.
    """
    sections = [
        ["# What many draws say"],
        the_draws.section(design, population, structures),
        found_for_good.section(found, found_share, design),
        side_by_side.section(comparisons),
        [] if claims_held is None else the_papers_claims_draw_by_draw.section(claims_held),
        how_often_first.section(population),
        ranks_over_draws.section(population),
        probability_of_the_truth.section(population),
        errors_over_draws.section(population),
        regret.section(population),
        prediction.section(population, verdicts),
        [] if calibration is None else of_calibration.section(calibration),
        whether_probabilities_come_true.section(reliability, int(config.get("n", PAPER.n))),
        [settings(config)] if config else [],
    ]
    return "\n\n".join(paragraph for section in sections for paragraph in section) + "\n"
