"""Every figure draws what it drew from made-up tables whose numbers are all different, by a golden
fingerprint; its words have room; and what no table shows is refused.
"""

import re
from functools import cache
from itertools import permutations

import made_up_population
import numpy as np
import pandas as pd
import pytest
from figure_reading import assert_tidy, contents
from figure_tables import (
    ANNEALING,
    CLIMB,
    EQUAL_MODES,
    ERRORS,
    EVIDENCE,
    ITERATIONS,
    RANKS,
    SCORES,
    STRUCTURES,
    TRUE,
    every,
    own_tables,
    shuffled,
)
from matplotlib.text import Text

from latentdag.figures import FIGURES
from latentdag.model.structures import Family, Structure
from latentdag.scores import SPECS

pytestmark = pytest.mark.slow


# ---- of one draw

MISSING = SCORES.assign(
    score=SCORES["score"].mask((SCORES["method"] == "vb") & (SCORES["structure"] == TRUE))
)
LONG = ANNEALING[(ANNEALING["steps"] >= 4096) & (ANNEALING["start"] == "prior")]
CASES: dict[str, tuple] = {
    "scores": ("scores", SCORES, STRUCTURES, 480, 0),
    "scores of another draw": ("scores", SCORES, STRUCTURES, 80, 1),
    "scores without one": ("scores", MISSING, STRUCTURES, 480),
    "rank": ("rank", RANKS[RANKS["draw"] == 0], STRUCTURES),
    "rank of another draw": ("rank", RANKS[RANKS["draw"] == 1], STRUCTURES),
    "rank by VB": ("rank", RANKS.query("draw == 0 and method == 'vb'"), STRUCTURES),
    "annealing": ("annealing", ANNEALING, SCORES, 480, 0),
    "annealing of another draw": ("annealing", ANNEALING, SCORES, 80, 1),
    "annealing without levels": ("annealing", LONG, SCORES[SCORES["n"] == 80], 480),
    "narrow scores": ("scores", SCORES, STRUCTURES, 480, 0, 5),
    "narrow rank": ("rank", RANKS[RANKS["draw"] == 0], STRUCTURES, 5),
    "narrow annealing": ("annealing", ANNEALING, SCORES, 480, 0, 5),
    "tightness": ("tightness", ERRORS, STRUCTURES, 0),
    "tightness of another draw": ("tightness", ERRORS, STRUCTURES, 1),
    "tightness without BIC": ("tightness", ERRORS[ERRORS["method"] != "bic"], STRUCTURES),
    "climb": ("climb", CLIMB, EVIDENCE, 0),
    "climb of another draw": ("climb", CLIMB, EVIDENCE, 1),
    "equal modes": ("equal_modes", EQUAL_MODES),
}

# ---- over many draws

POPULATION = made_up_population.tables()
OVER_DRAWS = {"found": "found_share", "reliability": "reliability", "cases_needed": "cases_needed"}
OVER_DRAWS |= dict.fromkeys(("rank_over_draws", "error_over_draws", "accuracy"), "population")
ONE_TRUTH = pd.DataFrame({"true_structure": ["1-12-12-2"] * 2})
MORE = {"rank_over_draws": [pd.DataFrame(index=range(136))], "reliability": [480]}
MORE |= {"found": [ONE_TRUTH, 1]}
FEW = ["vb", "bic", "map"]
for name in OVER_DRAWS:
    table, more = POPULATION[OVER_DRAWS[name]], MORE.get(name, [])
    CASES[name] = name, table, *more
    CASES[f"{name} of few scores"] = name, table[table["method"].isin(FEW)], *more
SHARE = POPULATION["found_share"]
CASES["found by 16 chains"] = "found", SHARE, ONE_TRUTH, 16
ONE_CHAIN = POPULATION["found"].query("method == 'cs'").assign(method="ais")
OF_DRAWS = POPULATION["design"].assign(true_structure="1-12-12-2")
CASES["found by one chain too"] = "found", SHARE, OF_DRAWS.query("draw < 40"), 16, ONE_CHAIN
CASES["found at few sizes"] = "found", SHARE[SHARE["n"] < 1120], ONE_TRUTH, 1
CASES["found of many structures"] = "found", SHARE, POPULATION["design"], 1
OTHER_SIZES = POPULATION["reliability"].query("n in [20, 230, 800] and method != 'laplace'")
CASES["reliability of the nearest size"] = "reliability", OTHER_SIZES, 480
PICKS = every(truth=list("ab"), n=(80, 1280), method=("vb", "reference"))
k = PICKS.index + 1
PICKS = PICKS.assign(draws=40, top_probability=k / 9, top_probability_se=0.01 * k, rejected=k / 8)
PICKS = PICKS.assign(low=k / 10, high=k / 7, lost_by_top=0.02 * k, lost_by_top_se=0.001 * k)
CASES["outside"] = "outside", PICKS

# ---- of own data, and graphs

NAMES = ["trust in $parliament$ and government", "vote", "s1", "age_group", "income"]
VALUES = [["low", "neither low nor high", "high"], ["no", "yes"], *map(list, ("ny", "10", "ab"))]
LABEL = "1-12-2-2-0"
OWN = own_tables(LABEL, (2, 3, 2), NAMES, VALUES)  # the third hidden variable has no child
WORDS = "adoption_of_the_budget resolution PHYSICIAN_FEE_FREEZE Krankenversicherungsnummernpflicht"
LONG_NAMES = [f"{word}_{j}" for j in range(5) for word in WORDS.split()]
ANSWERS = ["strongly disagree", "disagree", "neither agree nor disagree", "agree", "WHOLEHEARTEDLY"]


def profiles(tables, method="reference", **changes) -> tuple:
    of = [changes.get(t, tables[t]) for t in ("parameters", "posterior", "structures")]
    return "profiles", *of, tables["observed"], method


def of_own(tables) -> dict[str, tuple]:
    graphs = (tables[t] for t in ("posterior", "structures", "variables"))
    return {
        "profiles": profiles(tables),
        "shared causes": ("shared_causes", tables["links"], tables["variables"], "reference"),
        "best structures": ("best_structures", *graphs, tables["observed"], "reference"),
        "scores": ("scores", tables["scores"], tables["structures"], 435),
    }


for words, tables in {
    "own data": OWN,
    "long names": own_tables("-".join("1" * 17), (4,), LONG_NAMES[:17], [ANSWERS] * 17),
    "two causes of 17": own_tables(
        "-".join(["12"] * 3 + ["1"] * 14), (2, 3), LONG_NAMES[:17], [["n", "y"]] * 17
    ),
}.items():
    CASES |= {f"{name} of {words}": case for name, case in of_own(tables).items()}
MANY = own_tables("-".join(["12"] * 17), (4, 4), [f"y{j}" for j in range(17)], [list("abcde")] * 17)
NO_INTERVALS = OWN["parameters"].assign(low=np.nan, high=np.nan, mean=np.nan)
SURE = OWN["links"].assign(probability=0.9957)
ALONE = pd.DataFrame({"variable": [1, 1], "name": ["alone", "alone"]})
CASES |= {
    "profiles by VB": profiles(OWN, "vb"),
    "profiles without intervals": profiles(OWN, parameters=NO_INTERVALS),
    "profiles without room": profiles(MANY),
    "shared causes by VB": ("shared_causes", shuffled(OWN["links"]), OWN["variables"], "vb"),
    "certain shared causes": ("shared_causes", SURE, OWN["variables"], "vb"),
    "one variable": ("shared_causes", OWN["links"].iloc[:0], ALONE, "vb"),
}
MASS = {"1-1-1": 0.5, "1-12-2": 0.3, "0-1-1": 0.15, "1-1-2": 0.037, "0-0-0": 0.008}
MASS |= {"12-12-12": 0.004, "12-12-1": 0.001}  # left out: the others make up 99.5 %
POSTERIOR = pd.DataFrame(
    [(0, 60, s, m, p if m == "vb" else (1 - p) / 6) for m in FEW[:2] for s, p in MASS.items()],
    columns=["draw", "n", "structure", "method", "probability"],
)
VARIABLES = pd.DataFrame(
    {"variable": [2, 1, 3, 1], "name": ["own_convictions", "age", "vote", "age"]}
)
GRAPH_TABLES = pd.DataFrame({"structure": [*MASS], "hidden": "2,2"}), VARIABLES, (2, 3, 2)
for m in FEW[:2]:
    CASES[f"best structures by {m}"] = "best_structures", shuffled(POSTERIOR), *GRAPH_TABLES, m
GRAPHS = {
    "1-12-12-2": Family(),
    "12-0-23-123-3": Family((2, 3, 2, 2), (2, 3, 4, 5, 2)),
    "0-0": Family((), (2, 3)),
    "-".join("1" * 17): Family((2,), (2,) * 17),
}
for label, family in GRAPHS.items():
    CASES[f"structure {label}"] = "true_structure", Structure.from_label(label, family)


@cache
def drawn(case: str):
    name, *tables = CASES[case]
    return FIGURES[name](*tables)


def test_figures_show_what_they_showed(golden):
    golden("figures.csv", (column for case in CASES for column in contents(case, drawn(case))))


@pytest.mark.parametrize("name", ["accuracy", "found", "error_over_draws"])
def test_no_marker_is_hidden_by_a_larger_one(name):
    """Where two scores of a panel have markers, the smaller one is drawn later."""
    pairs = 0
    for axes in drawn(name).axes:
        marks = [line for line in axes.lines if (line.get_gid() or "").startswith("marks-")]
        for one, other in permutations(marks, 2):
            if one.get_markersize() < other.get_markersize():
                assert one.zorder > other.zorder, (one.get_gid(), other.get_gid())
                pairs += 1
    assert pairs


# drawn narrower, or with longer words, by another case
ROOMY = {"scores", "scores without one", "rank", "rank by VB", "annealing"}
ROOMY |= {"annealing without levels", "tightness without BIC", "profiles by VB"}
ROOMY |= {"profiles without intervals", "shared causes by VB", "certain shared causes"}
ROOMY |= {"best structures by vb", "best structures by bic"}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.weekly] * (case in ROOMY))
        for case in CASES
        if "few" not in case and "another draw" not in case
    ],
)
def test_words_have_room(case):
    assert_tidy(drawn(case))


def test_every_figure_is_drawn_here():
    assert {name for name, *_ in CASES.values()} == set(FIGURES)


@pytest.mark.parametrize(
    ("name", "tables", "words"),
    [
        *((name, (CASES[name][1].iloc[:0], *CASES[name][2:]), "table|chains")
          for name in ("scores", "rank", "annealing", "tightness", "climb")),
        *((name, (table[table["method"] == "bic_ml"], *MORE.get(name, [])), "no score of this fig")
          for name in OVER_DRAWS for table in [POPULATION[OVER_DRAWS[name]]]),
        *(("annealing", (pd.concat([ANNEALING, ANNEALING.assign(**change)]), SCORES, 480), words)
          for change, words in (({"structure": "0-0-0"}, "0-0-0"), ({"transition": "hmc"}, "hmc"))),
        ("best_structures", (POSTERIOR, *GRAPH_TABLES, "ais"), "no ais"),
        ("shared_causes", (OWN["links"], OWN["variables"], "exact"), "the links table has"),
        ("profiles", profiles(OWN, parameters=OWN["parameters"].query("estimate == 'ml'"))[1:],
         f"no MAP estimate of {LABEL}"),
    ],
)  # fmt: skip
def test_what_no_table_shows_is_refused(name, tables, words):
    with pytest.raises(ValueError, match=words):
        FIGURES[name](*tables)


def lines(figure) -> dict[str, np.ndarray]:
    """By name the points (x, y) of the lines of a figure."""
    return {line.get_gid(): line.get_xydata() for axes in figure.axes for line in axes.lines}


def test_each_panel_of_scores_has_the_scores_of_its_method():
    shown, table = lines(drawn("scores")), SCORES.query("draw == 0 and n == 480")
    n_parameters = STRUCTURES.set_index("structure")["n_parameters"]
    titles = {axes.get_title("left"): axes for axes in drawn("scores").axes}
    for method in ("map", "bic", "vb", "ais", "reference"):
        of_method = table[table["method"] == method].set_index("structure")["score"].dropna()
        order = sorted(of_method.index, key=lambda s: (n_parameters[s], s))
        points = shown[f"scores-{method}-0"]
        np.testing.assert_allclose(points[:, 1], of_method[order])
        np.testing.assert_allclose(points[:, 0], n_parameters[order], atol=1)
        np.testing.assert_allclose(shown[f"best-{method}-0"][0, 1], of_method.max())
        (best,) = (t for t in titles[SPECS[method].label].texts if t.get_gid() == "best")
        assert best.get_text() == f"best {of_method.idxmax()}"


def test_panels_of_scores_share_a_linear_axis_and_far_scores_are_not_enlarged():
    shift = SCORES["method"].map({"map": 300.0, "bic": -500.0}).fillna(0.0)
    far = SCORES.assign(score=SCORES["score"] + shift)
    figure = FIGURES["scores"](far, STRUCTURES, 480)
    rows: dict[int, list] = {}
    for axes in figure.axes:
        assert axes.get_yscale() == "linear"
        rows.setdefault(axes.get_subplotspec().rowspan.start, []).append(axes)
    above, below = rows.values()
    assert [axes.get_title("left") for axes in below] == ["VB", "AIS", "reference"]
    for panels in (above, below):
        assert len({axes.get_ylim() for axes in panels}) == 1
    at = far[(far["draw"] == 0) & (far["n"] == 480)].set_index("method")["score"]
    for panels, values in ((above, at), (below, at[["vb", "ais", "reference"]])):
        low, high = panels[0].get_ylim()
        assert low < values.min() and values.max() < high
        assert high - low < 1.2 * (values.max() - values.min()) + 1


def test_panels_of_tightness_share_an_axis_that_holds_every_error():
    methods = [m for m in SPECS if "tightness" in SPECS[m].figures]
    shown = ERRORS[(ERRORS["draw"] == 0) & ERRORS["method"].isin(methods)]["error_nats"]
    panels = [axes for axes in drawn("tightness").axes if axes.get_yscale() == "symlog"]
    ((low, high),) = {axes.get_ylim() for axes in panels}
    assert len(panels) > 3 and low < shown.min() and shown.max() < high


def test_each_panel_of_ranks_has_its_ranks_those_by_the_reference_and_the_papers_size():
    shown, table = lines(drawn("rank")), RANKS[RANKS["draw"] == 0].sort_values("n")
    ranks = {m: rows[["n", "rank"]].to_numpy() for m, rows in table.groupby("method")}
    for method in ("map", "bic", "vb", "ais"):
        np.testing.assert_array_equal(shown[f"marks-{method}"], ranks[method])
        np.testing.assert_array_equal(shown[f"judge-{method}"], ranks["reference"])
    assert "judge-reference" not in shown
    assert {name: shown[name][0, 0] for name in shown if str(name).startswith("paper")} == {
        f"paper-{m}": n for m, n in (("bic", 1120), ("vb", 480), ("ais", 480))
    }


def test_the_curve_of_one_chain_is_over_the_draws_of_the_design():
    figure, sizes = drawn("found by one chain too"), sorted(set(SHARE["n"]))
    found = POPULATION["found"].query("method == 'cs' and by == 'structure' and draw < 40")[
        "n_found"
    ]
    expected = [sum(n_found <= n for n_found in found) / 40 for n in sizes]
    of_ais = SHARE.query("method == 'ais' and by == 'structure'").sort_values("n")["share"]
    shown = lines(figure)
    np.testing.assert_allclose(shown["marks-ais_one_chain"], np.column_stack([sizes, expected]))
    np.testing.assert_allclose(shown["marks-ais"][:, 1], of_ais)
    labels = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    assert {"AIS, 16 chains", "AIS, one chain"} <= labels
    with pytest.raises(ValueError, match="lacks draw 7"):
        FIGURES["found"](SHARE, OF_DRAWS, 16, ONE_CHAIN[ONE_CHAIN["draw"] != 7])


def test_each_truth_outside_has_its_line_and_a_band_of_two_errors_on_either_side():
    """However many truths there are, by the reference alone; of shares the band is the interval."""
    truths = [f"truth {k}" for k in range(11)]
    picks = pd.concat([PICKS.query("truth == 'a'").assign(truth=truth) for truth in truths])
    picks = picks.assign(rejected=lambda t: t["rejected"] / (1 + t.groupby(t.index).cumcount()))
    figure = FIGURES["outside"](picks)
    for truth in truths:
        rows = picks.query("truth == @truth and method == 'reference'").sort_values("n")
        for axes, column in zip(
            figure.axes, ("top_probability", "rejected", "lost_by_top"), strict=True
        ):
            (line,) = (mark for mark in axes.lines if mark.get_gid() == f"line-{truth}")
            np.testing.assert_allclose(line.get_xydata(), rows[["n", column]])
            (band,) = (mark for mark in axes.collections if mark.get_gid() == f"band-{truth}")
            ends = rows["low"], rows["high"]
            if column != "rejected":
                error = 2 * rows[f"{column}_se"]
                ends = rows[column] - error, rows[column] + error
            x, y = band.get_paths()[0].vertices.T
            for n, low, high in zip(rows["n"], *ends, strict=True):
                assert (min(y[x == n]), max(y[x == n])) == pytest.approx((low, high))


def test_iterations_of_a_climb_are_counted_from_one_to_the_last():
    figure = FIGURES["climb"](CLIMB, EVIDENCE, 0)
    lines = {line.get_gid(): line for axes in figure.axes for line in axes.lines}
    for name, number in ITERATIONS.items():
        assert list(lines[f"bound-{name}"].get_xdata()) == list(range(1, number + 1))


def test_a_grid_has_the_probability_of_each_link():
    label = "-".join(["12"] * 3 + ["1"] * 14)
    figure = drawn("best structures of two causes of 17")
    cells = [image.get_array() for axes in figure.axes for image in axes.images]
    expected = [[1, 1 if parents == "12" else np.nan] for parents in label.split("-")]
    np.testing.assert_allclose(np.ma.filled(cells[0], np.nan), expected)
    assert np.ma.filled(cells[1], np.nan).shape == (17, 1)  # no cause
    names = [text.get_text().replace("\n", "") for text in figure.axes[0].get_yticklabels()]
    assert names == LONG_NAMES[:17]


def test_a_row_of_a_grid_has_room_for_a_name_of_several_lines():
    """Of the 17 names one has three lines."""
    label = "-".join(["1"] * 17)
    posterior = pd.DataFrame({"structure": [label], "method": "vb", "probability": 1.0})
    structures = pd.DataFrame({"structure": [label], "hidden": "2"})
    names = [f"y{j}" for j in range(16)] + [" ".join(WORDS.split() * 2)]
    variables = pd.DataFrame({"variable": range(1, 18), "name": names})
    figure = FIGURES["best_structures"](posterior, structures, variables, (2,) * 17, "vb")
    assert_tidy(figure)
    row = figure.axes[0].get_window_extent().height / 17
    *_, last = figure.axes[0].get_yticklabels()
    assert last.get_text().count("\n") >= 2
    assert last.get_window_extent().height < row


def test_a_cell_of_a_grid_says_what_is_not_certain():
    mass, empty = {"12": 0.6, "1": 0.397, "2": 0.003}, "-".join(["1"] * 8 + ["2"] * 8)
    labels = [f"{first}-{empty}" for first in mass]
    posterior = pd.DataFrame({"structure": labels, "method": "vb", "probability": mass.values()})
    structures = pd.DataFrame({"structure": labels, "hidden": "2,3"})
    variables = pd.DataFrame({"variable": range(1, 18), "name": LONG_NAMES[:17]})
    figure = FIGURES["best_structures"](posterior, structures, variables, (2,) * 17, "vb")
    (axes,) = figure.axes
    assert {text.get_gid(): text.get_text() for text in axes.texts} == {"s2-y1": "0.60"}
    np.testing.assert_allclose(axes.images[0].get_array()[0], [0.997, 0.603], atol=1e-9)
    assert_tidy(figure)


def test_a_long_error_does_not_stretch_the_axis():
    wide = SCORES.assign(standard_error=SCORES["standard_error"] * 900)
    limits = [FIGURES["scores"](t, STRUCTURES, 480).axes[0].get_ylim() for t in (SCORES, wide)]
    assert limits[0] == limits[1]


SIGNS = ["__x__", "$x_1$", "a*b*c", "<age>", r"\alpha"]
SIGNED = own_tables(LABEL, (2, 3, 2), SIGNS, [["<unknown>", "$y$"]] * 5)


@pytest.mark.parametrize("name", ["profiles", "shared causes", "best structures"])
def test_names_and_values_are_drawn_as_they_are(name):
    """No sign of a user's is taken for mathematics, or for a blank."""
    kind, *tables = of_own(SIGNED)[name]
    texts = FIGURES[kind](*tables).findobj(Text)
    shown = {re.sub(r"\s", "", text.get_text()): text for text in texts}
    values = [f"{sign}=$y$" for sign in SIGNS] if name == "profiles" else SIGNS
    assert set(values) <= set(shown)
    assert not any(shown[value].get_parse_math() for value in values)
