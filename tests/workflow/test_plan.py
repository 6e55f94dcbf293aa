"""What a configuration makes of a study: sizes, jobs and their files, what figures are given."""

from types import SimpleNamespace

from studies import ROOT, SMALL, changed, resolved

from latentdag.scores import JOBS
from lib.plan import STUDY_IN_ARTICLE, Plan


def plan(**changes) -> Plan:
    return Plan(resolved(changed(SMALL, {key.replace("__", "."): v for key, v in changes.items()})))


def test_sizes_are_sorted_and_exact_ones_are_those_asked_for():
    assert plan().sizes == [10, 40]
    assert plan().sizes_of(JOBS["map"]) == [10, 40]
    assert plan(exact_sizes=[40, 10, 5]).sizes_of(JOBS["exact"]) == [10, 40]
    assert plan().sizes_of(JOBS["exact"]) == [10]


def test_without_the_reference_the_bridge_scores_all_structures_of_own_data(monkeypatch):
    """Where there are too many cases for the one, the other stands in."""
    monkeypatch.chdir(ROOT)
    own = {
        "data": {"file": "workflow/data/stouffer_toby_1951.csv", "count": "count"},
        "family": {"hidden": [2], "observed": None},
        "true_structure": None,
        "sizes": None,
        "draws": 1,
    }
    bridge = JOBS["bridge"]
    alone = Plan(resolved(SMALL, own | {"methods": ["map", "bridge"]}))
    assert alone.scores_all(bridge) and alone.sizes_of(bridge) == [216]
    assert alone.most_trusted == "bridge"
    both = Plan(resolved(SMALL, own | {"methods": ["map", "bridge", "reference"]}))
    assert not both.scores_all(bridge) and both.sizes_of(bridge) == []
    assert both.most_trusted == "reference"
    assert not plan(methods=["map", "bridge"]).scores_all(bridge)  # nor of simulated cases


def test_a_job_has_its_own_settings():
    assert plan().settings(JOBS["map"]) == {"restarts": 3, "hits": 2, "max_iterations": 2000}
    vb = {"restarts": 4, "hits": 3, "max_iterations": 2000, "same_starts": False}
    assert plan().settings(JOBS["vb"]) == vb
    same = plan(**{"restarts.vb.same_starts": True})
    assert same.settings(JOBS["vb"]) == vb | {"same_starts": True}
    assert plan().model["alpha"] == 0.7 and plan().model["alpha_hidden"] == 1.6


def test_a_job_runs_for_every_draw_size_and_block():
    found = plan(blocks=2, sizes_per_job=1)
    assert found.each(found.part(JOBS["exact"]), JOBS["exact"]) == [
        f"results/draws/{draw}/n10/exact.{block}.csv" for draw in (0, 1) for block in (1, 2)
    ]
    assert found.each(found.part(JOBS["map"]), JOBS["map"]) == [
        f"results/draws/{draw}/n{n}/map.{block}.csv"
        for draw in (0, 1)
        for n in (10, 40)
        for block in (1, 2)
    ]
    assert found.each(found.part(JOBS["map"]), JOBS["map"], draws=[1]) == [
        f"results/draws/1/n{n}/map.{block}.csv" for n in (10, 40) for block in (1, 2)
    ]
    assert found.each(found.part(JOBS["reference"]), JOBS["reference"]) == [
        f"results/draws/{draw}/n{n}/reference.1.csv" for draw in (0, 1) for n in (10, 40)
    ]


def test_the_evidence_waits_for_the_scores_that_say_what_is_within_reach():
    """The reference for MAP's, the bridge also for the reference's, of all blocks; no other job."""
    reach = {"nats": 4.0, "target": 0.6, "most_cases": 20}
    found = plan(reach=reach, blocks=2, reference__jobs=3)
    parts = {name: found.scores_for_reach(job) for name, job in JOBS.items()}
    assert {name for name, own in parts.items() if own} == {"reference", "bridge"}
    of_map, of_reference = (
        [found.part(JOBS[name]).replace("{block}", str(block)) for block in range(1, n + 1)]
        for name, n in (("map", 2), ("reference", 3))
    )
    assert parts["reference"] == {"reach": of_map}
    assert parts["bridge"] == {"reach": of_map + of_reference}
    assert plan().scores_for_reach(JOBS["bridge"]) == {}


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


def test_scores_that_only_other_jobs_need_stay_out_of_the_tables():
    table, parts = plan(methods=["vb", "ais"], draws=1).gathered()["scores"]
    assert table == "scores"
    assert set(parts) == {f"results/draws/0/n10-40/{job}.1.csv" for job in ("vb", "ais")}


def test_times_are_those_of_the_jobs_that_the_paper_timed():
    found = plan(draws=1)
    assert found.all_parts(found.timed(), "seconds.csv") == [
        f"results/draws/0/n10-40/{job}.1.seconds.csv" for job in ("map", "vb", "ais")
    ]


def test_figures_are_given_their_own_size():
    found = plan()
    figures = {figure.name: figure for figure in found.figures_by_rule().values()}
    assert found.arguments_of(figures["annealing"]) == {"n": 40, "draw": 0}
    assert found.arguments_of(figures["scores"]) == {"n": 10, "draw": 0}
    assert found.arguments_of(figures["true_structure"])["structure"] == "1-12-2"


def test_a_bound_is_drawn_where_there_is_an_evidence_that_it_lies_below():
    found = plan().figures_by_rule()
    assert {"plot_climb", "plot_equal_modes"} <= set(found)
    assert plan().tables_of(found["plot_climb"])["evidence"] == "results/evidence.csv"
    without = plan(methods=["map", "vb"])
    assert {"plot_climb", "plot_equal_modes"}.isdisjoint(without.figures_by_rule())
    assert {"climb", "equal_modes"}.isdisjoint(without.tables())


def test_a_simulated_study_with_an_evidence_has_an_article(monkeypatch):
    """Where typst is installed; it shows what the study draws."""
    assert plan().article == ["results/article.pdf"]
    assert plan(methods=["map", "vb"]).article == plan(population=True).article == []
    own = {"data": {"file": "a.csv"}, "family": {"hidden": [2], "observed": None}}
    monkeypatch.setattr("lib.plan.own_table", lambda _: SimpleNamespace(
        remarks=[], cardinalities=(2, 2), names=("a", "b"), n=9))  # fmt: skip
    assert Plan(resolved(SMALL, own)).article == []
    monkeypatch.setattr("lib.plan.find_spec", lambda name: None)
    assert plan().article == []


def test_the_article_reads_the_populations_that_are_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert plan().of_populations() == []
    assert list(plan().figures_of_article()) == ["true_structure", "scores", "rank", "annealing"]
    for path in ("alpha-2/found.csv", "draws-of-the-paper/found.csv", "alpha-2/provenance.json"):
        file = tmp_path / "results" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    figure = tmp_path / "figures/draws-of-the-paper/cases_needed.pdf"
    figure.parent.mkdir(parents=True)
    figure.touch()
    # a population without a record is not finished
    names = ["results/alpha-2/found.csv", "results/alpha-2/provenance.json"]
    assert plan().of_populations() == names
    assert plan().figures_of_article()["draws-of-the-paper/cases_needed"] == str(
        figure.relative_to(tmp_path)
    )
    assert plan().tables_of_article() == list(STUDY_IN_ARTICLE[0])
    (tmp_path / "results/benchmark.csv").touch()
    assert plan().tables_of_article() == [*STUDY_IN_ARTICLE[0], "benchmark"]


def test_figures_of_a_population_need_the_reference_only_for_errors():
    found = plan(population=True).figures_by_rule()
    names = {figure.name for figure in found.values()}
    of_evidence = {"cases_needed", "error_over_draws"}
    assert names == {"found", "rank_over_draws", "accuracy", "reliability"} | of_evidence
    found = plan(population=True, methods=["map", "vb"]).figures_by_rule()
    assert {figure.name for figure in found.values()} == names - of_evidence


def test_other_priors():
    """A part for each draw and alpha; no table where no alpha is asked for, or no job has scores
    for it, with the study's settings.
    """
    table, parts = plan().gathered()["priors"]
    assert table == "prior"
    assert parts == [
        f"results/draws/{draw}/prior/{alpha}.csv" for draw in (0, 1) for alpha in (1.3, 0.5)
    ]
    # in the order of their needs
    assert [job.name for job in plan().prior_jobs] == ["map", "vb", "reference"]
    assert [job.name for job in plan(methods=["map", "ais"]).prior_jobs] == ["map"]
    assert "prior" in plan().tables()
    assert "prior" not in plan(prior__alphas=[]).tables()
    assert "prior" not in plan(methods=["ais"]).tables()


def test_tables_of_the_benchmarks_are_told_where_they_are(tmp_path):
    found = plan(results=str(tmp_path))
    assert found.measured("benchmark", "cost") == {}
    (tmp_path / "cost.csv").touch()
    assert found.measured("benchmark", "cost") == {"cost": f"{tmp_path}/cost.csv"}


def test_the_claims_over_many_draws_are_told_where_that_run_is(tmp_path):
    found = plan(results=str(tmp_path))
    assert found.of_many_draws("claims_held") == {}
    (tmp_path / "draws-of-the-paper").mkdir()
    held = tmp_path / "draws-of-the-paper/claims_held.csv"
    held.touch()
    assert found.of_many_draws("claims_held") == {"claims_held": str(held)}


def test_an_experiment_is_told_where_it_is(tmp_path):
    found = plan(results=str(tmp_path))
    assert found.of_experiment("pruned_states") == {}
    (tmp_path / "experiments").mkdir()
    states = tmp_path / "experiments/pruned_states.csv"
    states.touch()
    assert found.of_experiment("pruned_states") == {"pruned_states": str(states)}


def test_scores_are_asked_for_where_methods_are_named():
    assert plan(methods=list(JOBS)).asked == []
    assert plan(methods=["vb_online", "map"]).asked == ["vb_online", "map"]


def test_findings_are_worded_from_the_runs_that_are_there(tmp_path):
    found = plan(results=str(tmp_path))
    own = [f"{tmp_path}/{name}.csv" for name in ("scores", "evidence", "errors", "ranks")]
    assert found.tables_of_findings() == own  # they need not be there yet
    without = plan(methods=["map", "vb"], results=str(tmp_path))
    assert without.tables_of_findings() == [own[0], own[3]]
    (tmp_path / "alpha-2").mkdir()
    for name in ("design", "population"):  # the latter is not read
        (tmp_path / f"alpha-2/{name}.csv").touch()
    assert found.tables_of_findings() == [*own, f"{tmp_path}/alpha-2/design.csv"]


def test_the_most_trusted_score():
    assert plan().most_trusted == "reference"
    assert plan(methods=["map", "vb", "ais"]).most_trusted == "cs_lr"
    assert plan(methods=["ais", "vb"]).most_trusted == "vb_lr"
