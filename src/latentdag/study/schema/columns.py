"""Every column and every table of a study, declared once: names, types, formats and meanings.

`latentdag.study.schema.tables` writes and reads by these; the report's pages and the table in the
settings' README take their words from here.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a column's cells hold; COUNT, NUMBER and FLAG may be empty: nan, or None."""

    TEXT = "text"
    INTEGER = "integer"
    COUNT = "count"  # an integer from 0, or empty; read as a float
    NUMBER = "number"
    FLAG = "flag"  # true, false or empty


@dataclass(frozen=True)
class Column:
    """A column of the tables."""

    name: str
    kind: Kind
    meaning: str  # Markdown, without a full stop at its end
    unit: str = ""
    form: str = "{:.6f}"  # of a NUMBER; 10^-6 nats is the accuracy to which a fit is converged


@dataclass(frozen=True)
class Table:
    """``order`` are the columns by which the rows of several jobs are sorted when they are joined;
    ``own`` are those columns that hold something else here than in other tables; ``of_own_data``
    are further columns, at the end, that the table has in a study of own data alone.
    """

    name: str
    content: str  # one sentence
    columns: tuple[str, ...]
    order: tuple[str, ...] = ()  # methods as in the registry
    own: tuple[Column, ...] = ()
    of_own_data: tuple[str, ...] = ()

    def columns_of(self, found: Collection[str]) -> tuple[str, ...]:
        """The columns of this table where it has those that are ``found``: with those of own data
        if it has one of them.
        """
        with_own_data = not set(self.of_own_data).isdisjoint(found)
        return self.columns + (self.of_own_data if with_own_data else ())

    def column(self, name: str) -> Column:
        """The column ``name`` as it is in this table."""
        return next((column for column in self.own if column.name == name), COLUMNS[name])


TEXT, INTEGER, COUNT, NUMBER, FLAG = Kind

COLUMNS: dict[str, Column] = {
    column.name: column
    for column in (
        Column("draw", INTEGER, "number of the draw of parameters and data, from 0"),
        Column("n", INTEGER, "number of cases"),
        Column(
            "structure",
            TEXT,
            "its label: the parents of y1..yJ, dash-separated, `0` for none; of several families "
            "with the states of its causes, as in `1-12-12-2 (2,3)`",
        ),
        Column("method", TEXT, "the score that the row is about"),
        Column("score", NUMBER, "the score; empty where the structure has none", "nats"),
        Column(
            "standard_error",
            NUMBER,
            "Monte Carlo standard error of the score, from the spread of its chains or runs; empty "
            "for a deterministic one",
            "nats",
        ),
        Column("n_parameters", INTEGER, "free parameters d, as the paper counts them"),
        Column("n_links", INTEGER, "links from hidden to observed variables"),
        Column("is_true", FLAG, "whether it is the structure that generated the data"),
        Column(
            "dimension",
            INTEGER,
            "effective dimension D: the number of directions in which the structure's "
            "distributions can vary (the generic rank of the Jacobian of the cell probabilities)",
        ),
        Column(
            "class",
            TEXT,
            "the structure that is left when hidden variables with at most one child are absorbed "
            "in its table: structures with the same one describe the same distributions",
        ),
        Column(
            "hidden",
            TEXT,
            "own data: how many states its hidden variables s1, s2, ... have; `none` without one",
        ),
        Column(
            "prior",
            NUMBER,
            "own data: p(structure) before the data, over all structures of the families, where "
            "what `equally_probable` names is",
            form="{:.12g}",
        ),
        Column("iterations", COUNT, "steps of the best restart of a fit, temperatures of AIS"),
        Column("converged", FLAG, "whether less than 10^-6 nats were left to gain"),
        Column("restarts", COUNT, "restarts of a fit, or chains, or runs"),
        Column(
            "restarts_at_best",
            COUNT,
            "how many of them came within 0.01 nats of the best objective",
        ),
        Column("log_prior", NUMBER, "ln p(theta_hat) for `map`: the prior density of the logits"),
        Column("reason", TEXT, "why the structure has no score; empty where it has one"),
        Column(
            "log_copies",
            NUMBER,
            "ln M, M the number of distinct relabelled copies of the fit's mode, where the score "
            "counts them",
            "nats",
        ),
        Column(
            "near_boundary",
            NUMBER,
            "of `map`: the share of the parameters that less than one expected count supports",
            form="{:.4f}",
        ),
        Column("alpha", NUMBER, "of `vb_eb`: the estimated prior strength", form="{:.6g}"),
        Column(
            "alpha_hidden", NUMBER, "of `vb_eb`: the same of the hidden variables", form="{:.6g}"
        ),
        Column(
            "rank",
            COUNT,
            "rank of the true structure: 1 + the number of structures with a strictly higher "
            "score. A structure without a score comes after all that have one; where the true "
            "structure has none, it has no rank: empty",
        ),
        Column(
            "rank_low",
            COUNT,
            "the lower end of the ranks that the Monte Carlo error allows: the 5 % quantile of "
            "the ranks found when every score is redrawn from a normal distribution about it with "
            "its standard error, or `rank` where that is lower. Redrawing adds noise to noise, "
            "and moves a rank from either end towards the middle: the two ends say how far the "
            "error reaches, and are no confidence interval. `rank` for a deterministic score",
        ),
        Column(
            "rank_high",
            COUNT,
            "the upper end, likewise: the 95 % quantile, or `rank` where that is higher",
        ),
        Column("score_true", NUMBER, "score of the true structure", "nats"),
        Column("best_structure", TEXT, "the structure with the highest score"),
        Column("score_best", NUMBER, "the highest score", "nats"),
        Column(
            "class_rank",
            COUNT,
            "rank of the true structure's class: 1 + the number of classes whose members have "
            "strictly more posterior mass together, all structures being equally probable "
            "beforehand. A structure without a score counts as not there; where no member of the "
            "class has one, and for a method that implies no posterior: empty",
        ),
        Column(
            "class_rank_low",
            COUNT,
            "the lower end of its ranks, as `rank_low` and from the same redrawn scores",
        ),
        Column("class_rank_high", COUNT, "the upper end, likewise"),
        Column(
            "best_class",
            TEXT,
            "the class with the most posterior mass; empty for a method that implies no posterior",
        ),
        Column(
            "class_probability",
            NUMBER,
            "p(the true structure's class given y), all structures being equally probable "
            "beforehand; empty as `class_rank` is",
            form="{:.6g}",
        ),
        Column("transition", TEXT, "kind of move of the annealing runs"),
        Column("steps", INTEGER, "number of temperatures of an annealing run"),
        Column(
            "start",
            TEXT,
            "where its chains start: at a draw from the prior (`prior`), or at the true "
            "parameters (`true`)",
        ),
        Column("chain", INTEGER, "number of the chain, from 0"),
        Column("log_weight", NUMBER, "ln importance weight of the chain", "nats"),
        Column("part", INTEGER, "sixteenth of the run, from 1"),
        Column("temperature", NUMBER, "mean temperature of that part", form="{:.6g}"),
        Column("acceptance", NUMBER, "share of its proposals accepted", form="{:.4f}"),
        Column(
            "lower",
            NUMBER,
            "stochastic lower bound on the ln evidence. Structures other than the true one: on "
            "data simulated from themselves",
            "nats",
        ),
        Column("lower_error", NUMBER, "its standard error", "nats"),
        Column("upper", NUMBER, "stochastic upper bound, on the same data", "nats"),
        Column("upper_error", NUMBER, "its standard error", "nats"),
        Column("gap", NUMBER, "upper - lower", "nats"),
        Column("error_nats", NUMBER, "score - reference", "nats"),
        Column(
            "probability",
            NUMBER,
            "p(structure given y) under a uniform prior over the structures, of own data under "
            "`prior`; empty where the structure has no score, and so no weight",
            form="{:.6g}",
        ),
        Column(
            "members",
            INTEGER,
            "structures of the class that have the score; one without it counts as not there",
        ),
        Column(
            "equal_classes",
            NUMBER,
            "p(class given y) under a uniform prior over the classes of which a member has a "
            "score, and within a class over these members: the mean of exp(score) over them, "
            "normalised",
            form="{:.6g}",
        ),
        Column("variable", INTEGER, "own data: number of the observed variable, from 1"),
        Column("name", TEXT, "own data: its column in the file"),
        Column("code", INTEGER, "own data: the integer that stands for a value"),
        Column(
            "value",
            TEXT,
            "own data: a value of the variable; states of hidden variables are numbered by "
            "falling probability",
        ),
        Column("cases", INTEGER, "own data: number of cases with that value"),
        Column("estimate", TEXT, "own data: `map` or `ml`"),
        Column("source", TEXT, "own data: where a latent class model was published"),
        Column("latent_classes", INTEGER, "own data: its number of classes"),
        Column("quantity", TEXT, "own data: what was published of it"),
        Column("published", NUMBER, "own data: the number published", form="{:.10g}"),
        Column("found", NUMBER, "own data: the same of the fit here", form="{:.10g}"),
        Column("given", TEXT, "own data: states of the hidden parents; empty for none"),
        Column("n_causes", INTEGER, "own data: number of causes: hidden variables with children"),
        Column(
            "causes", TEXT, "own data: how many states each cause has, sorted; `none` without one"
        ),
        Column("first_name", TEXT, "own data: an observed variable, by its column in the file"),
        Column("second_name", TEXT, "own data: another one, after it in the file"),
        Column("rounds", INTEGER, "own data: rounds in which a search scored neighbours"),
        Column(
            "scored",
            INTEGER,
            "own data: structures that the search has scored, and none of the families before it",
        ),
        Column("kept", INTEGER, "own data: how many of these are among the best, which are kept"),
        Column("true_structure", TEXT, "label of the structure that generates the draw's data"),
        Column(
            "log_likelihood", NUMBER, "ln p(cases) under the parameters that they come from", "nats"
        ),
        Column("job", TEXT, "the job that computes scores; see the table of settings"),
        Column(
            "seconds",
            NUMBER,
            "wall seconds that a method's job computes at this n (with `threads: 1`, of one core), "
            "without those of the jobs that it starts from",
            "s",
            "{:.1f}",
        ),
        Column("paper_seconds", COUNT, "the paper's, on a 1 GHz Pentium III", "s"),
        Column(
            "step", TEXT, "what was timed: one such step per structure (or chain) in full batches"
        ),
        Column("microseconds", NUMBER, "its processor time", "µs", "{:.2f}"),
        Column(
            "plain_microseconds",
            NUMBER,
            "processor time of the same step written plainly",
            "µs",
            "{:.1f}",
        ),
        Column("ratio", NUMBER, "plain_microseconds / microseconds", form="{:.1f}"),
        Column(
            "job_milliseconds",
            NUMBER,
            "processor time per structure of the job that the score is read off, without the jobs "
            "whose estimates it starts from",
            "ms",
            "{:.3f}",
        ),
        Column(
            "score_milliseconds",
            NUMBER,
            "processor time per structure of reading the score off what the job found",
            "ms",
            "{:.3f}",
        ),
        Column(
            "by", TEXT, "what is ranked and picked: `structure`, or `class` of equal distributions"
        ),
        Column("truth", TEXT, "the true structure, or its class"),
        Column(
            "top",
            TEXT,
            "the structure (class) that the score picks: the best, the first in the order of "
            "`structures` of those equally good; empty where none has a score",
        ),
        Column(
            "top_probability",
            NUMBER,
            "p(the one picked given y): how often the score expects to be right",
            form="{:.10g}",
        ),
        Column(
            "log_probability",
            NUMBER,
            "ln p(the truth given y); empty where the truth has no score, and so no weight",
            "nats",
        ),
        Column(
            "brier",
            NUMBER,
            "Brier score: the sum over structures (classes) of (p - 1)^2 for the truth and p^2 for "
            "the others; 0 is best, 2 worst",
            form="{:.10g}",
        ),
        Column(
            "regret",
            NUMBER,
            "ln evidence (reference) of the structure with the most evidence minus that of the one "
            "picked. By class likewise, a class's evidence being the mean over its members: the "
            "one picked, which has the largest sum, may have less than another by the reference "
            "itself",
            "nats",
        ),
        Column(
            "regret_error",
            NUMBER,
            "its Monte Carlo error; empty where the two are the same",
            "nats",
        ),
        Column(
            "mean_error",
            NUMBER,
            "mean over the structures of score - reference; by structure, and only of scores that "
            "estimate or bound the evidence",
            "nats",
        ),
        Column("mean_absolute_error", NUMBER, "mean of its absolute value, likewise", "nats"),
        Column(
            "lost_by_top",
            NUMBER,
            "nats lost per case on the cases from n to the next size: their ln probability under "
            "the true parameters minus their ln predictive density (from the reference) under the "
            "structure (class) picked at n, per case; empty at the largest size",
            "nats/case",
            "{:.8f}",
        ),
        Column(
            "lost_by_average",
            NUMBER,
            "the same of the average over structures (classes) with their probabilities at n",
            "nats/case",
            "{:.8f}",
        ),
        Column(
            "lost_error",
            NUMBER,
            "Monte Carlo error of `lost_by_top`, the references at both sizes taken as independent",
            "nats/case",
            "{:.8f}",
        ),
        Column(
            "expected_log_probability",
            NUMBER,
            "what `log_probability` would be in the mean if the truth were drawn from the score's "
            "own posterior: the sum of p ln p",
            "nats",
            "{:.10g}",
        ),
        Column("variance_log_probability", NUMBER, "its variance, likewise", "nats^2", "{:.10g}"),
        Column("expected_brier", NUMBER, "the mean of `brier`, likewise", form="{:.10g}"),
        Column("variance_brier", NUMBER, "its variance, likewise", form="{:.10g}"),
        Column(
            "what",
            TEXT,
            "of which statements: `structure` (it is the true one), `class` (it holds the true "
            "one), `shared cause` (two observed variables have a common hidden parent)",
        ),
        Column("bin", INTEGER, "bin of the statement's probability: 0 for 0 to 0.1, ..., 9"),
        Column("number", INTEGER, "statements in the bin"),
        Column("sum_probability", NUMBER, "sum of their probabilities", form="{:.10g}"),
        Column("number_true", INTEGER, "how many of them are true"),
        Column("mean_probability", NUMBER, "mean of their probabilities"),
        Column("share_true", NUMBER, "share of them that is true"),
        Column("draws", INTEGER, "number of draws"),
        Column("best_by", TEXT, "own data: the scores by which the structure is the best"),
        Column("G2", NUMBER, "likelihood ratio statistic against the saturated model"),
        Column("X2", NUMBER, "Pearson's statistic"),
        Column(
            "degrees_of_freedom",
            INTEGER,
            "cells of the table - 1 - `dimension`; below 0 where the table leaves none",
        ),
        Column("AIC", NUMBER, "-2 ln likelihood + 2 D, lower is better"),
        Column("BIC", NUMBER, "-2 ln likelihood + D ln n, lower is better"),
        Column(
            "p_error",
            NUMBER,
            "standard error of `p_value` that so few replicates leave",
            form="{:.4g}",
        ),
        Column(
            "complete_cases",
            INTEGER,
            "cases without a missing value: G2, X2 and the p-value are of these alone",
        ),
        Column("replicates", INTEGER, "tables simulated from the fit and fitted anew"),
        Column(
            "residual",
            NUMBER,
            "of a pair of observed variables: Pearson's statistic of their table over its degrees "
            "of freedom, (K - 1)(L - 1). About 1 where the structure holds; the larger, the more "
            "of what connects the two is missed",
        ),
        Column(
            "effective_draws",
            COUNT,
            "how many independent draws would know the posterior mean as exactly; below 100 the "
            "interval is not to be trusted",
        ),
        Column("pattern", INTEGER, "number of a joint value that occurs, from 1"),
        Column(
            "values",
            TEXT,
            "the values of the observed variables, in the order of `variables`; (missing) for none",
        ),
        Column("states", TEXT, "states of all hidden variables"),
        Column("modal", FLAG, "whether these are the pattern's most probable states"),
        Column(
            "entropy",
            NUMBER,
            "of the states given the pattern: 0 where they are certain",
            "nats",
        ),
        *(
            Column(
                f"rank_{q}",
                COUNT,
                f"the smallest rank that the truth has, or is before, in {q} % of the draws; empty "
                "where it has no score in more",
            )
            for q in (10, 25, 50, 75, 90)
        ),
        Column("first", NUMBER, "share of the draws in which the truth has rank 1"),
        Column("first_low", NUMBER, "lower end of its Wilson 95 % interval"),
        Column("first_high", NUMBER, "upper end"),
        Column("in_five", NUMBER, "share of the draws in which the truth has a rank up to 5"),
        Column("in_five_low", NUMBER, "lower end of its Wilson 95 % interval"),
        Column("in_five_high", NUMBER, "upper end"),
        *(
            Column(f"{name}_se", NUMBER, f"standard error of the mean `{name}` over draws", unit)
            for name, unit in (
                ("mean_error", "nats"),
                ("mean_absolute_error", "nats"),
                ("regret", "nats"),
                ("brier", ""),
                ("log_probability", "nats"),
                ("lost_by_top", "nats/case"),
                ("lost_by_average", "nats/case"),
            )
        ),
        Column(
            "expected_first",
            NUMBER,
            "mean `top_probability`: the share of draws in which the score expects its pick to be "
            "the truth",
        ),
        Column(
            "n_found",
            COUNT,
            "the size from which the truth is first at this and every larger size; empty: it is "
            "not first at the largest",
        ),
        Column("share", NUMBER, "share of the draws"),
        Column("low", NUMBER, "lower end of the Wilson 95 % interval of the share"),
        Column("high", NUMBER, "upper end"),
        Column("other", TEXT, "the score that `method` is held against"),
        Column(
            "earlier",
            INTEGER,
            "draws in which `method` has found the truth for good at a smaller size than `other`, "
            "or `other` has not at all",
        ),
        Column("later", INTEGER, "draws in which it is the other way round"),
        Column("same", INTEGER, "draws in which both have at the same size"),
        Column("undecided", INTEGER, "draws in which neither has"),
        Column("share_earlier", NUMBER, "earlier / (earlier + later)"),
        Column(
            "factor",
            NUMBER,
            "median over the draws in which both have found it of `other`'s size / `method`'s",
            form="{:.6g}",
        ),
        Column(
            "factor_low",
            NUMBER,
            "lower end of its 95 % interval, exact from the order of the draws; empty for fewer "
            "than 6",
            form="{:.6g}",
        ),
        Column("factor_high", NUMBER, "upper end", form="{:.6g}"),
        Column(
            "statistic",
            TEXT,
            "`accuracy`: share of draws in which the truth is picked; `log score`: mean ln p(the "
            "truth given y); `Brier score`: its mean; `below the reference in log score` and `... "
            "in Brier score`: by how much the score is worse than the reference, mean over draws",
        ),
        Column(
            "expected",
            NUMBER,
            "what it is in the mean when the truths are drawn from the score's posteriors; 0 of a "
            "difference from the reference",
            form="{:.8g}",
        ),
        Column("z", NUMBER, "(value - expected) / standard_error", form="{:.4f}"),
        Column("p_value", NUMBER, "two-sided, z being normal by chance alone", form="{:.4g}"),
        Column("claim", TEXT, "what the paper claims"),
        Column("paper", TEXT, "the paper's own figure"),
        Column("here", TEXT, "what the draw shows"),
        Column("verdict", TEXT, "`agrees`, `differs`, or `not testable` by the draw"),
        Column("holds", INTEGER, "how many of the draws agree"),
        Column("family", TEXT, "hidden x observed variables"),
        Column("table", INTEGER, "number of the simulated table, from 0"),
        Column("search", TEXT, "how structures were looked for: `beam`, or `structural EM`"),
        Column("structures", INTEGER, "how many the family has, every one of which was scored"),
        Column("fits", INTEGER, "single fits of structural EM, beside those of scores"),
        Column("score_found", NUMBER, "the highest score that the search comes to", "nats"),
    )
}


def _table(
    name: str,
    content: str,
    columns: str,
    order: str = "",
    own: tuple[Column, ...] = (),
    of_own_data: str = "",
) -> Table:
    split = [tuple(names.split()) for names in (columns, order, of_own_data)]
    return Table(name, content, *split[:2], own, split[2])


PRIOR_OF_DRAW = (
    Column(
        "alpha",
        NUMBER,
        "Dirichlet parameter of the rows of observed variables, of the draw's parameters and of "
        "the prior that its scores assume",
        form="{:.12g}",
    ),
    Column("alpha_hidden", NUMBER, "the same of the hidden variables", form="{:.12g}"),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        _table(
            "design",
            "The draws of parameters and data: what generates each, and the prior that its scores "
            "assume.",
            "draw true_structure alpha alpha_hidden",
            own=PRIOR_OF_DRAW,
        ),
        _table(
            "truth",
            "How probable the true parameters make the cases of each data set.",
            "draw n log_likelihood",
            "draw n",
        ),
        _table(
            "seconds",
            "How long each job computed, by size: a part of the table `timing`.",
            "draw n job seconds",
            "draw n job",
            own=(
                Column(
                    "seconds",
                    NUMBER,
                    "wall seconds that a run of the job computes at this n; of one that takes "
                    "several sizes at once, an equal share for each",
                    "s",
                    "{:.3f}",
                ),
            ),
        ),
        _table(
            "structures",
            "The structures of the family: their links, their free parameters, which of them made "
            "the data, their effective dimension, and which of them describe the same "
            "distributions.",
            "structure n_links n_parameters is_true dimension class",
            of_own_data="hidden",
        ),
        _table(
            "scores",
            "Every score of every structure at every size, its standard error, and how its fit "
            "went.",
            "draw n structure method score standard_error n_parameters iterations converged "
            "restarts restarts_at_best log_prior reason log_copies near_boundary alpha "
            "alpha_hidden",
            "draw n method n_parameters structure",
        ),
        _table(
            "ranks",
            "The rank of the true structure by every score, with the ranks that its Monte Carlo "
            "error allows; and of its class.",
            "draw n method rank score_true best_structure score_best rank_low rank_high "
            "class_rank class_rank_low class_rank_high best_class class_probability",
        ),
        _table(
            "annealing",
            "Log weights of the annealing runs of the true structure, by length of the schedule.",
            "draw n structure transition steps start chain log_weight",
            "draw n structure start steps chain",
        ),
        _table(
            "ais_chains",
            "The log weight of each AIS chain.",
            "draw n structure chain log_weight",
            "draw n structure chain",
        ),
        _table(
            "ais_acceptance",
            "Acceptance rates of the AIS chains along their temperatures.",
            "draw n structure part temperature acceptance",
            "draw n structure part",
        ),
        _table(
            "sandwich",
            "Stochastic bounds on both sides of the evidence.",
            "draw n structure lower lower_error upper upper_error gap",
            "draw n structure",
        ),
        _table(
            "errors",
            "How far each score is from the reference evidence.",
            "draw n structure method error_nats standard_error",
            own=(
                Column(
                    "standard_error",
                    NUMBER,
                    "that of the difference: the score's (none for a deterministic one) and the "
                    "reference's, joined",
                    "nats",
                ),
            ),
        ),
        _table(
            "posterior",
            "The posterior probability of each structure by every score that implies one.",
            "draw n structure method probability",
            of_own_data="prior",
        ),
        _table(
            "classes",
            "The posterior probability of each class of structures that describe the same "
            "distributions, by every score that implies one.",
            "draw n class method members probability equal_classes",
            own=(
                Column(
                    "probability",
                    NUMBER,
                    "p(class given y) under a uniform prior over the structures, so that a class "
                    "counts once per member, of own data under `prior` of the table `posterior`: "
                    "the sum over its members; empty where no member has a score",
                    form="{:.6g}",
                ),
            ),
        ),
        _table(
            "search",
            "What was searched for the structures of the table `structures`: the best by one "
            "score.",
            "hidden method rounds scored kept probability",
            own=(
                Column("hidden", TEXT, "how many states the family's hidden variables have"),
                Column("method", TEXT, "the score by which the search judges"),
                Column(
                    "probability",
                    NUMBER,
                    "p(one of those kept given y) by this score, among all structures scored",
                    form="{:.6g}",
                ),
            ),
        ),
        _table(
            "causes",
            "The posterior probability of each number of causes with their states, by every score "
            "that implies one.",
            "n_causes causes method probability",
            own=(
                Column(
                    "probability",
                    NUMBER,
                    "p(these causes given y): the sum over the structures that have them",
                    form="{:.6g}",
                ),
            ),
        ),
        _table(
            "links",
            "The posterior probability that two observed variables have a cause in common, by "
            "every score that implies one.",
            "first_name second_name method probability",
            own=(
                Column(
                    "probability",
                    NUMBER,
                    "p(the two share a cause given y): the sum over the structures in which they "
                    "do",
                    form="{:.6g}",
                ),
            ),
        ),
        _table(
            "prior",
            "Scores and the reference evidence of every structure at one size, under several "
            "strengths of the prior.",
            "draw n alpha structure method score standard_error",
            "draw n alpha method structure",
            own=(
                Column(
                    "alpha",
                    NUMBER,
                    "Dirichlet parameter of all rows, of observed and hidden variables",
                    form="{:.12g}",
                ),
            ),
        ),
        _table(
            "alpha",
            "What the posterior says of causes and of pairs of variables, under several strengths "
            "of the prior.",
            "alpha alpha_hidden method causes first_name second_name probability",
            own=(
                Column(
                    "alpha",
                    NUMBER,
                    "Dirichlet parameter of the rows of observed variables; of `vb_eb` its "
                    "estimate for its most probable structure",
                    form="{:.6g}",
                ),
                Column("alpha_hidden", NUMBER, "the same of the hidden variables", form="{:.6g}"),
                Column(
                    "causes",
                    TEXT,
                    "how many states each cause has, sorted; `none` without one; empty where the "
                    "row is about two variables",
                ),
                Column(
                    "probability",
                    NUMBER,
                    "p(these are the causes given y), or p(the two share a cause given y)",
                    form="{:.6g}",
                ),
            ),
        ),
        _table(
            "variables",
            "The observed variables: their values, and how many cases have each.",
            "variable name code value cases",
        ),
        _table(
            "parameters",
            "Fitted parameters of the most probable structure, and of the published models if "
            "there are some.",
            "structure estimate variable given value probability low high effective_draws",
            own=(
                Column(
                    "variable",
                    TEXT,
                    "a hidden variable, or the name of an observed one in the file",
                ),
                Column("probability", NUMBER, "of the value, at the estimate", form="{:.6g}"),
                Column(
                    "low",
                    NUMBER,
                    "lower end of the interval that holds 90 % of the parameter's posterior, 5 % "
                    "on either side; empty where there are too many ways to name the states",
                    form="{:.6g}",
                ),
                Column("high", NUMBER, "upper end", form="{:.6g}"),
            ),
        ),
        _table(
            "membership",
            "Which states of the causes the most probable structure gives each case.",
            "structure pattern values cases states probability modal entropy",
            own=(
                Column("cases", INTEGER, "number of cases with these values"),
                Column(
                    "probability",
                    NUMBER,
                    "p(states given the values), at the MAP estimate",
                ),
            ),
        ),
        _table(
            "fit",
            "How well the best structure of each score fits, at its maximum likelihood.",
            "structure best_by log_likelihood G2 X2 degrees_of_freedom n_parameters dimension AIC "
            "BIC p_value p_error replicates complete_cases",
            own=(
                Column(
                    "log_likelihood",
                    NUMBER,
                    "ln p(cases) at the maximum of the likelihood",
                    "nats",
                ),
                Column(
                    "p_value",
                    NUMBER,
                    "by parametric bootstrap: the share, the cases' own table counted in, of "
                    "tables simulated from the fit with as large a G2; empty without replicates",
                    form="{:.4g}",
                ),
            ),
        ),
        _table(
            "residuals",
            "Which pairs of variables the best structure of each score misses.",
            "structure variable other residual",
            own=(
                Column("variable", TEXT, "the name of an observed variable in the file"),
                Column("other", TEXT, "the name of another"),
            ),
        ),
        _table(
            "beside",
            "A column that is no variable of the model beside the states that the most probable "
            "structure gives the cases.",
            "structure variable value states cases",
            own=(
                Column("variable", TEXT, "the column's name in the file"),
                Column("value", TEXT, "a value of the column"),
                Column("states", TEXT, "states of all hidden variables"),
                Column(
                    "cases",
                    INTEGER,
                    "number of cases with that value whose most probable "
                    "states, at the MAP estimate, are these",
                ),
            ),
        ),
        _table(
            "published",
            "Latent class models that were published, and their fits here.",
            "source latent_classes quantity published found",
        ),
        _table(
            "timing",
            "Seconds of the scoring jobs, all structures, beside the paper's.",
            "n method seconds paper_seconds",
        ),
        _table(
            "benchmark",
            "Processor time of one step of each algorithm, beside the same step written plainly.",
            "step n microseconds plain_microseconds ratio",
        ),
        _table(
            "cost",
            "Processor time of every score, per structure.",
            "method n job_milliseconds score_milliseconds",
        ),
        _table(
            "searches",
            "How the search among structures and structural EM do beside enumeration, on simulated "
            "tables.",
            "family table method search structures scored fits best_structure score_best "
            "score_found",
            own=(
                Column("scored", INTEGER, "structures that the search scores"),
                Column("score_best", NUMBER, "the highest score of all structures", "nats"),
            ),
        ),
        _table(
            "verdicts",
            "What each score says of the truth, draw by draw: its rank and probability, what is "
            "picked in its place, and what that loses.",
            "draw n by method truth rank top probability top_probability log_probability brier "
            "regret regret_error mean_error mean_absolute_error lost_by_top lost_by_average "
            "lost_error expected_log_probability variance_log_probability expected_brier "
            "variance_brier",
            "draw n by method",
            own=(
                Column(
                    "rank",
                    COUNT,
                    "1 + the number of structures with a strictly higher score than the true one, "
                    "or of classes with more posterior mass than its class; empty where it has no "
                    "score",
                ),
                Column(
                    "probability",
                    NUMBER,
                    "p(the truth given y), all structures being equally probable beforehand; by "
                    "class the sum over its members; empty for a score that implies no posterior",
                    form="{:.10g}",
                ),
            ),
        ),
        _table(
            "reliability_counts",
            "By probability, how many statements each score makes of a draw, and how many are "
            "true.",
            "draw n method what bin number sum_probability number_true",
            "draw n method what bin",
        ),
        _table(
            "reliability",
            "Whether what has a probability of 0.7 is true seven times in ten: statements of all "
            "draws.",
            "n method what bin number mean_probability share_true low high",
            own=(
                Column(
                    "low",
                    NUMBER,
                    "lower end of the Wilson 95 % interval of the share, statements on the same "
                    "draw taken as independent",
                ),
            ),
        ),
        _table(
            "population",
            "Rank of the truth and worth of each score over the draws.",
            "n by method draws rank_10 rank_25 rank_50 rank_75 rank_90 first first_low first_high "
            "in_five in_five_low in_five_high mean_error mean_error_se mean_absolute_error "
            "mean_absolute_error_se regret regret_se brier brier_se log_probability "
            "log_probability_se expected_first lost_by_top lost_by_top_se lost_by_average "
            "lost_by_average_se",
            own=tuple(
                Column(name, NUMBER, f"mean over the draws of `{name}` in `verdicts`", unit)
                for name, unit in (
                    ("mean_error", "nats"),
                    ("mean_absolute_error", "nats"),
                    ("regret", "nats"),
                    ("brier", ""),
                    ("log_probability", "nats"),
                    ("lost_by_top", "nats/case"),
                    ("lost_by_average", "nats/case"),
                )
            ),
        ),
        _table(
            "found",
            "The size from which each score has found the truth for good, draw by draw.",
            "draw by method n_found",
            "draw by method",
        ),
        _table(
            "found_share",
            "The share of draws in which each score has found the truth for good at or before n.",
            "n by method draws share low high",
        ),
        _table(
            "comparisons",
            "Which of two scores finds the truth at fewer cases, on the same draws.",
            "by method other draws earlier later same undecided share_earlier low high factor "
            "factor_low factor_high",
        ),
        _table(
            "calibration",
            "Whether each score's posterior is right about itself, and whether any does better "
            "than the reference; for truths drawn uniformly from the structures.",
            "n by method statistic draws value expected standard_error z p_value",
            own=(
                Column("value", NUMBER, "of the statistic", form="{:.8g}"),
                Column(
                    "standard_error",
                    NUMBER,
                    "of the value: by the posteriors' own variances; of a difference from the "
                    "reference, over the draws",
                    form="{:.8g}",
                ),
            ),
        ),
        _table(
            "claims",
            "The paper's claims about ranks, sizes and errors, each judged on every draw alone.",
            "draw claim paper here verdict",
            "draw",
        ),
        _table(
            "claims_held",
            "In how many draws each of the paper's claims holds, of those that can tell.",
            "claim paper draws holds share low high undecided",
            own=(
                Column("draws", INTEGER, "number of draws by which the claim can be tested"),
                Column("undecided", INTEGER, "number of draws by which it cannot"),
            ),
        ),
    )
}
