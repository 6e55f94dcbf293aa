"""Profiles of structures: a point for each probability of an observed variable."""

import numpy as np
import pandas as pd

from latentdag.drawing.profiles import profiles
from latentdag.model.structures import Family, Structure


def test_a_hidden_variable_without_children_takes_no_row():
    """Of two values the last has a point, for each state of its cause; the second has none."""
    places = [("s1", "", "1"), ("s1", "", "2")]
    places += [(y, f"s1 = {k}", v) for y in ("y1", "y2") for k in (1, 2) for v in ("no", "yes")]
    fitted = pd.DataFrame(places, columns=["variable", "given", "value"])
    fitted = fitted.assign(shown=(fitted.index + 1) / 20)
    fitted = fitted.assign(low=fitted["shown"] / 2, high=fitted["shown"] * 1.5)
    structure = Structure.from_label("1-1", Family((2, 3), (2, 2)))
    figure = profiles(fitted, structure, "1-1", 0.9, "vb")
    drawn = {line.get_gid(): line for axes in figure.axes for line in axes.lines}
    points = {gid: line.get_xdata()[0] for gid, line in drawn.items() if "estimate" in str(gid)}
    expected = fitted[(fitted["given"] != "") & (fitted["value"] == "yes")]
    assert points == {
        f"estimate-{r.variable} yes {r.given}": r.shown for r in expected.itertuples()
    }
    for r in expected.itertuples():
        interval = drawn[f"interval-{r.variable} yes {r.given}"].get_xdata()
        assert list(interval) == [r.low, r.high]


def test_the_points_of_a_value_stand_around_the_middle_of_its_name():
    """Each value of y1 has two points, of y2 one."""
    places = [("s1", "", "1"), ("s1", "", "2")]
    places += [("y1", f"s1 = {k}", v) for k in (1, 2) for v in ("low", "mid", "high")]
    places += [("y2", "", v) for v in ("no", "yes")]
    fitted = pd.DataFrame(places, columns=["variable", "given", "value"])
    fitted = fitted.assign(shown=(fitted.index + 1) / 20, low=float("nan"), high=float("nan"))
    structure = Structure.from_label("1-0", Family((2,), (3, 2)))
    (axes,) = profiles(fitted, structure, "1-0", 0.9, "vb").axes
    middles = {
        words.get_text().split()[-1]: at
        for at, words in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    }
    points = {}
    for line in axes.lines:
        if str(line.get_gid()).startswith("estimate"):
            points.setdefault(line.get_gid().split()[1], []).append(line.get_ydata()[0])
    assert {value: len(ys) for value, ys in points.items()} == {
        "low": 2, "mid": 2, "high": 2, "yes": 1,
    }  # fmt: skip
    for value, ys in points.items():
        assert np.isclose(np.mean(ys), middles[value]), value
    assert points["low"] == sorted(points["low"]) and points["low"][0] < points["low"][1]
