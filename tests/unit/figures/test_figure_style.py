"""What is saved of a figure."""

import matplotlib
import pytest
from figure_tables import RANKS, STRUCTURES
from matplotlib.figure import Figure
from PIL import Image

from latentdag.drawing import style
from latentdag.figures import FIGURES

FEW = RANKS[RANKS["method"].isin(["bic", "vb", "reference"])]
SETTINGS = {
    "font.size": 20, "axes.facecolor": "red", "xtick.direction": "in", "figure.dpi": 55,
    "legend.frameon": True, "legend.borderpad": 3, "lines.markeredgewidth": 4,
}  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A figure, and its files."""
    figure, folder = FIGURES["rank"](FEW, STRUCTURES), tmp_path_factory.mktemp("saved")
    files = folder / "f.png", folder / "f.pdf"
    style.save(figure, *files)
    return figure, files


def test_no_setting_of_matplotlib_changes_a_saved_byte(saved, tmp_path):
    others = tmp_path / "f.png", tmp_path / "f.pdf"
    with matplotlib.rc_context(SETTINGS):
        before = dict(matplotlib.rcParams)
        style.save(FIGURES["rank"](FEW, STRUCTURES), *others)
        assert dict(matplotlib.rcParams) == before
    for path, other in zip(saved[1], others, strict=True):
        assert path.read_bytes() == other.read_bytes()


def test_saved_files_have_200_dpi_type_42_fonts_and_no_dates(saved):
    figure, (png, pdf) = saved
    with Image.open(png) as image:
        assert image.size == pytest.approx(figure.get_size_inches() * 200, abs=1)
        assert image.size[0] == 7.1 * 200
        assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)
        assert "Software" not in image.info
    content = pdf.read_bytes()
    assert b"/FontFile2" in content
    assert not any(word in content for word in (b"/Type3", b"CreationDate", b"Matplotlib"))


def test_where_one_file_cannot_be_drawn_both_are_as_they_were(tmp_path):
    figure, files = Figure(), (tmp_path / "f.png", tmp_path / "f.pdf")
    files[0].write_text("old")
    original = figure.savefig

    def fails_at_pdf(path, **settings):
        if settings["format"] == "pdf":
            raise OSError("disk full")
        original(path, **settings)

    figure.savefig = fails_at_pdf
    with pytest.raises(OSError, match="disk full"):
        style.save(figure, *files)
    assert [p.name for p in tmp_path.iterdir()] == ["f.png"] and files[0].read_text() == "old"
