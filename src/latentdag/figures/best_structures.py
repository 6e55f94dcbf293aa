"""The links of the most probable structures of a table of one's own, as graphs."""

from collections.abc import Iterable, Sequence

import pandas as pd
from matplotlib.figure import Figure

from latentdag.figures import graph, layout, style
from latentdag.study.own_data.marginals import ProbableLinks, most_probable_links
from latentdag.study.schema.candidates import by_name, states, variable_names

MOST, COLUMNS = 6, 2  # graphs on the page, at most; side by side
WIDEST = 9.0  # inches, of a page with graphs side by side
LINE, SIZE = 0.13, 8.0  # inches, of a line of text; points, of a caption


@style.styled
def best_structures(
    posterior: pd.DataFrame,
    structures: pd.DataFrame,
    variables: pd.DataFrame,
    observed: Sequence[int],
    method: str,
) -> Figure:
    """The links of the most probable structures by ``method``: one graph for each set of causes,
    the most probable first, as many as make up 99 % of the probability, and six at most. An arrow
    is the darker, the more probable the link is, given these causes. Sets of causes whose graphs
    look alike, as they differ in numbers of states alone, share a graph.

    Causes are counted by class of equal distributions: a cause of one variable explains no
    association, and is absorbed. The posterior table is of one draw and size; ``observed`` are the
    variables' cardinalities. Raises ValueError if the method is not in the table.
    """
    mass = posterior[posterior["method"] == method].set_index("structure")["probability"]
    if mass.empty:
        raise ValueError(f"the posterior table has no {method}")
    known = by_name(structures[structures["structure"].isin(mass.index)], observed)
    alike: dict[tuple, list[ProbableLinks]] = {}
    for own in most_probable_links(mass, known, MOST):
        # what a graph shows, to a tenth of its links' probabilities
        shares = sorted((link, round(share, 1)) for link, share in own.shares.items())
        alike.setdefault((own.links.parents, *shares), []).append(own)
    shown = {
        "\n".join(_caption(own, known[own.best].n_parameters) for own in group): group[0]
        for group in alike.values()
    }
    names = [
        layout.wrapped(name.replace("_", " "), graph.PITCH - 0.08)
        for name in variable_names(variables)
    ]
    families = [own.links.family for own in shown.values()]
    below = 0.5 + LINE * _most_lines(names)
    above = 0.4 + 1.2 * LINE * _most_lines(shown)
    words = max(layout.text_width(line, SIZE) for c in shown for line in c.split("\n"))
    width = max(*map(graph.width, families), words) + 0.2
    height = below + max(map(graph.rise, families)) + above
    columns = min(COLUMNS, len(shown), max(1, int(WIDEST / width)))
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(width * columns, height * rows))
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


def _caption(own: ProbableLinks, n_parameters: int) -> str:
    causes = f"states of the causes {states(own.causes)}" if own.causes else "no cause"
    return (
        f"{causes}: probability {own.probability:.2g}\n"
        f"best structure {own.best}: {own.best_probability:.2g},\n"
        f"{n_parameters} free parameters"
    )


def _most_lines(texts: Iterable[str]) -> int:
    return max(text.count("\n") + 1 for text in texts)
