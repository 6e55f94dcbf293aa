"""In how many draws each score has found the true structure for good, against the number of cases.
The paper, with one draw, has no such figure: its answers are marked.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.figures import band, layout, over_draws, style
from latentdag.figures.style import INK, SMALL
from latentdag.scores import SPECS
from latentdag.study.paper.claims_held import at_the_papers_sizes
from latentdag.study.schema.words import counted

HEIGHT, ABOVE = 2.3, 0.26  # inches, of a plot; of the words about the paper above the first
SIDES = {"vb": "right", "bic": "left"}  # of its mark at which the words about it end
MARK = {"color": INK, "lw": 0.8, "ls": (0, (1, 2)), "zorder": 1.2}


@style.styled
def found(found_share: pd.DataFrame, design: pd.DataFrame) -> Figure:
    """Share of draws in which each score puts the true structure first at n cases and at all larger
    sizes, against n.

    Reads n, by, method, draws, share, low, high of the found_share table, of its rows by structure,
    and true_structure of the design. The paper's methods are in the first plot; where all draws are
    of one structure, as the paper's is, with the sizes that it found for VB and BIC, and in how
    many draws these scores need no more. Other scores are in further plots. Raises ValueError if
    the table has no score of this figure.
    """
    by_structure = found_share[found_share["by"] == "structure"]
    specs = over_draws.drawn(by_structure["method"])
    if not specs:
        raise ValueError("no score of this figure in the found_share table")
    looks, groups = style.looks(), over_draws.together(specs)
    tables = {spec.name: by_structure[by_structure["method"] == spec.name] for spec in specs}
    lines = {name: over_draws.line(t, "share", "low", "high") for name, t in tables.items()}
    sizes = np.unique(by_structure["n"])
    of_one = len(set(design["true_structure"])) == 1
    marked = [_marks(by_structure) if of_one else {}, *[{}] * (len(groups) - 1)]
    legends = [[[(style.key(looks[s.name], s.label),) for s in g]] for g in groups.values()]
    legends[0].append(over_draws.key_of_band())
    names = [_name(spec.label, lines[spec.name]) for spec in specs]

    across = layout.Across(sizes, layout.log_limits(sizes))
    figure, boxes = layout.page(
        [
            layout.Plot(HEIGHT + ABOVE * bool(marks), legend)
            for legend, marks in zip(legends, marked, strict=True)
        ],
        across,
        right=layout.margin_for(names),
    )
    for group, box, marks in zip(groups.values(), boxes, marked, strict=True):
        axes = layout.add_axes(figure, box._replace(height=HEIGHT))
        across.apply(axes, labels=box is boxes[-1])
        over_draws.share_axis(axes)
        layout.grid(axes)
        for spec in group:
            band.draw(axes, spec.name, looks[spec.name], lines[spec.name])
        _name_ends(axes, {spec.name: lines[spec.name] for spec in group})
        for n, (words, side) in marks.items():
            axes.axvline(n, **MARK, gid=f"paper-{n}")
            axes.annotate(words, (n, 1), (3 if side == "right" else -3, 3), ha=side, va="bottom",
                          xycoords=("data", "axes fraction"), textcoords="offset points",
                          fontsize=SMALL)  # fmt: skip
    axes.set_xlabel("number of cases n")
    draws = over_draws.draws_of(by_structure)
    figure.supylabel(f"share of {draws} in which found for good by n", x=0.01,
                     ha="left", y=(boxes[-1].bottom + boxes[0].bottom + HEIGHT) / 2
                     / figure.get_figheight(), fontsize=style.MEDIUM)  # fmt: skip
    return figure


def _marks(by_structure: pd.DataFrame) -> dict[int, tuple[str, str]]:
    """By the paper's size, what it found there beside these draws, and the side of the words."""
    marks = {}
    for r in at_the_papers_sizes(by_structure).itertuples():
        words = f"the paper: {SPECS[r.Index].label} from n = {r.n}"
        here = f"here by then in {r.number} of {counted(r.draws, 'draw')}"
        marks[r.n] = f"{words}\n{here}", SIDES[r.Index]
    return marks


def _name(label: str, line: pd.DataFrame) -> str:
    return f"{label} {100 * line['middle'].iloc[-1]:.0f} %"


def _name_ends(axes: Axes, lines: dict[str, pd.DataFrame]) -> None:
    """The share at the largest size of each score, right of the plot."""
    looks = style.looks()
    layout.name_values(
        axes,
        [
            layout.Named(line["middle"].iloc[-1], _name(SPECS[m].label, line), looks[m].colour)
            for m, line in lines.items()
        ],
    )
