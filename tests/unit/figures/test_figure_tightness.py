"""The figure of errors: every median, band and line that it draws."""

import numpy as np
import pytest
from figure_reading import artist, artists, assert_key, assert_tidy, band, keys, points
from figure_tables import LABELS, SIZES, TRUE, shuffled, with_copies

from latentdag.figures.tightness import tightness as draw_tightness

pytestmark = pytest.mark.slow

TITLES = {"bic": "BIC", "cs": "Cheeseman-Stutz", "vb": "VB", "ais": "AIS"}
DIFFERENCE = "VB minus BIC"


def panels(figure):
    """Those of scores, without that of VB minus BIC."""
    return [axes for axes in figure.axes if axes.get_title(loc="left") != DIFFERENCE]


def assert_drawn(figure, method, by_size):
    """Hold median, bands and true structure against values by n and structure."""
    own = {n: sorted(e.values()) for n, e in by_size.items()}
    # of 136 values in order, the median lies between the 68th and the 69th
    median = [(n, (e[67] + e[68]) / 2) for n, e in own.items()]
    np.testing.assert_allclose(points(artist(figure, f"median-{method}")), median)
    true = [(n, e[TRUE]) for n, e in by_size.items()]
    np.testing.assert_allclose(points(artist(figure, f"true-{method}")), true)
    whole, half = artists(figure, f"band-{method}")
    assert band(whole) == {n: pytest.approx((e[0], e[-1])) for n, e in own.items()}
    # quartiles: 135 steps between the values, so 33.75 and 101.25 of them
    expected = {
        n: (0.25 * e[33] + 0.75 * e[34], 0.75 * e[101] + 0.25 * e[102]) for n, e in own.items()
    }
    assert band(half) == {n: pytest.approx(ends) for n, ends in expected.items()}
    for drawn, words in ((whole, "lowest to highest"), (half, "middle half")):
        assert tuple(drawn.get_facecolor()[0]) == keys(figure)[words].get_facecolor(), words


def known(errors, draw, method):
    """The errors of all structures, by n, ascending, and within it by structure."""
    own = errors[(errors["draw"] == draw) & (errors["method"] == method)]
    wide = own.pivot(index="n", columns="structure", values="error_nats")
    return {n: wide.loc[n].to_dict() for n in SIZES}


@pytest.mark.parametrize("draw", [0, 1])
def test_every_panel_has_its_median_bands_and_true_structure(errors, structures, draw):
    figure = draw_tightness(errors, structures, draw)
    texts = assert_tidy(figure)
    assert f"number of cases n (draw {draw})" in texts
    assert [axes.get_title(loc="left") for axes in panels(figure)] == list(TITLES.values())
    for axes, method in zip(panels(figure), TITLES, strict=True):
        drawn = [a.get_gid() for a in (*axes.lines, *axes.collections)]
        assert {f"median-{method}", f"true-{method}", f"band-{method}"} <= set(drawn)
        assert_drawn(figure, method, known(errors, draw, method))
    for method in TITLES:
        assert_key(figure, "median of 136 structures", f"median-{method}")
        assert_key(figure, f"true structure {TRUE}", f"true-{method}")


def test_all_panels_have_one_axis_that_holds_every_error(errors, structures):
    figure = draw_tightness(errors, structures)
    shown = errors[(errors["draw"] == 0) & errors["method"].isin(TITLES)]["error_nats"]
    for axes in panels(figure):
        low, high = axes.get_ylim()
        assert low < shown.min() and high > shown.max()
        assert axes.get_yscale() == "symlog" and axes.get_xscale() == "log"
        assert axes.get_ylim() == figure.axes[0].get_ylim()
        assert 0 in axes.get_yticks()
    words = figure.axes[0].get_ylabel()
    assert "(nats)" in words and "below 0: too low" in words


@pytest.mark.parametrize("draw", [0, 1])
def test_the_last_panel_is_vb_minus_bic(errors, structures, draw):
    figure = draw_tightness(errors, structures, draw)
    assert [axes.get_title(loc="left") for axes in figure.axes][-1] == DIFFERENCE
    vb, bic = (known(errors, draw, method) for method in ("vb", "bic"))
    gap = {n: {s: vb[n][s] - bic[n][s] for s in LABELS} for n in SIZES}
    assert_drawn(figure, "vb-bic", gap)
    axes = figure.axes[-1]
    low, high = axes.get_ylim()
    values = [value for of_size in gap.values() for value in of_size.values()]
    assert low < min(0, *values) and high > max(values)
    assert axes.get_yscale() == "linear" and axes.get_ylabel() == "nats"
    assert axes.get_xlim() == figure.axes[0].get_xlim()
    # its scale is at the right, where no other panel is
    assert axes.yaxis.get_ticks_position() == "right"
    assert all(axes.get_position().x1 >= other.get_position().x1 for other in figure.axes)


def test_vb_minus_bic_starts_at_0_and_needs_both(errors, structures):
    above = errors.assign(error_nats=errors["error_nats"].mask(errors["method"] == "bic", -200.0))
    assert draw_tightness(above, structures).axes[-1].get_ylim()[0] == 0
    for method in ("vb", "bic"):
        figure = draw_tightness(errors[errors["method"] != method], structures)
        assert_tidy(figure)
        assert len(panels(figure)) == len(figure.axes) == 3


def test_some_scores_sizes_and_structures(errors, structures):
    some = errors[errors["method"].isin(["vb", "exact"]) & errors["n"].isin([20, 40])]
    figure = draw_tightness(some[some["draw"] == 0], structures.assign(is_true=False))
    texts = assert_tidy(figure)
    assert {"20", "40", "number of cases n"} <= texts  # no power of ten is near
    assert len(figure.axes) == 1 and not any("true" in text for text in keys(figure))
    few = some[some["structure"].isin(LABELS[:9])].assign(error_nats=0.0)
    assert "median of 9 structures" in keys(draw_tightness(few, structures))


def test_a_structure_without_a_score_is_left_out(errors, structures):
    missing = errors["structure"] == "0-0-0-0"
    table = errors.assign(error_nats=errors["error_nats"].mask(missing))
    figure = draw_tightness(table, structures)
    kept = draw_tightness(errors[~missing], structures)
    for method in TITLES:
        gid = f"median-{method}"
        assert points(artist(figure, gid)) == points(artist(kept, gid))


def test_nothing_to_draw(errors, structures):
    with pytest.raises(ValueError, match="of draw 7"):
        draw_tightness(errors, structures, draw=7)


@pytest.mark.parametrize(("more", "rows"), [(1, 2), (8, 4)])
def test_new_scores_have_panels_of_their_own(errors, structures, add_score, more, rows):
    toys = [f"toy{i}" for i in range(more)]
    for name in toys:
        add_score(name, ("tightness",), title="A title that needs two lines")
    add_score("hidden", ())
    figure = draw_tightness(with_copies(errors, [*toys, "hidden"], "error_nats"), structures)
    assert_tidy(figure)
    assert len(panels(figure)) == 4 + more
    assert len({round(axes.get_position().y0, 6) for axes in figure.axes}) == rows
    vb = points(artist(figure, "median-vb"))
    np.testing.assert_allclose(
        points(artist(figure, "median-toy0")), [(n, value + 1) for n, value in vb]
    )
    (axes,) = (a for a in figure.axes if "median-toy0" in [line.get_gid() for line in a.lines])
    title = axes.get_title(loc="left")
    assert title.replace("\n", " ") == "A title that needs two lines"


def test_rows_in_another_order_change_nothing(errors, structures):
    one, other = draw_tightness(errors, structures), draw_tightness(shuffled(errors, 9), structures)
    for gid in ("median-ais", "true-ais"):
        assert points(artist(one, gid)) == points(artist(other, gid))
