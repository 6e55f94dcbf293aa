"""The content of the page for a class, against plain loops over the rows of two made-up draws."""

from itertools import product
from math import exp, isnan

import made_up
import pandas as pd
import pytest

from latentdag import Family, Structure
from latentdag.ranking.prior import log_prior
from latentdag.report import class_page
from latentdag.report.class_page import UNIT, Candidates, content
from latentdag.study.paper.runs import AIS_CHAINS, PAPERS

FAMILY = Family((2, 2), (2, 3, 2))
STRUCTURES = {label: Structure.from_label(label, FAMILY) for label in made_up.STRUCTURES}
PRIORS = ("structures", "classes")
METHODS = ("map", "bic", "vb", "ais", "reference")  # of `made_up`; without Laplace's
SHARES = pd.DataFrame(
    [
        (80, "structure", "vb", 50, 0.5, 0.4, 0.6),
        (80, "class", "vb", 50, 0.9, 0.8, 1.0),
        (480, "structure", "vb", 50, 0.7, 0.6, 0.8),
        (480, "structure", "cs", 50, 0.1, 0.0, 0.2),
        (480, "structure", "bic", 50, 0.49, 0.4, 0.6),
        (960, "structure", "bic", 50, 0.48, 0.4, 0.6),
        (960, "class", "bic", 50, 0.9, 0.8, 1.0),
    ],
    columns=["n", "by", "method", "draws", "share", "low", "high"],
)


def made(true_structure=made_up.TRUE, shares=None, draws=(0, 1)) -> dict:
    table = made_up.scores()
    shown = {f"draw {draw}": table[table["draw"] == draw] for draw in draws}
    candidates = Candidates(STRUCTURES, [FAMILY], made_up.STRUCTURES, true_structure)
    return content(shown, candidates, PRIORS, ["a", "b", "c"], shares)


def prior_of(label: str, prior: str) -> float:
    return float(log_prior([STRUCTURES[label]], [FAMILY], prior)[0])


def test_probabilities_and_ranks_are_those_of_plain_loops():
    page = made()
    scores = made_up.scores().set_index(["draw", "n", "method", "structure"])["score"].to_dict()
    assert page["structures"] == made_up.IN_ORDER
    assert [method["name"] for method in page["methods"]] == list(METHODS)
    places = product(enumerate(page["draws"]), PRIORS, METHODS, enumerate(sorted(made_up.SIZES)))
    for (number, draw), prior, method, (at, n) in places:
        values = {s: scores[number, n, method, s] for s in made_up.IN_ORDER}
        log_mass = {s: v + prior_of(s, prior) for s, v in values.items() if not isnan(v)}
        highest = max(log_mass.values())
        total = sum(exp(v - highest) for v in log_mass.values())
        shown = draw["by"][prior][method]
        cells = zip(page["structures"], shown["p"][at], shown["rank"][at], strict=True)
        for s, p, rank in cells:
            if s not in log_mass:
                assert p is None and rank is None
                continue
            assert p == pytest.approx(UNIT * exp(log_mass[s] - highest) / total, abs=0.5001)
            assert rank == 1 + sum(v > log_mass[s] + 1e-9 for v in log_mass.values())
    assert all(draw["sizes"] == sorted(made_up.SIZES) for draw in page["draws"])
    assert page["draws"][0]["by"]["structures"] != page["draws"][0]["by"]["classes"]


def test_what_the_page_says_of_structures_and_scores():
    page = made()
    at = page["structures"].index("1-12-2")
    assert page["truth"] == at
    assert [list(parents) for parents in page["parents"][at]] == [[0], [0, 1], [1]]
    assert list(page["states"][at]) == [2, 2] and page["parameters"][at] == 14
    labels = {method["name"]: method["label"] for method in page["methods"]}
    assert labels["vb"] == "VB" and labels["reference"] == "evidence"
    assert page["n_structures"] == len(STRUCTURES)
    assert made(true_structure=None)["truth"] is None
    table = made_up.scores()
    chains = table[(table["method"] == "ais") & (table["draw"] == 1)]["restarts"].max()
    assert page["draws"][1]["chains"] == chains


def test_shares_are_those_of_structures_and_of_the_scores_shown():
    shares = made(shares=SHARES)["shares"]
    assert shares == {
        "draws": 50,
        "chains": AIS_CHAINS[PAPERS],
        "prior": "structures",
        "paper": {"vb": 480, "bic": 1120},
        "by": {
            "vb": {"80": [0.5, 0.4, 0.6], "480": [0.7, 0.6, 0.8]},
            "bic": {"480": [0.49, 0.4, 0.6], "960": [0.48, 0.4, 0.6]},
        },
        "half": {"vb": 80, "bic": None},
    }
    assert made()["shares"] is None


def test_of_many_structures_the_most_probable_stay_and_the_true_one(monkeypatch):
    whole = made(draws=(0,))
    monkeypatch.setattr(class_page, "MOST_STRUCTURES", 4)
    page = made(draws=(0,))
    assert len(page["structures"]) == 4 and page["n_structures"] == len(STRUCTURES)
    assert page["structures"][page["truth"]] == made_up.TRUE
    by = whole["draws"][0]["by"]
    every = [row for prior in PRIORS for method in METHODS for row in by[prior][method]["p"]]
    highest = {s: max(row[i] or 0 for row in every) for i, s in enumerate(whole["structures"])}
    highest[made_up.TRUE] = UNIT + 1
    least = min(highest[s] for s in page["structures"])
    assert all(highest[s] <= least for s in set(STRUCTURES) - set(page["structures"]))
    places = [whole["structures"].index(s) for s in page["structures"]]
    for kind, kept in page["draws"][0]["by"]["classes"]["vb"].items():
        assert kept == [[row[i] for i in places] for row in by["classes"]["vb"][kind]]


def test_without_a_score_of_the_page_there_is_none():
    table = made_up.scores(methods=["cs"])
    candidates = Candidates(STRUCTURES, [FAMILY], made_up.STRUCTURES, made_up.TRUE)
    with pytest.raises(ValueError, match="no draw has a score of the class page: map, bic, vb"):
        content({"0": table}, candidates, PRIORS, ["a", "b", "c"])
    with pytest.raises(ValueError, match="unknown prior"):
        content({"0": made_up.scores(draws=[0])}, candidates, ["log"], ["a", "b", "c"])
