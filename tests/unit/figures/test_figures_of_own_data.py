"""The figures of own data, and graphs: every arrow, point, cell and name that they draw."""

import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_tidy, keys, points
from figure_tables import shuffled
from matplotlib.patches import Circle, FancyArrowPatch
from own_tables import own_tables

from latentdag.figures import FIGURES, style
from latentdag.model.structures import Family, Structure

pytestmark = pytest.mark.slow

NAMES = ["trust in $parliament$ and government", "vote", "s1", "age_group", "income"]
VALUES = [
    ["low", "neither low nor high", "high"],
    ["no", "yes"],
    list("ny"),
    list("10"),
    list("ab"),
]
LABEL = "1-12-2-2-0"
OWN = own_tables(LABEL, (2, 3, 2), NAMES, VALUES)  # the third hidden variable has no child


def drawn(figure, kind):
    """By variable, value and what is given, the points of the lines of a kind."""
    lines = figure.findobj(lambda a: str(a.get_gid()).startswith(f"{kind}-"))
    found = {line.get_gid().removeprefix(f"{kind}-"): points(line) for line in lines}
    assert len(found) == len(lines)
    return found


# ---- graphs


def variables(axes):
    return {c.get_gid(): c for c in axes.findobj(Circle) if c.get_gid()}


def arrows(axes):
    return {a.get_gid(): a for a in axes.findobj(FancyArrowPatch) if a.get_gid()}


@pytest.mark.parametrize(
    ("label", "family", "words"),
    [
        (
            "1-12-12-2",
            Family(),
            {"1-12-12-2: 6 links, 50 free parameters", "hidden,\n2 values each"},
        ),
        ("12-0-23-123-3", Family((2, 3, 2, 2), (2, 3, 4, 5, 2)), {"2 values", "5 values"}),
        ("0-0", Family((), (2, 3)), {"0-0: 0 links, 3 free parameters"}),
        ("-".join("1" * 17), Family((2,), (2,) * 17), {"hidden,\n2 values"}),
    ],
)
def test_true_structure_has_every_variable_and_arrow(label, family, words):
    structure = Structure.from_label(label, family)
    figure = FIGURES["true_structure"](structure)
    assert words <= assert_tidy(figure)
    nodes, found = variables(figure), arrows(figure)
    hidden, observed = len(family.hidden), len(family.observed)
    assert set(nodes) == {*(f"s{i + 1}" for i in range(hidden)),
                          *(f"y{j + 1}" for j in range(observed))}  # fmt: skip
    assert set(found) == {
        f"s{i + 1}-y{j + 1}" for j, parents in enumerate(structure.parents) for i in parents
    }
    for name, arrow in found.items():
        tail, head = (arrow.get_path().vertices[k] for k in (0, 2))
        start, end = (np.array(nodes[node].center) for node in name.split("-"))
        assert start[1] > end[1]
        assert np.linalg.norm(tail - start) == pytest.approx(0.28, abs=0.05)
        assert np.linalg.norm(head - end) == pytest.approx(0.28, abs=0.05)
        along = (head - tail) / np.linalg.norm(head - tail)
        for other, node in nodes.items():  # an arrow stays clear of all other variables
            aside = np.array(node.center) - tail
            if other not in name.split("-"):
                assert np.linalg.norm(aside - along * (aside @ along)) > 1.2 * node.radius


FAMILY = Family((2, 2), (2, 3, 2))
MASS = {"1-1-1": 0.5, "1-12-2": 0.3, "0-1-1": 0.15, "1-1-2": 0.037, "0-0-0": 0.008}
MASS |= {"12-12-12": 0.004, "12-12-1": 0.001}  # left out: the others make up 99.5 %


def test_links_are_drawn_by_causes_and_darker_where_more_probable():
    """A cause of one variable is absorbed: 1-1-2 has one cause. Of no cause there is too little
    to be drawn. 12-12-1 is matched to 1-12-2 by the other names of its causes.
    """
    rows = [
        (0, 60, s, m, p if m == "vb" else (1 - p) / 6)
        for m in ("vb", "bic")
        for s, p in MASS.items()
    ]
    columns = ["draw", "n", "structure", "method", "probability"]
    posterior = shuffled(pd.DataFrame(rows, columns=columns))
    known = pd.DataFrame({"structure": [*MASS], "hidden": "2,2"})
    names = [(2, "own_convictions"), (1, "age group"), (3, "vote"), (1, "age group")]
    names = pd.DataFrame(names, columns=["variable", "name"])
    figure = FIGURES["best_structures"](posterior, known, names, FAMILY.observed, "vb")
    assert_tidy(figure)
    one, two = map(arrows, figure.axes)
    expected = {"s1-y1": 0.537 / 0.687, "s1-y2": 1.0, "s1-y3": 0.65 / 0.687}
    alphas = {name: 0.1 + 0.9 * share for name, share in expected.items()}
    assert {name: a.get_alpha() for name, a in one.items()} == pytest.approx(alphas)
    expected = dict.fromkeys(("s1-y1", "s1-y2", "s2-y2", "s2-y3"), 1.0)
    expected |= {"s2-y1": 0.005 / 0.305, "s1-y3": 0.004 / 0.305}
    widths = {name: 0.5 + 0.6 * share for name, share in expected.items()}
    assert {name: a.get_linewidth() for name, a in two.items()} == pytest.approx(widths)
    for axes in figure.axes:
        for j, words in enumerate(("age group", "own\nconvictions", "vote"), start=1):
            (text,) = [t for t in axes.texts if t.get_gid() == f"name-y{j}"]
            x, _ = variables(axes)[f"y{j}"].center
            assert text.get_text() == words and text.get_position()[0] == x
    other = FIGURES["best_structures"](posterior, known, names, FAMILY.observed, "bic")
    captions = [text.get_text() for text in artists(other, "caption")]
    assert [c.partition(":")[0].removeprefix("states of the causes ") for c in captions] == [
        "2,2", "2", "no cause",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no ais"):
        FIGURES["best_structures"](posterior, known, names, FAMILY.observed, "ais")


# ---- profiles


def profiles_of(own, method="reference", **changes):
    tables = [changes.get(t, own[t]) for t in ("parameters", "posterior", "structures")]
    return FIGURES["profiles"](*tables, own.observed, method)


def test_every_probability_has_its_place_its_interval_and_the_look_of_its_state():
    """Of variables with two values the last value's."""
    figure = profiles_of(OWN)
    table = OWN["parameters"].query("structure == @LABEL and estimate == 'map'")
    values = table.iloc[5:]

    def look(line):
        return line.get_marker(), line.get_markerfacecolor(), line.get_markeredgecolor()

    looks = {text.split(":")[0]: look(key) for text, key in keys(figure).items()}
    assert len({marker for marker, *_ in looks.values()}) == 6
    expected = {}
    for name, codes in zip(NAMES, VALUES, strict=True):
        for r in values[values["variable"] == name].itertuples():
            if len(codes) > 2 or r.value == codes[-1]:
                expected[f"{name} {r.value} {r.given}"] = r
    estimates, intervals = drawn(figure, "estimate"), drawn(figure, "interval")
    assert set(estimates) == set(intervals) == set(expected)
    heights = {}
    for name, r in expected.items():
        ((x, y),) = estimates[name]
        assert x == r.mean and intervals[name] == [(r.low, y), (r.high, y)]
        own = look(artist(figure, f"estimate-{name}"))
        assert own == looks[r.given.split(", ")[0] or "of a variable without a cause"]
        assert artist(figure, f"interval-{name}").get_color() == own[2]
        heights.setdefault((r.variable, r.value), []).append(y)
    (axes,) = figure.axes  # the first row is a name above its values
    np.testing.assert_allclose(axes.get_yticks()[1:], [np.mean(ys) for ys in heights.values()])
    # the states of several causes are written beside their points
    words = {a.xy[1]: a.get_text() for a in artists(figure, "given")}
    assert words == {estimates[n][0][1]: r.given for n, r in expected.items() if ", " in r.given}
    assert len(words) == 6


def test_another_score_has_another_best_structure_and_no_interval_is_explained():
    figure = profiles_of(OWN, "vb")
    assert_tidy(figure)
    assert set(keys(figure)) == {"of a variable without a cause"} and len(figure.axes) == 1
    assert len(drawn(figure, "estimate")) == 3 + 4
    table = OWN["parameters"].assign(low=np.nan, high=np.nan, mean=np.nan)
    assert "interval" not in profiles_of(OWN, parameters=table).get_supxlabel()
    with pytest.raises(ValueError, match=f"no MAP estimate of {LABEL}"):
        profiles_of(OWN, parameters=table.query("estimate == 'ml'"))


def test_many_rows_stand_in_columns_and_what_has_no_room_is_told():
    names = [f"y{j}" for j in range(17)]
    figure = profiles_of(own_tables("-".join(["12"] * 17), (4, 4), names, [list("abcde")] * 17))
    assert len(figure.axes) == 2 and figure.get_figheight() < 100
    # each is 11.1 inches high; columns have 120
    assert {name.split()[0] for name in drawn(figure, "estimate")} == set(names[:10])
    title = " ".join(figure.legends[0].get_title().get_text().split())
    assert "; no room for 7 more variables" in title


# ---- shared causes


def test_every_pair_has_its_probability_twice():
    links = OWN["links"].sample(frac=1, random_state=0)
    figure = FIGURES["shared_causes"](links, OWN["variables"], "vb")
    own = links[links["method"] == "vb"]
    axes = figure.axes[0]
    (image,) = axes.images
    cells = image.get_array().filled(np.nan)
    assert np.isnan(np.diag(cells)).all() and not artists(figure, "1-1")
    assert image.get_clim() == (0, 1) and len(own) == 10
    for r in own.itertuples():
        i, j = NAMES.index(r.first_name), NAMES.index(r.second_name)
        for row, column in ((i, j), (j, i)):
            assert cells[row, column] == r.probability
            text = artist(figure, f"{row + 1}-{column + 1}")
            assert text.get_text() == f"{r.probability:.2f}"
            assert text.get_position() == (column, row)
            grey = style.lightness(image.to_rgba(r.probability))
            assert abs(style.lightness(text.get_color()) - grey) > 40
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        assert [" ".join(label.get_text().split("\n")) for label in labels] == NAMES


def test_shared_causes_where_a_sentence_or_nothing_is_to_be_told():
    sure = OWN["links"].assign(probability=0.9957)
    words = artist(FIGURES["shared_causes"](sure, OWN["variables"], "vb"), "sentence").get_text()
    assert words.endswith("variables share a cause: the probability is 0.995 or more, by VB.")
    one = pd.DataFrame({"variable": [1, 1], "name": ["alone", "alone"]})
    assert "alone" in assert_tidy(FIGURES["shared_causes"](OWN["links"].iloc[:0], one, "vb"))
    with pytest.raises(ValueError, match="the links table has no exact"):
        FIGURES["shared_causes"](OWN["links"], OWN["variables"], "exact")


# ---- long names

WORDS = "adoption_of_the_budget resolution PHYSICIAN_FEE_FREEZE Krankenversicherungsnummernpflicht"
LONG = [f"{word}_{j}" for j in range(5) for word in WORDS.split()]
ANSWERS = ["strongly disagree", "disagree", "neither agree nor disagree", "agree", "WHOLEHEARTEDLY"]


@pytest.mark.parametrize(
    ("label", "hidden", "values"),
    [
        (["1"] * 17, (4,), [ANSWERS] * 17),
        (["12"] * 3 + ["1"] * 14, (2, 3), [["n", "y"]] * 17),
    ],
    ids=["five values", "two causes of 17"],
)
def test_long_names_have_room_in_all_figures(label, hidden, values):
    own = own_tables("-".join(label), hidden, LONG[: len(label)], values)
    links, graphs, scores = (
        FIGURES["shared_causes"](own["links"], own["variables"], "reference"),
        FIGURES["best_structures"](
            *(own[t] for t in ("posterior", "structures", "variables")), own.observed, "reference"
        ),
        FIGURES["scores"](own["scores"], own["structures"], 435),
    )
    for figure in (profiles_of(own), links, graphs, scores):
        assert_tidy(figure)
    assert "MAP" not in keys(scores) and "true structure" not in keys(scores)
