"""The figures, on tables made by hand: what is drawn, where, and that nothing overlaps."""

import itertools
import os
import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, FancyArrowPatch

from latentdag import figures as plots
from latentdag.stats import log_mean_exp
from latentdag.structures import Family, Structure, enumerate_structures

TRUE = "1-12-12-2"
TRUE_INDEX = [s.label for s in enumerate_structures()].index(TRUE)
SIZES = (
    10,
    20,
    40,
    80,
    110,
    160,
    230,
    320,
    400,
    430,
    480,
    560,
    640,
    800,
    960,
    1120,
    1280,
    2560,
    5120,
    10240,
)


@pytest.fixture(scope="module")
def structures():
    rows = [(s.label, s.n_links, s.n_parameters, s.label == TRUE) for s in enumerate_structures()]
    return pd.DataFrame(rows, columns=["structure", "n_links", "n_parameters", "is_true"])


@pytest.fixture(scope="module")
def scores(structures):
    """VB and AIS put the true structure first, MAP the largest, BIC the smallest; other draws and
    sizes are in the way.
    """
    rows = []
    for draw, n, shift in ((0, 480, 0.0), (0, 10, 1e4), (1, 480, -1e4)):
        for i, (label, d) in enumerate(
            zip(structures["structure"], structures["n_parameters"], strict=True)
        ):
            vb = -2400.0 - i % 7 + (20 if label == TRUE else 0) + shift
            values = {
                "map": -2350 + d + i % 3,
                "bic": -2400 - 3 * d - i % 3,
                "vb": vb,
                "ais": vb + 2,
                "cs": 0.0,
            }
            rows += [
                (draw, n, label, m, v, 1.5 if m == "ais" else np.nan) for m, v in values.items()
            ]
    return pd.DataFrame(
        rows, columns=["draw", "n", "structure", "method", "score", "standard_error"]
    )


@pytest.fixture(scope="module")
def ranks():
    rows = []
    for i, n in enumerate(SIZES):
        r = {
            "map": 7,
            "bic": 120 - 6 * i,
            "vb": max(1, 100 - 10 * i),
            "ais": max(1, 90 - 9 * i),
            "cs": 136,
        }
        rows += [
            (0, n, m, v, max(1, v - (m == "ais") * 5), v + (m == "ais") * 5) for m, v in r.items()
        ]
    rows.append((0, 10, "exact", 33, 33, 33))
    return pd.DataFrame(rows, columns=["draw", "n", "method", "rank", "rank_low", "rank_high"])


@pytest.fixture(scope="module")
def annealing():
    rng = np.random.default_rng(0)
    rows = []
    for steps in 2 ** np.arange(6, 19):
        for start, chain in [("prior", c) for c in range(10)] + [("true", 0)]:
            rows.append(
                (
                    0,
                    480,
                    TRUE,
                    "metropolis",
                    steps,
                    start,
                    chain,
                    -2375 - 4e4 / steps * rng.uniform(0.8, 1.2),
                )
            )
    return pd.DataFrame(
        rows,
        columns=["draw", "n", "structure", "transition", "steps", "start", "chain", "log_weight"],
    )


def artists(figure, gid):
    return [a for a in figure.findobj(lambda a: a.get_gid() == gid)]


def artist(figure, gid):
    (found,) = artists(figure, gid)
    return found


def assert_tidy(figure):
    """All text is inside the figure, and no two pieces of text, nor a text and a legend, overlap."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    legends = figure.legends
    in_legend = {t for legend in legends for t in legend.get_texts()}
    texts = [
        t
        for t in figure.findobj(matplotlib.text.Text)
        if t.get_visible() and t.get_text().strip() and t not in in_legend
    ]
    drawn = {
        t
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for t in axis.get_ticklabels(which="both")
    }
    # of the tick labels only those within the limits are drawn
    shown = set()
    for ax in figure.axes:
        for axis, interval in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            for tick in axis.get_major_ticks():
                if min(interval) <= tick.get_loc() <= max(interval):
                    shown.add(tick.label1)
    pieces = [t for t in texts if t not in drawn or t in shown]
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in pieces]
    boxes += [("legend", legend.get_window_extent(renderer)) for legend in legends]
    width, height = figure.bbox.width, figure.bbox.height
    for name, box in boxes:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, (
            f"{name!r} leaves the figure"
        )
    for (a, box), (b, other) in itertools.combinations(boxes, 2):
        apart = box.x1 <= other.x0 or other.x1 <= box.x0 or box.y1 <= other.y0 or other.y1 <= box.y0
        assert apart, f"{a!r} overlaps {b!r}"
    for legend in legends:
        for ax in figure.axes:
            assert not legend.get_window_extent(renderer).overlaps(
                ax.get_window_extent(renderer)
            ), "legend on the data"
    return {t.get_text() for t in pieces}


def lightness(colour):
    """CIE L*, 0 to 100."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 116 * np.dot([0.2126, 0.7152, 0.0722], linear) ** (1 / 3) - 16


def test_methods_differ_in_grey_in_marker_and_in_line():
    looks = [plots.STYLE[m] for m in plots.LINES]
    greys = sorted(lightness(look.colour) for look in looks)
    assert np.diff(greys).min() > 14
    assert len({look.marker for look in looks}) == len({look.line for look in looks}) == 4


def test_true_structure_has_every_node_and_arrow():
    figure = plots.true_structure(Structure.from_label(TRUE))
    texts = assert_tidy(figure)
    assert {"hidden,\n2 values each", "observed,\n5 values each"} <= texts
    assert any("1-12-12-2: 6 links, 50 free parameters" in t for t in texts)
    nodes = {c.get_gid(): c for c in figure.findobj(Circle) if c.get_gid()}
    assert set(nodes) == {"s1", "s2", "y1", "y2", "y3", "y4"}
    assert len(figure.findobj(Circle)) == 6 + 2  # the second circle of the hidden ones
    arrows = {a.get_gid(): a for a in figure.findobj(FancyArrowPatch)}
    assert set(arrows) == {"s1-y1", "s1-y2", "s1-y3", "s2-y2", "s2-y3", "s2-y4"}
    for name, arrow in arrows.items():
        hidden, observed = (np.array(nodes[end].center) for end in name.split("-"))
        tail, head = (np.array(p) for p in arrow._posA_posB)
        assert np.linalg.norm(tail - hidden) == pytest.approx(nodes["s1"].radius, abs=0.05)
        assert np.linalg.norm(head - observed) == pytest.approx(nodes["s1"].radius, abs=0.05)


@pytest.mark.parametrize(
    ("label", "family", "links"),
    [
        ("1-0-1", Family((2,), (3, 3, 3)), 2),
        ("12-0-23-123-3", Family((2, 3, 2, 2), (2, 3, 4, 5, 2)), 8),
        ("0-0", Family((), (2, 3)), 0),
        ("123456789", Family((2,) * 9, (2,)), 9),
    ],
)
def test_true_structure_of_any_family(label, family, links):
    figure = plots.true_structure(Structure.from_label(label, family))
    texts = assert_tidy(figure)
    assert len(figure.findobj(FancyArrowPatch)) == links
    if len(set(family.observed)) > 1:
        assert {f"{v} values" for v in family.observed} <= texts


def test_scores_shows_every_structure_the_best_and_the_true_one(scores, structures):
    figure = plots.scores(scores, structures, 480)
    texts = assert_tidy(figure)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "number of free parameters d" and "(nats)" in axes.get_ylabel()
    assert "d = 50, true structure 1-12-12-2" in texts
    assert list(artist(figure, "true-d").get_xdata()) == [50, 50]
    here = scores[(scores["draw"] == 0) & (scores["n"] == 480)].set_index(["method", "structure"])[
        "score"
    ]
    best = {"map": "12-12-12-12", "bic": "0-0-0-0", "vb": TRUE, "ais": TRUE}
    legend = [t.get_text() for t in figure.legends[0].get_texts()]
    x = {}
    for m in ("map", "ais", "vb", "bic"):
        points = artist(figure, f"scores-{m}")
        assert len(points.get_xdata()) == 136
        np.testing.assert_allclose(np.sort(points.get_ydata()), np.sort(here[m]))
        x[m] = points.get_xdata()
        bold, marked = artist(figure, f"best-{m}"), artist(figure, f"true-{m}")
        assert bold.get_ydata()[0] == here[m, best[m]] == here[m].max()
        assert marked.get_ydata()[0] == here[m, TRUE]
        assert bold.get_markersize() > 1.7 * points.get_markersize()
        assert bold.get_markeredgewidth() > points.get_markeredgewidth()
        assert f"best, {best[m]}" in legend
    assert not artists(figure, "scores-cs")
    low, high = axes.get_ylim()
    assert (
        low < here[["map", "ais", "vb", "bic"]].min()
        and here[["map", "ais", "vb", "bic"]].max() < high
    )


def test_scores_staggers_within_a_column_and_one_structure_has_one_place(scores, structures):
    figure = plots.scores(scores, structures, 480)
    d = structures.set_index("structure")["n_parameters"]
    here = scores[(scores["draw"] == 0) & (scores["n"] == 480)].pivot(
        index="structure", columns="method", values="score"
    )
    x = artist(figure, "scores-vb").get_xdata()
    assert len(np.unique(x)) == 136
    assert (
        np.abs(x - d[here.index].to_numpy()).max() <= 0.4 * 4 + 1e-9
    )  # columns are 4 apart and do not touch
    column = pd.DataFrame({"d": d[here.index], "x": x, "vb": here["vb"]}).sort_values(["d", "x"])
    assert column.groupby("d")["vb"].apply(lambda v: v.is_monotonic_increasing).all()
    for m in ("map", "ais", "bic"):
        np.testing.assert_array_equal(artist(figure, f"scores-{m}").get_xdata(), x)
    shuffled = plots.scores(scores.sample(frac=1, random_state=1), structures, 480)
    np.testing.assert_array_equal(artist(shuffled, "scores-vb").get_xdata(), x)


def test_scores_error_bars_are_the_standard_errors(scores, structures):
    figure = plots.scores(scores, structures, 480)
    (bars,) = [c for c in figure.axes[0].collections if len(c.get_segments()) == 136]
    lengths = [abs(end - start) for (_, start), (_, end) in bars.get_segments()]
    np.testing.assert_allclose(lengths, 3.0)


def test_scores_without_some_methods(scores, structures):
    figure = plots.scores(scores[scores["method"].isin(["vb", "cs"])], structures, 480)
    assert_tidy(figure)
    assert artists(figure, "scores-vb") and not artists(figure, "scores-ais")
    with pytest.raises(ValueError, match="n = 77"):
        plots.scores(scores, structures, 77)


def test_ranks_has_rank_1_on_top_and_a_label_for_every_size(ranks):
    figure = plots.ranks(ranks, n_structures=136)
    texts = assert_tidy(figure)
    (axes,) = figure.axes
    bottom, top = axes.get_ylim()
    assert bottom > 136 and top < 1
    heights = axes.transData.transform([(10, r) for r in (1, 2, 5, 10, 20, 50, 100, 136)])[:, 1]
    assert (np.diff(heights) < 0).all() and (
        -np.diff(heights) > 7 * figure.dpi / 72
    ).all()  # room for 7 point labels
    assert {"1", "2", "5", "10", "20", "50", "100", "136"} <= texts
    assert {str(n) for n in SIZES} <= texts
    assert axes.get_xscale() == "log"
    low, high = axes.get_xlim()
    assert low < 10
    assert high > 10240
    for m in ("map", "bic", "vb", "ais"):
        line = artist(figure, f"rank-{m}")
        np.testing.assert_array_equal(line.get_xdata(), SIZES)
        np.testing.assert_array_equal(line.get_ydata(), ranks[ranks["method"] == m]["rank"])
    assert artist(figure, "rank-exact").get_ydata() == [33]
    assert not artists(figure, "rank-cs")


def test_ranks_labels_stay_next_to_their_ticks(ranks):
    figure = plots.ranks(ranks)
    figure.draw(FigureCanvasAgg(figure).get_renderer())
    (axes,) = figure.axes
    for text in artists(figure, "tick"):
        place = axes.transAxes.transform(text.get_position())[0]
        tick = axes.transData.transform((float(text.get_text()), 1))[0]
        assert abs(place - tick) < 10 * figure.dpi / 72  # points


def test_ranks_band_is_only_where_there_is_monte_carlo_error(ranks):
    figure = plots.ranks(ranks)
    assert artists(figure, "band-ais") and not artists(figure, "band-vb")
    edges = sorted((e.get_ydata().tolist() for e in artists(figure, "edge-ais")), key=sum)
    ais = ranks[ranks["method"] == "ais"]
    assert edges == [ais["rank_low"].tolist(), ais["rank_high"].tolist()]


def test_ranks_of_several_draws_are_medians_with_quantiles():
    rows = [
        (draw, n, "vb", rank, rank, rank)
        for draw, rank in enumerate((1, 2, 3, 10, 90))
        for n in (10, 100)
    ]
    table = pd.DataFrame(rows, columns=["draw", "n", "method", "rank", "rank_low", "rank_high"])
    figure = plots.ranks(table, n_structures=136)
    assert_tidy(figure)
    assert artist(figure, "rank-vb").get_ydata().tolist() == [3, 3]
    edges = sorted(e.get_ydata()[0] for e in artists(figure, "edge-vb"))
    assert edges == pytest.approx([1.4, 58.0])  # linear quantiles at 10 % and 90 %
    one = plots.ranks(table, draw=3)
    assert artist(one, "rank-vb").get_ydata().tolist() == [10, 10] and not artists(one, "edge-vb")
    with pytest.raises(ValueError, match="draw 9"):
        plots.ranks(table, draw=9)


def test_annealing_shows_every_chain_the_mean_and_the_scores(annealing, scores):
    figure = plots.annealing(annealing, scores, 480)
    texts = assert_tidy(figure)
    assert {str(2**k) for k in range(6, 19)} <= texts
    upper, lower = figure.axes
    assert (
        lower.get_ylim()[1] == upper.get_ylim()[0]
    )  # the axis is broken, nothing is left out between
    prior = np.concatenate([a.get_ydata() for a in artists(figure, "prior")])
    np.testing.assert_allclose(
        np.sort(prior), np.sort(annealing[annealing["start"] == "prior"]["log_weight"])
    )
    assert sum(len(a.get_xdata()) for a in artists(figure, "true")) == 13
    means = np.concatenate([a.get_ydata() for a in artists(figure, "mean")])
    expected = [
        log_mean_exp(g["log_weight"])[0]
        for _, g in annealing[annealing["start"] == "prior"].groupby("steps")
    ]
    np.testing.assert_allclose(np.sort(means), np.sort(expected))
    low, high = upper.get_ylim()
    for m, score in (
        ("vb", -2400.0 - TRUE_INDEX % 7 + 20),
        ("bic", -2400 - 3 * 50 - TRUE_INDEX % 3),
    ):
        assert artists(figure, f"level-{m}")[0].get_ydata()[0] == score
        assert low < score < high
    assert (
        artists(figure, "level-vb")[0].get_linestyle()
        == "-"
        != artists(figure, "level-bic")[0].get_linestyle()
    )
    below = (annealing["log_weight"] < low).sum()
    assert below > 0 and any(f"the {below} of 143 chains" in t for t in texts)


def test_annealing_without_low_chains_or_scores_has_one_panel(annealing, scores):
    long = annealing[annealing["steps"] >= 2**15]
    figure = plots.annealing(long, scores, 480)
    assert_tidy(figure)
    assert len(figure.axes) == 1
    low, high = figure.axes[0].get_ylim()
    assert low < long["log_weight"].min() and long["log_weight"].max() < high
    assert_tidy(plots.annealing(long, scores[scores["n"] == 10], 480))
    with pytest.raises(ValueError, match="n = 10 of draw 0.*: none"):
        plots.annealing(annealing, scores, 10)
    other = annealing.assign(structure="0-0-0-0")
    with pytest.raises(ValueError, match="0-0-0-0"):
        plots.annealing(pd.concat([annealing, other]), scores, 480)


def test_annealing_error_bars_are_jackknife_errors(annealing, scores):
    figure = plots.annealing(annealing[annealing["steps"] == 2**16], scores, 480)
    error = log_mean_exp(
        annealing[(annealing["steps"] == 2**16) & (annealing["start"] == "prior")]["log_weight"]
    )[1]
    bars = [s for c in figure.axes[0].collections for s in c.get_segments() if len(s) == 2]
    assert any(abs(b[1][1] - b[0][1]) == pytest.approx(2 * error) for b in bars)


def test_round_between():
    np.testing.assert_array_equal(plots._round_between(-4134.2, -2890.0), [-4000, -3500])
    np.testing.assert_array_equal(plots._round_between(-4.0, 0.0), [-4, -3, -2, -1])


def test_labels_move_apart_as_little_as_possible():
    np.testing.assert_allclose(plots._spread(np.array([0.0, 10.0, 20.0]), 8), [0, 10, 20])
    np.testing.assert_allclose(plots._spread(np.array([0.0, 100.0, 104.0]), 8), [0, 98, 106])
    np.testing.assert_allclose(plots._spread(np.array([5.0, 5.0, 5.0]), 2), [3, 5, 7])


SCRIPT = """
import sys
import pandas as pd
from latentdag import figures as plots
figure = plots.ranks(pd.read_csv(sys.argv[1]))
plots.save(figure, sys.argv[2] + ".png", sys.argv[2] + ".pdf")
assert "matplotlib.pyplot" not in sys.modules
"""


def test_saved_bytes_are_the_same_in_every_process(ranks, tmp_path):
    ranks.to_csv(tmp_path / "ranks.csv", index=False)
    (tmp_path / "matplotlibrc").write_text(
        "font.size: 20\naxes.facecolor: red\nxtick.direction: in\n"
    )
    path = os.pathsep.join(sys.path)
    for name, seed, directory in (("a", "1", tmp_path), ("b", "2", tmp_path.parent)):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / "ranks.csv"), str(tmp_path / name)]
        subprocess.run(
            command,
            check=True,
            cwd=directory,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        )
    for kind in ("png", "pdf"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_saved_files_have_200_dpi_type_42_fonts_and_no_dates(ranks, tmp_path):
    from PIL import Image

    before = dict(matplotlib.rcParams)
    figure = plots.ranks(ranks)
    plots.save(figure, tmp_path / "f.png", tmp_path / "f.pdf")
    assert dict(matplotlib.rcParams) == before
    with Image.open(tmp_path / "f.png") as image:
        assert image.size == (round(7.1 * 200), round(3.9 * 200))
        assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)
        assert "Software" not in image.info
    pdf = (tmp_path / "f.pdf").read_bytes()
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    assert b"CreationDate" not in pdf and b"Matplotlib" not in pdf
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f.pdf", "f.png"]


def test_a_failed_save_leaves_everything_as_it_was(ranks, tmp_path, monkeypatch):
    figure = plots.ranks(ranks)
    (tmp_path / "f.png").write_text("old")
    original = figure.savefig

    def fails_at_pdf(path, **kwargs):
        if kwargs["format"] == "pdf":
            raise OSError("disk full")
        original(path, **kwargs)

    monkeypatch.setattr(figure, "savefig", fails_at_pdf)
    with pytest.raises(OSError, match="disk full"):
        plots.save(figure, tmp_path / "f.png", tmp_path / "f.pdf")
    assert [p.name for p in tmp_path.iterdir()] == ["f.png"] and (
        tmp_path / "f.png"
    ).read_text() == "old"


def with_reference(scores, above=6.0, error=0.2):
    """The VB bounds and so much more."""
    own = scores[scores["method"] == "vb"]
    return pd.concat(
        [scores, own.assign(method="reference", score=own["score"] + above, standard_error=error)]
    )


def test_scores_has_reference_points(scores, structures):
    figure = plots.scores(with_reference(scores), structures, 480)
    assert_tidy(figure)
    vb, points = artist(figure, "scores-vb"), artist(figure, "scores-reference")
    np.testing.assert_allclose(points.get_ydata() - vb.get_ydata(), 6)
    np.testing.assert_array_equal(points.get_xdata(), vb.get_xdata())
    assert points.get_marker() not in {plots.STYLE[m].marker for m in plots.LINES}
    assert f"best, {TRUE}" in [t.get_text() for t in figure.legends[0].get_texts()]
    assert artists(figure, "best-reference") and artists(figure, "true-reference")
    bars = [c.get_segments() for c in figure.axes[0].collections if len(c.get_segments()) == 136]
    assert sorted(round(b[0][1][1] - b[0][0][1], 6) for b in bars) == [0.4, 3.0]
    only = plots.scores(
        with_reference(scores)[lambda t: t["method"] == "reference"], structures, 480
    )
    assert_tidy(only)
    assert artists(only, "scores-reference")


def test_ranks_has_the_reference_and_its_band(ranks):
    own = ranks[ranks["method"] == "vb"]
    low, high = np.maximum(own["rank"] - 3, 1), own["rank"] + 2
    table = pd.concat([ranks, own.assign(method="reference", rank_low=low, rank_high=high)])
    figure = plots.ranks(table, n_structures=136)
    assert_tidy(figure)
    np.testing.assert_array_equal(artist(figure, "rank-reference").get_ydata(), own["rank"])
    edges = sorted((e.get_ydata().tolist() for e in artists(figure, "edge-reference")), key=sum)
    assert edges == [low.tolist(), high.tolist()] and artists(figure, "band-reference")
    several = pd.concat([table, table.assign(draw=1, rank=np.minimum(table["rank"] + 4, 136))])
    assert_tidy(plots.ranks(several, n_structures=136))


def test_annealing_has_the_reference_with_its_band(annealing, scores):
    table = with_reference(scores, above=9.0, error=0.35)
    figure = plots.annealing(annealing, table, 480)
    assert_tidy(figure)
    level = -2400.0 - TRUE_INDEX % 7 + 29
    assert artists(figure, "level-reference")[0].get_ydata()[0] == level
    band = (
        artists(figure, "level-band")[0]
        .get_extents()
        .transformed(figure.axes[0].transData.inverted())
    )
    assert (band.y0, band.y1) == pytest.approx((level - 0.7, level + 0.7))
    assert figure.axes[0].get_ylim()[1] > level + 0.7
    words = [t.get_text() for legend in figure.legends for t in legend.get_texts()]
    assert f"reference, {plots._number(level)} ± 0.70 (2 standard errors)" in words
    exact = plots.annealing(annealing, table.assign(standard_error=np.nan), 480)
    assert artists(exact, "level-reference") and not artists(exact, "level-band")


@pytest.fixture
def posterior():
    mass = {"1-1-1": 0.5, "1-12-2": 0.3, "0-1-1": 0.15, "1-1-2": 0.04, "0-0-0": 0.01}
    rows = [
        (d, 60, s, m, p if m == "vb" else 0.2)
        for d in (0, 1)
        for m in ("vb", "bic")
        for s, p in mass.items()
    ]
    return pd.DataFrame(rows, columns=["draw", "n", "structure", "method", "probability"]).sample(
        frac=1, random_state=0
    )


def test_best_structures_are_drawn_most_probable_first(posterior):
    figure = plots.best_structures(
        posterior, Family((2, 2), (2, 3, 2)), ["age group", "own_opinion", "vote"], "vb"
    )
    texts = assert_tidy(figure)
    captions = [t.get_text() for t in artists(figure, "caption")]
    assert [c.split(",")[0] for c in captions] == ["1-1-1", "1-12-2", "0-1-1", "1-1-2", "0-0-0"]
    assert (
        captions[1]
        == f"1-12-2, d = {Structure.from_label('1-12-2', Family((2, 2), (2, 3, 2))).n_parameters}: probability 0.3"
    )
    assert {"age\ngroup", "own\nopinion", "vote"} <= texts
    arrows = [sorted(a.get_gid() for a in ax.findobj(FancyArrowPatch)) for ax in figure.axes]
    assert arrows == [
        ["s1-y1", "s1-y2", "s1-y3"], ["s1-y1", "s1-y2", "s2-y2", "s2-y3"], ["s1-y2", "s1-y3"], ["s1-y1", "s1-y2", "s2-y3"], [],
    ]  # fmt: skip
    # a hidden variable without children is not drawn
    assert [sum(c.get_gid() in ("s1", "s2") for c in ax.findobj(Circle)) for ax in figure.axes] == [
        1,
        2,
        1,
        2,
        0,
    ]


def test_best_structures_of_a_method_that_is_not_there(posterior):
    with pytest.raises(ValueError, match="no ais of draw 0"):
        plots.best_structures(posterior, Family((2, 2), (2, 3, 2)), ["a", "b", "c"], "ais")


@pytest.fixture(scope="module")
def errors(structures):
    """At every size -i / 10 of structure i by VB, ten times that by BIC, and AIS from 20 too high
    to 700 too low.
    """
    rows = []
    for n in SIZES:
        for i, label in enumerate(structures["structure"]):
            values = {
                "vb": -i / 10,
                "bic": -float(i),
                "cs": -i / 5,
                "ais": 20 - i * n / 2000,
                "exact": 0.0,
            }
            rows += [
                (draw, n, label, m, v - 9 * draw, 0.1) for draw in (0, 1) for m, v in values.items()
            ]
    return pd.DataFrame(
        rows, columns=["draw", "n", "structure", "method", "error_nats", "standard_error"]
    )


def test_tightness_shows_median_bands_and_the_true_structure(errors, structures):
    figure = plots.tightness(errors, structures)
    texts = assert_tidy(figure)
    assert {"BIC", "Cheeseman-Stutz", "VB", "AIS"} <= texts and len(figure.axes) == 4
    assert any("(nats)" in t and "below 0: too low" in t for t in texts)
    for axes in figure.axes:
        low, high = axes.get_ylim()
        assert (
            low < -671
            and high > 20
            and axes.get_yscale() == "symlog"
            and axes.get_xscale() == "log"
        )
    np.testing.assert_allclose(artist(figure, "median-vb").get_ydata(), -6.75)
    np.testing.assert_array_equal(artist(figure, "median-bic").get_xdata(), SIZES)
    np.testing.assert_allclose(artist(figure, "true-cs").get_ydata(), -TRUE_INDEX / 5)
    heights = [b.get_paths()[0].vertices[:, 1] for b in artists(figure, "band-vb")]
    spans = [(v.min(), v.max()) for v in heights]
    np.testing.assert_allclose(sorted(spans), [(-13.5, 0), (-10.125, -3.375)])
    np.testing.assert_allclose(
        artist(plots.tightness(errors, structures, draw=1), "median-vb").get_ydata(), -15.75
    )


def test_tightness_of_some_methods_or_none(errors, structures):
    some = errors[errors["method"].isin(["vb", "exact"]) & (errors["n"] <= 80)]
    figure = plots.tightness(some, structures.assign(is_true=False))
    assert_tidy(figure)
    assert len(figure.axes) == 1 and not artists(figure, "true-vb")
    assert_tidy(plots.tightness(some.assign(error_nats=0.0), structures))
    with pytest.raises(ValueError, match="of draw 7"):
        plots.tightness(errors, structures, draw=7)
