"""The figures that draw structures as graphs."""

import numpy as np
import pandas as pd
import pytest
from figure_reading import artists, assert_tidy
from figure_tables import TRUE, shuffled
from matplotlib.patches import Circle, FancyArrowPatch

from latentdag.figures.best_structures import best_structures
from latentdag.figures.true_structure import true_structure
from latentdag.model.structures import Family, Structure


def variables(axes):
    return {c.get_gid(): c for c in axes.findobj(Circle) if c.get_gid()}


def arrows(axes):
    return {a.get_gid(): a for a in axes.findobj(FancyArrowPatch)}


def test_true_structure_has_every_variable_and_arrow():
    figure = true_structure(Structure.from_label(TRUE))
    texts = assert_tidy(figure)
    assert {"hidden,\n2 values each", "observed,\n5 values each"} <= texts
    assert f"{TRUE}: 6 links, 50 free parameters" in texts
    nodes = variables(figure)
    assert set(nodes) == {"s1", "s2", "y1", "y2", "y3", "y4"}
    assert len(figure.findobj(Circle)) == 6 + 2  # the second circle of the hidden ones
    found = arrows(figure)
    assert set(found) == {"s1-y1", "s1-y2", "s1-y3", "s2-y2", "s2-y3", "s2-y4"}
    for name, arrow in found.items():
        hidden, observed = (np.array(nodes[end].center) for end in name.split("-"))
        assert hidden[1] > observed[1]
        tail, head = (np.array(p) for p in arrow._posA_posB)
        assert np.linalg.norm(tail - hidden) == pytest.approx(nodes["s1"].radius, abs=0.05)
        assert np.linalg.norm(head - observed) == pytest.approx(nodes["s1"].radius, abs=0.05)
    for name, node in nodes.items():
        (text,) = (t for t in figure.axes[0].texts if t.get_text() == f"${name[0]}_{{{name[1]}}}$")
        assert text.get_position() == node.center


@pytest.mark.parametrize(
    ("label", "family", "links"),
    [
        ("1-0-1", Family((2,), (3, 3, 3)), 2),
        ("12-0-23-123-3", Family((2, 3, 2, 2), (2, 3, 4, 5, 2)), 8),
        ("0-0", Family((), (2, 3)), 0),
        ("123456789", Family((2,) * 9, (2,)), 9),
    ],
)
def test_true_structure_of_any_family(label, family, links):
    figure = true_structure(Structure.from_label(label, family))
    texts = assert_tidy(figure)
    assert len(arrows(figure)) == links
    for row in (family.hidden, family.observed):
        if len(set(row)) > 1:
            assert {f"{values} values" for values in row} <= texts


@pytest.mark.parametrize("count", [4, 17])
def test_arrows_stay_clear_of_other_variables(count):
    figure = true_structure(Structure.from_label("-".join("1" * count), Family((2,), (2,) * count)))
    nodes = variables(figure)
    assert len(arrows(figure)) == count
    for name, arrow in arrows(figure).items():
        tail, head = (np.array(p) for p in arrow._posA_posB)
        along = (head - tail) / np.linalg.norm(head - tail)
        for other, node in nodes.items():
            if other not in name.split("-"):
                aside = np.array(node.center) - tail
                off = np.linalg.norm(aside - along * (aside @ along))
                assert off > 1.2 * node.radius


FAMILY = Family((2, 2), (2, 3, 2))
MASS = {"1-1-1": 0.5, "1-12-2": 0.3, "0-1-1": 0.15, "1-1-2": 0.037, "0-0-0": 0.008}
LEFT_OUT = {"12-12-12": 0.004, "12-12-1": 0.001}  # the others make up 99.5 %
STRUCTURES = pd.DataFrame({"structure": [*MASS, *LEFT_OUT], "hidden": "2,2"})


@pytest.fixture
def posterior():
    """Two draws and two methods, of which one draw of one method has the order of MASS."""
    rows = [
        (draw, 60, s, m, p if (draw, m) == (1, "vb") else (1 - p) / 6)
        for draw in (0, 1)
        for m in ("vb", "bic")
        for s, p in (MASS | LEFT_OUT).items()
    ]
    columns = ["draw", "n", "structure", "method", "probability"]
    return shuffled(pd.DataFrame(rows, columns=columns))


@pytest.fixture
def names():
    """The table of variables: a row for each value, in no order."""
    rows = [(2, "own_convictions", 1), (1, "age group", 0), (3, "vote", 0), (1, "age group", 1)]
    return pd.DataFrame(rows, columns=["variable", "name", "code"])


def test_links_are_drawn_by_causes_and_darker_where_more_probable(posterior, names):
    """A cause of one variable is absorbed: 1-1-2 has one cause. Of no cause there is too little
    to be drawn. 12-12-1 is matched to 1-12-2 by the other names of its causes.
    """
    figure = best_structures(posterior, STRUCTURES, names, FAMILY.observed, "vb", draw=1)
    assert_tidy(figure)
    captions = [text.get_text() for text in artists(figure, "caption")]
    d = {label: Structure.from_label(label, FAMILY).n_parameters for label in MASS}
    assert captions == [
        "states of the causes 2: probability 0.69\nbest structure 1-1-1: 0.5,\n"
        f"{d['1-1-1']} free parameters",
        "states of the causes 2,2: probability 0.3\nbest structure 1-12-2: 0.3,\n"
        f"{d['1-12-2']} free parameters",
    ]
    one, two = ({name: a for name, a in arrows(axes).items()} for axes in figure.axes)
    expected = {"s1-y1": 0.537 / 0.687, "s1-y2": 1.0, "s1-y3": 0.65 / 0.687}
    assert {name: a.get_alpha() for name, a in one.items()} == pytest.approx(
        {name: 0.1 + 0.9 * share for name, share in expected.items()}
    )
    expected = dict.fromkeys(("s1-y1", "s1-y2", "s2-y2", "s2-y3"), 1.0)
    expected |= {"s2-y1": 0.005 / 0.305, "s1-y3": 0.004 / 0.305}
    assert {name: a.get_linewidth() for name, a in two.items()} == pytest.approx(
        {name: 0.5 + 0.6 * share for name, share in expected.items()}
    )
    hidden = [sorted(set(variables(axes)) & {"s1", "s2"}) for axes in figure.axes]
    assert hidden == [["s1"], ["s1", "s2"]]
    other = best_structures(posterior, STRUCTURES, names, FAMILY.observed, "bic", draw=1)
    captions = [text.get_text() for text in artists(other, "caption")]
    assert [c.partition(":")[0] for c in captions] == [
        "states of the causes 2,2", "states of the causes 2", "no cause",
    ]  # fmt: skip
    assert "best structure 12-12-1: 0.17," in captions[0]


def test_causes_that_differ_in_states_alone_share_a_graph(names):
    """Not where a link's probability differs by more than a tenth."""
    labels = {"1-1-1 (2)": 0.5, "1-1-0 (2)": 0.01, "1-1-1 (3)": 0.3, "1-1-0 (4)": 0.19}
    table = pd.DataFrame({"structure": list(labels), "probability": list(labels.values())})
    known = table[["structure"]].assign(hidden=[label[-2] for label in labels])
    figure = best_structures(
        table.assign(draw=0, n=9, method="vb"), known, names, FAMILY.observed, "vb"
    )
    assert_tidy(figure)
    captions = [text.get_text().split("\n") for text in artists(figure, "caption")]
    assert [[line for line in c if "states" in line] for c in captions] == [
        ["states of the causes 2: probability 0.51", "states of the causes 3: probability 0.3"],
        ["states of the causes 4: probability 0.19"],
    ]
    assert [sorted(arrows(axes)) for axes in figure.axes] == [
        ["s1-y1", "s1-y2", "s1-y3"], ["s1-y1", "s1-y2"],
    ]  # fmt: skip


def test_names_stand_under_their_variables(posterior, names):
    figure = best_structures(posterior, STRUCTURES, names, FAMILY.observed, "vb")
    for axes in figure.axes:
        nodes = variables(axes)
        words = {f"y{j}": [t for t in axes.texts if t.get_gid() == f"name-y{j}"] for j in (1, 2, 3)}
        assert [[t.get_text() for t in own] for own in words.values()] == [
            ["age group"], ["own", "convictions"], ["vote"],
        ]  # fmt: skip
        for node, own in words.items():
            x, y = nodes[node].center
            assert all(text.get_position()[0] == x for text in own)
            assert all(text.get_position()[1] < y - nodes[node].radius for text in own)


def test_best_structures_of_narrow_families_have_room_for_their_captions(names):
    family = Family((2,), (2,))
    table = pd.DataFrame({"structure": ["0", "1"], "probability": [0.25, 0.75]})
    table = table.assign(draw=0, n=9, method="vb")
    known = table[["structure"]].assign(hidden="2")
    only = names[names["variable"] == 1]
    assert_tidy(best_structures(table, known, only, family.observed, "vb"))


def test_best_structures_of_a_method_that_is_not_there(posterior, names):
    with pytest.raises(ValueError, match="no ais of draw 0"):
        best_structures(posterior, STRUCTURES, names, FAMILY.observed, "ais")
