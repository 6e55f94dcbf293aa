"""Which figures a study has, what each is drawn from, and how the report calls it."""

from collections.abc import Callable
from dataclasses import dataclass

from latentdag.study.settings.study import has_reference, is_calibrated, tables

SHORTER = {"true_structure": "structure", "best_structures": "best"}  # in the names of rules


@dataclass(frozen=True)
class Figure:
    """The figure ``name`` of `latentdag.figures`, whose function takes the ``tables`` and
    ``arguments`` by their names.
    """

    name: str
    title: str
    tables: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    paper: str = "none"  # the paper's figure like it
    needs: Callable[[dict], bool] = lambda config: True  # of a configuration, besides the tables

    @property
    def rule(self) -> str:
        return f"plot_{SHORTER.get(self.name, self.name)}"


LEFT, RIGHT = "Figure 2, left", "Figure 2, right"
SCORES = Figure(
    "scores",
    "Scores of all structures",
    ("scores", "structures"),
    ("n", "draw", "width"),
    "Figure 1, right",
)
OF_SIMULATION = (
    Figure("true_structure", "True structure", (), ("structure", "family"), "Figure 1, left"),
    SCORES,
    Figure("rank", "Rank of the true structure", ("ranks", "structures"), ("width",), LEFT),
    Figure(
        "annealing", "Length of annealing", ("annealing", "scores"), ("n", "draw", "width"), RIGHT
    ),
    Figure("tightness", "Distance from the evidence", ("errors", "structures"), ("draw",)),
    Figure("climb", "How a bound climbs", ("climb", "evidence"), ("draw",)),
    Figure("equal_modes", "A posterior with two equal modes", ("equal_modes",)),
)
OF_OWN_DATA = (
    Figure(
        "best_structures",
        "Best structures",
        ("posterior", "structures", "variables"),
        ("observed", "method"),
    ),
    Figure(
        "profiles",
        "What the states mean",
        ("parameters", "posterior", "structures"),
        ("observed", "method"),
    ),
    Figure("shared_causes", "Which variables share a cause", ("links", "variables"), ("method",)),
    SCORES,
)
OF_POPULATION = (
    Figure("cases_needed", "How many cases each score needs", ("cases_needed",)),
    Figure(
        "found",
        "Share of draws in which the true structure is found by n cases",
        ("found_share", "design"),
        ("chains",),
        LEFT,
    ),
    Figure(
        "rank_over_draws", "Rank of the truth over draws", ("population", "structures"), paper=LEFT
    ),
    Figure(
        "error_over_draws",
        "Distance from the evidence over draws",
        ("population",),
        needs=has_reference,
    ),
    Figure("accuracy", "How often the truth is first", ("population",)),
    # it tests probabilities, and so needs true structures that are drawn as these say
    Figure(
        "reliability",
        "Reliability of the probabilities",
        ("reliability",),
        ("n",),
        needs=is_calibrated,
    ),
)
FIRST = {"rank", "found", "shared_causes"}  # by name, those that the report's first page shows


def figures_of(config: dict) -> list[Figure]:
    """A list of each `Figure` of the study with this ``config`` for which the study's tables
    suffice.
    """
    kind = OF_OWN_DATA if config["data"] else OF_SIMULATION
    every = OF_POPULATION if config["population"] else kind
    names = set(tables(config))
    return [figure for figure in every if set(figure.tables) <= names and figure.needs(config)]
