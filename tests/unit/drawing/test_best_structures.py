"""Pictures of structures and of pairs: which are drawn, and the numbers of their cells."""

import re

import numpy as np
import pytest

from latentdag.drawing.best_structures import graphs
from latentdag.drawing.shared_causes import matrix
from latentdag.drawing.style import lightness
from latentdag.model.structures import Family, Structure
from latentdag.ranking.ranking import ProbableLinks


def probable(label: str, hidden: tuple[int, ...], name: str, share=1.0) -> ProbableLinks:
    """Links that all have this share; the best structure has this name."""
    structure = Structure.from_label(label, Family(hidden, (2,) * (label.count("-") + 1)))
    shares = {(i, j): share for j, causes in enumerate(structure.parents) for i in causes}
    return ProbableLinks(hidden, 0.25, structure, shares, name, 0.125, 17)


def test_six_sets_of_causes_are_drawn_and_those_that_look_alike_share_a_picture():
    """Two look alike that differ in numbers of states, and in less than a tenth of a share."""
    links = [probable("1-1-0", (2,), "b0", 0.6), probable("1-1-0", (3,), "b1", 0.62)]
    links += [probable("1-1-0", (4,), "b2", 0.8), probable("1-1-1", (2,), "b3")]
    links += [probable("0-1-1", (2,), "b4"), probable("1-0-1", (2,), "b5")]
    links.append(probable("0-0-1", (2,), "b6"))
    texts = (text for axes in graphs(links, "abc").axes for text in axes.texts)
    captions = [text.get_text() for text in texts if text.get_gid() == "caption"]
    names = [re.findall(r"b\d", caption) for caption in captions]
    assert names == [["b0", "b1"], ["b2"], ["b3"], ["b4"], ["b5"]]
    assert re.findall(r"[\d.]+\b", captions[1].replace("b2", "")) == ["4", "0.25", "0.12", "17"]


@pytest.mark.parametrize("kind", ["pairs", "links"])
def test_the_number_of_a_cell_is_its_own_and_can_be_read(kind):
    """Black or white, as the cell is pale or dark."""
    names = [f"v{k}" for k in range(12)]
    if kind == "pairs":
        pairs = [(i, j) for j in range(12) for i in range(j)]
        values = dict(zip(pairs, np.linspace(0.01, 0.99, len(pairs)), strict=True))
        figure = matrix(((names[i], names[j], p) for (i, j), p in values.items()), names, "vb")
        values |= {(j, i): p for (i, j), p in values.items()}
    else:
        links = probable("-".join(["123456"] * 12), (2,) * 6, "b")
        values = dict(zip(links.shares, np.linspace(0.01, 0.99, 72), strict=True))
        figure = graphs([links._replace(shares=values)], names)
    (image,) = figure.axes[0].images
    assert len(figure.axes[0].texts) == len(values)
    for text in figure.axes[0].texts:
        i, j = text.get_position()
        assert image.get_array()[j, i] == values[i, j]
        assert float(text.get_text()) == round(values[i, j], 2)
        assert abs(lightness(text.get_color()) - lightness(image.to_rgba(values[i, j]))) > 39
