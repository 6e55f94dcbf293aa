"""What is saved, and what all figures have in common."""

import inspect

import matplotlib
import pytest
from figure_tables import RANKS, STRUCTURES
from matplotlib.figure import Figure

from latentdag.drawing import style
from latentdag.figures import FIGURES
from lib.figures import OF_OWN_DATA, OF_POPULATION, OF_SIMULATION


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
