"""The lines with which each summary begins, against numbers found by plain loops or by hand."""

import re

import made_up
import numpy as np
import pandas as pd
import pytest
from test_data_sections import (
    FIT,
    NAMES,
    PARAMETERS,
    POSTERIOR,
    SCORES,
    STRUCTURES,
    TEXT,
    probability,
)
from test_population_summary import MADE_UP, percent, row_of
from test_summary import STRUCTURES as THREE
from test_summary import TRUE, evidence_tables, rank_table, score_table

from latentdag.report.data.in_short import _fit
from latentdag.report.markdown import label
from latentdag.report.population_summary import write_population_summary
from latentdag.report.summary import write_summary
from latentdag.study.own_data import marginals
from latentdag.study.own_data.fitted import shown_scores
from latentdag.study.paper import sources
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.words import parents_of, shared_causes_in_words


def lines(text):
    """The lines of the section with which a summary begins."""
    (found,) = re.findall(r"^# .*\n\n## In short\n\n((?:- .*\n)+)", text, re.M)
    return [line.removeprefix("- ") for line in found.splitlines()]


@pytest.mark.parametrize(
    ("structure", "words"),
    [
        ("0-0-0", "no variable has a cause"),
        ("1-1-1", "y1, y2 and y3 share a cause"),
        ("12-12-0", "y1 and y2 share 2 causes; y3 has no cause"),
        (
            "1-12-0-0",
            "y1 and y2 share a cause; y2 alone has another cause; y3 and y4 have no cause",
        ),
        ("2-1-12", "y2 and y3 share a cause; y1 and y3 share another cause"),
        ("1-1-1-1-1-1", "all 6 variables share a cause"),
        ("1-1-1-1-1-1-0", "y1, y2, y3, y4, y5 and 1 more share a cause; y7 has no cause"),
    ],
)
def test_which_variables_share_a_cause(structure, words):
    assert shared_causes_in_words(parents_of(structure)) == words


def test_names_stand_for_variables():
    assert shared_causes_in_words([(1,), (1,)], ["age", "sex"]) == "age and sex share a cause"


def of_a_study(last=1, **more):
    """Of made-up scores at 480 cases, and ranks at three sizes; ``last`` is VB's last rank."""
    scores = score_table(
        {
            "map": (-30, -20, -10),
            "bic": (-40, -50, -60),
            "vb": (-32, -22, -25),
            "vb_eb": (-30, -20, -25),  # the nearest of all, under priors of its own
            "ais": (-31, -21, -23),
            "reference": (-30, -20, -25),
        },
        errors={"ais": 0.1, "reference": 0.1},
    )
    ranks = rank_table(
        {"reference": (2, 1, 1), "vb": (3, 3, last), "bic": (3, 3, 2), "map": (1, 1, 1)},
        sizes=(80, 480, 1120),
    )
    tables = {"scores": scores, "ranks": ranks, "structures": THREE} | evidence_tables(scores)
    return lines(write_summary({}, **(tables | more)))


def test_a_study_begins_with_what_it_found():
    found = of_a_study()
    assert found[0] == (
        f"One draw of parameters from the structure {TRUE} made the data, 80 to 1120 cases. In "
        "this structure y1, y2 and y3 share a cause; y2, y3 and y4 share another cause."
    )
    assert found[1] == (
        "The evidence itself (reference) ranks the true structure first at 480 cases and at every "
        "larger size."
    )
    assert found[2] == (
        "Of the paper's scores, the smallest size from which they rank it first: MAP at 80 and VB "
        "at 1120 cases."
    )
    assert found[3] == (
        "Of the paper's scores, these never do; their rank of it at 1120 cases: BIC 2."
    )
    assert found[4] == (
        "By the ranks of VB and of the reference, VB ranks it first at 1 size, the data and the "
        "bound limit VB at 1 size and the bound alone limits VB at 1 size."
    )
    all_four = "12-12-12-12 (y1, y2, y3 and y4 share 2 causes)"
    the_true = f"{TRUE} (y1, y2 and y3 share a cause; y2, y3 and y4 share another cause)"
    assert found[5] == (
        f"The structures that the scores rank first at 480 cases: MAP, {all_four}; BIC, 0-0-0-0 "
        f"(no variable has a cause); VB, AIS and reference, {the_true}."
    )
    # |score - reference|: AIS 1, 1, 2; VB 2, 2, 0; BIC 10, 30, 35
    assert found[6] == (
        "Mean distance from the ln evidence at 480 cases, in nats: AIS 1.33, VB 1.33 and BIC "
        "25.00. The nearest score without sampling is VB: 1.33 (scores that estimate the prior are "
        "left out)."
    )
    assert re.fullmatch(r"Of \d+ claims of the paper, the thesis and the sequel, .*", found[7])
    agree, differ, untested = map(int, re.findall(r"(\d+) (?:agree|differ|cannot)", found[7]))
    assert agree + differ + untested == int(found[7].split()[1]) and min(agree, differ) > 0
    assert len(found) == 8
    wide = rank_table({"reference": (2, 2, 2), "vb": (2, 2, 3)}, sizes=(80, 480, 1120))
    wide.loc[wide["method"] == "reference", "rank_low"] = 1
    found = lines(write_summary({}, ranks=wide, structures=THREE))
    assert "By the ranks of VB and of the reference, it is undecided at 3 sizes." in found
    assert of_a_study(last=4)[3].endswith("at 1120 cases: BIC 2 and VB 4.")
    for ranks, words in (
        ((1, 2, 1), "1120 cases, which is the largest size. It does so at 80 cases too, but not"),
        ((1, 1, 3), "even at 1120 cases, the largest size. It does so at 80 and 480 cases too,"),
    ):
        again = rank_table({"reference": ranks}, sizes=(80, 480, 1120))
        assert words in lines(write_summary({}, ranks=again, structures=THREE))[1]


def test_a_study_tells_of_many_draws_where_they_are_known():
    three = [("VB needs fewer cases than BIC to find the true structure", sources.FINDS)]
    three += [("VB does", sources.OURS), ("BIC does", sources.OURS), ("both do", sources.OURS)]
    held = [(c, "", 20, 5, 0.25, 0.11, 0.47, 0, place) for c, place in three]
    held = pd.DataFrame(held, columns=TABLES["claims_held"].columns)
    held.loc[held["claim"] == "VB does", "draws"] = 0
    found = of_a_study(claims_held=held)
    assert found[8:] == [
        "Over many draws, of those that can test it, VB needs fewer cases than BIC to find the "
        "true structure in 5 of 20: 25 % (11 to 47).",
        "Over many draws, of those that can test it, BIC does in 5 of 20: 25 % (11 to 47).",
        "Over many draws, of those that can test it, both do in 5 of 20: 25 % (11 to 47).",
    ]


def test_a_population_begins_with_what_it_found():
    found = lines(write_population_summary({}, **MADE_UP))
    (first,) = [
        x for x in found if x.startswith("Share of draws with the true structure first at 480")
    ]
    shown = [m for m in ("bic", "vb", "ais", "reference")]
    for m in shown:
        r = row_of("found_share", by="structure", method=m, n=480)
        assert f"{label(m)} {percent(r.share, r.low, r.high)}" in first
    (last,) = [x for x in found if "first at 5120 cases, which is the largest size" in x]
    r = row_of("found_share", by="structure", method="vb", n=5120)
    assert f"VB {percent(r.share, r.low, r.high)}" in last
    r = row_of("comparisons", by="structure", method="vb", other="bic")
    words = f"VB needs fewer cases than BIC in {r.earlier} draws, more in {r.later}, "
    assert any(
        x.startswith(f"{words}and the same number in {r.same}; in {r.undecided} neither")
        for x in found
    )
    for column, words in (("mean_absolute_error", "Mean distance"), ("regret", "ln evidence lost")):
        (line,) = [x for x in found if x.startswith(words)]
        assert "at 480 cases" in line
        r = row_of("population", by="structure", method="vb", n=480)
        assert f"VB {getattr(r, column):.2f} ± {getattr(r, f'{column}_se'):.2f}" in line
    (line,) = [x for x in found if "picks the true structure at 480" in x]
    r = row_of("calibration", by="structure", method="vb", n=480, statistic="accuracy")
    assert f"VB {100 * r.value:.0f} %, which it expects to be {100 * r.expected:.0f} %" in line
    assert len(found) <= 11


def test_own_data_begin_with_what_the_scores_say():
    found = lines(TEXT)
    masses = {s: probability("reference", s) for s in STRUCTURES}
    best = max(masses, key=masses.get)
    words = shared_causes_in_words(STRUCTURES[best].parents, NAMES)
    assert found[0] == (
        f"The best structure by reference, the most trusted score, is {best}: {words}."
    )
    assert found[1].startswith(f"Its posterior probability is {masses[best]:.2g}, and its score + ")
    spread = np.exp(-sum(p * np.log(p) for p in masses.values()))
    assert f"as one over {spread:.1f} equally" in found[1]
    links = marginals.links(POSTERIOR, STRUCTURES, NAMES)
    of_reference = links[links["method"] == "reference"]["probability"]
    sharing, apart = (of_reference >= 0.95).sum(), (of_reference <= 0.05).sum()
    assert f"{sharing} share a cause with a probability of at least 0.95, and {apart} with at " in (
        next(x for x in found if x.startswith("Of 3 pairs of variables"))
    )
    agree = {m for m in ("bic", "vb", "ais") if best == max(STRUCTURES, key=lambda s: score(m, s))}
    for line in found:
        if line.startswith("The same structure is best by"):
            assert {m for m in ("bic", "vb", "ais") if label(m) in line} == agree
        if line.startswith("Another structure is best by"):
            assert {m for m in ("bic", "vb", "ais") if f"{label(m)} (" in line} == (
                {"bic", "vb", "ais"} - agree
            )
    (mean,) = PARAMETERS.query("structure == '1-1-1' and estimate == 'map' and variable == 's1'")[
        "mean"
    ].head(1)
    start = f"Probabilities of the states by 1-1-1: s1 = 1: {mean:.0%}".replace("%", " %")
    assert any(line.startswith(start) for line in found)


def score(method, structure):
    (row,) = made_up.rows(SCORES, method=method, structure=structure)
    return row["score"]


@pytest.mark.parametrize(
    ("p_value", "words"),
    [(0.04, "misses something that the data show"), (0.06, "fits the data")],
)
def test_the_fit_of_the_best_structure(p_value, words):
    """Nothing of a saturated one, which no table can contradict."""
    (best,) = SCORES[SCORES["method"] == "reference"].nlargest(1, "score")["structure"]
    fit = FIT.head(1).assign(structure=best, p_value=p_value)
    assert list(_fit(fit.assign(degrees_of_freedom=0), best)) == []
    (line,) = _fit(fit, best)
    assert line.startswith(
        f"The best structure {words}: G2 = 12.25 with 9 degrees of freedom, p = "
    )
    assert not list(_fit(fit.assign(replicates=0), best))


def test_scores_that_nobody_asked_for_are_left_out():
    ran = ["bic", "bic_dim", "vb", "vb_online", "ais", "vb_lr"]
    assert shown_scores(ran, "ais", []) == ["bic", "vb", "ais"]
    assert shown_scores(ran, "vb_lr", ["vb_online", "map"]) == [
        "bic", "vb", "vb_online", "ais", "vb_lr",
    ]  # fmt: skip
