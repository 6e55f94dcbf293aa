"""The links of the most probable structures, as graphs."""

from collections.abc import Iterable, Sequence

from matplotlib.figure import Figure

from latentdag.drawing import graph, layout, style
from latentdag.drawing.picture import Picture
from latentdag.ranking.names import states
from latentdag.ranking.ranking import ProbableLinks

MOST, COLUMNS = 6, 2  # graphs on the page, at most; side by side
WIDEST = 9.0  # inches, of a page with graphs side by side
LINE, SIZE = 0.13, 8.0  # inches, of a line of text; points, of a caption


@style.styled
def graphs(probable: Sequence[ProbableLinks], variables: Sequence[str]) -> Figure:
    """One graph for each set of causes, the most probable first, and six at most. An arrow is the
    darker, the more probable the link is, given these causes. Sets of causes whose graphs look
    alike, as they differ in numbers of states alone, share a graph. ``variables`` are the names of
    the observed variables.

    Causes are counted by class of equal distributions: a cause of one variable explains no
    association, and is absorbed.
    """
    alike: dict[tuple, list[ProbableLinks]] = {}
    for links in probable[:MOST]:
        # what a graph shows, to a tenth of its links' probabilities
        shares = sorted((link, round(share, 1)) for link, share in links.shares.items())
        alike.setdefault((links.links.parents, *shares), []).append(links)
    shown = {"\n".join(map(_caption, group)): group[0] for group in alike.values()}
    names = [layout.wrapped(name, graph.PITCH - 0.08) for name in variables]
    families = [own.links.family for own in shown.values()]
    below = 0.5 + LINE * _most_lines(names)
    above = 0.4 + 1.2 * LINE * _most_lines(shown)
    words = max(layout.text_width(line, SIZE) for c in shown for line in c.split("\n"))
    width = max(*map(graph.width, families), words) + 0.2
    height = below + max(map(graph.rise, families)) + above
    columns = min(COLUMNS, len(shown), max(1, int(WIDEST / width)))
    rows = -(-len(shown) // columns)
    figure = Picture(figsize=(width * columns, height * rows))
    places = {"left": 0, "bottom": 0, "right": 1, "top": 1, "wspace": 0, "hspace": 0}
    cells = figure.add_gridspec(rows, columns, **places)
    for k, (caption, own) in enumerate(shown.items()):
        axes = figure.add_subplot(cells[divmod(k, columns)])
        aside = (width - graph.width(own.links.family)) / 2
        axes.set(xlim=(-aside, width - aside), ylim=(-below, height - below))
        axes.set_axis_off()
        graph.draw(axes, own.links, own.shares)
        for j, name in enumerate(names):
            x = graph.place(j, own.links.family.observed, own.links.family)
            axes.text(x, -graph.RADIUS - 0.1, name, ha="center", va="top", fontsize=style.SMALL,
                      parse_math=False, gid=f"name-y{j + 1}")  # fmt: skip
        axes.text(width / 2 - aside, height - below - 0.05, caption, ha="center", va="top",
                  fontsize=SIZE, gid="caption")  # fmt: skip
    return figure


def _caption(links: ProbableLinks) -> str:
    causes = f"states of the causes {states(links.causes)}" if links.causes else "no cause"
    return (
        f"{causes}: probability {links.probability:.2g}\n"
        f"best structure {links.best}: {links.best_probability:.2g},\n"
        f"{links.best_parameters} free parameters"
    )


def _most_lines(texts: Iterable[str]) -> int:
    return max(text.count("\n") + 1 for text in texts)
