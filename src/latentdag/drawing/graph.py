"""A structure as a graph, for the figures that draw one. All coordinates are inches."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from latentdag.drawing.style import INK
from latentdag.model.structures import Family, Structure

RADIUS = 0.26  # of a variable's circle
PITCH = 0.85  # from one variable to the next, in the longer row
NAME, ROOM = 8.0, 0.4  # points, of a name in a circle; inches that it has there
RISE, STEEP = 1.45, 0.18  # of the hidden variables above the observed ones; of a long row, for each


def width(family: Family) -> float:
    """The width, in inches, of the graph of a structure of ``family``."""
    return PITCH * max(len(family.hidden), len(family.observed))


def rise(family: Family) -> float:
    """How many inches hidden variables are above observed ones in the graph of a structure of
    ``family``: more for more variables, so that arrows stay apart.
    """
    return max(RISE, STEEP * max(len(family.hidden), len(family.observed)))


def place(i: int, row: tuple[int, ...], family: Family) -> float:
    """The x coordinate, in inches, of variable ``i``, from 0, of ``row``, the hidden or the
    observed cardinalities of ``family``, in the graph of a structure.
    """
    return (i + 0.5) * width(family) / len(row)


def draw(
    axes: Axes,
    structure: Structure,
    shares: Mapping[tuple[int, int], float] | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Draw ``structure`` in ``axes``, in inches: hidden variables (double circles) at height
    `rise`, observed ones at 0, and an arrow for every link: with ``shares`` of the links (i, j),
    from 0 to 1, darker and wider for a larger one. ``names`` of the observed variables, at most
    `ROOM` inches wide, stand in the circles.
    """
    family = structure.family
    hidden = [(place(i, family.hidden, family), rise(family)) for i in range(len(family.hidden))]
    observed = [(place(j, family.observed, family), 0.0) for j in range(len(family.observed))]
    for i, centre in enumerate(hidden):
        _variable(axes, f"s{i + 1}", centre)
        axes.add_patch(Circle(centre, RADIUS - 0.045, fc="none", ec=INK, lw=0.7, zorder=2))
    for j, centre in enumerate(observed):
        _variable(axes, f"y{j + 1}", centre, names[j] if names else None)
        for i in structure.parents[j]:
            share = None if shares is None else shares[i, j]
            _arrow(axes, f"s{i + 1}-y{j + 1}", hidden[i], centre, share)


def _variable(axes: Axes, name: str, centre: tuple[float, float], words: str | None = None) -> None:
    """A circle with ``words``, or a name such as s1, its number as a subscript."""
    axes.add_patch(Circle(centre, RADIUS, fc="white", ec=INK, lw=1.1, zorder=2, gid=name))
    if words is not None:
        axes.text(*centre, words, ha="center", va="center", fontsize=NAME, zorder=3,
                  parse_math=False, gid=f"name-{name}")  # fmt: skip
        return
    axes.text(*centre, f"${name[0]}_{{{name[1:]}}}$", ha="center", va="center", fontsize=11,
              zorder=3, math_fontfamily="dejavuserif")  # fmt: skip


def _arrow(axes: Axes, name: str, hidden: tuple, observed: tuple, share: float | None) -> None:
    """An arrow from circle to circle; of a small ``share``, if there is one, pale and thin."""
    start, end = np.array(hidden), np.array(observed)
    along = (end - start) / np.linalg.norm(end - start) * (RADIUS + 0.02)
    head = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
    line = {"lw": 1.1}
    if share is not None:  # the darker in front
        share = min(share, 1.0)  # it is a sum of probabilities, rounded
        line = {"alpha": 0.1 + 0.9 * share, "lw": 0.5 + 0.6 * share, "zorder": 1 + share / 2}
    arrow = FancyArrowPatch(start + along, end - along, **head, **line, color=INK, gid=name)
    axes.add_patch(arrow)
