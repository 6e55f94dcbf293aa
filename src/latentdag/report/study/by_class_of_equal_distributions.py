"""By class of equal distributions: the rank and the posterior mass of the true structure's class,
`latentdag.study.one_draw.ranks` and `latentdag.study.one_draw.posterior`.
"""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import (
    counted,
    number,
    place,
    place_between,
    score_table,
    some,
    start,
)
from latentdag.study.one_draw.posterior import (
    BELIEVED,
    SHARE,
    class_counts,
    classes_as_posterior,
    mass,
    mass_from,
)
from latentdag.study.one_draw.ranks import rank_by_size
from latentdag.study.one_draw.sizes import sizes_for_good, some_sizes

TITLE = "By class of equal distributions"


def section(
    ranks: pd.DataFrame,
    posterior: pd.DataFrame,
    classes: pd.DataFrame,
    structures: pd.DataFrame,
    truth: str | None,
) -> list[str]:
    """From the tables of ranks, posteriors and classes of one draw, and that of structures."""
    if classes.empty or posterior.empty or structures.empty or truth is None:
        return []
    counts = class_counts(structures, truth)
    return [
        f"## {TITLE}",
        _what_they_are(counts, truth),
        "A uniform prior over structures counts a class once per member. So a class of many "
        "members has more prior mass, and keeps it if the data are few. *Equal classes* is the "
        "posterior under a uniform prior over classes, whose members share its mass. Neither prior "
        "is the right one. If the two posteriors disagree, the prior decides and not the data.",
        *_ranks(ranks[ranks["method"].isin(BELIEVED)]),
        *_masses(posterior, classes, truth, counts),
    ]


def _what_they_are(counts: Mapping, truth: str) -> str:
    """How many classes there are, of how many members, and the true structure's."""
    words = [
        "A hidden variable with one child can be absorbed in that child's table without a change "
        "of the distributions that the structure describes.",
        f"The family's {counted(counts['structures'], 'structure')} fall into classes of equal "
        f"distributions, {counts['classes']} different models.",
    ]
    if counts["several"]:
        have = "has" if counts["several"] == 1 else "have"
        words.append(
            f"{counts['several']} of them {have} more than one member. The largest, "
            f"{counts['largest']}, has {counts['members']}."
        )
    if counts["others"]:
        others = some(counts["others"])
        of_truth = counts["of_truth"]
        words.append(f"The true structure {truth} shares its class {of_truth} with {others}.")
    else:
        words.append(f"The true structure {truth} is alone in its class.")
    return " ".join(words)


def _ranks(ranks: pd.DataFrame) -> list[str]:
    """The rank of the class by size and method, beside that of the structure."""
    if ranks.empty:
        return []
    ends = ("class_rank", "class_rank_low", "class_rank_high", "rank")
    places = [rank_by_size(ranks, end) for end in ends]
    first, of_one = sizes_for_good(ranks, "class_rank"), sizes_for_good(ranks)
    return [
        "Rank of the true structure's class among the classes, by posterior mass under a uniform "
        "prior over structures / rank of the true structure among structures; at some of the "
        "sizes:",
        score_table(
            list(places[0]),
            some_sizes(places[0].index),
            lambda m, n: _both(*(of[m][n] for of in places)),
            ("first from n on", {m: f"{start(first[m])} / {start(of_one[m])}" for m in first}),
        ),
    ]


def _both(of_class: float, low: float, high: float, of_structure: float) -> str:
    """The class's rank and the structure's; nothing where the method did not run."""
    if pd.isna(of_class):
        return ""
    return f"{place_between(of_class, low, high)} / {place(of_structure)}"


def _masses(
    posterior: pd.DataFrame, classes: pd.DataFrame, truth: str, counts: Mapping
) -> list[str]:
    """The posterior mass of the class by size and method under both priors, and that of the
    structure, which is the class's where it is alone there.
    """
    shown = [
        (classes_as_posterior(classes), counts["of_truth"]),
        (classes_as_posterior(classes, "equal_classes"), counts["of_truth"]),
    ]
    words = "Posterior mass of the true structure's class / the same with equal classes"
    if counts["others"]:
        shown.append((posterior, truth))
        words += " / that of the true structure:"
    else:
        words += (
            ". The class has no other member, so that the first number is also the "
            "structure's mass:"
        )
    masses, first = ([of(*one) for one in shown] for of in (mass, mass_from))
    over = {m: _joined([start(of[m]) if m in of else "" for of in first]) for m in masses[0]}
    return [
        words,
        score_table(
            list(masses[0]),
            some_sizes(masses[0].index),
            lambda m, n: _joined([number(of[m][n], ".3g") for of in masses]),
            (f"over {SHARE:.0%} from n on", over),
        ),
    ]


def _joined(cells: list[str]) -> str:
    """Cells with strokes between them, ``none`` for an empty one; nothing where all are empty."""
    return " / ".join(cell or "none" for cell in cells) if any(cells) else ""
