"""By class of equal distributions: the rank and the posterior mass of the true structure's class,
`latentdag.study.one_draw.ranks`, `latentdag.study.one_draw.posterior` and
`latentdag.study.one_draw.posterior`.
"""

import pandas as pd

from latentdag.report.markdown import counted, label, number, place, place_between, some, table
from latentdag.study.one_draw.posterior import (
    BELIEVED,
    SHARE,
    class_members,
    classes_as_posterior,
    mass,
    mass_from,
)
from latentdag.study.one_draw.ranks import rank_by_size, sizes_for_good
from latentdag.study.one_draw.sizes import some_sizes

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
    of_class = class_members(structures)
    own = structures.set_index("structure").loc[truth, "class"]
    return [
        f"## {TITLE}",
        _what_they_are(of_class, own, truth),
        "A uniform prior over structures counts a class once per member: a class of many members "
        "starts with more mass, and keeps it where the data say little. *Equal classes* stands for "
        "the posterior under a uniform prior over classes, whose members share its mass; neither "
        "prior is the right one, and where the two disagree the prior decides, not the data.",
        *_ranks(ranks[ranks["method"].isin(BELIEVED)]),
        *_masses(posterior, classes, own, truth, alone=len(of_class[own]) == 1),
    ]


def _what_they_are(of_class: pd.Series, own: str, truth: str) -> str:
    """How many classes there are, of how many members, and the true structure's."""
    counts = of_class.map(len)
    several = int((counts > 1).sum())
    others = [structure for structure in of_class[own] if structure != truth]
    words = [
        "A hidden variable with one child can be absorbed in that child's table, and the "
        "distributions that a structure describes stay the same.",
        f"The family's {counted(int(counts.sum()), 'structure')} fall into classes of equal "
        f"distributions, {len(counts)} different models.",
    ]
    if several:
        have = "has" if several == 1 else "have"
        words.append(
            f"Of these {several} {have} more than one member, {counts.idxmax()} the most: "
            f"{counts.max()}."
        )
    if others:
        words.append(f"The true structure {truth} shares its class {own} with {some(others)}.")
    else:
        words.append(f"The true structure {truth} is alone in its class.")
    return " ".join(words)


def _ranks(ranks: pd.DataFrame) -> list[str]:
    """The rank of the class by size and method, beside that of the structure."""
    if ranks.empty:
        return []
    of_class, low, high = (
        rank_by_size(ranks, end) for end in ("class_rank", "class_rank_low", "class_rank_high")
    )
    of_structure = rank_by_size(ranks)
    sizes = some_sizes(of_class.index)
    first, of_one = sizes_for_good(ranks, "class_rank"), sizes_for_good(ranks)
    rows = [
        [
            label(m),
            *(_both(*(t.loc[n, m] for t in (of_class, low, high, of_structure))) for n in sizes),
            f"{_size(first[m])} / {_size(of_one[m])}" if m in first else "",
        ]
        for m in of_class
    ]
    return [
        "At some of the sizes: rank of the true structure's class among the classes by posterior "
        "mass, every structure being equally probable beforehand / rank of the true structure "
        "among structures:",
        table(["score", *(f"n = {n}" for n in sizes), "first for good from"], rows),
    ]


def _both(of_class: float, low: float, high: float, of_structure: float) -> str:
    """The class's rank and the structure's; nothing where the method did not run."""
    if pd.isna(of_class):
        return ""
    return f"{place_between(of_class, low, high)} / {place(of_structure)}"


def _size(n: int | None) -> str:
    return "never" if n is None else str(n)


def _masses(
    posterior: pd.DataFrame, classes: pd.DataFrame, own: str, truth: str, alone: bool
) -> list[str]:
    """The posterior mass of the class by size and method under both priors, and that of the
    structure, which is the class's where it is ``alone`` there.
    """
    shown = [
        (classes_as_posterior(classes), own),
        (classes_as_posterior(classes, "equal_classes"), own),
    ]
    words = "Posterior mass of the true structure's class / the same with equal classes"
    if alone:
        words += ". As the class has no other member, the first is the structure's own:"
    else:
        shown.append((posterior, truth))
        words += " / that of the true structure:"
    masses, start = ([of(*one) for one in shown] for of in (mass, mass_from))
    sizes = some_sizes(masses[0].index)
    rows = [
        [
            label(m),
            *(_joined([number(of.loc[n, m], ".3g") for of in masses]) for n in sizes),
            _joined([_size(of[m]) if m in of else "" for of in start]),
        ]
        for m in masses[0]
    ]
    over = f"over {SHARE:.0%} for good from"
    return [words, table(["score", *(f"n = {n}" for n in sizes), over], rows)]


def _joined(cells: list[str]) -> str:
    """Cells with strokes between them, ``none`` for an empty one; nothing where all are empty."""
    return " / ".join(cell or "none" for cell in cells) if any(cells) else ""
