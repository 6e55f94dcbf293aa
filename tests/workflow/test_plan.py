"""What a configuration makes of a study: sizes, jobs and their files, what figures are given."""

from types import SimpleNamespace

import pytest
import yaml
from fingerprints import gather
from studies import ROOT, SMALL, resolved, small

from latentdag.scores import JOBS
from latentdag.study.paper.runs import AIS_CHAINS, MANY_CHAINS, PAPERS
from lib.figures import LEFT
from lib.plan import Plan, plan_of


def plan(**changes) -> Plan:
    return plan_of(small(**changes))


@pytest.mark.slow
def test_rules_are_as_they_were(rules, golden):
    """What each is given by each kind of study, but for words, and where it runs."""

    def given(rule: dict) -> list:
        leaves: dict[str, list] = {}
        for part in ("script", "log", "benchmark", "threads", "group", "local", "params"):
            gather(rule[part], part, leaves)
        return [(key, *of_key) for key, of_key in leaves.items() if not key.endswith("title")]

    golden("rules.csv", ((k, n, given(rule)) for k, of in rules.items() for n, rule in of.items()))


def test_without_the_reference_the_bridge_scores_all_structures_of_own_data(monkeypatch):
    """Where there are too many cases for the one, the other stands in."""
    monkeypatch.chdir(ROOT)
    own = {
        "data": {"file": "workflow/data/stouffer_toby_1951.csv", "count": "count"},
        "family": {"hidden": [2], "observed": None},
        "true_structure": None,
        "sizes": None,
    }
    bridge = JOBS["bridge"]
    alone = plan_of(resolved(SMALL, own | {"methods": ["map", "bridge"]}))
    assert alone.scores_all(bridge) and alone.sizes_of(bridge) == [216]
    assert alone.most_trusted == "bridge"
    both = plan_of(resolved(SMALL, own | {"methods": ["map", "bridge", "reference"]}))
    assert not both.scores_all(bridge) and both.sizes_of(bridge) == []
    assert both.most_trusted == "reference"
    assert not plan(methods=["map", "bridge"]).scores_all(bridge)  # nor of simulated cases


def test_a_job_leaves_estimates_where_another_starts_from_them():
    """Also one that this study does not have: with it no job but its own has to run."""
    alone = plan(methods=["map", "exact"])
    assert alone.outputs(JOBS["map"])["estimates"] == alone.part(JOBS["map"], "npz")
    assert "estimates" not in alone.outputs(JOBS["exact"])


def test_tables_from_elsewhere_are_packaged_where_they_are_there(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    before = plan().packaged()
    (tmp_path / "results").mkdir()
    for name in ("cost", "searches"):
        (tmp_path / f"results/{name}.csv").touch()
    assert plan().packaged() == before | {"cost": "cost.csv", "searches": "searches.csv"}


def test_the_evidence_waits_for_the_scores_that_say_what_is_within_reach():
    """The reference for MAP's, the bridge also for the reference's, of all blocks; no other job."""
    reach = {"nats": 4.0, "target": 0.6, "most_cases": 20}
    found = plan(reach=reach, blocks=2, reference__jobs=3)
    parts = {name: found.inputs(job).get("reach") for name, job in JOBS.items()}
    assert {name for name, own in parts.items() if own} == {"reference", "bridge"}
    of_map, of_reference = (
        [found.part(JOBS[name]).replace("{block}", str(block)) for block in range(1, n + 1)]
        for name, n in (("map", 2), ("reference", 3))
    )
    assert parts["reference"] == of_map
    assert parts["bridge"] == of_map + of_reference
    assert "reach" not in plan().inputs(JOBS["bridge"])


def test_a_job_takes_as_many_sizes_as_it_may():
    """All unless there is a limit; the last group may have fewer; a job that does not run at all
    sizes has those of its own in each group.
    """
    sizes = {"sizes": [40, 10, 20, 80, 160], "exact_sizes": [10, 80, 20], "annealing__n": 40}
    assert plan(**sizes).groups_of() == {"10-160": [10, 20, 40, 80, 160]}
    found = plan(**sizes, sizes_per_job=2)
    assert found.groups_of() == {"10-20": [10, 20], "40-80": [40, 80], "160": [160]}
    assert found.groups_of(JOBS["map"]) == found.groups_of()
    assert found.groups_of(JOBS["exact"]) == {"10-20": [10, 20], "40-80": [80]}
    assert found.sizes_taken(JOBS["exact"])(SimpleNamespace(sizes="40-80")) == [80]
    assert found.per_group("cases.csv", 80) == "results/draws/{draw}/n40-80/cases.csv"


def test_a_bound_is_drawn_where_there_is_an_evidence_that_it_lies_below():
    found = plan().figures_by_rule()
    assert {"plot_climb", "plot_equal_modes"} <= set(found)
    assert plan().tables_of(found["plot_climb"])["evidence"] == "results/evidence.csv"
    without = plan(methods=["map", "vb"])
    assert {"plot_climb", "plot_equal_modes"}.isdisjoint(without.figures_by_rule())
    assert {"climb", "equal_modes"}.isdisjoint(without.tables())


def test_a_simulated_study_with_an_evidence_has_an_article(monkeypatch):
    """Where typst is installed; it shows what the study draws."""
    assert plan().article == ("results/article.pdf",)
    assert plan(methods=["map", "vb"]).article == plan(population=True).article == ()
    own = {"data": {"file": "a.csv"}, "family": {"hidden": [2], "observed": None}}
    monkeypatch.setattr("lib.plan.own_table", lambda _: SimpleNamespace(
        remarks=[], cardinalities=(2, 2), names=("a", "b"), n=9))  # fmt: skip
    assert plan_of(resolved(SMALL, own)).article == ()
    monkeypatch.setattr("lib.plan.find_spec", lambda name: None)
    assert plan().article == ()


def test_figures_of_a_population_need_the_reference_only_for_errors():
    found = plan(population=True).figures_by_rule()
    names = {figure.name for figure in found.values()}
    of_evidence = {"cases_needed", "error_over_draws"}
    assert names == {"found", "rank_over_draws", "accuracy", "reliability"} | of_evidence
    like_it = {figure.name for figure in found.values() if figure.paper == LEFT}
    assert like_it == {"found", "rank_over_draws"}
    given = plan(population=True).arguments_of(found["plot_found"])
    assert given == {"chains": SMALL["ais"]["chains"]}
    found = plan(population=True, methods=["map", "vb"]).figures_by_rule()
    assert {figure.name for figure in found.values()} == names - of_evidence


def test_other_priors():
    """A part for each alpha; no table where no alpha is asked for, or no job has scores
    for it, with the study's settings.
    """
    parts = [f"results/draws/0/prior/{alpha}.csv" for alpha in (1.3, 0.5)]
    assert plan().gathered()["prior"] == parts
    # in the order of their needs
    assert [job.name for job in plan().prior_jobs] == ["map", "vb", "reference"]
    assert [job.name for job in plan(methods=["map", "ais"]).prior_jobs] == ["map"]
    assert "prior" in plan().tables()
    assert "prior" not in plan(prior__alphas=[]).tables()
    assert "prior" not in plan(methods=["ais"]).tables()


def test_numbers_of_chains_are_those_of_the_settings():
    for run, name in ((PAPERS, "draws"), (MANY_CHAINS, f"variations/{MANY_CHAINS}")):
        text = (ROOT / f"workflow/config/{name}.yaml").read_text(encoding="utf-8")
        assert yaml.safe_load(text)["ais"]["chains"] == AIS_CHAINS[run]
        assert yaml.safe_load(text)["results"] == f"results/{run}"
