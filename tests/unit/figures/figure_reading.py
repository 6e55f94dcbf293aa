"""What a figure shows, read back from its artists."""

import itertools

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg


def artists(figure, gid):
    return figure.findobj(lambda artist: artist.get_gid() == gid)


def artist(figure, gid):
    (found,) = artists(figure, gid)
    return found


def points(line):
    """The points of a line, as pairs, in the order in which it is drawn."""
    return list(zip(np.ravel(line.get_xdata()), np.ravel(line.get_ydata()), strict=True))


def band(collection):
    """The ends of a band by x, ascending."""
    (path,) = collection.get_paths()
    x = path.vertices[:, 0]
    ends = {value: path.vertices[x == value, 1] for value in np.unique(x)}
    return {value: (own.min(), own.max()) for value, own in ends.items()}


def assert_band(collection, expected):
    """``expected`` has (x, low, high)."""
    low_and_high = band(collection)
    assert list(low_and_high) == [x for x, *_ in expected]
    np.testing.assert_allclose(list(low_and_high.values()), [ends for _, *ends in expected])


def keys(figure):
    """All keys of the legend by their text; of equal texts the last."""
    (legend,) = figure.legends
    texts = [text.get_text().replace("\n", "") for text in legend.get_texts()]
    return {t: key for t, key in zip(texts, legend.legend_handles, strict=True) if t.strip()}


def titles(figure):
    return [axes.get_title().replace("\n", " ") for axes in figure.axes]


def names(axes):
    """The names right of the plot, and the value from which a line leads to each."""
    lines = [a for a in axes.lines if a.get_gid() == "lead"]
    texts = [a for a in axes.texts if a.get_gid() == "name"]
    to_data = axes.transAxes + axes.transData.inverted()
    found = {}
    for line, text in zip(lines, texts, strict=True):
        x, y = line.get_data()
        assert y[-1] == text.get_position()[1]  # the line ends at its text
        found[text.get_text()] = to_data.transform((x[0], y[0]))
    return found


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
    """All text is inside the figure, and no two pieces of text overlap; no legend lies on a plot.
    Returns the texts.
    """
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in shown_texts(figure)]
    for name, box in boxes:
        inside = box.x0 >= -1 and box.y0 >= -1
        inside = inside and box.x1 <= figure.bbox.width + 1 and box.y1 <= figure.bbox.height + 1
        assert inside, f"{name!r} leaves the figure"
    for (a, box), (b, other) in itertools.combinations(boxes, 2):
        apart = box.x1 <= other.x0 or other.x1 <= box.x0 or box.y1 <= other.y0 or other.y1 <= box.y0
        assert apart, f"{a!r} overlaps {b!r}"
    for legend, axes in itertools.product(figure.legends, figure.axes):
        extent = legend.get_window_extent(renderer)
        assert not extent.overlaps(axes.get_window_extent(renderer)), "a legend lies on a plot"
    return {text for text, _ in boxes}
