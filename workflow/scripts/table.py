"""Tables of statistics of one draw or of one's own data, by a function for each rule."""

from collections.abc import Iterator

import pandas as pd

from latentdag.ranking.prior import log_prior
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.one_draw.reliability_counts import reliability_counts
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.one_draw.worth import worths
from latentdag.study.own_data.marginals import causes, links, marginals_by_alpha
from latentdag.study.paper.beal_ghahramani import claims_of_draw
from latentdag.study.paper.timing import timing
from latentdag.study.schema import tables
from latentdag.study.schema.candidates import variable_names
from latentdag.study.schema.evidence import evidence, join_evidence, read_with_evidence
from latentdag.study.schema.frames import in_order
from lib.files import families_of, read_structures
from lib.job import step

Tables = dict[str, pd.DataFrame]


def read(given, *names: str) -> Iterator[pd.DataFrame]:
    """The tables of these names; of several files, their rows under each other."""
    for name in names:
        paths = [given[name]] if isinstance(given[name], str) else given[name]
        yield pd.concat([tables.read(path, name) for path in paths], ignore_index=True)


def table_ranks(given, p) -> Tables:
    """The ranks of the true structure, and of its class, by every score."""
    scores = read_with_evidence(given.scores, given.get("evidence"))
    return {"ranks": ranks(scores, p.true_structure, p.seed, *read(given, "structures"))}


def table_timing(given, p) -> Tables:
    """Running times of the scoring jobs of one draw, with the paper's."""
    (seconds,) = read(given, "seconds")
    return {"timing": timing(seconds.groupby(["job", "n"])["seconds"].sum().to_dict())}


def table_errors(given, p) -> Tables:
    """How wrong each score is by the evidence, and what posterior it implies, over structures and
    over their classes.
    """
    scores = read_with_evidence(given.scores, given.get("evidence"))
    prior = None
    if p.equally_probable:
        known, families = read_structures(given.structures, p.model), families_of(p.model)
        values = log_prior(list(known.values()), families, p.equally_probable)
        prior = pd.Series(values, index=list(known))
    return {
        "errors": errors(scores),
        "posterior": posterior(scores, prior),
        "classes": classes(scores, *read(given, "structures"), prior),
    }


def table_marginals(given, p) -> Tables:
    """The posterior of the causes, and of pairs of observed variables that share one."""
    known = read_structures(given.structures, p.model)
    believed, variables = read(given, "posterior", "variables")
    names = variable_names(variables)
    return {"causes": causes(believed, known), "links": links(believed, known, names)}


def table_alpha(given, p) -> Tables:
    """The same under several strengths of the prior."""
    found = marginals_by_alpha(
        *read(given, "prior", "posterior", "scores"),
        methods=p.methods,
        alpha=p.model["alpha"],
        alpha_hidden=p.model["alpha_hidden"],
        known=read_structures(given.structures, p.model),
        names=variable_names(*read(given, "variables")),
    )
    return {"alpha": found}


def table_verdicts_of_draw(given, p) -> Tables:
    """The rank of the true structure of one draw by each score, the structure that it picks and its
    cost, how often its probabilities came true; which claims of the paper hold; and, with a
    reference, what each score is worth.
    """
    scores, truth, structures = read(given, "scores", "truth", "structures")
    scores = in_order(scores)
    known = join_evidence(scores, evidence(scores))
    return {
        "scores": scores,
        "worths": worths(known, structures, p.true_structure, p.seed),
        "verdicts": verdicts(known, structures, p.true_structure, truth, p.seed),
        "reliability_counts": reliability_counts(known, structures, p.true_structure),
        "claims": claims_of_draw(known, structures, p.true_structure, p.seed),
    }


STATISTICS = {  # by an output
    "ranks": table_ranks,
    "timing": table_timing,
    "errors": table_errors,
    "causes": table_marginals,
    "alpha": table_alpha,
    "verdicts": table_verdicts_of_draw,
}


@step
def main(given, output, params):
    # the rule may have another name, in a workflow that uses this one as a module
    (name,) = STATISTICS.keys() & set(output.keys())
    return STATISTICS[name](given, params)
