"""The look of scores, what is saved, and what all figures have in common."""

import inspect
import itertools
import os
import subprocess
import sys
from importlib import import_module

import matplotlib
import numpy as np
import pytest
from figure_reading import artists, assert_tidy, keys
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from latentdag import scores as registry
from latentdag.figures import FIGURES, layout, style
from latentdag.figures.rank import rank as draw_rank
from latentdag.figures.scores import scores as draw_scores
from lib.figures import OF_OWN_DATA, OF_POPULATION, OF_SIMULATION


def sameness(look):
    return look.marker, look.line, look.colour


def test_drawn_scores_differ_in_grey_in_marker_and_in_line():
    for figure in ("scores", "rank", "tightness", "annealing"):
        specs = style.drawn(figure, registry.SPECS)
        looks = [style.looks()[spec.name] for spec in specs]
        assert len({(look.marker, look.hollow) for look in looks}) == len(looks)
        assert len({(look.line, look.width) for look in looks}) == len(looks)
        # wide lines and hollow marks need no grey of their own
        thin = [look for look in looks if look.width < 2]
        greys = sorted(style.lightness(look.colour) for look in thin)
        assert np.diff(greys).min() > (14 if figure != "tightness" else 5)


def test_declared_looks_are_kept():
    looks = style.looks()
    for name, spec in registry.SPECS.items():
        if spec.look:
            assert looks[name] == spec.look


def test_scores_without_a_look_get_one_that_no_other_has(add_score):
    for i in range(40):
        add_score(f"toy{i}", ("rank",))
    looks = style.looks()
    assert len({sameness(look) for look in looks.values()}) == len(looks)
    declared = [spec.look for spec in registry.SPECS.values() if spec.look]
    for i, name in enumerate(f"toy{i}" for i in range(8)):
        others = declared + [looks[f"toy{j}"] for j in range(i)]
        look = looks[name]
        assert look.marker not in {other.marker for other in others}
        assert look.line not in {other.line for other in others}
        assert look.colour not in {other.colour for other in others}
    first = looks["toy0"].colour  # of all spare colours, the farthest in lightness
    distance = {
        colour: min(abs(style.lightness(colour) - style.lightness(d.colour)) for d in declared)
        for colour in style.COLOURS
    }
    assert distance[first] == max(distance.values()) > 4
    assert all(
        look.pale == (style.lightness(look.colour) > 60) for n, look in looks.items() if "toy" in n
    )


def test_a_score_that_no_figure_draws_takes_no_look(add_score):
    add_score("hidden", ())
    add_score("toy", ("rank",))
    first = style.looks()
    assert "hidden" not in first and "ml" not in first
    add_score("other", ("rank",))
    assert {name: style.looks()[name] for name in first} == first  # a later one changes no other


def test_lightness():
    """CIE L* of greys and of pure red, from tables."""
    assert style.lightness("#000000") == 0 and style.lightness("#ffffff") == pytest.approx(100)
    assert style.lightness("#777777") == pytest.approx(50.0, abs=0.1)
    assert style.lightness("#ff0000") == pytest.approx(53.24, abs=0.05)
    assert style.lightness("#010101") == pytest.approx(0.27, abs=0.01)


def test_which_scores_a_figure_draws(add_score):
    add_score("toy", ("rank",))
    there = ["toy", "ml", "reference", "map", "nonsense"]
    assert [spec.name for spec in style.drawn("rank", there)] == ["map", "reference", "toy"]
    assert [spec.name for spec in style.drawn("scores", there)] == ["map", "reference"]


def test_the_most_trusted_score():
    def most(names):
        return max((registry.SPECS[n] for n in names), key=style.trust).name

    assert most(["map", "vb", "laplace", "reference", "exact"]) == "reference"
    assert most(["map", "ais", "vb", "laplace"]) == "laplace"
    assert most(["cs", "vb", "bic"]) == "vb"


def test_small_differences_of_names_are_spread():
    np.testing.assert_allclose(layout.spread(np.array([0.0, 10.0, 20.0]), 8), [0, 10, 20])
    np.testing.assert_allclose(layout.spread(np.array([0.0, 100.0, 104.0]), 8), [0, 98, 106])
    np.testing.assert_allclose(layout.spread(np.array([5.0, 5.0, 5.0]), 2), [3, 5, 7])
    np.testing.assert_allclose(layout.spread(np.array([1, 2, 9]), 3, 0, 10), [0, 3, 9])
    np.testing.assert_allclose(layout.spread(np.array([8, 9, 10]), 4, 0, 10), [2, 6, 10])


@pytest.mark.parametrize("count", [2, 13, 30, 90])
@style.styled
def test_tick_labels_have_room_however_many(count):
    values = np.unique(np.geomspace(10, 200000, count).astype(int))
    across = layout.Across(values, layout.log_limits(values))
    figure, (box,) = layout.page([layout.Plot(1.0, [])], across)
    axes = layout.add_axes(figure, box)
    across.apply(axes)
    axes.set(xlabel="a name", yticks=[])
    texts = assert_tidy(figure)
    every = max(1, -(-count // 50))
    assert texts == {"a name", *map(str, values[::every])}
    assert list(axes.get_xticks()) == list(values)
    assert bool(artists(figure, "tick")) == (count > 13)


@pytest.mark.parametrize("count", [1, 4, 9, 23])
@style.styled
def test_a_legend_is_read_from_left_to_right_and_line_by_line(count):
    """Each stack of a name and what is below it stays together."""
    stacks = [
        tuple(Line2D([], [], label=f"{kind} number {i}") for kind in ("score", "best"))
        for i in range(count)
    ]
    figure, _ = layout.page([layout.Plot(1.0, [stacks])])
    assert_tidy(figure)
    (legend,) = figure.legends
    at = {}
    for text in legend.get_texts():
        if text.get_text().strip():
            extent = text.get_window_extent()
            at[text.get_text()] = round(-extent.y0 / 10), extent.x0
    names = [f"score number {i}" for i in range(count)]
    assert sorted(names, key=at.get) == names
    for i in range(count):
        (line, x), (below, beside) = at[f"score number {i}"], at[f"best number {i}"]
        assert beside == x and 0 < below - line < 5
    lines = {line for line, _ in (at[name] for name in names)}
    assert len(lines) == {1: 1, 4: 1, 9: 3, 23: 6}[count]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_the_function_of_its_files_name(name):
    """The workflow finds it so, and gives it what it takes."""
    function = getattr(import_module(f"latentdag.figures.{name}"), name)
    signature = inspect.signature(function)
    assert signature.return_annotation is Figure
    for figure in (*OF_SIMULATION, *OF_OWN_DATA, *OF_POPULATION):
        if figure.name == name:
            given = {*figure.tables, *figure.arguments} - {"family"}  # the structure has it
            known = signature.parameters
            needed = {p for p, of in known.items() if of.default is inspect.Parameter.empty}
            assert needed <= given <= set(known)


def test_a_score_looks_alike_in_all_figures(scores, ranks, structures, toys):
    """Keys of figures that have one for each score: same marker and colour."""
    found = [
        keys(draw_scores(scores, structures, 480)),
        keys(draw_rank(ranks, structures)),
    ]
    for (name, one), other in itertools.product(found[0].items(), found[1:]):
        if name in other:
            assert one.get_marker() == other[name].get_marker()
            assert one.get_markerfacecolor() == other[name].get_markerfacecolor()


# ---- saving

SCRIPT = """
import sys
import pandas as pd
import latentdag
assert not [name for name in sys.modules if name.startswith("matplotlib")]
from latentdag.figures import rank, scores, style
folder = sys.argv[1]
tables = {name: pd.read_csv(f"{folder}/{name}.csv") for name in ("scores", "ranks", "structures")}
for name, figure in (
    ("scores", scores.scores(tables["scores"], tables["structures"], 480)),
    ("rank", rank.rank(tables["ranks"], tables["structures"])),
):
    style.save(figure, f"{sys.argv[2]}.{name}.png", f"{sys.argv[2]}.{name}.pdf")
assert "matplotlib.pyplot" not in sys.modules
"""


@pytest.mark.slow
def test_saved_bytes_are_the_same_in_every_process(scores, ranks, structures, tmp_path):
    for name, table in {"scores": scores, "ranks": ranks, "structures": structures}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "matplotlibrc").write_text(
        "font.size: 20\naxes.facecolor: red\nxtick.direction: in\nfigure.dpi: 55\n"
        "legend.frameon: true\nlegend.borderpad: 3\nlines.markeredgewidth: 4\n"
    )
    path = os.pathsep.join(sys.path)
    for name, seed, directory in (("a", "1", tmp_path), ("b", "2", tmp_path.parent)):
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path), str(tmp_path / name)],
            check=True,
            cwd=directory,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        )
    for figure, kind in itertools.product(("scores", "rank"), ("png", "pdf")):
        one, other = (tmp_path / f"{name}.{figure}.{kind}" for name in "ab")
        assert one.read_bytes() == other.read_bytes()


def test_saved_files_have_200_dpi_type_42_fonts_and_no_dates(ranks, structures, tmp_path):
    from PIL import Image

    before = dict(matplotlib.rcParams)
    figure = draw_rank(ranks, structures)
    style.save(figure, tmp_path / "f.png", tmp_path / "f.pdf")
    assert dict(matplotlib.rcParams) == before
    with Image.open(tmp_path / "f.png") as image:
        assert image.size == pytest.approx(figure.get_size_inches() * 200, abs=1)
        assert image.size[0] == 7.1 * 200
        assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)
        assert "Software" not in image.info
    pdf = (tmp_path / "f.pdf").read_bytes()
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    assert b"CreationDate" not in pdf and b"Matplotlib" not in pdf
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f.pdf", "f.png"]


def test_a_failed_save_leaves_everything_as_it_was(ranks, structures, tmp_path, monkeypatch):
    figure = draw_rank(ranks, structures)
    (tmp_path / "f.png").write_text("old")
    original = figure.savefig

    def fails_at_pdf(path, **kwargs):
        if kwargs["format"] == "pdf":
            raise OSError("disk full")
        original(path, **kwargs)

    monkeypatch.setattr(figure, "savefig", fails_at_pdf)
    with pytest.raises(OSError, match="disk full"):
        style.save(figure, tmp_path / "f.png", tmp_path / "f.pdf")
    assert [p.name for p in tmp_path.iterdir()] == ["f.png"]
    assert (tmp_path / "f.png").read_text() == "old"
