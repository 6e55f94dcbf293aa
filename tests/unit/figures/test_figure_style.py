"""The look of scores, the layout, what is saved, and what all figures have in common."""

import inspect
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from figure_tables import RANKS, STRUCTURES
from matplotlib.figure import Figure

from latentdag import scores as registry
from latentdag.drawing import style
from latentdag.figures import FIGURES
from latentdag.scores import drawn
from lib.figures import OF_OWN_DATA, OF_POPULATION, OF_SIMULATION


def test_drawn_scores_differ_in_grey_in_marker_and_in_line():
    for figure in ("scores", "rank", "tightness", "annealing"):
        looks = [style.looks()[method] for method in drawn(figure, registry.SPECS)]
        assert len({(look.marker, look.hollow) for look in looks}) == len(looks)
        assert len({(look.line, look.width) for look in looks}) == len(looks)
        # wide lines and hollow marks need no grey of their own
        greys = sorted(style.lightness(look.colour) for look in looks if look.width < 2)
        assert np.diff(greys).min() > (14 if figure != "tightness" else 5)


def test_declared_looks_are_kept_and_others_differ(monkeypatch):
    before = style.looks()
    assert "ml" not in before
    names = [f"toy{i}" for i in range(7)]
    for name, figures in (*((name, ("rank",)) for name in names), ("hidden", ())):
        spec = replace(registry.SPECS["vb"], figures=figures, look=None, name=name, label=name)
        monkeypatch.setitem(registry.SPECS, name, spec)
    looks = style.looks()
    assert set(looks) == {*before, *names} and before.items() <= looks.items()
    assert before == {n: spec.look for n, spec in registry.SPECS.items() if n in before}
    for part in (("marker",), ("line", "width"), ("colour",)):
        assert len({tuple(getattr(look, p) for p in part) for look in looks.values()}) == len(looks)
    for name in names:
        assert looks[name].pale == (style.lightness(looks[name].colour) > 60)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_takes_what_the_workflow_gives_it(name):
    signature = inspect.signature(FIGURES[name])
    assert signature.return_annotation is Figure
    needed = {p for p, of in signature.parameters.items() if of.default is inspect.Parameter.empty}
    for figure in (*OF_SIMULATION, *OF_OWN_DATA, *OF_POPULATION):
        if figure.name == name:
            given = {*figure.tables, *figure.arguments} - {"family"}  # the structure has it
            assert needed <= given <= set(signature.parameters)


# ---- saving

SETTINGS = {
    "font.size": 20, "axes.facecolor": "red", "xtick.direction": "in", "figure.dpi": 55,
    "legend.frameon": True, "legend.borderpad": 3, "lines.markeredgewidth": 4,
}  # fmt: skip


def test_no_setting_of_matplotlib_changes_a_saved_byte(tmp_path):
    for name, own in (("a", {}), ("b", SETTINGS)):
        with matplotlib.rc_context(own):
            figure = FIGURES["rank"](RANKS, STRUCTURES)
            style.save(figure, tmp_path / f"{name}.png", tmp_path / f"{name}.pdf")
    for kind in ("png", "pdf"):
        one, other = (tmp_path / f"{name}.{kind}" for name in "ab")
        assert one.read_bytes() == other.read_bytes()


def test_saved_files_have_200_dpi_type_42_fonts_and_no_dates(tmp_path):
    from PIL import Image

    before = dict(matplotlib.rcParams)
    figure = FIGURES["rank"](RANKS, STRUCTURES)
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


def test_a_failed_save_leaves_everything_as_it_was(tmp_path, monkeypatch):
    figure = FIGURES["rank"](RANKS, STRUCTURES)
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
