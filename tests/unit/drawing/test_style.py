"""The look of scores: no two are alike, and none hides another."""

from dataclasses import replace

import numpy as np

from latentdag import scores as registry
from latentdag.drawing import style
from latentdag.scores import drawn


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
