"""The look of scores: no two are alike, and none hides another."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from latentdag import scores as registry
from latentdag.drawing import style
from latentdag.scores import drawn


def test_drawn_scores_differ_in_grey_in_marker_and_in_line():
    for figure in ("scores", "rank", "tightness", "annealing"):
        looks = [registry.SPECS[method].look for method in drawn(figure, registry.SPECS)]
        assert len({(look.marker, look.hollow) for look in looks}) == len(looks)
        assert len({(look.line, look.width) for look in looks}) == len(looks)
        # wide lines and hollow marks need no grey of their own
        greys = sorted(style.lightness(look.colour) for look in looks if look.width < 2)
        assert np.diff(greys).min() > (14 if figure != "tightness" else 5)


def test_lightness_is_that_of_cie():
    """Grey of 119 of 255 is half as light as white."""
    colours = {"white": 100, "#777777": 50.03, "red": 53.24, "lime": 87.74, "#010101": 0.27}
    assert {c: style.lightness(c) for c in colours} == pytest.approx(colours, abs=0.01)


def test_jupyter_shows_a_picture_at_half_its_size():
    image, size = style.Picture(figsize=(3, 2))._repr_png_()
    with Image.open(BytesIO(image)) as picture:
        assert picture.size == (600, 400) and size == {"width": 300}
