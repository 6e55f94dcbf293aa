"""The figure of annealing: every chain, mean, level and name that it draws."""

from math import exp, log, sqrt
from statistics import stdev

import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_key, assert_tidy, keys, names, points
from figure_tables import TRUE, shuffled, with_copies

from latentdag.figures.annealing import annealing as draw_annealing

pytestmark = pytest.mark.slow

SHOWN = {"bic": "BIC", "vb": "VB", "reference": "reference"}


def chains(annealing, draw, n, start):
    """The log weights of the chains, by steps, ascending."""
    own = annealing[(annealing["draw"] == draw) & (annealing["n"] == n)]
    own = own[own["start"] == start].sort_values("chain")
    return {
        steps: own.loc[own["steps"] == steps, "log_weight"].tolist()
        for steps in sorted(set(own["steps"]))
    }


def level(scores, draw, n, method, column="score"):
    own = scores[(scores["draw"] == draw) & (scores["n"] == n) & (scores["method"] == method)]
    return own.loc[own["structure"] == TRUE, column].item()


def log_mean(weights):
    most = max(weights)
    return most + log(sum(exp(w - most) for w in weights) / len(weights))


def error(weights):
    """Standard deviation of the ln weights over the root of their effective number."""
    shares = [exp(w - max(weights)) for w in weights]
    return stdev(weights) * sqrt(sum(s**2 for s in shares)) / sum(shares)


def all_points(figure, gid):
    return sorted(points(artist(figure, gid)))


@pytest.mark.parametrize(("draw", "n"), [(0, 480), (1, 60)])
def test_every_chain_stands_beside_its_length(annealing, scores, draw, n):
    figure = draw_annealing(annealing, scores, n, draw)
    texts = assert_tidy(figure)
    assert f"log weight of {TRUE} at n = {n}, draw {draw} (nats)" in figure.axes[0].get_ylabel()
    assert {str(2**k) for k in range(6, 19)} <= texts
    for start, (low, high) in {"prior": (-0.3, -0.12), "true": (0.2, 0.2)}.items():
        expected = chains(annealing, draw, n, start)
        found = {steps: [] for steps in expected}
        for x, y in all_points(figure, start):
            (steps,) = (s for s in expected if 2**low * 0.999 < x / s < 2**high * 1.001)
            found[steps].append(y)
        assert found == expected  # within a length, from left to right: the chains in order


@pytest.mark.parametrize(("draw", "n"), [(0, 480), (1, 60)])
def test_the_curve_is_the_log_mean_weight_with_its_standard_error(annealing, scores, draw, n):
    figure = draw_annealing(annealing, scores, n, draw)
    prior = chains(annealing, draw, n, "prior")
    expected = [(steps, log_mean(own)) for steps, own in prior.items()]
    np.testing.assert_allclose(all_points(figure, "mean"), expected)
    for line in artists(figure, "mean"):
        assert list(line.get_xdata()) == sorted(prior)
    (bars,) = (
        c.get_segments()
        for c in figure.axes[0].collections
        if hasattr(c, "get_segments") and len(c.get_segments()) == len(prior)
    )
    ends = [(a[0], a[1], b[1] - a[1]) for a, b in bars]
    expected = [(steps, log_mean(own), error(own)) for steps, own in prior.items()]
    np.testing.assert_allclose(ends, expected, rtol=1e-6)


@pytest.mark.parametrize(("draw", "n"), [(0, 480), (1, 60)])
def test_levels_are_the_scores_of_the_structure(annealing, scores, draw, n):
    figure = draw_annealing(annealing, scores, n, draw)
    named = names(figure.axes[0])
    assert len(named) == len(SHOWN)
    for method, name in SHOWN.items():
        value = level(scores, draw, n, method)
        for line in artists(figure, f"level-{method}"):
            assert points(line) == [(0, value), (1, value)]
        error = level(scores, draw, n, method, "standard_error")
        words = f"{name}\n{value:.1f}".replace("-", "−")
        words += "" if np.isnan(error) else f" ± {error:.2f}"
        np.testing.assert_allclose(named[words][1], value)
        bands = artists(figure, f"band-{method}")
        assert len(bands) == (0 if np.isnan(error) else len(figure.axes))
        for rectangle in bands:
            low, high = rectangle.get_y(), rectangle.get_y() + rectangle.get_height()
            assert (low, high) == pytest.approx((value - error, value + error))
    assert not artists(figure, "level-ais") and not artists(figure, "level-map")
    assert "score ± 1 standard error" in keys(figure)


def test_the_axis_is_linear_near_the_reference_alone_and_leaves_nothing_out(annealing, scores):
    figure = draw_annealing(annealing, scores, 480)
    (axes,) = figure.axes
    centre, (low, high) = level(scores, 0, 480, "reference"), axes.get_ylim()
    words = f"axis logarithmic beyond 20 nats from {centre:.0f}".replace("-", "−")
    assert words in axes.get_ylabel()
    values = [
        w for s in ("prior", "true") for own in chains(annealing, 0, 480, s).values() for w in own
    ]
    assert low < min(values) < centre - 20 and max(values) < high

    def heights(*gaps):
        return axes.transData.transform([(64, centre - gap) for gap in gaps])[:, 1]

    np.testing.assert_allclose(np.diff(heights(-20, -8, 4, 16)), np.diff(heights(4, 16))[0])
    far = np.diff(heights(30, 60, 120, 240))
    np.testing.assert_allclose(far, far[0])
    assert heights(20 - 1e-6) - heights(20 + 1e-6) == pytest.approx(0, abs=1e-3)
    shown = [v for v in axes.get_yticks() if low <= v <= high]
    assert len(shown) == len(set(shown)) >= 8
    back = axes.transData.inverted().transform(axes.transData.transform([(64, v) for v in values]))
    np.testing.assert_allclose(back[:, 1], values)


def test_without_low_chains_the_axis_is_whole(annealing, scores):
    long = annealing[annealing["steps"] >= 2**15]
    figure = draw_annealing(long[long["draw"] == 0], scores, 480)
    assert_tidy(figure)
    (axes,) = figure.axes
    low, high = axes.get_ylim()
    own = long[(long["n"] == 480) & (long["draw"] == 0)]["log_weight"]
    assert low < own.min() and own.max() < high
    assert f"log weight of {TRUE} at n = 480 (nats)" in axes.get_ylabel()
    none = draw_annealing(long, scores[scores["n"] == 60], 480)
    assert_tidy(none)
    assert not names(none.axes[0])


def test_keys(annealing, scores):
    figure = draw_annealing(annealing, scores, 480)
    for text, handle in keys(figure).items():
        for gid, words in {"prior": "chains from", "true": "true", "mean": "mean"}.items():
            if words in text:
                assert_key(figure, text, gid)
                for drawn in artists(figure, gid):
                    assert drawn.get_markersize() <= handle.get_markersize() < 9
    found = list(keys(figure))
    assert found[0] == "chains from 10 prior draws"
    assert any("log mean weight + 1 standard error" in text for text in found)
    assert any("true parameters" in text for text in found)
    only = annealing[annealing["start"] == "prior"]
    assert not any("true" in text for text in keys(draw_annealing(only, scores, 480)))
    certain = scores.assign(standard_error=np.nan)
    assert "score ± 1 standard error" not in keys(draw_annealing(annealing, certain, 480))


def test_chains_of_two_kinds_are_not_mixed(annealing, scores):
    for change in ({"structure": "0-0-0-0"}, {"transition": "hamiltonian"}):
        both = pd.concat([annealing, annealing.assign(**change)])
        with pytest.raises(ValueError, match=next(iter(change.values()))):
            draw_annealing(both, scores, 480)
    with pytest.raises(ValueError, match="n = 10 of draw 1, found: none"):
        draw_annealing(annealing, scores, 10, 1)


def test_a_new_score(annealing, scores, toys):
    figure = draw_annealing(annealing, with_copies(scores, toys, "score", 7.0), 480)
    assert_tidy(figure)
    named = {text.split("\n")[0]: y for text, (_, y) in names(figure.axes[0]).items()}
    assert set(named) == {*SHOWN.values(), "Toy"}
    assert named["Toy"] == pytest.approx(level(scores, 0, 480, "vb") + 7)


def test_rows_in_another_order_change_nothing(annealing, scores):
    one = draw_annealing(annealing, scores, 480)
    other = draw_annealing(shuffled(annealing, 9), shuffled(scores, 9), 480)
    for gid in ("prior", "true", "mean"):
        assert all_points(one, gid) == all_points(other, gid)
