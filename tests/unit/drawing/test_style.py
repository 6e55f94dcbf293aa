"""The look of scores: no two are alike, and none hides another."""

import numpy as np

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
