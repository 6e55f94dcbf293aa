"""The figures of own data: what the states mean, and which variables share a cause; and that all of
them have room for long names.
"""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_tidy, keys, points
from matplotlib.backends.backend_agg import FigureCanvasAgg
from own_tables import own_tables

from latentdag.figures import layout, style
from latentdag.figures.best_structures import best_structures
from latentdag.figures.profiles import profiles
from latentdag.figures.scores import scores
from latentdag.figures.shared_causes import shared_causes

pytestmark = pytest.mark.slow

NAMES = ["trust in $parliament$ and government", "vote", "s1", "age_group", "income"]
VALUES = [
    ["low", "neither low nor high", "high"],
    ["no", "yes"],
    ["n", "y"],
    ["1", "0"],
    list("ab"),
]
LABEL = "1-12-2-2-0"
OWN = own_tables(LABEL, (2, 3, 2), NAMES, VALUES)  # the third hidden variable has no child


def profiles_of(own, method="reference"):
    tables = (own[name] for name in ("parameters", "posterior", "structures"))
    return profiles(*tables, own.observed, method)


def fitted(own, label, *variables):
    table = own["parameters"]
    table = table[(table["structure"] == label) & (table["estimate"] == "map")]
    return table[table["variable"].isin(variables)]


def drawn(figure, kind):
    """By variable, value and what is given, the points of the lines of a kind."""
    lines = figure.findobj(lambda a: str(a.get_gid()).startswith(f"{kind}-"))
    found = {line.get_gid().removeprefix(f"{kind}-"): points(line) for line in lines}
    assert len(found) == len(lines)
    return found


def test_every_probability_has_its_place_and_its_interval():
    """Of variables with two values the last value's."""
    figure = profiles_of(OWN)
    expected = {}
    of_variables = fitted(OWN, LABEL, *NAMES)
    assert (of_variables["variable"] == "s1").sum() == 2 + 6  # a cause is called so too
    for name, values in zip(NAMES, VALUES, strict=True):
        for r in of_variables[of_variables["variable"] == name].itertuples():
            is_cause = name == "s1" and r.given == ""
            if not is_cause and (len(values) > 2 or r.value == values[-1]):
                expected[f"{name} {r.value} {r.given}"] = r.mean, r.low, r.high
    estimates, intervals = drawn(figure, "estimate"), drawn(figure, "interval")
    assert set(estimates) == set(intervals) == set(expected)
    for name, (p, low, high) in expected.items():
        ((x, y),) = estimates[name]
        assert x == p
        assert intervals[name] == [(low, y), (high, y)]


def test_rows_have_the_names_of_their_variables_and_values():
    figure = profiles_of(OWN)
    rows = {}
    for name, ((_, y),) in drawn(figure, "estimate").items():
        rows.setdefault(name.split(" s1 =")[0].split(" s2 =")[0].strip(), []).append(y)
    texts = [(a.get_position()[1], a.get_text()) for a in artists(figure, "name")]
    assert [" ".join(text.split()) for _, text in texts] == [
        "trust in $parliament$ and government", "low", "neither low nor high", "high",
        "vote = yes", "s1 = y", "age_group = 0", "income = b",
    ]  # fmt: skip
    (_, *of_rows) = [y for y, _ in texts]  # the first is no row, but a name above its values
    np.testing.assert_allclose(of_rows, [np.mean(ys) for ys in rows.values()])
    assert of_rows == sorted(of_rows) and texts[0][0] < of_rows[0]


def test_the_legend_has_the_size_of_each_class():
    figure = profiles_of(OWN)
    table = fitted(OWN, LABEL, "s1", "s2")
    sizes = [
        f"{r.variable} = {r.value}: {r.mean:.2f} of the cases ({r.low:.2f} to {r.high:.2f})"
        for r in table.head(5).itertuples()
    ]
    others = ["of a variable without a cause", "posterior mean and 90 % interval, as in the words"]
    assert sorted(keys(figure)) == sorted([*sizes, *others])
    title = artist(figure, "title").get_text()
    assert title == f"{LABEL}, the most probable structure by reference (probability 0.93)"
    assert figure.get_supxlabel() == "probability of the value, given the states of its causes"


def test_points_look_like_the_states_that_they_are_given():
    figure = profiles_of(OWN)
    found = keys(figure)
    looks = {
        text.split(":")[0]: (key.get_marker(), key.get_markerfacecolor(), key.get_markeredgecolor())
        for text, key in found.items()
        if " = " in text
    }
    assert len({marker for marker, *_ in looks.values()}) == 5
    for cause in ("s1", "s2"):
        edges = [look[2] for state, look in looks.items() if state.startswith(cause)]
        assert np.diff(sorted(map(style.lightness, edges))).min() > 14
    hollow = {state for state, look in looks.items() if look[1] == "white"}
    assert hollow == {"s2 = 1", "s2 = 2", "s2 = 3"}
    looks[""] = ("|", *[found["of a variable without a cause"].get_markeredgecolor()] * 2)
    for r in fitted(OWN, LABEL, *NAMES).iloc[2:].itertuples():
        for line in artists(figure, f"estimate-{r.variable} {r.value} {r.given}"):
            look = line.get_marker(), line.get_markerfacecolor(), line.get_markeredgecolor()
            assert look == looks[r.given.split(", ")[0]]
            (interval,) = artists(figure, line.get_gid().replace("estimate", "interval"))
            assert interval.get_color() == look[2]


def test_states_of_several_causes_are_written_beside_their_points():
    figure = profiles_of(OWN)
    words = {a.xy[1]: a.get_text() for a in artists(figure, "given")}
    both = [(y, n) for n, ((_, y),) in drawn(figure, "estimate").items() if ", " in n]
    assert len(both) == 6
    assert words == {y: name.removeprefix("vote yes ") for y, name in both}


def test_another_score_has_another_best_structure():
    figure = profiles_of(OWN, "vb")
    estimates = drawn(figure, "estimate")
    assert set(keys(figure)) == {
        "of a variable without a cause",
        "posterior mean and 90 % interval",
    }
    for r in fitted(OWN, "0-0-0-0-0", *NAMES).itertuples():
        shown = estimates.get(f"{r.variable} {r.value} ")
        assert shown is None or shown[0][0] == r.mean
    assert len(estimates) == 3 + 4
    assert figure.get_supxlabel() == "probability of the value, given the state of its cause"
    assert_tidy(figure)


def test_without_intervals_none_are_explained():
    table = OWN["parameters"].assign(low=np.nan, high=np.nan, mean=np.nan)
    figure = profiles(table, OWN["posterior"], OWN["structures"], OWN.observed, "reference")
    r = fitted(OWN, LABEL, "s1").iloc[0]
    assert f"s1 = 1: {r['probability']:.2f} of the cases" in keys(figure)
    assert not any("interval" in text for text in keys(figure))
    assert_tidy(figure)


def test_no_estimate_of_the_best_structure():
    table = OWN["parameters"].query("estimate == 'ml'")
    with pytest.raises(ValueError, match=f"no MAP estimate of {LABEL}"):
        profiles(table, OWN["posterior"], OWN["structures"], OWN.observed, "reference")


def test_many_rows_stand_in_columns_that_are_about_as_tall():
    names = [f"y{j}" for j in range(17)]
    for label, count in (("1", 1), ("12", 2)):
        own = own_tables("-".join([label] * 17), (3, 3), names, [["no", "yes"]] * 17)
        figure = profiles_of(own)
        heights = [axes.bbox.height / figure.dpi for axes in figure.axes]
        assert len(heights) == count and max(heights) < 1.2 * min(heights)
        shown = Counter(name.split()[0] for name in drawn(figure, "estimate"))
        assert shown == dict.fromkeys(names, 3 ** len(label))
    own = own_tables("-".join("1" * 17), (4,), names, [list("abcde")] * 17)
    assert len(profiles_of(own).axes) == 3


def test_what_has_no_room_is_told():
    """A variable is 11.1 inches high; two columns have room for 120."""
    names = [f"y{j}" for j in range(13)]
    own = own_tables("-".join(["12"] * 13), (4, 4), names, [list("abcde")] * 13)
    figure = profiles_of(own)
    assert {name.split()[0] for name in drawn(figure, "estimate")} == set(names[:10])
    title = " ".join(artist(figure, "title").get_text().split())
    assert title.endswith("(probability 0.93); no room for 3 more variables")
    assert figure.get_figheight() < 100


# ---- shared causes


def test_every_pair_has_its_probability_twice():
    links = OWN["links"].sample(frac=1, random_state=0)
    figure = shared_causes(links, OWN["variables"], "vb")
    own = links[links["method"] == "vb"]
    axes = figure.axes[0]
    (image,) = axes.images
    cells = image.get_array().filled(np.nan)
    assert np.isnan(np.diag(cells)).all() and not artists(figure, "1-1")
    assert image.get_clim() == (0, 1)
    assert len(own) == 10
    for r in own.itertuples():
        i, j = NAMES.index(r.first_name), NAMES.index(r.second_name)
        for row, column in ((i, j), (j, i)):
            assert cells[row, column] == r.probability
            text = artist(figure, f"{row + 1}-{column + 1}")
            assert text.get_text() == f"{r.probability:.2f}"
            assert text.get_position() == (column, row)
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        assert [" ".join(label.get_text().split("\n")) for label in labels] == NAMES
    assert figure.axes[1].get_ylabel().replace("\n", " ").endswith("share a cause, by VB")


def test_numbers_are_read_on_their_cells_and_colours_in_grey():
    pairs = pd.DataFrame(list(itertools.combinations("abcdefg", 2)))
    pairs.columns = ["first_name", "second_name"]
    links = pairs.assign(method="vb", probability=np.linspace(0, 1, len(pairs)))
    variables = pd.DataFrame({"variable": range(1, 8), "name": list("abcdefg")})
    figure = shared_causes(links, variables, "vb")
    (image,) = figure.axes[0].images
    colours = [image.to_rgba(p) for p in links["probability"]]
    greys = [style.lightness(colour) for colour in colours]
    assert np.diff(greys).max() < 0 and greys[0] - greys[-1] > 60
    names = list("abcdefg")
    for r, grey in zip(links.itertuples(), greys, strict=True):
        i, j = names.index(r.first_name) + 1, names.index(r.second_name) + 1
        assert abs(style.lightness(artist(figure, f"{i}-{j}").get_color()) - grey) > 40


def test_shared_causes_where_there_is_nothing_to_share():
    one = pd.DataFrame({"variable": [1, 1], "name": ["alone", "alone"]})
    figure = shared_causes(OWN["links"].iloc[:0], one, "vb")
    assert "alone" in assert_tidy(figure)
    with pytest.raises(ValueError, match="the links table has no exact"):
        shared_causes(OWN["links"], OWN["variables"], "exact")


@pytest.mark.parametrize("least", [0.99, 0.9899])
def test_where_every_pair_shares_a_cause_a_sentence_says_so(least):
    links = OWN["links"].assign(probability=1.0)
    links.loc[links.index[links["method"] == "vb"][3], "probability"] = least
    figure = shared_causes(links, OWN["variables"], "vb")
    told = [text.get_text() for text in artists(figure, "sentence")]
    words = "Every two of the 5 variables share a cause: the probability is 0.99 or more, by VB."
    assert told == [words] * (least >= 0.99) and bool(figure.axes) == (least < 0.99)
    assert_tidy(figure)


# ---- long names

WORDS = "adoption_of_the_budget resolution PHYSICIAN_FEE_FREEZE Krankenversicherungsnummernpflicht"
LONG = [f"{word}_{j}" for j in range(5) for word in WORDS.split()]
ANSWERS = ["strongly disagree", "disagree", "neither agree nor disagree", "agree", "WHOLEHEARTEDLY"]


@pytest.mark.parametrize(
    ("label", "hidden", "values"),
    [
        (["1"] * 17, (4,), [ANSWERS] * 17),
        (["12"] * 3 + ["1"] * 14, (2, 3), [["n", "y"]] * 17),
        (["123"] * 9 + ["3"] * 11, (2, 2, 2), [["n", "y"]] * 20),
        (["1", "1"], (2,), [ANSWERS[:2]] * 2),
    ],
    ids=["five values", "two causes of 17", "three of 20", "two"],
)
def test_long_names_have_room_in_all_figures(label, hidden, values):
    own = own_tables("-".join(label), hidden, LONG[: len(label)], values)
    figures = {
        "profiles": profiles_of(own),
        "shared_causes": shared_causes(own["links"], own["variables"], "reference"),
        "best_structures": best_structures(
            *(own[t] for t in ("posterior", "structures", "variables")), own.observed, "reference"
        ),
        "scores": scores(own["scores"], own["structures"], 435),
    }
    for figure in figures.values():
        texts = assert_tidy(figure)
        assert texts
        assert_legends_readable(figure)
    width = figures["best_structures"].get_size_inches()[0]
    lefts = {axes.get_position().x0 for axes in figures["best_structures"].axes}
    assert len(lefts) == (2 if width <= 9 else 1)  # side by side on a page, not beyond it
    for name in LONG[: len(label)]:
        for axis in (
            figures["shared_causes"].axes[0].xaxis,
            figures["shared_causes"].axes[0].yaxis,
        ):
            shown = {text.get_text().replace("\n", "") for text in axis.get_ticklabels()}
            assert name in shown
        rows = ("".join(a.get_text().split("\n")) for a in artists(figures["profiles"], "name"))
        assert any(row.startswith(name) for row in rows)
    best = {text.replace("\n", "") for text in keys(figures["scores"])}
    assert f"best, {'-'.join(label)}" in best


def test_a_label_that_is_wider_than_the_page_is_broken():
    label = "-".join(["1234"] * 20)
    own = own_tables(label, (2,) * 4, LONG, [["n", "y"]] * 20)
    figure = scores(own["scores"], own["structures"], 435)
    assert_tidy(figure)
    assert_legends_readable(figure)
    assert f"best, {label}" in {text.replace("\n", "") for text in keys(figure)}


def assert_legends_readable(figure):
    """Each entry is inside the figure, and no two overlap."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    texts = [text for legend in figure.legends for text in legend.get_texts()]
    boxes = [text.get_window_extent(renderer) for text in texts if text.get_text().strip()]
    assert all(box.x1 < figure.bbox.width and box.y1 < figure.bbox.height for box in boxes)
    for box, other in itertools.combinations(boxes, 2):
        assert box.x1 <= other.x0 or other.x1 <= box.x0 or box.y1 <= other.y0 or other.y1 <= box.y0


@style.styled
def test_words_are_broken_where_they_may_be():
    def width(words):
        return layout.text_width(words, 7.0)

    assert width("a" * 20) == pytest.approx(20 * width("a"), rel=0.01)
    assert layout.text_width("abc", 14.0) == pytest.approx(2 * width("abc"), rel=0.02)
    wide = width("neither agree")
    assert layout.wrapped("neither agree nor", wide) == "neither agree\nnor"
    assert layout.wrapped("neither_agree-nor", width("neither_agree-")) == "neither_agree-\nnor"
    assert layout.wrapped("ab abcdefgh", width("abcdef")) == "ab abc\ndefgh"
    assert layout.wrapped("vote", 9.0) == "vote"
