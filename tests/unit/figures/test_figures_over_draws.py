"""The figures over many draws: every line, band, point and word that they draw is of its row."""

import made_up_population
import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_band, assert_tidy, keys, points, titles
from figure_tables import STRUCTURES

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
MORE = {"rank_over_draws": [STRUCTURES], "reliability": [480], "found": [ONE_TRUTH, 1]}
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


def test_found_has_the_line_of_each_score_and_the_band_of_one():
    figure = draw("found")
    (axes,) = figure.axes
    shown = {"reference": "reference", "laplace": "Laplace", "vb": "VB", "bic": "BIC"}
    shown |= {"ais": "AIS, one chain"}
    assert drawn_in(axes) == list(shown)
    for m in shown:
        expected = known(MADE_UP.found_share, m, "share")
        assert points(artist(figure, f"line-{m}")) == expected
        assert points(artist(figure, f"marks-{m}")) == expected
    (shade,) = figure.findobj(lambda a: (a.get_gid() or "").startswith("band-"))
    assert shade.get_gid() == "band-vb"
    assert_band(shade, known(MADE_UP.found_share, "vb", "low", "high"))
    assert set(keys(figure)) == {*shown.values(), "VB: 95 % interval (Wilson)"}
    assert "AIS, 16 chains" in keys(FIGURES["found"](MADE_UP.found_share, ONE_TRUTH, 16))


def test_found_marks_the_papers_sizes():
    def marks(figure):
        """The words at each mark, by its place."""
        (axes,) = figure.axes
        lines = [a for a in axes.lines if (a.get_gid() or "").startswith("paper-")]
        words = [text.get_text() for text in axes.texts if text.get_text().startswith("paper")]
        return {a.get_xdata()[0]: found for a, found in zip(lines, words, strict=True)}

    both = {480: "paper:\nVB 480", 1120: "paper:\nBIC 1120"}
    assert marks(draw("found")) == both
    # beyond the sizes of the table nothing is told, nor where the draws are not of one structure
    small = MADE_UP.found_share[MADE_UP.found_share["n"] < 1120]
    assert marks(draw("found", small)) == {480: both[480]}
    assert not marks(FIGURES["found"](MADE_UP.found_share, MADE_UP.design, 1))


def test_cases_needed_has_a_row_for_each_score():
    """Ends that are never found stand in the column of that name, right of all others."""
    figure = draw("cases_needed")
    (axes,) = figure.axes
    needed = [m for m in DRAWN if m not in ("map", "reference")]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        SPECS[m].label for m in needed
    ]
    never = max(axes.get_xticks())
    rows = MADE_UP.cases_needed.query("by == 'structure'").set_index("method")
    assert rows.filter(like="ratio").max(axis=None) < never and rows["ratio_90"].isna().any()
    numbers = [t.get_text() for t in axes.texts if t.xycoords == ("axes fraction", "data")]
    ends = {"outer": (10, 90), "inner": (25, 75), "median": (50,)}
    for place, m in enumerate(needed):
        row = rows.loc[m].fillna(never)
        for kind, percents in ends.items():
            expected = [(row[f"ratio_{k}"], place) for k in percents]
            assert points(artist(figure, f"{kind}-{m}")) == expected
        own = rows.loc[m, ["ratio_50", "ratio_50_low", "ratio_50_high"]]
        words = ["never" if np.isnan(value) else f"{value:.3g}" for value in own]
        expected = ["{} ({} to {})".format(*words), f"{100 * rows.loc[m, 'never']:.0f} %"]
        assert numbers[2 * place : 2 * place + 2] == expected


def test_rank_over_draws_has_a_panel_for_each_score():
    figure = draw("rank_over_draws")
    assert titles(figure) == [SPECS[m].title for m in DRAWN]
    assert figure.axes[0].get_ylabel() == "rank (of 136)"
    other = known(MADE_UP.population, "reference", "rank_50")
    for axes, m in zip(figure.axes, DRAWN, strict=True):
        assert axes.get_ylim()[0] > 136 and axes.get_ylim()[1] < 1
        expected = known(MADE_UP.population, m, "rank_50")
        assert points(in_panel(axes, f"median-{m}")) == expected
        half, wide = [a for a in axes.collections if a.get_gid() == f"band-{m}"]
        assert_band(wide, known(MADE_UP.population, m, "rank_10", "rank_90"))
        assert_band(half, known(MADE_UP.population, m, "rank_25", "rank_75"))
        if m != "reference":
            assert points(in_panel(axes, f"judge-{m}")) == other
    assert not artists(figure, "judge-reference")


def test_error_over_draws_has_means_with_two_standard_errors():
    figure = draw("error_over_draws")
    assert titles(figure) == ["mean error", "mean absolute error"]
    for axes, column in zip(figure.axes, ("mean_error", "mean_absolute_error"), strict=True):
        judged = [m for m in DRAWN if m not in ("map", "reference")]
        assert drawn_in(axes) == judged
        low, high = axes.get_ylim()
        for m in judged:
            expected = known(MADE_UP.population, m, column)
            assert points(in_panel(axes, f"marks-{m}")) == expected
            assert all(low < value < high for _, value in expected)
            own = known(MADE_UP.population, m, column, f"{column}_se")
            ends = [(n, value - 2 * error, value + 2 * error) for n, value, error in own]
            assert_band(in_panel(axes, f"band-{m}"), ends)


def test_accuracy_has_shares_by_structure_and_by_class():
    figure = draw("accuracy")
    panels = [(g, by) for g in (PAPERS, OTHERS) for by in ("structure", "class")]
    for axes, (group, by) in zip(figure.axes, panels, strict=True):
        own = [m for m in group if by == "structure" or m != "map"]  # it implies no posterior
        assert drawn_in(axes) == [*own, "reference"]
        for m in (*own, "reference"):
            expected = known(MADE_UP.population, m, "first", by=by)
            assert points(in_panel(axes, f"marks-{m}")) == expected
            ends = known(MADE_UP.population, m, "first_low", "first_high", by=by)
            assert_band(in_panel(axes, f"band-{m}"), ends)
        expected = known(MADE_UP.population, "reference", "expected_first", by=by)
        assert points(in_panel(axes, "expected")) == expected
    some = MADE_UP.population.query("by == 'structure' and method in ['map', 'bic', 'vb']")
    (axes,) = draw("accuracy", some).axes
    assert drawn_in(axes) == ["map", "bic", "vb"]  # VB, the most trusted here, is drawn once


def test_reliability_has_a_point_for_each_bin_that_is_not_empty():
    figure = draw("reliability")
    here = MADE_UP.reliability.query("n == 480 and number > 0").sort_values("bin")
    assert (MADE_UP.reliability["number"] == 0).any()
    for what in ("structure", "shared cause"):
        for m in (m for m in DRAWN if m != "map"):
            own = here[(here["what"] == what) & (here["method"] == m)]
            expected = list(zip(own["mean_probability"], own["share_true"], strict=True))
            marks = artist(figure, f"share-{what}-{m}")
            assert points(marks) == expected
            bars = [
                (a[0], *sorted((a[1], b[1]))) for a, b in marks.axes.collections[0].get_segments()
            ]
            np.testing.assert_allclose(bars, own[["mean_probability", "low", "high"]])
            assert marks.axes.get_title() == SPECS[m].label
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
def test_nothing_to_draw(name):
    table = getattr(MADE_UP, TABLES[name])
    with pytest.raises(ValueError, match="no score of this figure in the .*able"):
        draw(name, table[table["method"] == "bic_ml"])


@OF_ALL
def test_tidy_with_all_scores_and_without_the_reference(name):
    figure = draw(name)
    assert_tidy(figure)
    assert not figure.findobj(lambda a: "bic_ml" in (a.get_gid() or ""))
    table = getattr(MADE_UP, TABLES[name])
    figure = draw(name, table[table["method"].isin(["vb", "bic", "map"])])
    assert_tidy(figure)
    assert not figure.findobj(lambda a: "reference" in (a.get_gid() or ""))
