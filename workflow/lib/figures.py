"""Which figures a study has, what each is drawn from, and how the report calls it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """The figure ``name`` of `latentdag.figures`, whose function takes the ``tables`` and
    ``arguments`` by their names.
    """

    rule: str
    name: str
    title: str
    paper: str = "none"  # the paper's figure like it
    tables: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    evidence: bool = False  # whether it holds scores against the reference, and has none without


SCORES = Figure(
    "plot_scores",
    "scores",
    "Scores of all structures",
    "Figure 1, right",
    tables=("scores", "structures"),
    arguments=("n", "draw"),
)
OF_SIMULATION = (
    Figure(
        "plot_structure",
        "true_structure",
        "True structure",
        "Figure 1, left",
        arguments=("structure", "family"),
    ),
    SCORES,
    Figure(
        "plot_rank",
        "rank",
        "Rank of the true structure",
        "Figure 2, left",
        tables=("ranks", "structures"),
    ),
    Figure(
        "plot_annealing",
        "annealing",
        "Length of annealing",
        "Figure 2, right",
        tables=("annealing", "scores"),
        arguments=("n", "draw"),
    ),
    Figure(
        "plot_tightness",
        "tightness",
        "Distance from the evidence",
        tables=("errors", "structures"),
        arguments=("draw",),
    ),
    Figure(
        "plot_climb",
        "climb",
        "How a bound climbs",
        tables=("climb", "evidence"),
        arguments=("draw",),
    ),
    Figure(
        "plot_equal_modes",
        "equal_modes",
        "A posterior with two equal modes",
        tables=("equal_modes",),
    ),
)
OF_OWN_DATA = (
    Figure(
        "plot_best",
        "best_structures",
        "Best structures",
        tables=("posterior", "structures", "variables"),
        arguments=("observed", "method"),
    ),
    Figure(
        "plot_profiles",
        "profiles",
        "What the states mean",
        tables=("parameters", "posterior", "structures"),
        arguments=("observed", "method"),
    ),
    Figure(
        "plot_shared_causes",
        "shared_causes",
        "Which variables share a cause",
        tables=("links", "variables"),
        arguments=("method",),
    ),
    SCORES,
)
OF_POPULATION = (
    Figure(
        "plot_cases_needed",
        "cases_needed",
        "How many cases each score needs",
        tables=("cases_needed",),
        evidence=True,
    ),
    Figure(
        "plot_found",
        "found",
        "Share of draws with the truth first from n on",
        "Figure 2, left",
        tables=("found_share", "design"),
        arguments=("chains",),
    ),
    Figure(
        "plot_rank_over_draws",
        "rank_over_draws",
        "Rank of the truth over draws",
        "Figure 2, left",
        tables=("population", "structures"),
    ),
    Figure(
        "plot_error_over_draws",
        "error_over_draws",
        "Distance from the evidence over draws",
        tables=("population",),
        evidence=True,
    ),
    Figure(
        "plot_accuracy",
        "accuracy",
        "How often the truth is first",
        tables=("population",),
    ),
    Figure(
        "plot_reliability",
        "reliability",
        "Reliability of the probabilities",
        tables=("reliability",),
        arguments=("n",),
    ),
)
FIRST = {"rank", "found", "shared_causes"}  # by name, those that the report's first page shows
