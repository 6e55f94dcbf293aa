"""Profiles of structures: a point for each probability of an observed variable."""

import pandas as pd

from latentdag.drawing.profiles import profiles
from latentdag.model.structures import Family, Structure


def test_a_hidden_variable_without_children_takes_no_row():
    """Of two values the last has a point, for each state of its cause; the second has none."""
    places = [("s1", "", "1"), ("s1", "", "2")]
    places += [(y, f"s1 = {k}", v) for y in ("y1", "y2") for k in (1, 2) for v in ("no", "yes")]
    fitted = pd.DataFrame(places, columns=["variable", "given", "value"])
    fitted = fitted.assign(shown=(fitted.index + 1) / 20, low=float("nan"), high=float("nan"))
    structure = Structure.from_label("1-1", Family((2, 3), (2, 2)))
    figure = profiles(fitted, structure, "1-1", 0.9, "vb")
    drawn = {line.get_gid(): line for axes in figure.axes for line in axes.lines}
    points = {gid: line.get_xdata()[0] for gid, line in drawn.items() if "estimate" in str(gid)}
    expected = fitted[(fitted["given"] != "") & (fitted["value"] == "yes")]
    assert points == {
        f"estimate-{r.variable} yes {r.given}": r.shown for r in expected.itertuples()
    }
