"""What is saved of a figure."""

import matplotlib
import pytest
from figure_tables import RANKS, STRUCTURES
from PIL import Image

from latentdag.drawing import style
from latentdag.figures import FIGURES

SETTINGS = {
    "font.size": 20, "axes.facecolor": "red", "xtick.direction": "in", "figure.dpi": 55,
    "legend.frameon": True, "legend.borderpad": 3, "lines.markeredgewidth": 4,
}  # fmt: skip


def test_no_setting_of_matplotlib_changes_a_saved_byte(tmp_path):
    for name, settings in (("a", {}), ("b", SETTINGS)):
        with matplotlib.rc_context(settings):
            figure = FIGURES["rank"](RANKS, STRUCTURES)
            style.save(figure, tmp_path / f"{name}.png", tmp_path / f"{name}.pdf")
    for kind in ("png", "pdf"):
        one, other = (tmp_path / f"{name}.{kind}" for name in "ab")
        assert one.read_bytes() == other.read_bytes()


def test_saved_files_have_200_dpi_type_42_fonts_and_no_dates(tmp_path):
    figure, files = FIGURES["rank"](RANKS, STRUCTURES), (tmp_path / "f.png", tmp_path / "f.pdf")
    style.save(figure, *files)
    with Image.open(files[0]) as image:
        assert image.size == pytest.approx(figure.get_size_inches() * 200, abs=1)
        assert image.size[0] == 7.1 * 200
        assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)
        assert "Software" not in image.info
    pdf = files[1].read_bytes()
    assert b"/FontFile2" in pdf
    assert not any(word in pdf for word in (b"/Type3", b"CreationDate", b"Matplotlib"))
    # where one cannot be drawn, both are as they were
    files[0].write_text("old")
    files[1].unlink()
    original = figure.savefig

    def fails_at_pdf(path, **settings):
        if settings["format"] == "pdf":
            raise OSError("disk full")
        original(path, **settings)

    figure.savefig = fails_at_pdf
    with pytest.raises(OSError, match="disk full"):
        style.save(figure, *files)
    assert [p.name for p in tmp_path.iterdir()] == ["f.png"] and files[0].read_text() == "old"
