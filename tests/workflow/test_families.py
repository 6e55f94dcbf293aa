"""Studies of one's own data with several families, and with a search: their tables, held against
sums written out.
"""

import shutil
from math import exp, log

import pytest
from fingerprints import of_study
from studies import ROOT, Study

import latentdag
from latentdag.search.ranking import class_of, model_of

pytestmark = pytest.mark.slow

COLUMNS = ["auto_passenger", "drama_critic", "board_director"]
OWN = {
    "data": {"file": "mine.csv", "count": "count", "columns": COLUMNS},
    "family__observed": None,
    "true_structure": None,
    "sizes": None,
    "methods": ["map", "vb", "ais"],
}
OBSERVED = (2, 2, 2)
SEVERAL = OWN | {
    "family__hidden": [[3], [2], [3, 2]],
    "equally_probable": "classes",
    "blocks": 2,
    "results": "several",
    "figures": "several/figures",
}
SEARCH = OWN | {
    "family__hidden": [[2, 2], [3]],
    "equally_probable": "families",
    "methods": ["map"],
    "search": {"method": "bic", "width": 1, "starts": 1, "keep": 4},
    "results": "searched",
    "figures": "searched/figures",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("families"))
    shutil.copy(ROOT / "workflow/data/stouffer_toby_1951.csv", study.folder / "mine.csv")
    study.run(*(f"several/{name}.csv" for name in ("ais_chains", "causes")), **SEVERAL)
    study.run("searched/summary.md", **SEARCH)
    return study


def test_they_are_as_they_were(own, golden):
    golden("families.csv", of_study(own.folder))


@pytest.fixture(scope="module")
def models() -> dict[str, latentdag.Structure]:
    """By the names that they must have, in a family that has each but may have more causes."""
    found = {}
    for hidden in ((2,), (3,), (2, 3)):
        for s in latentdag.enumerate_structures(latentdag.Family(hidden, OBSERVED)):
            model = model_of(s)
            states = ",".join(map(str, model.family.hidden)) or "none"
            found.setdefault(f"{model.label} ({states})", s)
    assert len(found) == 1 + 7 + 7 + 7 * 7
    return found


def scores(own, folder, method) -> dict[str, float]:
    rows = [r for r in own.table(f"{folder}/scores.csv") if r["method"] == method]
    return {r["structure"]: float(r["score"]) for r in rows}


@pytest.mark.parametrize("method", ["bic", "vb"])
def test_one_posterior_over_all_families(own, models, method):
    """Every class as probable as another beforehand, whichever families have it."""
    members: dict = {}
    for name, s in models.items():
        members.setdefault(class_of(s), []).append(name)
    assert 1 < len(members) < len(models)
    score = scores(own, "several", method)
    best = max(score.values())
    weights = {
        name: exp(score[name] - best) / len(own_members)
        for own_members in members.values()
        for name in own_members
    }
    total = sum(weights.values())
    rows = [r for r in own.table("several/posterior.csv") if r["method"] == method]
    found = {r["structure"]: float(r["probability"]) for r in rows}
    assert found == pytest.approx({k: w / total for k, w in weights.items()}, abs=1e-5)
    prior = {r["structure"]: float(r["prior"]) for r in rows}
    assert sum(prior.values()) == pytest.approx(1)
    for own_members in members.values():
        assert sum(prior[name] for name in own_members) == pytest.approx(1 / len(members))

    classes = [r for r in own.table("several/classes.csv") if r["method"] == method]
    assert len(classes) == len(members)
    for row in classes:
        assert float(row["probability"]) == pytest.approx(float(row["equal_classes"]), abs=1e-5)
    causes = {}
    for name, weight in weights.items():
        states = name.split(" (")[1].removesuffix(")")
        causes[states] = causes.get(states, 0.0) + weight / total
    rows = [r for r in own.table("several/causes.csv") if r["method"] == method]
    found = {r["causes"]: float(r["probability"]) for r in rows}
    assert found == pytest.approx(causes, abs=1e-5)


def test_a_search_keeps_the_best_that_it_finds(own):
    rows = own.table("searched/search.csv")
    assert [r["hidden"] for r in rows] == ["2,2", "3"]
    assert sum(int(r["kept"]) for r in rows) == 4
    table = own.table("searched/structures.csv")
    score = scores(own, "searched", "bic")
    assert {r["structure"] for r in table} == set(score)
    assert len(score) == 4
    # of families () , (2), (3), (2, 2) each is as probable as another, with 1, 7, 7, 28 members
    members = {"none": 1, "2": 7, "3": 7, "2,2": 28}
    worth = {r["structure"]: score[r["structure"]] - log(members[r["hidden"]]) for r in table}
    weights = {name: exp(w - max(worth.values())) for name, w in worth.items()}
    posterior = [r for r in own.table("searched/posterior.csv") if r["method"] == "bic"]
    for row in posterior:
        expected = weights[row["structure"]] / sum(weights.values())
        assert float(row["probability"]) == pytest.approx(expected, abs=1e-5)
        hidden = row["structure"].split(" (")[1].removesuffix(")")
        assert float(row["prior"]) == pytest.approx(1 / 4 / members[hidden])
    # a latent class model is a move away from where the search starts
    assert "1-1-1 (2)" in score


def test_what_runs_again(own):
    """Another prior scores nothing; other data search again, where structures are searched for."""
    pending = own.pending(**SEVERAL | {"equally_probable": "families"})
    assert {"errors", "marginals", "summary"} <= set(pending)
    assert {"structures", "map", "vb", "ais", "scores"}.isdisjoint(pending)
    with own.edited("mine.csv", lambda text: text.replace(",42\n", ",43\n")):
        assert "structures" in own.pending(**SEARCH)
