"""The summary of a study of one's own data: what the scores say of the structures, as Markdown,
from the tables alone.

Each section is a file of `latentdag.report.data`, named after its title, and names the statistics
that it shows, which are in `latentdag.study`.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from latentdag.model.parameters import Prior
from latentdag.report import fits, without_a_score
from latentdag.report.data import (
    best_by_each_score,
    common_causes,
    comparison_with_another_column,
    comparison_with_published_results,
    fitted_parameters,
    how_far_from_the_evidence,
    how_many_causes,
    how_well_they_fit,
    in_short,
    posterior_over_classes,
    posterior_over_structures,
    sensitivity_to_the_prior,
    states_of_the_cases,
    the_data,
    the_search,
)
from latentdag.report.markdown import label, listing, settings
from latentdag.search.trust import most_trusted
from latentdag.study.own_data.fitted import shown_scores
from latentdag.study.own_data.marginals import most_probable
from latentdag.study.schema.candidates import by_name, classes_by_name, variable_names
from latentdag.study.schema.frames import by_method

LEFT_OUT = (
    "The tables of this page leave out {scores}. The CSV files have them. To show a score "
    "here, name it in `methods` of your configuration file."
)


def write_data_summary(
    config: Mapping,
    observed: Sequence[int],
    *,
    scores: pd.DataFrame,
    structures: pd.DataFrame,
    posterior: pd.DataFrame,
    classes: pd.DataFrame,
    causes: pd.DataFrame,
    links: pd.DataFrame,
    variables: pd.DataFrame,
    parameters: pd.DataFrame,
    membership: pd.DataFrame,
    fit: pd.DataFrame,
    residuals: pd.DataFrame,
    errors: pd.DataFrame,
    beside: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    alpha: pd.DataFrame | None = None,
    main_alpha: float = Prior.alpha,
    search: pd.DataFrame | None = None,
    asked: Sequence[str] = (),
) -> str:
    """The summary in Markdown, from the tables of a study with ``data`` and the cardinalities of
    its ``observed`` variables; ``beside`` and ``published`` where a column or latent class models
    are compared with; ``alpha`` where other strengths of the prior than ``main_alpha`` are tried;
    ``search`` where structures were searched. Scores that no figure of ranks shows are left out
    unless they are ``asked`` for; the tables have them.

    Of ``config`` the keys ``data.file`` and ``equally_probable`` are read; all keys are listed.
    """
    names = variable_names(variables)
    known = by_name(structures, observed)
    of_classes = classes_by_name(structures, observed)
    every = by_method(posterior, "probability", "structure")
    mass = every[most_trusted(every)]
    prior = config["equally_probable"]
    ran, shown = scores, shown_scores(every, mass.name, asked)
    left_out = [label(m) for m in every if m not in shown]
    masses = every[shown]
    scores, posterior, classes, causes, links, errors = (
        t[t["method"].isin(shown)] for t in (scores, posterior, classes, causes, links, errors)
    )
    hidden = list(dict.fromkeys((structures if search is None else search)["hidden"]))
    (best,) = most_probable(masses, mass.name, 1).index
    sections = [
        [f"# What the scores say of {config['data']['file']}"],
        how_well_they_fit.rejected(fit, best),
        in_short.section(
            masses,
            mass.name,
            scores,
            posterior,
            causes,
            links,
            fit,
            parameters,
            membership,
            known,
            names,
            prior,
        ),
        [LEFT_OUT.format(scores=listing(left_out))] if left_out else [],
        the_data.section(variables, scores["n"].iloc[0], hidden, prior),
        the_search.section(search, observed),
        best_by_each_score.section(scores, posterior, prior),
        posterior_over_structures.section(masses, mass.name, structures, known, names),
        posterior_over_classes.section(classes, mass.name, structures, of_classes, names, prior),
        how_many_causes.section(causes, mass.name, hidden),
        common_causes.section(links, mass.name, names),
        sensitivity_to_the_prior.section(alpha, main_alpha),
        how_well_they_fit.section(fit, residuals, scores["n"].iloc[0]),
        states_of_the_cases.section(parameters, membership),
        comparison_with_another_column.section(beside),
        comparison_with_published_results.section(published),
        fitted_parameters.section(parameters, best),
        how_far_from_the_evidence.section(errors),
        without_a_score.section(ran),
        fits.section(ran),
        [settings(config)],
    ]
    return "\n\n".join(paragraph for section in sections for paragraph in section) + "\n"
