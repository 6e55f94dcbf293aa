"""By class of equal distributions: the rank and the posterior mass of the true structure's class,
`latentdag.study.ranks`, `latentdag.study.classes` and `latentdag.study.posterior`.
"""

import pandas as pd

from latentdag.report.markdown import counted, label, number, place, place_between, some, table
from latentdag.scores import SPECS
from latentdag.study.classes import as_posterior, members
from latentdag.study.posterior import SHARE, mass, mass_from
from latentdag.study.ranks import by_size, starts

TITLE = "By class of equal distributions"


def section(
    ranks: pd.DataFrame,
    posterior: pd.DataFrame,
    classes: pd.DataFrame,
    structures: pd.DataFrame,
    truth: str | None,
) -> list[str]:
    """From the tables of ranks, posteriors and classes of one draw, and that of structures."""
    if classes.empty or structures.empty or truth is None:
        return []
    own = structures.set_index("structure").loc[truth, "class"]
    return [
        f"## {TITLE}",
        _what_they_are(members(structures), own, truth),
        "A uniform prior over structures counts a class once per member: a class of many members "
        "starts with more mass, and keeps it where the data say little. *Equal classes* stands for "
        "the posterior under a uniform prior over classes, whose members share its mass; neither "
        "prior is the right one, and where the two disagree the prior decides, not the data.",
        *_ranks(ranks[ranks["method"].map(lambda m: SPECS[m].posterior).astype(bool)]),
        *_masses(posterior, classes, own, truth),
    ]


def _what_they_are(of_class: pd.Series, own: str, truth: str) -> str:
    counts = of_class.map(len)
    several = int((counts > 1).sum())
    others = [structure for structure in of_class[own] if structure != truth]
    words = (
        "A hidden variable with one child can be absorbed in that child's table, and the "
        "distributions that a structure describes stay the same. So "
        f"{counted(int(counts.sum()), 'structure')} make {len(counts)} different "
        f"{'model' if len(counts) == 1 else 'models'}, or classes; "
    )
    if several:
        words += (
            f"{several} of them have several members, {counts.idxmax()} the most: {counts.max()}. "
        )
    else:
        words += "none of them has several members. "
    if others:
        return f"{words}With the true structure {truth}, in its class: {some(others)}."
    return f"{words}The true structure {truth} is alone in its class."


def _ranks(ranks: pd.DataFrame) -> list[str]:
    """The rank of the class by size and method, beside that of the structure."""
    if ranks.empty:
        return []
    of_class, low, high = (
        by_size(ranks, end) for end in ("class_rank", "class_rank_low", "class_rank_high")
    )
    of_structure = by_size(ranks)
    rows = [
        [n, *(_both(*(t.loc[n, m] for t in (of_class, low, high, of_structure))) for m in of_class)]
        for n in of_class.index
    ]
    first, of_one = starts(ranks, "class_rank"), starts(ranks)
    rows.append(
        [
            "first for good from",
            *(f"{_size(first[m])} / {_size(of_one[m])}" if m in first else "" for m in of_class),
        ]
    )
    return [
        "Rank of the true structure's class among the classes by posterior mass, every structure "
        "being equally probable beforehand / rank of the true structure among structures:",
        table(["n", *map(label, of_class)], rows),
    ]


def _both(of_class: float, low: float, high: float, of_structure: float) -> str:
    if pd.isna(of_class):
        return ""
    return f"{place_between(of_class, low, high)} / {place(of_structure)}"


def _size(n: int | None) -> str:
    return "never" if n is None else str(n)


def _masses(posterior: pd.DataFrame, classes: pd.DataFrame, own: str, truth: str) -> list[str]:
    """The posterior mass of the class by size and method, under both priors, beside that of the
    structure.
    """
    three = (
        (as_posterior(classes), own),
        (as_posterior(classes, "equal_classes"), own),
        (posterior, truth),
    )
    masses = [mass(*one) for one in three]
    rows = [
        [n, *(_joined([number(of.loc[n, m], ".3g") for of in masses]) for m in masses[0])]
        for n in masses[0].index
    ]
    start = [mass_from(*one) for one in three]
    rows.append(
        [
            f"over {SHARE:.0%} for good from",
            *(_joined([_size(of[m]) if m in of else "" for of in start]) for m in masses[0]),
        ]
    )
    return [
        "Posterior mass of the true structure's class / the same with equal classes / that of the "
        "true structure:",
        table(["n", *map(label, masses[0])], rows),
    ]


def _joined(cells: list[str]) -> str:
    """Cells with strokes between them; nothing where all are empty."""
    return " / ".join(cell or "none" for cell in cells) if any(cells) else ""
