"""The figures of one draw: the data of all that they draw, their labels and legends."""

from math import exp, log, sqrt
from statistics import stdev

import numpy as np
import pandas as pd
import pytest
from figure_reading import (
    artist,
    artists,
    assert_band,
    assert_tidy,
    band,
    keys,
    names,
    points,
    titles,
)
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
    with_copies,
)

from latentdag.figures import FIGURES
from latentdag.scores import SPECS

pytestmark = pytest.mark.slow

OF_ONE_SIZE = pytest.mark.parametrize(("draw", "n"), [(0, 480), (1, 60)])
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
    assert f"log score at n = {n}, draw {draw} (nats)" in figure.axes[0].get_ylabel()
    # no two scores are equal, so that a point's height tells its structure
    of_guide = {v: s for s, v in values["reference"].items()}
    x = {of_guide[y]: at for at, y in points(artist(figure, "scores-reference"))}
    d = STRUCTURES.set_index("structure")["n_parameters"]
    assert sorted(x, key=x.get) == sorted(LABELS, key=lambda s: (d[s], values["reference", s]))
    assert len(set(x.values())) == len(LABELS)
    assert all(abs(x[s] - d[s]) <= 1.6 + 1e-9 for s in LABELS)  # columns are 4 apart
    for m in IN_SCORES:
        own = values[m].to_dict()
        best = max(own, key=own.get)
        expected = sorted((x[s], own[s]) for s in LABELS)
        assert sorted(points(artist(figure, f"scores-{m}"))) == expected
        assert points(artist(figure, f"best-{m}")) == [(x[best], own[best])]
        bars = [(*a, *b) for a, b in artist(figure, f"errors-{m}").get_segments()]
        ends = [(x[s], v - errors[m, s], x[s], v + errors[m, s]) for s, v in own.items()]
        np.testing.assert_allclose(sorted(bars), sorted(ends))
        assert f"best, {best}" in keys(figure)
    labels = [SPECS[m].label for m in IN_SCORES]
    others = {"true structure", "± 1 standard error"}
    assert {text for text in keys(figure) if "best" not in text} == {*labels, *others}
    # rings, and lines that lead from them to the scores' names
    own = [(x[TRUE], values[m, TRUE]) for m in IN_SCORES]
    assert points(artist(figure, "true")) == own
    found = names(figure.axes[0])
    np.testing.assert_allclose([found[label] for label in labels], own)


def test_other_scores_guide_the_order_where_there_is_no_reference():
    table = SCORES[SCORES["method"].isin(["map", "vb", "bic"])]
    figure = FIGURES["scores"](table, STRUCTURES, 480)
    assert figure.axes[0].get_xlabel().endswith("(structures with the same d ordered by VB)")
    values = rows(SCORES, draw=0, n=480, method="vb").set_index("structure")["score"]
    d = STRUCTURES.set_index("structure")["n_parameters"]
    expected = [values[s] for s in sorted(LABELS, key=lambda s: (d[s], values[s]))]
    assert [y for _, y in sorted(points(artist(figure, "scores-vb")))] == expected
    assert "± 1 standard error" not in keys(figure)


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
            for end in ("low", "high"):
                expected = list(zip(own["n"], own[f"rank_{end}"], strict=True))
                assert points(artist(figure, f"{end}-{m}")) == expected
        else:
            assert not artists(figure, f"band-{m}")
    assert set(keys(figure)) == {
        *(SPECS[m].label for m in IN_SCORES),
        "90 % of the ranks that the scores' Monte Carlo errors allow",
    }
    (axes,) = figure.axes
    assert axes.get_ylabel() == "rank of the true structure (of 136)"
    assert axes.get_ylim()[0] > 136 and axes.get_ylim()[1] < 1
    assert list(axes.get_xticks()) == list(SIZES) and axes.get_xlabel() == "number of cases n"
    only = rows(RANKS, draw=draw, method="vb")
    assert list(keys(FIGURES["rank"](only, STRUCTURES))) == ["VB"]


def test_ranks_of_several_draws_have_medians_and_quantiles():
    five = pd.DataFrame(
        [(draw, n, "vb", r, r, r) for draw, r in enumerate((90, 2, 1, 10, 3)) for n in (100, 10)],
        columns=["draw", "n", "method", "rank", "rank_low", "rank_high"],
    )
    figure = FIGURES["rank"](five, STRUCTURES.head(120))
    assert points(artist(figure, "marks-vb")) == [(10, 3), (100, 3)]
    assert band(artist(figure, "band-vb"))[10] == pytest.approx((1.4, 58.0))
    assert "line: median of 5 draws; band: from 10 to 90 % of them" in keys(figure)
    assert figure.axes[0].get_ylabel() == "rank of the true structure (of 120)"


def test_twelve_scores_share_two_plots_with_the_reference_in_both(add_scores):
    more = add_scores(*(f"toy{i}" for i in range(6)), figures=("rank",))
    figure = FIGURES["rank"](with_copies(rows(RANKS, draw=0), more, "rank", 2), STRUCTURES)
    assert_tidy(figure)
    found = [
        [a.get_gid().removeprefix("marks-") for a in axes.lines if "marks-" in (a.get_gid() or "")]
        for axes in figure.axes
    ]
    assert found == [["map", "bic", "vb", "ais", "toy0", "reference"], [*more[1:], "reference"]]
    own = rows(RANKS, draw=0, method="vb").sort_values("n")
    expected = list(zip(own["n"], own["rank"] + 4, strict=True))
    assert points(artist(figure, "marks-toy1")) == expected


# ---- annealing


def log_mean(weights):
    most = max(weights)
    return most + log(sum(exp(w - most) for w in weights) / len(weights))


def error(weights):
    """Standard deviation of the ln weights over the root of their effective number."""
    shares = [exp(w - max(weights)) for w in weights]
    return stdev(weights) * sqrt(sum(s**2 for s in shares)) / sum(shares)


@OF_ONE_SIZE
def test_annealing_has_chains_means_and_levels(draw, n):
    figure = FIGURES["annealing"](ANNEALING, SCORES, n, draw)
    (axes,) = figure.axes
    assert f"log weight of {TRUE} at n = {n}, draw {draw} (nats)" in axes.get_ylabel()
    here = rows(ANNEALING, draw=draw, n=n).sort_values(["steps", "chain"])
    by_length = {}
    for start, (low, high) in {"prior": (-0.3, -0.12), "true": (0.2, 0.2)}.items():
        own = rows(here, start=start)
        shown = sorted(points(artist(figure, start)))  # at a length the chains in order
        assert [y for _, y in shown] == own["log_weight"].tolist()
        aside = np.log2(np.array([x for x, _ in shown]) / own["steps"])
        assert aside.min() == pytest.approx(low) and aside.max() == pytest.approx(high)
        by_length[start] = own.groupby("steps")["log_weight"].apply(list)
    means = [(s, log_mean(w), log_mean(w) + error(w)) for s, w in by_length["prior"].items()]
    np.testing.assert_allclose(points(artist(figure, "mean")), [m[:2] for m in means])
    (bars,) = [c.get_segments() for c in axes.collections if hasattr(c, "get_segments")]
    np.testing.assert_allclose([(*a, b[1]) for a, b in bars], means)

    found, true = names(axes), rows(SCORES, draw=draw, n=n, structure=TRUE).set_index("method")
    assert [words.partition("\n")[0] for words in found] == ["reference", "VB", "BIC"]
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
    assert set(keys(figure)) == {
        "chains from 10 prior draws", "chain from the true parameters",
        "their log mean weight + 1 standard error", "score ± 1 standard error",
    }  # fmt: skip


def test_an_axis_is_linear_near_the_reference_and_leaves_nothing_out():
    figure = FIGURES["annealing"](ANNEALING, SCORES, 480)
    (axes,) = figure.axes
    centre = rows(SCORES, draw=0, n=480, structure=TRUE, method="reference")["score"].item()
    words = f"axis logarithmic beyond 20 nats from {centre:.0f}".replace("-", "−")
    assert words in axes.get_ylabel()
    values = rows(ANNEALING, draw=0, n=480)["log_weight"]
    low, high = axes.get_ylim()
    assert low < values.min() < centre - 20 and values.max() < high

    def heights(*gaps):
        return axes.transData.transform([(64, centre - gap) for gap in gaps])[:, 1]

    np.testing.assert_allclose(np.diff(heights(-20, -8, 4, 16)), np.diff(heights(4, 16))[0])
    far = np.diff(heights(20, 40, 80, 160, 320))
    np.testing.assert_allclose(far, far[0])
    assert heights(20 - 1e-6) - heights(20 + 1e-6) == pytest.approx(0, abs=1e-3)
    assert sum(low <= tick <= high for tick in axes.get_yticks()) >= 8
    back = axes.transData.inverted().transform(axes.transData.transform([(64, v) for v in values]))
    np.testing.assert_allclose(back[:, 1], values)


def test_what_is_not_there_is_not_explained():
    long = ANNEALING[(ANNEALING["steps"] >= 2**15) & (ANNEALING["start"] == "prior")]
    figure = FIGURES["annealing"](long, rows(SCORES, n=60), 480)
    assert_tidy(figure)
    assert not names(figure.axes[0]) and "logarithmic" not in figure.axes[0].get_ylabel()
    assert len(keys(figure)) == 2
    for change in ({"structure": "0-0-0-0"}, {"transition": "hamiltonian"}):
        both = pd.concat([ANNEALING, ANNEALING.assign(**change)])
        with pytest.raises(ValueError, match=next(iter(change.values()))):
            FIGURES["annealing"](both, SCORES, 480)


# ---- tightness

IN_TIGHTNESS = {"bic": "BIC", "cs": "Cheeseman-Stutz", "vb": "VB", "ais": "AIS"}


def assert_quartiles(figure, name, wide):
    """Hold median, bands and true structure against values, n by structure."""
    ordered = {n: sorted(row) for n, row in zip(wide.index, wide.to_numpy(), strict=True)}
    # of 136 values in order, the median lies between the 68th and the 69th
    median = [(n, (e[67] + e[68]) / 2) for n, e in ordered.items()]
    np.testing.assert_allclose(points(artist(figure, f"median-{name}")), median)
    true = points(artist(figure, f"true-{name}"))
    np.testing.assert_allclose(true, list(wide[TRUE].items()))
    half, whole = artists(figure, f"band-{name}")
    assert_band(whole, [(n, e[0], e[-1]) for n, e in ordered.items()])
    # quartiles: 135 steps between the values, so 33.75 and 101.25 of them
    assert_band(half, [(n, 0.25 * e[33] + 0.75 * e[34], 0.75 * e[101] + 0.25 * e[102])
                       for n, e in ordered.items()])  # fmt: skip
    for drawn, words in ((whole, "lowest to highest"), (half, "middle half")):
        assert tuple(drawn.get_facecolor()[0]) == keys(figure)[words].get_facecolor(), words


@OF_DRAWS
def test_tightness_has_a_panel_for_each_score_and_for_vb_minus_bic(draw):
    figure = FIGURES["tightness"](ERRORS, STRUCTURES, draw)
    assert titles(figure) == [*IN_TIGHTNESS.values(), "VB minus BIC"]
    assert figure.get_supxlabel() == f"number of cases n (draw {draw})"
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
    assert figure.axes[0].get_ylabel().startswith("score minus log evidence (nats)")
    assert_quartiles(figure, "vb-bic", wide["vb"] - wide["bic"])
    apart = figure.axes[-1]
    assert apart.get_yscale() == "linear" and apart.get_ylabel() == "nats"
    assert set(keys(figure)) == {
        "median of 136 structures", "middle half", "lowest to highest", f"true structure {TRUE}",
    }  # fmt: skip


def test_vb_minus_bic_starts_at_0_and_needs_both():
    above = ERRORS.assign(error_nats=ERRORS["error_nats"].mask(ERRORS["method"] == "bic", -200.0))
    assert FIGURES["tightness"](above, STRUCTURES).axes[-1].get_ylim()[0] == 0
    for method in ("vb", "bic"):
        figure = FIGURES["tightness"](ERRORS[ERRORS["method"] != method], STRUCTURES)
        assert len(figure.axes) == 3 and "VB minus BIC" not in titles(figure)


def test_few_sizes_and_structures():
    some = ERRORS[ERRORS["n"].isin([20, 40]) & ERRORS["structure"].isin(LABELS[:9])]
    figure = FIGURES["tightness"](rows(some, draw=0, method="vb"), STRUCTURES.assign(is_true=False))
    assert {"20", "40", "number of cases n"} <= assert_tidy(figure)  # no power of ten is near
    assert list(keys(figure)) == ["median of 9 structures", "middle half", "lowest to highest"]


def test_new_scores_have_panels_of_their_own(add_scores):
    toys = add_scores(*(f"toy{i}" for i in range(8)), figures=("tightness",))
    figure = FIGURES["tightness"](with_copies(ERRORS, toys, "error_nats"), STRUCTURES)
    assert_tidy(figure)
    assert titles(figure)[4:-1] == ["A title that needs two lines"] * 8
    vb = points(artist(figure, "median-vb"))
    expected = [(n, value + 1) for n, value in vb]
    np.testing.assert_allclose(points(artist(figure, "median-toy0")), expected)


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
        labels = [
            label.get_text() for label in figure.axes[2 * (algorithm != "EM")].get_xticklabels()
        ]
        every = [f"{half_step}{i}" for i in range(5) for half_step in "EM"]
        assert labels == every[algorithm != "EM" :]
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
    assert set(keys(figure)) == {
        "the bound F", "EM: ln p(y | θ) + ln p(θ), at the half-step's θ",
        "VBEM: ln evidence ± 2 standard errors", "the gap: a KL divergence",
    }  # fmt: skip


def test_a_start_within_the_axis_is_drawn_and_an_exact_evidence_has_no_error():
    near = CLIMB.assign(bound=CLIMB["bound"].where(CLIMB["bound"] > -1500, -875.0))
    figure = FIGURES["climb"](near, EVIDENCE.assign(standard_error=np.nan), 0)
    assert artists(figure, "far below") == []
    assert points(artist(figure, "steps-EM"))[0] == (0, -875.0)
    assert any("ln evidence\n−851.2" in names(axes) for axes in figure.axes)


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
    assert figure.get_supxlabel() == "p(y1 = 1 | s = 1)"
    assert figure.axes[0].get_ylabel() == "p(y1 = 1 | s = 2)"
    assert figure.axes[4].get_yticks().tolist() == [0, 0.5, 2, 8]
