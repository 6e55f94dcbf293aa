"""What a figure shows, read back from its artists."""

import itertools
from collections.abc import Iterator

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle


def place(drawn) -> np.ndarray:
    """Where a mark is in its plot, or what it shows there; no numbers of what has other units."""
    if isinstance(drawn, Line2D):
        return np.ma.filled(np.ma.asarray(drawn.get_xydata(), float), np.nan)
    if isinstance(drawn, QuadMesh):
        return np.concatenate([np.ravel(drawn.get_coordinates()), shown_by(drawn)])
    if isinstance(drawn, PathCollection):
        return np.ma.filled(drawn.get_offsets(), np.nan)
    if isinstance(drawn, Rectangle):
        return np.array([*drawn.get_xy(), drawn.get_width(), drawn.get_height()])
    if isinstance(drawn, Circle):
        return np.array([*drawn.center, drawn.radius])
    if isinstance(drawn, FancyArrowPatch):
        return drawn.get_path().vertices.ravel()
    if hasattr(drawn, "get_paths"):
        return np.concatenate([[], *(path.vertices.ravel() for path in drawn.get_paths())])
    return np.array([])


def shown_by(drawn) -> np.ndarray:
    """The values of a picture, and the colours that they have."""
    values = np.ma.filled(np.ma.asarray(drawn.get_array(), float), np.nan)
    return np.append(values, drawn.to_rgba(drawn.get_array()))


def look(drawn) -> str:
    """Colours, widths and signs, and whether it is cut at the edge of the plot."""
    if isinstance(drawn, Line2D):
        colours = drawn.get_color(), drawn.get_markerfacecolor(), drawn.get_markeredgecolor()
        strokes = [drawn.get_linestyle(), drawn.get_marker(), drawn.get_linewidth()]
    else:
        faces, edges = np.atleast_2d(drawn.get_facecolor()), np.atleast_2d(drawn.get_edgecolor())
        colours = *faces[:1], *edges[:1]
        strokes = [np.round(drawn.get_linewidth(), 6).tolist()]
    hexes = [c if isinstance(c, str) else to_hex(c, keep_alpha=True) for c in colours]
    return f"{drawn.get_gid()} {hexes} {strokes} {drawn.get_alpha()} {drawn.get_clip_on()}"


def contents(name: str, figure) -> Iterator[tuple[str, str, list]]:
    """The columns of a fingerprint: by panel the places of its marks, by their kind, the limits
    and scales of its axes and the looks; and all words but those of ticks.
    """
    words = [text.get_text() for text in figure.texts]
    for number, axes in enumerate(figure.axes):
        marks = [*axes.lines, *axes.collections, *axes.patches, *axes.images]
        leads = [mark for mark in marks if mark.get_gid() == "lead"]
        marks = [mark for mark in marks if mark not in leads]
        places: dict[str, list] = {"limits": [*axes.get_xlim(), *axes.get_ylim()], "scales": []}
        if leads:  # names are where the fonts have room; a line to one begins at its value
            places["leads"] = np.ravel([lead.get_xydata()[0] for lead in leads])
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            places["scales"].extend(axis.get_transform().transform(np.linspace(*limits, 5)))
        for mark in marks:
            shown = shown_by(mark) if mark in axes.images else place(mark)
            kind = (mark.get_gid() or type(mark).__name__).partition("-")[0]
            places.setdefault(kind, []).extend(np.ravel(shown))
        for kind, numbers in places.items():
            yield name, f"{number} {kind}", numbers
        yield name, f"{number} looks", [look(mark) for mark in marks if mark not in axes.images]
        words += [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        words += [text.get_text() for text in axes.texts]
    legends = figure.findobj(matplotlib.legend.Legend)
    for legend in legends:
        words += [text.get_text() for text in (legend.get_title(), *legend.get_texts())]
    yield name, "keys", [look(key) for legend in legends for key in legend.legend_handles]
    yield name, "words", [" ".join(text.split()) for text in words]


def shown_texts(figure):
    """The texts that are drawn; of tick labels, those within limits."""
    hidden = set()
    for axes in figure.axes:
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not min(limits) <= tick.get_loc() <= max(limits):
                    hidden |= {tick.label1, tick.label2}
    return [
        text
        for text in figure.findobj(matplotlib.text.Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]


def assert_tidy(figure):
    """All text is inside the figure, and no two pieces of text overlap; no legend is on a plot."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = shown_texts(figure)
    names = [text.get_text() for text in texts]
    boxes = np.array([text.get_window_extent(renderer).extents for text in texts])
    low, high = boxes[:, :2], boxes[:, 2:]
    inside = (low >= -1) & (high <= np.array(figure.bbox.size) + 1)
    assert inside.all(), [names[i] for i in np.flatnonzero(~inside.all(axis=1))]
    overlap = ((low[:, None] < high) & (low < high[:, None])).all(axis=2)
    assert not np.triu(overlap, 1).any(), [
        (names[i], names[j]) for i, j in np.argwhere(np.triu(overlap, 1))
    ]
    for legend, axes in itertools.product(figure.legends, figure.axes):
        extent = legend.get_window_extent(renderer)
        assert not extent.overlaps(axes.get_window_extent(renderer)), "a legend lies on a plot"
