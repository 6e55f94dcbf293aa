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


def keys(figure):
    """All keys of all legends by their text."""
    return {
        text.get_text(): handle
        for legend in figure.legends
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True)
        if text.get_text().strip()
    }


OF_LINE, OF_MARKER = ("linestyle", "color"), ("marker", "markerfacecolor", "markeredgecolor")


def assert_key(figure, text, *gids):
    """The key of that text looks like the lines and markers that it stands for."""
    key = keys(figure)[text]
    for gid in gids:
        for drawn in artists(figure, gid):
            looks = OF_LINE * (drawn.get_linestyle() != "None")
            looks += OF_MARKER * (drawn.get_marker() != "None")
            assert looks
            for look in looks:
                assert getattr(key, f"get_{look}")() == getattr(drawn, f"get_{look}")(), (gid, look)
        assert artists(figure, gid), gid


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
    """The texts that are drawn, without those of legends; of tick labels, those within limits."""
    labels, visible = set(), set()
    for axes in figure.axes:
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                labels |= {tick.label1, tick.label2}
                if min(limits) <= tick.get_loc() <= max(limits):
                    visible.add(tick.label1)
    in_legend = {text for legend in figure.legends for text in legend.get_texts()}
    return [
        text
        for text in figure.findobj(matplotlib.text.Text)
        if text.get_visible()
        and text.get_text().strip()
        and text not in in_legend
        and (text not in labels or text in visible)
    ]


def assert_tidy(figure):
    """All text is inside the figure, and no two pieces of text, nor a text and a legend, overlap;
    no legend lies on a plot. Returns the texts.
    """
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = shown_texts(figure)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    boxes += [("a legend", legend.get_window_extent(renderer)) for legend in figure.legends]
    for name, box in boxes:
        inside = box.x0 >= 0 and box.y0 >= 0
        inside = inside and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height
        assert inside, f"{name!r} leaves the figure"
    for (a, box), (b, other) in itertools.combinations(boxes, 2):
        apart = box.x1 <= other.x0 or other.x1 <= box.x0 or box.y1 <= other.y0 or other.y1 <= box.y0
        assert apart, f"{a!r} overlaps {b!r}"
    for legend, axes in itertools.product(figure.legends, figure.axes):
        extent = legend.get_window_extent(renderer)
        assert not extent.overlaps(axes.get_window_extent(renderer)), "a legend lies on a plot"
    return {text.get_text() for text in texts}
