"""The figure of scores: every point, bar and name that it draws."""

import numpy as np
import pytest
from figure_reading import artist, artists, assert_tidy, keys, names, points
from figure_tables import LABELS, TRUE, with_copies

from latentdag.figures.scores import scores as draw_scores

pytestmark = pytest.mark.slow

SHOWN = {"map": "MAP", "bic": "BIC", "vb": "VB", "ais": "AIS", "reference": "reference"}


def known(scores, draw, n, column="score"):
    """The values of a column by (method, structure)."""
    own = scores[(scores["draw"] == draw) & (scores["n"] == n)]
    return dict(zip(zip(own["method"], own["structure"], strict=True), own[column], strict=True))


def places(figure, method, values):
    """Where each structure stands; no two scores are equal, so that a point's height tells it."""
    by_value = {values[method, label]: label for label in LABELS}
    return {by_value[y]: x for x, y in points(artist(figure, f"scores-{method}"))}


@pytest.mark.parametrize(("draw", "n"), [(0, 480), (1, 60)])
def test_every_structure_has_its_score_by_every_method(scores, structures, draw, n):
    figure = draw_scores(scores, structures, n, draw)
    values, errors = known(scores, draw, n), known(scores, draw, n, "standard_error")
    assert_tidy(figure)
    assert f"log score at n = {n}, draw {draw} (nats)" in figure.axes[0].get_ylabel()
    x = places(figure, "reference", values)
    assert set(x) == set(LABELS)
    for method in SHOWN:
        assert places(figure, method, values) == x
        own = {label: values[method, label] for label in LABELS}
        best = max(own, key=own.get)
        assert points(artist(figure, f"best-{method}")) == [(x[best], own[best])]
        assert points(artist(figure, f"true-{method}")) == [(x[TRUE], own[TRUE])]
        segments = artist(figure, f"errors-{method}").get_segments()
        bars = {(a[0], round(a[1], 6), round(b[1], 6)) for a, b in segments}
        error = {label: np.nan_to_num(errors[method, label]) for label in LABELS}
        assert bars == {
            (x[s], round(own[s] - error[s], 6), round(own[s] + error[s], 6)) for s in LABELS
        }
        assert f"best, {best}" in keys(figure)
    assert not artists(figure, "scores-cs") and not artists(figure, "scores-exact")


def test_structures_stand_side_by_side_in_the_order_of_the_most_trustworthy(scores, structures):
    d = dict(zip(structures["structure"], structures["n_parameters"], strict=True))
    for methods, guide in ((None, "reference"), (["map", "vb", "bic"], "vb")):
        table = scores if methods is None else scores[scores["method"].isin(methods)]
        figure = draw_scores(table, structures, 480)
        values = known(scores, 0, 480)
        x = places(figure, guide, values)
        assert len(set(x.values())) == len(LABELS)
        assert all(abs(x[s] - d[s]) <= 1.6 + 1e-9 for s in LABELS)  # columns are 4 apart
        in_order = sorted(LABELS, key=lambda s: (d[s], values[guide, s]))
        assert sorted(LABELS, key=x.get) == in_order
        label = figure.axes[0].get_xlabel()
        assert label.startswith("number of free parameters d") and SHOWN[guide] in label


def test_lines_lead_from_the_true_structure_to_the_names_of_its_scores(scores, structures):
    figure = draw_scores(scores, structures, 480)
    values = known(scores, 0, 480)
    (axes,) = figure.axes
    found = names(axes)
    assert set(found) == set(SHOWN.values())
    (x,) = {x for x, _ in points(artist(figure, "true-vb"))}
    for method, name in SHOWN.items():
        np.testing.assert_allclose(found[name], (x, values[method, TRUE]))
    assert points(artist(figure, "true-x")) == [(x, 0), (x, 1)]
    assert f"true structure {TRUE}, d = 50" in assert_tidy(figure)


def test_names_have_their_own_symbol_and_stay_apart_where_scores_agree(scores, structures):
    near = scores.assign(score=scores["score"].where(scores["structure"] != TRUE, -2450.0))
    figure = draw_scores(near, structures, 480)
    assert_tidy(figure)
    (axes,) = figure.axes
    (x,) = {x for x, _ in points(artist(figure, "true-vb"))}
    for begin in names(axes).values():
        np.testing.assert_allclose(begin, (x, -2450.0))
    heights = {t.get_text(): t.get_position()[1] for t in axes.texts if t.get_gid() == "name"}
    for method, name in SHOWN.items():
        marker = artist(figure, f"scores-{method}").get_marker()
        at_name = [
            line.get_marker()
            for line in axes.lines
            if np.size(line.get_xdata()) == 1 and line.get_ydata()[0] == heights[name]
        ]
        assert at_name == [marker]


def test_bars_lie_behind_all_points_and_do_not_stretch_the_axis(scores, structures):
    plain = draw_scores(scores, structures, 480)
    wide = draw_scores(
        scores.assign(standard_error=scores["standard_error"] * 900), structures, 480
    )
    bars = [artist(wide, f"errors-{m}").get_zorder() for m in SHOWN]
    assert max(bars) < min(artist(wide, f"scores-{m}").get_zorder() for m in SHOWN)
    assert wide.axes[0].get_ylim() == plain.axes[0].get_ylim()


def test_the_order_of_legend_and_depth(scores, structures):
    figure = draw_scores(scores, structures, 480)
    assert [text for text in keys(figure) if text in SHOWN.values()] == sorted(
        SHOWN.values(), key=["MAP", "BIC", "VB", "AIS", "reference"].index
    )
    drawn = [artist(figure, f"scores-{m}") for m in SHOWN]
    in_depth = sorted(drawn, key=lambda a: a.get_zorder())
    sizes = [a.get_markersize() for a in in_depth]
    assert sizes == sorted(sizes, reverse=True)  # small ones on large ones
    for method in SHOWN:
        large, small = (artist(figure, f"{kind}-{method}") for kind in ("best", "scores"))
        assert large.get_markersize() > 1.7 * small.get_markersize()
        assert large.get_markeredgewidth() > small.get_markeredgewidth()


def test_own_data_has_no_true_structure(scores, structures):
    figure = draw_scores(scores[scores["draw"] == 0], structures.assign(is_true=False), 480)
    texts = assert_tidy(figure)
    # with one draw there is no need to name it
    assert "log score at n = 480 (nats)" in figure.axes[0].get_ylabel()
    assert not any("true structure" in text for text in [*texts, *keys(figure)])
    assert not names(figure.axes[0]) and not artists(figure, "true-vb")


def test_without_errors_none_are_explained(scores, structures):
    figure = draw_scores(scores[scores["method"].isin(["vb", "cs"])], structures, 480)
    assert_tidy(figure)
    assert not any("standard error" in text for text in keys(figure))
    figure = draw_scores(scores, structures, 480)
    assert any("standard error" in text for text in keys(figure))


def test_a_structure_without_a_score_is_left_out(scores, structures):
    missing = (scores["method"] == "vb") & scores["structure"].isin([TRUE, "0-0-0-0"])
    table = scores.assign(score=scores["score"].mask(missing))
    figure = draw_scores(table, structures, 480)
    assert_tidy(figure)
    assert len(points(artist(figure, "scores-vb"))) == len(LABELS) - 2
    assert len(points(artist(figure, "scores-map"))) == len(LABELS)
    assert "VB" not in names(figure.axes[0]) and "MAP" in names(figure.axes[0])


def test_of_equal_scores_the_best_has_fewest_parameters(scores, structures):
    figure = draw_scores(scores.assign(score=-1.0), structures, 480)
    assert {text for text in keys(figure) if text.startswith("best")} == {"best, 0-0-0-0"}


def test_nothing_to_draw(scores, structures):
    with pytest.raises(ValueError, match="n = 77 of draw 1"):
        draw_scores(scores, structures, 77, 1)
    with pytest.raises(ValueError, match="no score of this figure"):
        draw_scores(scores[scores["method"] == "cs"], structures, 480)


def test_a_new_score(scores, structures, toys):
    figure = draw_scores(with_copies(scores, toys, "score"), structures, 480)
    assert_tidy(figure)
    assert "Toy" in keys(figure) and "Hidden" not in keys(figure)
    values = {y for _, y in points(artist(figure, "scores-toy"))}
    vb = {y for _, y in points(artist(figure, "scores-vb"))}
    np.testing.assert_allclose(sorted(values), sorted(vb + 1 for vb in vb))
    assert "Toy" in names(figure.axes[0])


def test_twelve_scores(scores, structures, add_score):
    more = [f"toy{i}" for i in range(7)]
    for name in more:
        add_score(name, ("scores",))
    figure = draw_scores(with_copies(scores, more, "score", 2.0), structures, 480)
    assert_tidy(figure)
    assert len(names(figure.axes[0])) == 12
