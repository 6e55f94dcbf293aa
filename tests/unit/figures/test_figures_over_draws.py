"""The figures over many draws: every line, band, point and word that they draw is of its row."""

from functools import cache

import made_up_population
import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_key, assert_tidy, band, keys, points
from figure_tables import shuffled

from latentdag.figures import FIGURES, over_draws
from latentdag.scores import SPECS

pytestmark = pytest.mark.slow

SIZES = tuple(sorted(made_up_population.SIZES))
MADE_UP = made_up_population.tables()
PAPERS, OTHERS = ["map", "bic", "vb", "ais"], ["cs", "laplace", "cs_lr", "vb_mix"]
DRAWN = [m for m in SPECS if m in {*PAPERS, *OTHERS, "reference"}]
COLUMNS = {
    "found": "found_share",
    "reliability": "reliability",
    "cases_needed": "cases_needed",
}


@pytest.fixture(scope="module")
def draw(structures):
    """Draws a figure from the tables it names, of which some may be given; without one, once."""

    def draw(name, table=None):
        if table is None:
            return draw_made_up(name)
        one = pd.DataFrame({"true_structure": ["1-12-12-2"] * 2})
        more = {"rank_over_draws": [structures], "reliability": [480], "found": [one, 1]}
        return FIGURES[name](table, *more.get(name, []))

    @cache
    def draw_made_up(name):
        return draw(name, getattr(MADE_UP, COLUMNS.get(name, "population")))

    return draw


def known(table, method, *columns, by="structure"):
    """Columns of the rows of one method, by n, ascending."""
    own = table[(table["method"] == method) & (table["by"] == by)].sort_values("n")
    return [(n, *values) for n, *values in own[["n", *columns]].itertuples(index=False)]


def drawn_in(axes, kind):
    found = [a.get_gid().removeprefix(kind) for a in axes.lines if kind in (a.get_gid() or "")]
    return list(dict.fromkeys(found))


def in_panel(axes, gid):
    (found,) = [a for a in (*axes.lines, *axes.collections) if a.get_gid() == gid]
    return found


def assert_band(collection, expected):
    assert band(collection) == {n: pytest.approx(tuple(ends)) for n, *ends in expected}


def test_found_has_the_line_of_each_score_and_the_band_of_one(draw):
    figure = draw("found")
    texts = assert_tidy(figure)
    assert "share of 100 draws\nwith the truth first from n on" in texts
    (axes,) = figure.axes
    assert axes.get_ylim()[0] < 0 and axes.get_ylim()[1] > 1
    shown = {"reference": "reference", "laplace": "Laplace", "vb": "VB", "bic": "BIC"}
    shown |= {"ais": "AIS, one chain"}
    assert drawn_in(axes, "line-") == list(shown)
    for m, label in shown.items():
        expected = known(MADE_UP.found_share, m, "share")
        assert points(artist(figure, f"line-{m}")) == expected
        assert_key(figure, label, f"line-{m}", f"marks-{m}")
    (collection,) = [a for a in axes.collections if (a.get_gid() or "").startswith("band-")]
    assert collection.get_gid() == "band-vb"
    assert_band(collection, known(MADE_UP.found_share, "vb", "low", "high"))
    assert set(keys(figure)) == {*shown.values(), "VB: 95 % interval (Wilson)"}


def test_found_says_how_many_chains_ais_has(structures):
    one = pd.DataFrame({"true_structure": ["1-12-12-2"]})
    assert "AIS, 16 chains" in keys(FIGURES["found"](MADE_UP.found_share, one, 16))


def test_found_marks_the_papers_sizes(draw):
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
    figure = FIGURES["found"](MADE_UP.found_share, MADE_UP.design, 1)
    assert_tidy(figure)
    assert not marks(figure)


NEEDED = [m for m in DRAWN if m not in ("map", "reference")]


def test_cases_needed_has_a_row_for_each_score(draw):
    """Ends that are never found stand in the column of that name, right of all others."""
    table = MADE_UP.cases_needed
    figure = draw("cases_needed")
    assert_tidy(figure)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        SPECS[m].label for m in NEEDED
    ]
    never = axes.get_xticks()[-1]
    ticks = dict(zip(axes.get_xticks(), axes.get_xticklabels(), strict=True))
    assert {v: label.get_text() for v, label in ticks.items() if v in (0.5, 1, 8, never)} == {
        0.5: "1/2", 1: "1×", 8: "8×", never: "never",
    }  # fmt: skip
    rows = table[table["by"] == "structure"].set_index("method")
    assert rows.filter(like="ratio").max(axis=None) < never and rows["ratio_90"].isna().any()
    for place, m in enumerate(NEEDED):
        row = rows.loc[m].fillna(never)
        for kind, ends in (
            ("outer", ("ratio_10", "ratio_90")),
            ("inner", ("ratio_25", "ratio_75")),
            ("median", ("ratio_50",)),
        ):
            drawn = points(artist(figure, f"{kind}-{m}"))
            assert drawn == [(row[name], place) for name in ends], (m, kind)
        in_row = [t.get_text() for t in axes.texts if t.xycoords != "axes fraction"]
        numbers = in_row[1 + 2 * place :][:2]  # after the name of the line at 1
        own = rows.loc[m]
        words = [
            "never" if np.isnan(own[name]) else f"{own[name]:.3g}"
            for name in ("ratio_50", "ratio_50_low", "ratio_50_high")
        ]
        assert numbers == ["{} ({} to {})".format(*words), f"{100 * own['never']:.0f} %"]
    draws = int(rows["draws"].max())
    words = f"median of {draws} draws in which the evidence finds the truth"
    assert_key(figure, words, "median-vb")
    assert_key(figure, "10 to 90 %", "outer-vb")
    assert keys(figure)["middle half"].get_linewidth() == artist(figure, "inner-vb").get_linewidth()
    assert set(artist(figure, "evidence").get_xdata()) == {1.0}


def test_rank_over_draws_has_a_panel_for_each_score(draw, structures):
    figure = draw("rank_over_draws")
    texts = assert_tidy(figure)
    assert "rank (of 136)" in texts
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes]
    assert titles == [SPECS[m].title for m in DRAWN]
    for axes, m in zip(figure.axes, DRAWN, strict=True):
        assert axes.get_ylim()[0] > 136 and axes.get_ylim()[1] < 1
        expected = known(MADE_UP.population, m, "rank_50")
        assert points(in_panel(axes, f"median-{m}")) == expected
        outer, inner = [a for a in axes.collections if a.get_gid() == f"band-{m}"]
        assert_band(outer, known(MADE_UP.population, m, "rank_10", "rank_90"))
        assert_band(inner, known(MADE_UP.population, m, "rank_25", "rank_75"))
        for drawn, words in ((outer, "10 to 90 %"), (inner, "middle half")):
            assert tuple(drawn.get_facecolor()[0]) == keys(figure)[words].get_facecolor(), words
        if m == "reference":
            assert not artists(figure, f"judge-{m}")
        else:
            other = known(MADE_UP.population, "reference", "rank_50")
            assert points(in_panel(axes, f"judge-{m}")) == other
    assert {"median of 100 draws", "median of the reference"} <= set(keys(figure))


def test_one_score_alone_is_held_against_none(draw):
    table = MADE_UP.population[MADE_UP.population["method"] == "vb"]
    figure = draw("rank_over_draws", table)
    assert len(figure.axes) == 1 and not artists(figure, "judge-vb")
    assert not any("median of the" in text for text in keys(figure))


def test_error_over_draws_has_means_with_two_standard_errors(draw):
    figure = draw("error_over_draws")
    assert_tidy(figure)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "mean error",
        "mean absolute error",
    ]
    judged = [m for m in DRAWN if m not in ("map", "reference")]
    for axes, column in zip(figure.axes, ("mean_error", "mean_absolute_error"), strict=True):
        assert drawn_in(axes, "marks-") == judged
        low, high = axes.get_ylim()
        for m in judged:
            assert points(in_panel(axes, f"marks-{m}")) == known(MADE_UP.population, m, column)
            ends = [
                (n, value - 2 * error, value + 2 * error)
                for n, value, error in known(MADE_UP.population, m, column, f"{column}_se")
            ]
            assert_band(in_panel(axes, f"band-{m}"), ends)
            assert all(low < value < high for n, value in known(MADE_UP.population, m, column))
    assert figure.axes[0].get_yscale() == "symlog" and figure.axes[1].get_yscale() == "log"
    assert "± 2 standard errors over 100 draws" in keys(figure)


def test_accuracy_has_shares_by_structure_and_by_class(draw):
    figure = draw("accuracy")
    assert_tidy(figure)
    panels = [(g, by) for g in (PAPERS, OTHERS) for by in ("structure", "class")]
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [
        "The paper's scores, by structure",
        "The paper's scores, by class",
        "Other scores, by structure",
        "Other scores, by class",
    ]
    for axes, (group, by) in zip(figure.axes, panels, strict=True):
        own = [m for m in group if by == "structure" or m != "map"]  # it implies no posterior
        assert drawn_in(axes, "marks-") == [*own, "reference"]
        for m in (*own, "reference"):
            expected = known(MADE_UP.population, m, "first", by=by)
            assert points(in_panel(axes, f"marks-{m}")) == expected
            ends = known(MADE_UP.population, m, "first_low", "first_high", by=by)
            assert_band(in_panel(axes, f"band-{m}"), ends)
        expected = known(MADE_UP.population, "reference", "expected_first", by=by)
        assert points(in_panel(axes, "expected")) == expected
    assert "reference: expected share" in keys(figure)


def test_accuracy_by_structure_alone(draw):
    only = MADE_UP.population[MADE_UP.population["by"] == "structure"]
    assert len(draw("accuracy", only).axes) == 2


def test_reliability_has_a_point_for_each_bin_that_is_not_empty(draw):
    figure = draw("reliability")
    assert_tidy(figure)
    table = MADE_UP.reliability
    here = table[(table["n"] == 480) & (table["number"] > 0)].sort_values("bin")
    assert (table["number"] == 0).any()
    for what in ("structure", "shared cause"):
        for m in (m for m in DRAWN if m != "map"):
            own = here[(here["what"] == what) & (here["method"] == m)]
            expected = list(zip(own["mean_probability"], own["share_true"], strict=True))
            marks = artist(figure, f"share-{what}-{m}")
            assert points(marks) == expected
            bars = marks.axes.collections[0].get_segments()
            ends = [sorted((a[1], b[1])) for a, b in bars]
            np.testing.assert_allclose(ends, own[["low", "high"]])
            np.testing.assert_allclose([a[0] for a, _ in bars], own["mean_probability"])
            assert marks.axes.get_title(loc="left") == SPECS[m].label
    assert not artists(figure, "share-class-vb")
    assert any("at n = 480" in text for text in keys(figure))


def test_reliability_says_which_size_is_the_nearest(draw):
    table = MADE_UP.reliability[MADE_UP.reliability["n"].isin([20, 230, 800])]
    assert any("at n = 800" in text for text in keys(draw("reliability", table)))
    some = table[table["method"].isin(["vb", "bic", "ais", "cs", "reference"])]
    figure = draw("reliability", some)
    assert_tidy(figure)
    assert len(figure.axes) == 10
    lefts = {axes.get_title(loc="left"): axes.get_position().x0 for axes in figure.axes[5:]}
    assert lefts["reference"] == figure.axes[0].get_position().x0  # a statement begins a row


NAMES = ("cases_needed", "found", "rank_over_draws", "error_over_draws", "accuracy", "reliability")


@pytest.mark.parametrize("name", ["error_over_draws", "accuracy"])
def test_the_key_of_a_score_looks_like_its_lines(draw, name):
    figure = draw(name)
    found = [m for m in DRAWN if SPECS[m].label in keys(figure)]
    assert {"vb", "bic", "ais"} < set(found)
    for m in found:
        assert_key(figure, SPECS[m].label, f"line-{m}", f"marks-{m}")


def test_other_keys_look_like_what_they_explain(draw):
    assert_key(draw("accuracy"), "reference: expected share", "expected")
    figure = draw("rank_over_draws")
    assert_key(figure, "median of 100 draws", "median-vb", "median-reference")
    assert_key(figure, "median of the reference", "judge-vb", "judge-bic")
    figure = draw("reliability")
    diagonal = keys(figure)["as often as the score says"]
    (line,) = [a for a in figure.axes[0].lines if points(a) == [(0, 0), (1, 1)]]
    assert line.get_color() == diagonal.get_color()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_draw(draw, name):
    table = getattr(MADE_UP, COLUMNS.get(name, "population"))
    with pytest.raises(ValueError, match=COLUMNS.get(name, "population").replace("_", "[ _]")):
        draw(name, table[table["method"] == "bic_ml"])


@pytest.mark.parametrize("name", ["found", "accuracy"])
def test_rows_in_another_order_change_nothing(draw, name):
    table = getattr(MADE_UP, COLUMNS.get(name, "population"))
    one, other = draw(name), draw(name, shuffled(table, 9))
    lines = [
        [points(a) for axes in f.axes for a in axes.lines if a.get_gid()] for f in (one, other)
    ]
    assert lines[0] == lines[1] and lines[0]


@pytest.mark.parametrize("name", NAMES)
def test_scores_that_no_figure_of_ranks_or_errors_draws_are_left_out(draw, name):
    found = draw(name).findobj(lambda a: "bic_ml" in (a.get_gid() or ""))
    assert not found


def test_many_new_scores_share_plots(draw, add_score):
    more = [f"toy{i}" for i in range(5)]
    for name in more:
        add_score(name, ("rank",))
    table = MADE_UP.cases_needed
    own = table[table["method"] == "vb"]
    assert_tidy(draw("cases_needed", pd.concat([table, *(own.assign(method=m) for m in more)])))
    own = MADE_UP.population[MADE_UP.population["method"] == "vb"]
    table = pd.concat([MADE_UP.population, *(own.assign(method=name) for name in more)])
    titles = [axes.get_title(loc="left") for axes in draw("accuracy", table).axes]
    assert titles[2:] == [
        f"Other scores ({k}), by {kind}" for k in (1, 2) for kind in ("structure", "class")
    ]


def test_draws_of_a_table_in_words():
    table = pd.DataFrame({"draws": [9, 12]})
    assert over_draws.draws_of(table) == "9 to 12 draws"
    assert over_draws.draws_of(table[:1]) == "9 draws"
    assert over_draws.draws_of(table.assign(draws=1)) == "1 draw"


@pytest.mark.parametrize("name", NAMES)
def test_one_draw_at_one_size(draw, name):
    one = made_up_population.tables(1, (480,))
    assert_tidy(draw(name, getattr(one, COLUMNS.get(name, "population"))))


@pytest.mark.parametrize("name", ["cases_needed", "found", "accuracy"])
def test_without_the_reference(draw, name):
    table = getattr(MADE_UP, COLUMNS.get(name, "population"))
    figure = draw(name, table[table["method"].isin(["vb", "bic", "map"])])
    assert_tidy(figure)
    assert not figure.findobj(lambda a: "reference" in (a.get_gid() or ""))
