"""The figures over many draws: every line, band, point and word that they draw is of its row."""

from itertools import product

import made_up_population
import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_band, assert_tidy, keys, points, titles

from latentdag.figures import FIGURES
from latentdag.scores import SPECS

pytestmark = pytest.mark.slow

PAPERS, OTHERS = ["map", "bic", "vb", "ais"], ["cs", "laplace", "cs_lr", "vb_mix"]
DRAWN = [m for m in SPECS if m in {*PAPERS, *OTHERS, "reference"}]
MADE_UP = made_up_population.tables()
# tables by figure, and what else it takes
TABLES = {"found": "found_share", "reliability": "reliability", "cases_needed": "cases_needed"}
TABLES |= dict.fromkeys(("rank_over_draws", "error_over_draws", "accuracy"), "population")
ONE_TRUTH = pd.DataFrame({"true_structure": ["1-12-12-2"] * 2})
MORE = {
    "rank_over_draws": [pd.DataFrame(index=range(136))],
    "reliability": [480],
    "found": [ONE_TRUTH, 1],
}
OF_ALL = pytest.mark.parametrize("name", TABLES)


def draw(name, table=None):
    table = getattr(MADE_UP, TABLES[name]) if table is None else table
    return FIGURES[name](table, *MORE.get(name, []))


def known(table, method, *columns, by="structure"):
    """Columns of the rows of one method, by n, ascending."""
    own = table[(table["method"] == method) & (table["by"] == by)].sort_values("n")
    return [(n, *values) for n, *values in own[["n", *columns]].itertuples(index=False)]


def in_panel(axes, gid):
    (found,) = [a for a in (*axes.lines, *axes.collections) if a.get_gid() == gid]
    return found


def drawn_in(axes):
    found = [a.get_gid() or "" for a in axes.lines]
    return [gid.removeprefix("line-") for gid in found if gid.startswith("line-")]


def assert_panel(axes, table, methods, middle, low="", high="", by="structure"):
    """A panel has the lines of these methods alone, with their marks and their bands."""
    assert drawn_in(axes) == methods
    for m in methods:
        assert points(in_panel(axes, f"line-{m}")) == known(table, m, middle, by=by)
        assert points(in_panel(axes, f"marks-{m}")) == known(table, m, middle, by=by)
        if low:
            assert_band(in_panel(axes, f"band-{m}"), known(table, m, low, high, by=by))


def test_found_has_the_line_of_each_score_and_the_band_of_one():
    figure, table = draw("found"), MADE_UP.found_share
    assert_panel(figure.axes[0], table, ["reference", "laplace", "vb", "bic", "ais"], "share")
    (shade,) = figure.findobj(lambda a: (a.get_gid() or "").startswith("band-"))
    assert shade.get_gid() == "band-vb"
    assert_band(shade, known(table, "vb", "low", "high"))
    assert {"AIS, one chain", "VB: 95 % interval (Wilson)"} <= set(keys(figure))
    assert "AIS, 16 chains" in keys(FIGURES["found"](table, ONE_TRUTH, 16))


def test_found_marks_the_papers_sizes():
    """Nothing beyond the sizes of the table, nor where the draws are not of one structure."""

    def marks(figure):
        """The words at each mark, by its place."""
        (axes,) = figure.axes
        lines = [a for a in axes.lines if (a.get_gid() or "").startswith("paper-")]
        words = [text.get_text() for text in axes.texts if text.get_text().startswith("paper")]
        return {a.get_xdata()[0]: found for a, found in zip(lines, words, strict=True)}

    both, table = {480: "paper:\nVB 480", 1120: "paper:\nBIC 1120"}, MADE_UP.found_share
    assert marks(draw("found")) == both
    assert marks(draw("found", table[table["n"] < 1120])) == {480: both[480]}
    assert not marks(FIGURES["found"](table, MADE_UP.design, 1))


def test_cases_needed_has_a_row_for_each_score():
    """Ends that are never found stand in the column of that name, right of all others."""
    figure = draw("cases_needed")
    (axes,) = figure.axes
    needed = [m for m in DRAWN if m not in ("map", "reference")]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [SPECS[m].label for m in needed]
    never = max(axes.get_xticks())
    rows = MADE_UP.cases_needed.query("by == 'structure'").set_index("method")
    assert rows.filter(like="ratio").max(axis=None) < never and rows["ratio_90"].isna().any()
    numbers = [t.get_text() for t in axes.texts if t.xycoords == ("axes fraction", "data")]
    for place, m in enumerate(needed):
        row = rows.loc[m].fillna(never)
        for kind, percents in {"outer": (10, 90), "inner": (25, 75), "median": (50,)}.items():
            expected = [(row[f"ratio_{k}"], place) for k in percents]
            assert points(artist(figure, f"{kind}-{m}")) == expected
        own = rows.loc[m, ["ratio_50", "ratio_50_low", "ratio_50_high"]]
        words = ["never" if np.isnan(value) else f"{value:.3g}" for value in own]
        expected = ["{} ({} to {})".format(*words), f"{100 * rows.loc[m, 'never']:.0f} %"]
        assert numbers[2 * place : 2 * place + 2] == expected


def test_rank_over_draws_has_a_panel_for_each_score():
    figure, table = draw("rank_over_draws"), MADE_UP.population
    assert titles(figure) == [SPECS[m].title for m in DRAWN]
    for axes, m in zip(figure.axes, DRAWN, strict=True):
        assert axes.get_ylim()[0] > 136 and axes.get_ylim()[1] < 1
        assert points(in_panel(axes, f"median-{m}")) == known(table, m, "rank_50")
        half, wide = [a for a in axes.collections if a.get_gid() == f"band-{m}"]
        assert_band(wide, known(table, m, "rank_10", "rank_90"))
        assert_band(half, known(table, m, "rank_25", "rank_75"))
        if m != "reference":
            judge = points(in_panel(axes, f"judge-{m}"))
            assert judge == known(table, "reference", "rank_50")
    assert not artists(figure, "judge-reference")


def test_error_over_draws_has_means_with_two_standard_errors():
    figure = draw("error_over_draws")
    judged = [m for m in DRAWN if m not in ("map", "reference")]
    for axes, column in zip(figure.axes, ("mean_error", "mean_absolute_error"), strict=True):
        value, error = MADE_UP.population[column], 2 * MADE_UP.population[f"{column}_se"]
        table = MADE_UP.population.assign(low=value - error, high=value + error)
        assert_panel(axes, table, judged, column, "low", "high")
        low, high = axes.get_ylim()
        shown = value[MADE_UP.population["method"].isin(judged)].dropna()
        assert shown.between(low, high).all()


def test_accuracy_has_shares_by_structure_and_by_class():
    figure, table = draw("accuracy"), MADE_UP.population
    panels = [(g, by) for g in (PAPERS, OTHERS) for by in ("structure", "class")]
    for axes, (group, by) in zip(figure.axes, panels, strict=True):
        own = [m for m in group if by == "structure" or m != "map"]  # it implies no posterior
        assert_panel(axes, table, [*own, "reference"], "first", "first_low", "first_high", by=by)
        expected = known(table, "reference", "expected_first", by=by)
        assert points(in_panel(axes, "expected")) == expected
    some = table.query("by == 'structure' and method in ['map', 'bic', 'vb']")
    (axes,) = draw("accuracy", some).axes
    assert drawn_in(axes) == ["map", "bic", "vb"]  # VB, the most trusted here, is drawn once


def test_reliability_has_a_point_for_each_bin_that_is_not_empty():
    figure = draw("reliability")
    here = MADE_UP.reliability.query("n == 480 and number > 0").sort_values("bin")
    assert (MADE_UP.reliability["number"] == 0).any()
    for what, m in ((w, m) for w in ("structure", "shared cause") for m in DRAWN if m != "map"):
        own = here[(here["what"] == what) & (here["method"] == m)]
        expected = list(zip(own["mean_probability"], own["share_true"], strict=True))
        marks = artist(figure, f"share-{what}-{m}")
        assert points(marks) == expected and marks.axes.get_title() == SPECS[m].label
        bars = [(*a, b[1]) for a, b in marks.axes.collections[0].get_segments()]
        bars = [(x, *sorted(ends)) for x, *ends in bars]
        np.testing.assert_allclose(bars, own[["mean_probability", "low", "high"]])
    assert not artists(figure, "share-class-vb")


def test_reliability_is_of_the_nearest_size_and_a_statement_begins_a_row():
    table = MADE_UP.reliability[MADE_UP.reliability["n"].isin([20, 230, 800])]
    some = table[table["method"].isin(["vb", "bic", "ais", "cs", "reference"])]
    figure = draw("reliability", some)
    assert any("at n = 800" in text for text in keys(figure))
    assert titles(figure) == ["reference", "AIS", "VB", "CS", "BIC"] * 2
    columns = [axes.get_subplotspec().colspan.start for axes in figure.axes]
    assert columns == [0, 1, 2, 0, 1] * 2


@OF_ALL
def test_tidy_with_all_scores_and_without_the_reference(name):
    table = getattr(MADE_UP, TABLES[name])
    some = table[table["method"].isin(["vb", "bic", "map"])]
    for own, absent in ((table, "bic_ml"), (some, "reference")):
        figure = draw(name, own)
        assert_tidy(figure)
        assert not figure.findobj(lambda a, gid=absent: gid in (a.get_gid() or ""))
    with pytest.raises(ValueError, match="no score of this figure in the .*able"):
        draw(name, table[table["method"] == "bic_ml"])


def test_outside_shows_the_picks_of_the_evidence_alone():
    rows = [
        (truth, n, m, 40, k / 9, 0.01 * k, k / 8, k / 10, k / 7, 0.02 * k, 0.001 * k)
        for k, (truth, n, m) in enumerate(product("ab", (80, 1280), ("vb", "reference")), start=1)
    ]
    columns = ["truth", "n", "method", "draws", "top_probability", "top_probability_se"]
    columns += ["rejected", "low", "high", "lost_by_top", "lost_by_top_se"]
    table = pd.DataFrame(rows, columns=columns)
    figure = FIGURES["outside"](table)
    assert_tidy(figure)
    assert list(keys(figure)) == ["a", "b"]
    assert titles(figure)[1] == "rejected by the bootstrap"
    for axes, name in zip(figure.axes, ("top_probability", "rejected", "lost_by_top"), strict=True):
        for truth, of in table[table["method"] == "reference"].groupby("truth"):
            assert points(in_panel(axes, f"line-{truth}")) == [*zip(of["n"], of[name], strict=True)]
            ends = of["low"], of["high"]
            if name != "rejected":
                ends = [of[name] + k * of[f"{name}_se"] for k in (-2, 2)]
            assert_band(in_panel(axes, f"band-{truth}"), list(zip(of["n"], *ends, strict=True)))
