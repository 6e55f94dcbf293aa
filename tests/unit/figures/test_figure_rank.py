"""The figure of ranks: every line, band and label that it draws."""

import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_tidy, band, keys, points
from figure_tables import SIZES, shuffled, with_copies

from latentdag.figures.rank import rank as draw_rank

pytestmark = pytest.mark.slow

SHOWN = {"map": "MAP", "bic": "BIC", "vb": "VB", "ais": "AIS"}
SHOWN["reference"] = "reference"


def known(ranks, method, column, draw):
    """A column of one method and draw, by n, ascending."""
    own = ranks[(ranks["method"] == method) & (ranks["draw"] == draw)]
    return dict(sorted(zip(own["n"], own[column], strict=True)))


@pytest.mark.parametrize("draw", [0, 1])
def test_one_draw_has_its_ranks_in_the_order_of_sizes(ranks, structures, draw):
    figure = draw_rank(ranks[ranks["draw"] == draw], structures)
    for method in SHOWN:
        expected = list(known(ranks, method, "rank", draw).items())
        assert points(artist(figure, f"marks-{method}")) == expected
        assert points(artist(figure, f"line-{method}")) == expected
    assert not artists(figure, "marks-cs")


@pytest.mark.parametrize("draw", [0, 1])
def test_the_band_of_one_draw_is_of_its_monte_carlo_error(ranks, structures, draw):
    figure = draw_rank(ranks[ranks["draw"] == draw], structures)
    for method in ("ais", "reference"):
        low, high = (known(ranks, method, f"rank_{end}", draw) for end in ("low", "high"))
        assert band(artist(figure, f"band-{method}")) == {n: (low[n], high[n]) for n in SIZES}
        assert points(artist(figure, f"low-{method}")) == list(low.items())
        assert points(artist(figure, f"high-{method}")) == list(high.items())
    assert not artists(figure, "band-vb") and not artists(figure, "low-vb")
    assert any("Monte Carlo" in text for text in keys(figure))
    without = ranks[(ranks["draw"] == draw) & (ranks["method"] == "vb")]
    assert list(keys(draw_rank(without, structures))) == ["VB"]


def test_several_draws_have_medians_and_quantiles(ranks, structures):
    figure = draw_rank(ranks, structures)
    assert_tidy(figure)
    for method in ("map", "vb", "ais", "reference"):
        own = [known(ranks, method, "rank", draw) for draw in (0, 1)]
        for n, middle in points(artist(figure, f"marks-{method}")):
            low, high = sorted(ranks[n] for ranks in own)
            assert middle == (low + high) / 2
            assert band(artist(figure, f"band-{method}"))[n] == pytest.approx(
                (low + 0.1 * (high - low), high - 0.1 * (high - low))
            )
    assert "line: median of 2 draws; band: from 10 to 90 % of them" in keys(figure)
    five = pd.DataFrame(
        [(draw, n, "vb", r, r, r) for draw, r in enumerate((90, 2, 1, 10, 3)) for n in (100, 10)],
        columns=["draw", "n", "method", "rank", "rank_low", "rank_high"],
    )
    figure = draw_rank(five, structures)
    assert points(artist(figure, "marks-vb")) == [(10, 3), (100, 3)]
    assert band(artist(figure, "band-vb"))[10] == pytest.approx((1.4, 58.0))


def test_rank_1_is_on_top_and_labels_have_room(ranks, structures):
    figure = draw_rank(ranks[ranks["draw"] == 0], structures)
    texts = assert_tidy(figure)
    (axes,) = figure.axes
    bottom, top = axes.get_ylim()
    assert bottom > 136 and top < 1
    marks = (1, 2, 5, 10, 20, 50, 100, 136)
    heights = axes.transData.transform([(10, r) for r in marks])[:, 1]
    assert (-np.diff(heights) > 7 * figure.dpi / 72).all()  # room for 7 point labels
    assert {str(r) for r in marks} <= texts
    assert {str(n) for n in SIZES} <= texts
    assert {"number of cases n", "rank of the true structure (of 136)"} <= texts
    left, right = axes.get_xlim()
    assert axes.get_xscale() == "log" and left < 10 and right > 10240


def test_the_worst_rank_is_the_number_of_structures(ranks, structures):
    (axes,) = draw_rank(ranks[ranks["draw"] == 0], structures.head(120)).axes
    assert axes.get_ylabel() == "rank of the true structure (of 120)"
    assert 120 < axes.get_ylim()[0] < 136


def test_labels_stay_next_to_their_ticks(ranks, structures):
    figure = draw_rank(ranks, structures)
    (axes,) = figure.axes
    labels = artists(figure, "tick")
    assert [int(label.get_text()) for label in labels] == list(SIZES)
    for label in labels:
        place = axes.transAxes.transform(label.get_position())[0]
        tick = axes.transData.transform((float(label.get_text()), 1))[0]
        assert abs(place - tick) < 10 * figure.dpi / 72


def test_keys_look_like_the_lines(ranks, structures):
    figure = draw_rank(ranks[ranks["draw"] == 0], structures)
    found = keys(figure)
    assert [text for text in found if "Monte Carlo" not in text] == list(SHOWN.values())
    for method, name in SHOWN.items():
        marks, line = artist(figure, f"marks-{method}"), artist(figure, f"line-{method}")
        for read in ("get_marker", "get_markersize", "get_markerfacecolor", "get_markeredgecolor"):
            assert getattr(found[name], read)() == getattr(marks, read)()
        for read in ("get_color", "get_linestyle", "get_linewidth"):
            assert getattr(found[name], read)() == getattr(line, read)()


def test_small_marks_lie_on_large_ones_and_all_on_the_lines(ranks, structures):
    figure = draw_rank(ranks[ranks["draw"] == 0], structures)
    marks = sorted((artist(figure, f"marks-{m}") for m in SHOWN), key=lambda a: a.get_zorder())
    sizes = [a.get_markersize() for a in marks]
    assert sizes == sorted(sizes, reverse=True)
    lines = {m: artist(figure, f"line-{m}") for m in SHOWN}
    assert max(a.get_zorder() for a in lines.values()) < marks[0].get_zorder()
    assert min(lines, key=lambda m: lines[m].get_zorder()) == "reference"  # wide, so behind


def test_nothing_to_draw(ranks, structures):
    with pytest.raises(ValueError, match="ranks table"):
        draw_rank(ranks[ranks["method"] == "cs"], structures)


def test_a_new_score(ranks, structures, toys):
    figure = draw_rank(with_copies(ranks[ranks["draw"] == 0], toys, "rank", 3), structures)
    assert_tidy(figure)
    assert "Toy" in keys(figure) and "Hidden" not in keys(figure)
    expected = [(n, r + 3) for n, r in known(ranks, "vb", "rank", 0).items()]
    assert points(artist(figure, "marks-toy")) == expected


@pytest.mark.parametrize("draws", [1, 2])
def test_twelve_scores_share_two_plots_with_the_reference_in_both(
    ranks, structures, add_score, draws
):
    more = [f"toy{i}" for i in range(6)]
    for name in more:
        add_score(name, ("rank",))
    table = with_copies(ranks[ranks["draw"] < draws], more, "rank", 2)
    figure = draw_rank(table, structures)
    assert_tidy(figure)
    upper, lower = figure.axes
    assert upper.get_xlim() == lower.get_xlim() and upper.get_ylim() == lower.get_ylim()
    drawn = [
        [a.get_gid().removeprefix("marks-") for a in axes.lines if "marks-" in (a.get_gid() or "")]
        for axes in figure.axes
    ]
    assert drawn[0] == ["map", "bic", "vb", "ais", more[0], "reference"]
    assert drawn[1] == [*more[1:], "reference"]
    texts = {axes: [] for axes in figure.axes}
    for legend in figure.legends:
        below = min(figure.axes, key=lambda a: (top(a) > bottom(legend), bottom(legend) - top(a)))
        texts[below] += [text.get_text() for text in legend.get_texts() if text.get_text().strip()]
    assert texts[upper][1:] == [*list(SHOWN.values())[:-1], "Toy0", "reference"]
    assert texts[lower] == [*(name.title() for name in more[1:]), "reference"]
    if draws == 1:
        (first, second) = artists(figure, "marks-reference")
        assert points(first) == points(second)


def top(artist):
    return artist.get_window_extent().y1


def bottom(artist):
    return artist.get_window_extent().y0


def test_rows_in_another_order_change_nothing(ranks, structures):
    one, other = (
        draw_rank(ranks, structures),
        draw_rank(shuffled(ranks, 9), shuffled(structures, 9)),
    )
    for method in SHOWN:
        assert points(artist(one, f"marks-{method}")) == points(artist(other, f"marks-{method}"))
