"""The figures of one draw: the data of all that they draw, their labels and legends."""

import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_band, assert_tidy, keys, names, points, titles
from figure_tables import (
    ANNEALING,
    CLIMB,
    EQUAL_MODES,
    ERRORS,
    EVIDENCE,
    ITERATIONS,
    LABELS,
    RANKS,
    SCORES,
    SIZES,
    STRUCTURES,
    TRUE,
)

from latentdag.figures import FIGURES
from latentdag.scores import SPECS
from latentdag.study.one_draw.annealing import by_length

pytestmark = pytest.mark.slow

OF_ONE_SIZE = pytest.mark.parametrize(("draw", "n"), [(0, 480), (1, 80)])
OF_DRAWS = pytest.mark.parametrize("draw", [0, 1])


def rows(table, **values):
    """The rows of a table with these values."""
    for column, value in values.items():
        table = table[table[column] == value]
    return table


# ---- scores

IN_SCORES = ("map", "bic", "vb", "ais", "reference")


@OF_ONE_SIZE
def test_every_structure_has_its_score_by_every_method(draw, n):
    figure = FIGURES["scores"](SCORES, STRUCTURES, n, draw)
    here = rows(SCORES, draw=draw, n=n).set_index(["method", "structure"])
    values, errors = here["score"], here["standard_error"].fillna(0.0)
    # no two scores are equal, so that a point's height tells its structure
    of_guide = {v: s for s, v in values["reference"].items()}
    x = {of_guide[y]: at for at, y in points(artist(figure, "scores-reference"))}
    d = STRUCTURES.set_index("structure")["n_parameters"]
    assert sorted(x, key=x.get) == sorted(LABELS, key=lambda s: (d[s], values["reference", s]))
    assert len(set(x.values())) == len(LABELS)
    assert all(abs(x[s] - d[s]) <= 1.6 + 1e-9 for s in LABELS)  # columns are 2 apart or more
    for m in IN_SCORES:
        own = values[m].to_dict()
        best = max(own, key=own.get)
        expected = sorted((x[s], own[s]) for s in LABELS)
        assert sorted(points(artist(figure, f"scores-{m}"))) == expected
        assert points(artist(figure, f"best-{m}")) == [(x[best], own[best])]
        bars = [(*a, *b) for a, b in artist(figure, f"errors-{m}").get_segments()]
        ends = [(x[s], v - errors[m, s], x[s], v + errors[m, s]) for s, v in own.items()]
        np.testing.assert_allclose(sorted(bars), sorted(ends))
    # rings, and lines that lead from them to the scores' names
    own = [(x[TRUE], values[m, TRUE]) for m in IN_SCORES]
    assert points(artist(figure, "true")) == own
    found = names(figure.axes[0])
    np.testing.assert_allclose([found[SPECS[m].label] for m in IN_SCORES], own)


def test_a_long_error_does_not_stretch_the_axis_and_a_missing_score_is_left_out():
    wide = SCORES.assign(standard_error=SCORES["standard_error"] * 900)
    limits = [FIGURES["scores"](t, STRUCTURES, 480).axes[0].get_ylim() for t in (SCORES, wide)]
    assert limits[0] == limits[1]
    missing = (SCORES["method"] == "vb") & (SCORES["structure"] == TRUE)
    figure = FIGURES["scores"](SCORES.assign(score=SCORES["score"].mask(missing)), STRUCTURES, 480)
    assert len(points(artist(figure, "scores-vb"))) == len(LABELS) - 1
    assert "VB" not in names(figure.axes[0]) and "MAP" in names(figure.axes[0])


# ---- rank


@OF_DRAWS
def test_ranks_of_one_draw_with_their_monte_carlo_error(draw):
    figure = FIGURES["rank"](rows(RANKS, draw=draw), STRUCTURES)
    for m in IN_SCORES:
        own = rows(RANKS, draw=draw, method=m).sort_values("n")
        expected = list(zip(own["n"], own["rank"], strict=True))
        assert points(artist(figure, f"marks-{m}")) == expected
        assert points(artist(figure, f"line-{m}")) == expected
        if m in ("ais", "reference"):
            assert_band(artist(figure, f"band-{m}"), own[["n", "rank_low", "rank_high"]].to_numpy())
        else:
            assert not artists(figure, f"band-{m}")
    (axes,) = figure.axes
    assert axes.get_ylim()[0] > len(LABELS) and axes.get_ylim()[1] < 1
    assert list(axes.get_xticks()) == list(SIZES)
    only = rows(RANKS, draw=draw, method="vb")
    assert list(keys(FIGURES["rank"](only, STRUCTURES))) == ["VB"]


# ---- annealing


@OF_ONE_SIZE
def test_annealing_has_chains_means_and_levels(draw, n):
    figure = FIGURES["annealing"](ANNEALING, SCORES, n, draw)
    (axes,) = figure.axes
    here = rows(ANNEALING, draw=draw, n=n).sort_values(["steps", "chain"])
    for start, (low, high) in {"prior": (-0.3, -0.12), "true": (0.2, 0.2)}.items():
        own = rows(here, start=start)
        shown = sorted(points(artist(figure, start)))  # at a length the chains in order
        assert [y for _, y in shown] == own["log_weight"].tolist()
        aside = np.log2(np.array([x for x, _ in shown]) / own["steps"])
        assert aside.min() == pytest.approx(low) and aside.max() == pytest.approx(high)
    means = by_length(here)[["estimate", "standard_error"]].reset_index().to_numpy()
    np.testing.assert_allclose(points(artist(figure, "mean")), means[:, :2])
    (bars,) = [c.get_segments() for c in axes.collections if hasattr(c, "get_segments")]
    np.testing.assert_allclose([(*a, b[1] - a[1]) for a, b in bars], means)

    found, true = names(axes), rows(SCORES, draw=draw, n=n, structure=TRUE).set_index("method")
    assert {words.partition("\n")[0] for words in found} == {"reference", "VB", "BIC"}
    for m in ("bic", "vb", "reference"):
        value, width = true.loc[m, ["score", "standard_error"]]
        words = f"{SPECS[m].label}\n{value:.1f}".replace("-", "−")
        if m == "reference":
            words += f" ± {width:.2f}"
            shade = artist(figure, f"band-{m}")
            ends = shade.get_y(), shade.get_y() + shade.get_height()
            assert ends == pytest.approx((value - width, value + width))
        np.testing.assert_allclose(found[words][1], value)
        assert points(artist(figure, f"level-{m}")) == [(0, value), (1, value)]


def test_an_axis_is_linear_near_the_reference_and_leaves_nothing_out():
    figure = FIGURES["annealing"](ANNEALING, SCORES, 480)
    (axes,) = figure.axes
    centre = rows(SCORES, draw=0, n=480, structure=TRUE, method="reference")["score"].item()
    values = rows(ANNEALING, draw=0, n=480)["log_weight"]
    low, high = axes.get_ylim()
    assert low < values.min() < centre - 20 and values.max() < high

    heights = axes.transData.transform([(64, centre - gap) for gap in (-20, -8, 4, 16, 40)])[:, 1]
    rises = np.diff(heights)
    np.testing.assert_allclose(rises[:3], rises[0])
    assert abs(rises[3]) < abs(rises[0])  # of 24 nats


def test_what_is_not_there_is_not_explained():
    long = ANNEALING[(ANNEALING["steps"] >= 4096) & (ANNEALING["start"] == "prior")]
    figure = FIGURES["annealing"](long, rows(SCORES, n=80), 480)
    assert_tidy(figure)
    assert not names(figure.axes[0]) and len(keys(figure)) == 2
    for change in ({"structure": "0-0-0"}, {"transition": "hamiltonian"}):
        both = pd.concat([ANNEALING, ANNEALING.assign(**change)])
        with pytest.raises(ValueError, match=next(iter(change.values()))):
            FIGURES["annealing"](both, SCORES, 480)


# ---- tightness

IN_TIGHTNESS = {"bic": "BIC", "cs": "Cheeseman-Stutz", "vb": "VB", "ais": "AIS"}


def assert_quartiles(figure, name, wide):
    """Hold median, bands and true structure against values, n by structure."""
    lines = {"median": wide.median(axis=1), "true": wide[TRUE]}
    for kind, values in lines.items():
        found = points(artist(figure, f"{kind}-{name}"))
        np.testing.assert_allclose(found, [*values.items()])
    half, whole = artists(figure, f"band-{name}")
    for shade, ends in ((half, (0.25, 0.75)), (whole, (0, 1))):
        assert_band(shade, wide.quantile(ends, axis=1).T.reset_index().to_numpy())
    for drawn, words in ((whole, "lowest to highest"), (half, "middle half")):
        assert tuple(drawn.get_facecolor()[0]) == keys(figure)[words].get_facecolor(), words


@OF_DRAWS
def test_tightness_has_a_panel_for_each_score_and_for_vb_minus_bic(draw):
    figure = FIGURES["tightness"](ERRORS, STRUCTURES, draw)
    assert titles(figure) == [*IN_TIGHTNESS.values(), "VB minus BIC"]
    wide = {
        m: rows(ERRORS, draw=draw, method=m).pivot(
            index="n", columns="structure", values="error_nats"
        )
        for m in IN_TIGHTNESS
    }
    for axes, m in zip(figure.axes, IN_TIGHTNESS, strict=False):
        assert artist(figure, f"median-{m}").axes is axes
        assert_quartiles(figure, m, wide[m])
        assert axes.get_ylim()[0] < wide["bic"].min(axis=None)
        assert axes.get_ylim()[1] > max(w.max(axis=None) for w in wide.values())
    assert_quartiles(figure, "vb-bic", wide["vb"] - wide["bic"])
    without = FIGURES["tightness"](ERRORS[ERRORS["method"] != "bic"], STRUCTURES)
    assert "VB minus BIC" not in titles(without)


# ---- climb


@OF_DRAWS
def test_climb_has_half_steps_and_iterations_with_their_gaps(draw):
    figure = FIGURES["climb"](CLIMB, EVIDENCE, draw)
    assert f"← at −{1600 + 50 * draw}.0" in assert_tidy(figure)  # EM's start is far below the axis
    assert len(artists(figure, "far below")) == 1
    level, width = -851.25 - 50 * draw, 0.25 + draw
    for algorithm, right in (("EM", figure.axes[1]), ("VBEM", figure.axes[3])):
        own = rows(CLIMB, draw=draw, algorithm=algorithm).fillna({"target": level})
        own = own.sort_values("k")
        first = own[(own["k"] < 10) & (own["k"] > 0)]
        assert points(artist(figure, f"steps-{algorithm}")) == [
            *first.set_index("k")["bound"].items()
        ]
        gaps = artist(figure, f"gap-{algorithm}").get_segments()
        expected = [*zip(first["k"], first["bound"], first["target"], strict=True)]
        assert [(*a, b[1]) for a, b in gaps] == expected
        after = rows(own, half_step="M")
        x = range(1, ITERATIONS[algorithm] + 1)
        expected = [*zip(x, after["bound"], strict=True)]
        assert points(artist(figure, f"bound-{algorithm}")) == expected
        ends = [*zip(x, after["bound"], after["target"], strict=True)]
        assert_band(artist(figure, f"gaps-{algorithm}"), ends)
        last = own["bound"].iloc[-1]
        words = f"F = −{-last:.1f}\nafter {ITERATIONS[algorithm]} iterations"
        assert names(right)[words][1] == pytest.approx(last)
        if algorithm == "EM":
            expected = [*zip(first["k"], first["target"], strict=True)]
            assert points(artist(figure, "target-steps")) == expected
            expected = [*zip(x, after["target"], strict=True)]
            assert points(artist(figure, "target")) == expected
    words = f"ln evidence\n−{-level:.1f} ± {2 * width:.1f}"
    assert names(right)[words][1] == pytest.approx(level)
    levels = artists(figure, "evidence")
    assert [(e.axes, *e.get_ydata()) for e in levels] == [
        (a, level, level) for a in figure.axes[2:]
    ]
    shades = [shade for a in figure.axes[2:] for shade in a.patches]
    assert [(s.get_y(), s.get_height()) for s in shades] == [(level - 2 * width, 4 * width)] * 2


# ---- equal modes


def test_each_panel_has_the_densities_of_its_column():
    figure = FIGURES["equal_modes"](EQUAL_MODES)
    columns = ("posterior", "q", "normal", "mixture")
    assert titles(figure)[:4] == ["True posterior", "VB's q(θ)", "Laplace", "Mixture of q"]
    for axes, name in zip(figure.axes, columns, strict=False):
        shown = artist(figure, f"density-{name}")
        assert shown.axes is axes
        expected = EQUAL_MODES.pivot(index="phi_2", columns="phi_1", values=name)
        np.testing.assert_array_equal(np.asarray(shown.get_array()).reshape(8, 8), expected)
        corners = shown.get_coordinates()
        np.testing.assert_allclose(corners[0, :, 0], np.arange(9) / 8)  # phi_1 across
        np.testing.assert_allclose(corners[:, 0, 1], np.arange(9) / 8)
    assert shown.norm.vmin == 0 and shown.norm.vmax == EQUAL_MODES["mixture"].max()
    assert "s = 1" in figure.get_supxlabel() and "s = 2" in figure.axes[0].get_ylabel()
