"""The figures of a study, each a pure function from tables to a matplotlib Figure, and one way to
write them.

Nothing here touches pyplot or leaves a setting behind, and a user's matplotlibrc has no say: the
same tables give the same bytes. Every method keeps its colour, marker and line style in all
figures; the colours differ in lightness: grey is enough.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyArrowPatch, Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from latentdag.files import whole
from latentdag.stats import log_mean_exp
from latentdag.structures import Family, Structure


@dataclass(frozen=True)
class Look:
    """How a method looks in every figure."""

    label: str
    colour: str
    marker: str
    line: str | tuple
    size: float  # points; markers at one place nest, the smaller on the larger
    hollow: bool = False
    width: float = 1.3  # of the line, points
    pale: bool = False  # the marker needs a dark edge

    @property
    def face(self) -> str:
        return "white" if self.hollow else self.colour

    @property
    def edge(self) -> str:
        return INK if self.pale else self.colour

    @property
    def rim(self) -> float:
        return 0.6 if self.pale else 1.0


STYLE: Mapping[str, Look] = {
    "map": Look("MAP", "#e3a72f", "^", (0, (1, 1.2)), 4.8),
    "ais": Look("AIS", "#000000", "o", (0, (4.5, 1.6)), 5.8, hollow=True),
    "vb": Look("VB", "#1f5fa8", "s", "-", 3.5),
    "bic": Look("BIC", "#d9634c", "v", (0, (5, 1.5, 1, 1.5)), 4.8),
    "exact": Look("exact", "#000000", "D", "none", 9.0, hollow=True),
    # in the background: a wide pale line, which the thin dark ones cross without hiding it
    "reference": Look("reference", "#74c2a0", "P", "-", 5.6, width=3.6, pale=True),
    "cs": Look("CS", "#5f8f3a", "D", (0, (3, 1.2)), 3.4),
}
LINES = ("map", "ais", "vb", "bic")  # methods of the figures, in the order of the legends
SHOWN = (*LINES, "reference")
PANELS = {
    "bic": "BIC",
    "cs": "Cheeseman-Stutz",
    "vb": "VB",
    "ais": "AIS",
}  # of the errors, loosest first
INK, FAINT, BAR = "#000000", "#8a8a8a", "#555555"
RING = {
    "ls": "none",
    "marker": "D",
    "mfc": "none",
    "mec": INK,
    "mew": 0.8,
}  # round the true structure
STAR = {
    "ls": "none",
    "marker": "*",
    "mfc": "#d9634c",
    "mec": INK,
    "mew": 0.5,
}  # started at the true parameters
DOT = {
    "ls": "none",
    "marker": "o",
    "mfc": "#8f8f8f",
    "mec": "none",
}  # started at a draw from the prior
MEAN = {"color": INK, "lw": 1.0, "marker": "o", "ms": 3.4, "mfc": "white", "mec": INK, "mew": 0.9}
LEVELS = {
    "reference": ("reference", "-"),
    "vb": ("VB lower bound", "-"),
    "bic": ("BIC score", (0, (5, 2))),
}
RANGE, HALF = {"color": "#e4e4e4"}, {"color": "#b9b9b9"}  # of the errors, over the structures
MEDIAN = {"color": INK, "lw": 1.6}
TRUE_LINE = {
    "color": "#c8452e",
    "lw": 0.9,
    "ls": "-",
    "marker": "D",
    "ms": 3.6,
    "mfc": "white",
    "mec": "#c8452e",
    "mew": 0.8,
}
RADIUS, PITCH, RISE = (
    0.26,
    0.85,
    1.45,
)  # of graphs, in inches: circles, from one to the next, hidden above observed
BEST, BEST_COLUMNS = 6, 2  # structures drawn of a posterior
WIDTH = 7.1  # inches: a journal's full text width
LEFT, RIGHT = 0.82, 0.14  # margins in inches
SMALL = 7.0  # points, tick labels
QUANTILES = (0.1, 0.9)  # of the band when there are several draws
RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same on every machine
    "font.size": 8.0,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}


def _styled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with matplotlib.style.context(["default", RC]):
            return function(*args, **kwargs)

    return wrapper


@_styled
def save(figure: Figure, png_path: str | Path, pdf_path: str | Path) -> None:
    """Write the figure as PNG (200 dpi) and PDF (fonts embedded as Type 42), each `whole`, and none
    if it cannot be drawn.

    The bytes hold no dates and no versions of the programs that wrote them.
    """
    metadata = {
        "png": {"Software": None},
        "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    }
    drawn = {kind: BytesIO() for kind in metadata}
    for kind, file in drawn.items():
        figure.savefig(file, format=kind, metadata=metadata[kind], dpi=RC["savefig.dpi"])
    for kind, path in (("png", png_path), ("pdf", pdf_path)):
        with whole(path) as partial:
            partial.write_bytes(drawn[kind].getvalue())


@_styled
def true_structure(structure: Structure) -> Figure:
    """Figure 1 left: the graph, hidden variables (double circles) above, observed ones below, an
    arrow for every link.
    """
    family = structure.family
    widest = max(len(family.hidden), len(family.observed))
    words = 1.1  # inches, as are all coordinates below
    rows_differ = len(set(family.hidden)) > 1
    width, height = words + PITCH * widest + 0.1, 2.65 + 0.2 * rows_differ
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-words, width - words), ylim=(-0.8, height - 0.8))
    axes.set_axis_off()
    _draw_graph(axes, structure)
    for y, kind, cardinalities in (
        (RISE, "hidden", family.hidden),
        (0.0, "observed", family.observed),
    ):
        same = len(set(cardinalities)) == 1
        if not same:
            up = 1 if kind == "hidden" else -1
            for i, cardinality in enumerate(cardinalities):
                x = _place(i, len(cardinalities), widest)
                axes.text(
                    x,
                    y + up * (RADIUS + 0.12),
                    f"{cardinality} values",
                    ha="center",
                    va="center",
                    fontsize=SMALL,
                )
        if cardinalities:
            values = (
                f",\n{cardinalities[0]} values" + (" each" if len(cardinalities) > 1 else "")
                if same
                else ""
            )
            axes.text(-words + 0.1, y, kind + values, ha="left", va="center")
    links = "1 link" if structure.n_links == 1 else f"{structure.n_links} links"
    caption = f"{structure.label}: {links}, {structure.n_parameters} free parameters"
    axes.text(width / 2 - words, -0.62, caption, ha="center", va="center", fontsize=7.5)
    return figure


@_styled
def best_structures(
    posterior_df: pd.DataFrame, family: Family, names: Sequence[str], method: str, draw: int = 0
) -> Figure:
    """The BEST structures to which ``method`` gives the highest posterior probability, most
    probable first.

    Reads draw, structure, method and probability of the posterior table, which has one n per draw;
    ``names`` are those of the observed variables.
    """
    own = posterior_df[(posterior_df["method"] == method) & (posterior_df["draw"] == draw)]
    if own.empty:
        raise ValueError(f"the posterior table has no {method} of draw {draw}")
    best = own.sort_values("probability", ascending=False, kind="stable").head(BEST)
    widest = max(len(family.hidden), len(family.observed))
    names = [name.replace("_", "\n").replace(" ", "\n") for name in names]
    lines = max(name.count("\n") for name in names) + 1
    below = 0.45 + 0.11 * lines
    columns = min(BEST_COLUMNS, len(best))
    panel = np.array([PITCH * widest + 0.2, below + RISE + 0.65])
    rows = -(-len(best) // columns)
    figure = Figure(figsize=panel * (columns, rows))
    for k, (label, probability) in enumerate(
        zip(best["structure"], best["probability"], strict=True)
    ):
        column, row = k % columns, rows - 1 - k // columns
        axes = figure.add_axes(
            (column / columns, row / rows, 1 / columns, 1 / rows), xlim=(-0.1, panel[0] - 0.1)
        )
        axes.set_ylim(-below, panel[1] - below)
        axes.set_axis_off()
        structure = Structure.from_label(label, family)
        _draw_graph(axes, structure, childless=False)
        for j, name in enumerate(names):
            x = _place(j, len(names), widest)
            axes.text(
                x, -RADIUS - 0.08, name, ha="center", va="top", fontsize=SMALL, linespacing=1.1
            )
        caption = f"{label}, d = {structure.n_parameters}: probability {probability:.2g}"
        axes.text(
            panel[0] / 2 - 0.1,
            panel[1] - below - 0.14,
            caption,
            ha="center",
            va="center",
            fontsize=8.0,
            gid="caption",
        )
    return figure


def _place(i: int, n: int, widest: int) -> float:
    """Where variable i of n stands, in inches."""
    return (i + 0.5) * PITCH * widest / n


def _draw_graph(axes: Axes, structure: Structure, childless: bool = True) -> None:
    """Hidden variables (double circles) above observed ones, with an arrow for every link; the
    axes' unit is the inch.
    """
    family = structure.family
    widest = max(len(family.hidden), len(family.observed))
    active = set().union(*structure.parents)
    centres = {}
    for name, cardinalities, y in (("s", family.hidden, RISE), ("y", family.observed, 0.0)):
        for i in range(len(cardinalities)):
            if name == "s" and not childless and i not in active:
                continue
            x = _place(i, len(cardinalities), widest)
            centres[name, i] = np.array([x, y])
            axes.add_patch(
                Circle((x, y), RADIUS, fc="white", ec=INK, lw=1.1, zorder=2, gid=f"{name}{i + 1}")
            )
            if name == "s":
                axes.add_patch(Circle((x, y), RADIUS - 0.045, fc="white", ec=INK, lw=0.7, zorder=2))
            text = f"${name}_{{{i + 1}}}$"
            axes.text(
                x,
                y,
                text,
                ha="center",
                va="center",
                fontsize=11,
                zorder=3,
                math_fontfamily="dejavuserif",
            )
    for j, parents in enumerate(structure.parents):
        for h in parents:
            start, end = centres["s", h], centres["y", j]
            along = (end - start) / np.linalg.norm(end - start) * (RADIUS + 0.02)
            head = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
            axes.add_patch(
                FancyArrowPatch(
                    start + along, end - along, **head, lw=1.1, color=INK, gid=f"s{h + 1}-y{j + 1}"
                )
            )


@_styled
def scores(scores_df: pd.DataFrame, structures_df: pd.DataFrame, n: int, draw: int = 0) -> Figure:
    """Figure 1 right: the scores of all structures at ``n`` cases against the number of free
    parameters d.

    Reads draw, n, structure, method, score, standard_error of scores, and structure, n_parameters,
    is_true of structures. Within a column structures stand side by side, each at one place for all
    methods, in the order of their VB bound.
    """
    here = scores_df[
        (scores_df["draw"] == draw) & (scores_df["n"] == n) & scores_df["method"].isin(SHOWN)
    ]
    if here.empty:
        raise ValueError(f"the scores table has no {', '.join(SHOWN)} at n = {n} of draw {draw}")
    wide = here.pivot(index="structure", columns="method", values="score")
    about = structures_df.set_index("structure").loc[wide.index]
    guide = next(m for m in ("vb", "ais", "bic", "map", "reference") if m in wide)
    x = _staggered(about["n_parameters"], wide[guide])
    true = about.index[about["is_true"].astype(bool)]

    methods = [m for m in SHOWN if m in wide]
    crowded = len(methods) > len(LINES)  # the legend takes three rows
    figure, axes = _canvas(
        height=5.2 if crowded else 4.8, bottom=0.5, top=0.84 if crowded else 0.66
    )
    sizes = np.unique(about["n_parameters"])
    pad = 0.75 * _column_pitch(sizes)
    axes.set_xlim(sizes[0] - pad, sizes[-1] + pad)
    for m in methods:
        look = STYLE[m]
        above = -look.size / 100  # smaller markers on larger ones
        y = wide[m].dropna()
        if m in ("ais", "reference"):
            error = (
                here[here["method"] == m]
                .set_index("structure")["standard_error"]
                .reindex(y.index)
                .fillna(0.0)
            )
            axes.errorbar(
                x[y.index], y, error, fmt="none", ecolor=BAR, elinewidth=0.6, capsize=0, zorder=2
            )
        points = {
            "ls": "none",
            "marker": look.marker,
            "mfc": look.face,
            "mec": look.edge,
            "label": m,
            "gid": f"scores-{m}",
        }
        axes.plot(
            x[y.index], y, ms=0.75 * look.size, mew=0.6 * look.rim, zorder=3 + above, **points
        )
        best = y.idxmax()
        points.update(mec=INK, label=f"best {m}", gid=f"best-{m}")
        axes.plot([x[best]], [y[best]], ms=_best_size(m), mew=1.5, zorder=6 + above, **points)
        if len(true) and true[0] in y.index:
            axes.plot(x[true[0]], y[true[0]], **RING, ms=11.5, zorder=7, gid=f"true-{m}")
    if len(true):
        d = about.loc[true[0], "n_parameters"]
        axes.axvline(d, color=FAINT, lw=0.9, zorder=1, gid="true-d")
        axes.annotate(f"d = {d}, true structure {true[0]}", (d, 1), (0, 2), xycoords=("data", "axes fraction"),
                      textcoords="offset points", ha="center", va="bottom", fontsize=SMALL)  # fmt: skip
    axes.set_xlabel("number of free parameters d")
    axes.set_ylabel(f"log score at n = {n} (nats)")
    _plain_numbers(axes)
    _ticks(axes, sizes)
    handles = [_key(m, line=False) for m in methods]
    handles += [_key(m, line=False, best=True, label=f"best, {wide[m].idxmax()}") for m in methods]
    order = np.arange(len(handles)).reshape(2, -1).T.ravel()  # a legend is filled column by column
    handles = [handles[i] for i in order]
    others = [Line2D([], [], **RING, ms=9, label="true structure")] if len(true) else []
    if {"ais", "reference"} & set(methods):
        others.append(
            Line2D(
                [], [], ls="none", marker="|", ms=9, mew=0.7, color=BAR, label="± 1 standard error"
            )
        )
    if crowded:
        _legend_above(figure, handles, columns=len(methods), handlelength=1.3)
        _legend_above(figure, others, columns=2, drop=0.36, handlelength=1.3)
    else:
        handles += others
        _legend_above(figure, handles, columns=(len(handles) + 1) // 2, handlelength=1.3)
    return figure


@_styled
def ranks(
    ranks_df: pd.DataFrame, draw: int | None = None, n_structures: int | None = None
) -> Figure:
    """Figure 2 left: the rank of the true structure (1, the best, on top) against the number of
    cases n.

    Reads draw, n, method, rank, rank_low, rank_high. One draw (``draw``, or the only one of the
    table): its ranks, with a band from rank_low to rank_high where they differ. Several: the median
    over draws, with a band between the QUANTILES. ``n_structures`` is the worst possible rank; by
    default the worst of the table.
    """
    frame = ranks_df if draw is None else ranks_df[ranks_df["draw"] == draw]
    frame = frame[frame["method"].isin([*SHOWN, "exact"])]
    if frame.empty:
        raise ValueError(
            f"the ranks table has no {', '.join(SHOWN)}"
            + ("" if draw is None else f" of draw {draw}")
        )
    several = frame["draw"].nunique() > 1
    worst = int(n_structures or max(frame["rank_high"].max(), frame["rank"].max(), 2))
    sizes = np.unique(frame["n"])

    figure, axes = _canvas(height=3.9, bottom=0.72, top=0.36)
    axes.set_xscale("log")
    axes.set_xlim(_log_limits(sizes))
    axes.set_yscale("function", functions=(_rank_to_height, _height_to_rank))
    ends = _rank_to_height(np.array([1.0, worst]))
    low, high = _height_to_rank(ends + np.array([-0.035, 0.03]) * (ends[1] - ends[0]))
    axes.set_ylim(high, low)
    handles, banded = [], False
    for m in (m for m in SHOWN if m in set(frame["method"])):
        look, of_method = STYLE[m], frame[frame["method"] == m].groupby("n")
        if several:
            middle = of_method["rank"].median()
            band = (
                of_method["rank"].quantile(QUANTILES[0]),
                of_method["rank"].quantile(QUANTILES[1]),
            )
        else:
            middle = of_method["rank"].first()
            band = of_method["rank_low"].first(), of_method["rank_high"].first()
        back = m == "reference"  # behind the other lines, but its band before theirs
        if (band[0] < band[1]).any():
            fill = {"alpha": 0.35, "zorder": 1.5} if back else {"alpha": 0.13, "zorder": 1}
            axes.fill_between(middle.index, *band, color=look.colour, lw=0, gid=f"band-{m}", **fill)
            edges = [
                axes.plot(
                    middle.index, b, color=look.colour, lw=0.8 if back else 0.4, alpha=0.5, zorder=1
                )
                for b in band
            ]
            for (edge,) in edges:
                edge.set_gid(f"edge-{m}")
        above = (
            0.5 if look.line != "-" else 0.0
        )  # broken lines on the whole one: both are seen where they meet
        line = {"color": look.colour, "ls": look.line, "lw": look.width, "solid_capstyle": "round"}
        axes.plot(middle.index, middle, zorder=2 if back else 3 + above, clip_on=False, **line)
        axes.plot(middle.index, middle, ls="none", marker=look.marker, ms=look.size, mfc=look.face, mec=look.edge, mew=look.rim,
                  zorder=(2.5 if back else 5) - look.size / 100, clip_on=False, gid=f"rank-{m}")  # fmt: skip
        handles.append(_key(m))
        banded |= bool((band[0] < band[1]).any())
    exact = frame[frame["method"] == "exact"].groupby("n")["rank"].median()
    if len(exact):
        look = STYLE["exact"]
        axes.plot(exact.index, exact, ls="none", marker=look.marker, ms=look.size, mfc="none", mec=look.colour, mew=1.2, zorder=5,
                  clip_on=False, gid="rank-exact")  # fmt: skip
        handles.append(_key("exact", line=False))
    if several:
        # nothing of the table's Monte Carlo errors then: they are part of the variation between
        # draws
        words = f"median and {100 * QUANTILES[0]:.0f} to {100 * QUANTILES[1]:.0f} % of {frame['draw'].nunique()} draws"
        handles.append(Patch(fc=FAINT, alpha=0.3, label=words))
    elif banded:
        handles.append(Patch(fc=FAINT, alpha=0.3, label="within the Monte Carlo error"))
    axes.set_xlabel("number of cases n")
    axes.set_ylabel(
        f"rank of the true structure (of {worst})" if n_structures else "rank of the true structure"
    )
    marks = [r for r in (10**k * f for k in range(9) for f in (1, 2, 5)) if 1.25 * r < worst] + [
        worst
    ]
    axes.yaxis.set_major_locator(FixedLocator(marks))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda r, _: f"{r:.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(axis="y", color="#dddddd", lw=0.5, zorder=0)
    axes.set_axisbelow(True)
    _ticks(axes, sizes)
    _legend_above(
        figure, handles, columns=len(handles), handlelength=2.8 if len(handles) < 7 else 2.2
    )
    return figure


@_styled
def annealing(
    annealing_df: pd.DataFrame,
    scores_df: pd.DataFrame,
    n: int,
    draw: int = 0,
    transition: str = "metropolis",
) -> Figure:
    """Figure 2 right: the log weight of every annealing chain against the length of its schedule.

    Reads draw, n, structure, transition, steps, start, chain, log_weight of annealing, and the bic
    and vb scores of that structure in scores. The line is the log mean weight of the chains that
    start at draws from the prior, with its jackknife standard error. When chains lie far below both
    scores, the axis is broken and they go to a lower panel with a coarser scale.
    """
    keep = (
        (annealing_df["draw"] == draw)
        & (annealing_df["n"] == n)
        & (annealing_df["transition"] == transition)
    )
    frame = annealing_df[keep]
    if frame["structure"].nunique() != 1:
        found = ", ".join(frame["structure"].unique()) or "none"
        raise ValueError(
            f"needs {transition} chains of one structure at n = {n} of draw {draw}; in the annealing table: {found}"
        )
    structure = frame["structure"].iloc[0]
    own = scores_df[
        (scores_df["draw"] == draw) & (scores_df["n"] == n) & (scores_df["structure"] == structure)
    ]
    levels = {
        m: own.loc[own["method"] == m, "score"].iloc[0]
        for m in LEVELS
        if (own["method"] == m).any()
    }
    doubt = 2 * own.loc[own["method"] == "reference", "standard_error"].fillna(0.0).sum()
    prior, true = frame[frame["start"] == "prior"], frame[frame["start"] == "true"]
    lengths = np.unique(frame["steps"])
    means = [(steps, *log_mean_exp(g["log_weight"])) for steps, g in prior.groupby("steps")]
    means = pd.DataFrame(means, columns=["steps", "mean", "error"]).fillna({"error": 0.0})

    values = frame["log_weight"].to_numpy()
    high = max(
        [
            values.max(),
            *levels.values(),
            *(means["mean"] + means["error"]),
            levels.get("reference", -np.inf) + doubt,
        ]
    )
    level = (
        min(levels.values())
        if levels
        else frame.loc[frame["steps"] == lengths[-1], "log_weight"].min()
    )
    reach = max(high - level, 1.0)
    split = _gap(values, level - 1.5 * reach, level - 0.8 * reach)
    lowest = values.min()
    broken = lowest < split

    height, bottom, top, slit, share = 4.3, 0.5, 0.58, 0.09, 0.25
    figure, axes = _canvas(height, bottom, top)
    panels = {
        axes: (split if broken else min(lowest, level) - 0.06 * reach, high + 0.03 * (high - split))
    }
    if broken:
        x, y, width, inches = (
            LEFT / WIDTH,
            bottom,
            1 - (LEFT + RIGHT) / WIDTH,
            height - bottom - top - slit,
        )
        axes.set_position(
            (x, (y + share * inches + slit) / height, width, (1 - share) * inches / height)
        )
        panels[figure.add_axes((x, y / height, width, share * inches / height))] = (
            lowest - 0.12 * (split - lowest),
            split,
        )
    last = list(panels)[-1]
    chains = sorted(prior["chain"].unique())
    # chains stand left of their length, in doublings, the star right of it: all can be seen
    aside = prior["chain"].map(
        dict(zip(chains, np.linspace(-0.30, -0.12, len(chains)), strict=True))
    )
    whole = {"clip_on": False}  # no mark is cut in two where the axis is broken
    for ax, (low, up) in panels.items():
        ax.set_xscale("log", base=2)
        ax.set_xlim(lengths[0] / 2**0.55, lengths[-1] * 2**0.55)
        ax.set_ylim(low, up)
        inside = prior["log_weight"].between(low, up)
        x = prior["steps"][inside] * 2.0 ** aside[inside]
        ax.plot(x, prior["log_weight"][inside], ms=2.6, zorder=3, gid="prior", **DOT, **whole)
        inside = true["log_weight"].between(low, up)
        ax.plot(
            true["steps"][inside] * 2**0.2,
            true["log_weight"][inside],
            ms=7,
            zorder=5,
            gid="true",
            **STAR,
            **whole,
        )
        ax.errorbar(
            means["steps"],
            means["mean"],
            means["error"],
            fmt="none",
            ecolor=INK,
            elinewidth=0.9,
            capsize=2,
            zorder=4,
        )
        inside = means["mean"].between(low, up)
        ax.plot(
            means["steps"], means["mean"].where(inside), color=INK, lw=1.0, zorder=4
        )  # no line across the break
        ax.plot(
            means["steps"][inside],
            means["mean"][inside],
            **(MEAN | {"ls": "none"}),
            zorder=4.5,
            gid="mean",
            **whole,
        )
        for m, y in levels.items():
            wide = m == "reference"
            width = 0.5 * STYLE[m].width if wide else 1.2
            ax.axhline(
                y,
                color=STYLE[m].colour,
                ls=LEVELS[m][1],
                lw=width,
                zorder=1.5 if wide else 2,
                gid=f"level-{m}",
            )
            if wide and doubt > 0:
                ax.axhspan(
                    y - doubt,
                    y + doubt,
                    color=STYLE[m].colour,
                    alpha=0.4,
                    lw=0,
                    zorder=1,
                    gid="level-band",
                )
        _plain_numbers(ax)
    if broken:
        axes.spines["bottom"].set_visible(False)
        axes.tick_params(bottom=False, labelbottom=False, which="both")
        axes.xaxis.set_major_locator(NullLocator())
        axes.xaxis.set_minor_locator(NullLocator())
        cut = {
            "marker": [(-1, -0.6), (1, 0.6)],
            "ms": 8,
            "ls": "none",
            "color": INK,
            "mew": 0.8,
            "clip_on": False,
        }
        axes.plot([0], [0], transform=axes.transAxes, **cut)
        last.plot([0], [1], transform=last.transAxes, **cut)
        last.yaxis.set_major_locator(FixedLocator(_round_between(lowest, split)))
        words = f"coarser scale: the {(values < split).sum()} of {len(values)} chains below {_number(split, 0)} nats"
        last.text(
            0.99, 0.3, words, transform=last.transAxes, ha="right", va="center", fontsize=SMALL
        )
    _ticks(last, lengths)
    last.set_xlabel("length of the annealing schedule (steps)")
    middle = (bottom + (height - bottom - top) / 2) / height
    words = f"log weight of {structure} at n = {n} (nats)"
    figure.text(
        0.01, middle, words, rotation=90, ha="left", va="center", fontsize=RC["axes.labelsize"]
    )
    handles = [
        Line2D([], [], **DOT, ms=3.6, label=f"chains from {len(chains)} prior draws"),
        Line2D([], [], **MEAN, label="their log mean weight ± standard error"),
        Line2D([], [], **STAR, ms=8, label="chain from the true parameters"),
    ]
    _legend_above(
        figure,
        [h for h, some in zip(handles, (len(prior), len(prior), len(true)), strict=True) if some],
        3,
        0.0,
        1.6,
    )
    handles, unit = (
        [],
        " nats" if len(levels) < 3 else "",
    )  # there is no room for it; the axis has it
    for m, level in levels.items():
        wide = m == "reference"
        words = (
            f"{LEVELS[m][0]}, {_number(level)}"
            + (f" ± {doubt:.2f} (2 standard errors)" if wide else "")
            + unit
        )
        look = {
            "color": STYLE[m].colour,
            "ls": LEVELS[m][1],
            "lw": 0.5 * STYLE[m].width if wide else 1.2,
        }
        handles.append(Line2D([], [], **look, label=words))
    if handles:
        _legend_above(figure, handles, columns=len(handles), drop=0.21, handlelength=2.2)
    return figure


@_styled
def tightness(errors_df: pd.DataFrame, structures_df: pd.DataFrame, draw: int = 0) -> Figure:
    """How wrong BIC, CS, VB and AIS are: score minus reference against the number of cases, over
    all structures.

    Reads draw, n, structure, method, error_nats of errors, and structure, is_true of structures. A
    panel for each method: the median, the middle half and the whole range over the structures, and
    the true structure. The axis is logarithmic on both sides of 0, linear between -1 and 1 nat.
    """
    here = errors_df[(errors_df["draw"] == draw) & errors_df["method"].isin(PANELS)]
    if here.empty:
        raise ValueError(f"the errors table has no {', '.join(PANELS)} of draw {draw}")
    methods = [m for m in PANELS if m in set(here["method"])]
    sizes = np.unique(here["n"])
    true = structures_df.loc[structures_df["is_true"].astype(bool), "structure"]
    low, high = _reach(here["error_nats"].min(), -1), _reach(here["error_nats"].max(), 1)

    height, bottom, top, slit = 3.3, 0.5, 0.48, 0.22
    figure = Figure(figsize=(WIDTH, height))
    width = (WIDTH - LEFT - RIGHT - slit * (len(PANELS) - 1)) / len(PANELS)
    for i, m in enumerate(methods):
        look = STYLE[m]
        box = (
            (LEFT + i * (width + slit)) / WIDTH,
            bottom / height,
            width / WIDTH,
            1 - (bottom + top) / height,
        )
        axes = figure.add_axes(box)
        axes.set_xscale("log")
        axes.set_xlim(_log_limits(sizes, 0.6))
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
        axes.set_ylim(low, high)
        own = here[here["method"] == m].groupby("n")["error_nats"]
        quantiles = {q: own.quantile(q) for q in (0.0, 0.25, 0.5, 0.75, 1.0)}
        for (a, b), fill in {(0.0, 1.0): RANGE, (0.25, 0.75): HALF}.items():
            axes.fill_between(
                quantiles[a].index,
                quantiles[a],
                quantiles[b],
                lw=0,
                zorder=1,
                gid=f"band-{m}",
                **fill,
            )
        axes.axhline(0, color=INK, lw=0.8, zorder=2)
        axes.plot(quantiles[0.5].index, quantiles[0.5], zorder=3, gid=f"median-{m}", **MEDIAN)
        marked = here[(here["method"] == m) & here["structure"].isin(true)].sort_values("n")
        if len(marked):
            axes.plot(marked["n"], marked["error_nats"], zorder=4, gid=f"true-{m}", **TRUE_LINE)
        axes.set_title(
            PANELS[m],
            loc="left",
            fontsize=RC["axes.labelsize"],
            pad=3,
            color=look.colour,
            fontweight="bold",
        )
        decades = [10.0**k for k in range(int(np.log10(max(-low, high, 1))) + 1)]
        axes.yaxis.set_major_locator(FixedLocator([-d for d in decades] + [0] + decades))
        axes.yaxis.set_minor_locator(
            FixedLocator([s * f * d for s in (-1, 1) for d in decades for f in range(2, 10)])
        )
        _plain_numbers(axes)
        axes.xaxis.set_major_locator(FixedLocator([10.0**k for k in range(10)]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        axes.grid(axis="y", color="#dddddd", lw=0.5, zorder=0)
        axes.set_axisbelow(True)
        if i:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel("score minus log evidence (nats)\n0: exact, below 0: too low")
    middle = (LEFT + (len(methods) * (width + slit) - slit) / 2) / WIDTH
    figure.text(
        middle, 0.02, "number of cases n", ha="center", va="bottom", fontsize=RC["axes.labelsize"]
    )
    count = here["structure"].nunique()
    handles = [
        Line2D([], [], **MEDIAN, label=f"median of {count} structures"),
        Patch(label="middle half", **HALF),
        Patch(label="lowest to highest", **RANGE),
        Line2D([], [], **TRUE_LINE, label=f"true structure {true.iloc[0]}" if len(true) else ""),
    ]
    _legend_above(figure, handles if len(true) else handles[:-1], columns=4)
    return figure


def _reach(value: float, sign: int) -> float:
    """A limit of the axis of errors a little beyond ``value``, and at least 1.5 nats from 0."""
    return sign * max(1.5, 1.3 * sign * value)


def _rank_to_height(rank):
    """Between linear and logarithmic: the first ranks keep their distance, the last are not
    squeezed into nothing.
    """
    return np.log(np.maximum(np.asarray(rank, dtype=float), -1.9) + 2)


def _height_to_rank(height):
    return np.exp(height) - 2


def _canvas(height: float, bottom: float, top: float) -> tuple[Figure, Axes]:
    """A figure of text width, its margins given in inches: what lies outside the axes has its place
    reserved.
    """
    figure = Figure(figsize=(WIDTH, height))
    box = (LEFT / WIDTH, bottom / height, 1 - (LEFT + RIGHT) / WIDTH, 1 - (bottom + top) / height)
    return figure, figure.add_axes(box)


def _column_pitch(sizes: np.ndarray) -> float:
    return float(np.diff(sizes).min()) if len(sizes) > 1 else 4.0


def _staggered(n_parameters: pd.Series, guide: pd.Series) -> pd.Series:
    """A place for every structure: its column, and beside each other within it, in the order of
    ``guide`` and then label.
    """
    order = pd.DataFrame({"d": n_parameters, "guide": guide}).rename_axis("structure").reset_index()
    order = order.sort_values(["d", "guide", "structure"])
    in_column = order.groupby("d").cumcount() - (order.groupby("d")["d"].transform("size") - 1) / 2
    largest = order.groupby("d").size().max()
    step = 0.8 * _column_pitch(np.unique(n_parameters)) / max(largest - 1, 1)
    return pd.Series((order["d"] + step * in_column).to_numpy(), index=order["structure"])


def _log_limits(values: np.ndarray, doublings: float = 0.3) -> tuple[float, float]:
    return values[0] / 2**doublings, values[-1] * 2**doublings


def _spread(x: np.ndarray, gap: float) -> np.ndarray:
    """The places nearest to the sorted ``x`` (least squares) that are at least ``gap`` apart: pool
    adjacent violators.
    """
    steps = gap * np.arange(len(x))
    pools: list[list[float]] = []  # mean, size
    for z in x - steps:
        pools.append([z, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, k) = pools[-2:]
            pools[-2:] = [[(a * m + b * k) / (m + k), m + k]]
    return np.concatenate([np.full(k, z) for z, k in pools]) + steps


def _ticks(axes: Axes, values: np.ndarray) -> None:
    """A tick and a label at every value of the x axis: upright where they fit, else turned, moved
    apart and led to their ticks.

    A label gives way (its tick stays) only when there is no room for all on the axis.
    """
    texts = [f"{v:g}" for v in values]
    height = axes.get_position().height * axes.figure.get_figheight() * 72
    width = axes.get_position().width * axes.figure.get_figwidth() * 72
    low, high = axes.transScale.transform([(limit, 1) for limit in axes.get_xlim()])[:, 0]
    at = (axes.transScale.transform([(v, 1) for v in values])[:, 0] - low) / (high - low) * width
    digit = 0.64 * SMALL
    upright = len(at) < 2 or all(
        b - a > digit * (len(s) + len(t)) / 2 + 4
        for a, b, s, t in zip(at, at[1:], texts, texts[1:], strict=False)
    )
    axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_minor_locator(NullLocator())
    if upright:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        return
    axes.tick_params(axis="x", labelbottom=False)
    gap = 1.2 * SMALL
    every = int(np.ceil(len(at) * gap / (width + 2 * gap)))
    keep = slice(None, None, every)
    tick, lead, pad = 3.5, 7.0, 1.5  # points below the axis
    for x, place, text in zip(at[keep], _spread(at[keep], gap), texts[keep], strict=True):
        below = {"transform": axes.transAxes, "clip_on": False}
        ends = [x / width, place / width], [-tick / height, -(tick + lead) / height]
        axes.add_line(Line2D(*ends, color=INK, lw=0.5, gid="leader", **below))
        y = -(tick + lead + pad) / height
        axes.text(
            place / width,
            y,
            text,
            rotation=90,
            ha="center",
            va="top",
            fontsize=SMALL,
            gid="tick",
            **below,
        )
    axes.xaxis.labelpad = lead + pad + digit * max(map(len, texts)) + 3


def _plain_numbers(axes: Axes) -> None:
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}".replace("-", "−")))


def _number(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _best_size(method: str) -> float:
    return 1.2 * STYLE[method].size + 3.5


def _gap(values: np.ndarray, low: float, high: float) -> float:
    """The middle of the widest gap between values in [low, high]: where an axis can be broken and
    no point is cut in two.
    """
    edges = np.array([low, *np.sort(values[(values > low) & (values < high)]), high])
    widest = np.diff(edges).argmax()
    return float(edges[widest : widest + 2].mean())


def _round_between(low: float, high: float) -> np.ndarray:
    """One to four round numbers from low to somewhat below high."""
    least = (high - low) / 4
    unit = 10 ** np.floor(np.log10(least))
    step = unit * min(f for f in (1, 2, 5, 10) if f * unit >= least)
    return np.arange(np.ceil(low / step) * step, high - 0.15 * (high - low), step)


def _key(method: str, line: bool = True, best: bool = False, label: str | None = None) -> Line2D:
    look = STYLE[method]
    face = "none" if method == "exact" else look.face
    size, edge, rim = (_best_size(method), INK, 1.5) if best else (look.size, look.edge, look.rim)
    line = {"color": look.colour, "ls": look.line if line else "none", "lw": look.width}
    marker = {"marker": look.marker, "ms": size, "mfc": face, "mec": edge, "mew": rim}
    return Line2D([], [], **line, **marker, label=label or look.label)


def _legend_above(
    figure: Figure, handles: list, columns: int, drop: float = 0.0, handlelength: float = 2.8
) -> None:
    """A legend in the upper margin, ``drop`` inches below the top, from the left end of the axes."""
    top = 1 - (0.04 + drop) / figure.get_figheight()
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(LEFT / WIDTH, top), ncols=columns, borderaxespad=0,
                  borderpad=0.2, columnspacing=1.4, handlelength=handlelength, handletextpad=0.5, labelspacing=0.45)  # fmt: skip
