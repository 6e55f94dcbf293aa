"""What a configuration or a file of one's own makes of a study: its draws, sizes, jobs and their
files, and what figures are given.
"""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from fingerprints import gather
from studies import OWN, ROOT, SMALL, loaded, resolved, small
from studies import small as config

import latentdag
from latentdag.engine.streams import generator
from latentdag.scores import JOBS
from latentdag.study.paper.runs import AIS_CHAINS, MANY_CHAINS, PAPERS
from lib.design import design, nearest_draws
from lib.figures import LEFT
from lib.plan import Plan, plan_of
from lib.settings import problems


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
    own, bridge = OWN | {"family.hidden": [2]}, JOBS["bridge"]
    alone = plan(**own, methods=["map", "bridge"])
    assert alone.scores_all(bridge) and alone.sizes_of(bridge) == [216]
    assert alone.most_trusted == "bridge"
    both = plan(**own, methods=["map", "bridge", "reference"])
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
    """A part for each alpha; no table without one, or without a job that has scores for it."""
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
        given = loaded(f"workflow/config/{name}.yaml")
        assert (given["ais"]["chains"], given["results"]) == (AIS_CHAINS[run], f"results/{run}")


FAMILY = latentdag.Family((2, 2), (2, 3, 2))
LABELS = [s.label for s in latentdag.enumerate_structures(FAMILY)]


def rows(found: dict) -> list[tuple]:
    return [tuple(draw) for draw in design(found, FAMILY)]


def written(tmp_path, text: str) -> dict:
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return {"design": str(path), "draws": None, "population": True}


def test_true_structures_drawn_uniformly():
    """From a stream of each draw: those of the first draws stay when more are asked for."""
    few, many = (rows(config(draws=n, true_structure="uniform")) for n in (3, 2000))
    assert few == many[:3]
    stream = generator(SMALL["seed"], "true structure", 2)
    assert few[2][1] == LABELS[stream.integers(len(LABELS))]
    counts = [sum(row[1] == label for row in many) for label in LABELS]
    expected = len(many) / len(LABELS)
    # chi-squared with 35 degrees of freedom is above 66.6 once in a thousand times
    assert sum((count - expected) ** 2 / expected for count in counts) < 66.6


def test_draws_by_their_numbers():
    few = rows(config(draws=[4, 2], true_structure="uniform", population=True))
    assert few == [rows(config(draws=5, true_structure="uniform"))[k] for k in (2, 4)]


def test_a_file_of_ones_own(tmp_path):
    """Cells and columns that it lacks come from the configuration; rows are sorted."""
    text = "draw,true_structure,alpha\n7,1-1-1,0.5\n2,,\n4,uniform,2\n"
    uniform = rows(config(draws=5, true_structure="uniform"))[4][1]
    assert rows(config(**written(tmp_path, text))) == [
        (2, "1-12-2", 0.7, 1.6, None, None),
        (4, uniform, 2.0, 1.6, None, None),
        (7, "1-1-1", 0.5, 1.6, None, None),
    ]
    assert problems(config(**written(tmp_path, text))) == []


def test_jobs_have_the_prior_and_the_true_structure_of_their_draw(tmp_path):
    """Those of all draws have the study's."""
    text = "draw,alpha_hidden,alpha,true_structure\n3,0.25,,\n1,,3,1-1-1\n"
    plan = plan_of(config(**written(tmp_path, text)))
    for draw, *expected in (("1", 3.0, 1.6, "1-1-1"), ("3", 0.7, 0.25, "1-12-2")):
        at = SimpleNamespace(draw=draw)
        model = plan.model_of(at)
        assert [model["alpha"], model["alpha_hidden"], plan.truth_of(at)] == expected
        assert model | {"alpha": 0.7, "alpha_hidden": 1.6} == plan.model
    assert plan.only_truth is None and plan_of(config()).only_truth == "1-12-2"


def test_parameters_may_come_from_another_prior_than_the_scores_assume(tmp_path):
    """That of the settings, or of a draw; the design has it where it differs in one draw."""
    text, names = "draw,alpha,true_alpha\n0,,0.25\n1,3,\n", ("alpha", "alpha_hidden")
    study = config(**written(tmp_path, text) | {"true_alpha_hidden": 4.0})
    assert problems(study) == []
    plan = plan_of(study)
    for draw, scores, truth in ((0, (0.7, 1.6), (0.25, 4.0)), (1, (3.0, 1.6), (3.0, 4.0))):
        at = SimpleNamespace(draw=str(draw))
        for expected, model in ((scores, plan.model_of(at)), (truth, plan.true_model_of(at))):
            assert (model["alpha"], model["alpha_hidden"]) == expected
            assert model | {"alpha": 0.7, "alpha_hidden": 1.6} == plan.model
        row = {"draw": draw, "true_structure": "1-12-2"} | dict(zip(names, scores, strict=True))
        row |= {f"true_{name}": value for name, value in zip(names, truth, strict=True)}
        assert plan.design_rows[draw] == row
    same = plan_of(config(true_alpha=0.7)).design_rows  # that of the scores
    assert same == [{"draw": 0, "true_structure": "1-12-2", "alpha": 0.7, "alpha_hidden": 1.6}]


@pytest.mark.parametrize(
    ("name", "parameters_of", "scores_of"),
    [
        ("true-alpha-0.5", ["variations/alpha-0.5"], []),
        ("true-alpha-2", ["variations/alpha-2"], []),
        ("scored-with-alpha-0.5", [], ["variations/alpha-0.5"]),
        ("scored-with-alpha-2", [], ["variations/alpha-2"]),
    ],
)
def test_populations_of_another_prior_have_the_draws_of_one_and_the_scores_of_the_other(
    name, parameters_of, scores_of
):
    """Parameters and cases depend on the model of the simulation, the structure and the draw."""

    def plan_of_files(*names):
        files = (loaded(f"workflow/config/{own}.yaml") for own in ("draws", *names))
        return plan_of(resolved(*files))

    at, plan = SimpleNamespace(draw="7"), plan_of_files(f"variations/{name}")
    simulated, scored = plan_of_files(*parameters_of), plan_of_files(*scores_of)
    assert plan.true_model_of(at) == simulated.true_model_of(at)
    assert plan.model_of(at) == scored.model_of(at) != plan.true_model_of(at)
    assert (plan.truth_of(at), plan.sizes) == (simulated.truth_of(at), simulated.sizes)
    (true, prior) = (latentdag.Structure.from_label(plan.truth_of(at)), plan.true_model_of(at))
    drawn = [
        latentdag.draw_study(true, latentdag.Prior(m["alpha"], m["alpha_hidden"]), 50, m["seed"], 7)
        for m in (prior, simulated.model_of(at))
    ]
    assert np.array_equal(drawn[0].cases, drawn[1].cases)
    assert all(map(np.array_equal, drawn[0].parameters.observed, drawn[1].parameters.observed))


WRONG = {
    "draw,alfa\n1,2\n": "unknown column alfa; known are draw, true_structure, alpha, alpha_hidden, "
    "true_alpha, true_alpha_hidden",
    "alpha\n1\n": "must have the column draw",
    "draw\n": "at least one row",
    "draw\n1\n1\n": "line 3: draw 1 is there twice",
    "draw\n-1\n": "line 2: draw -1 is negative",
    "draw\nx\n": "line 2: draw: 'x' is not a whole number",
    "draw,alpha\n0,0\n": "line 2: alpha must be from",
    "draw,alpha\n0,nan\n": "line 2: alpha must be from",
    "draw,alpha_hidden\n0,1\n1,0\n": "line 3: alpha_hidden must be from",
    "draw,true_alpha\n0,\n1,0\n": "line 3: true_alpha must be from",
    "draw,true_structure\n0,1-1\n": "line 2: true_structure: ",
    "draw,true_structure\n0,2-2-2\n": "line 2: true_structure: 2-2-2 is not canonical; write 1-1-1",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_a_file_is_told(tmp_path, text):
    (line,) = problems(config(**written(tmp_path, text)))
    assert line.startswith("design: ") and WRONG[text] in line, line


FOUND = """draw,by,method,n_found
0,structure,vb,160
0,structure,bic,
2,structure,vb,40
2,structure,bic,80
5,structure,vb,80
5,structure,bic,480
4,structure,vb,160
4,structure,bic,320
7,structure,vb,80
7,class,bic,80
"""


def population(folder, **changes) -> dict:
    """The settings for the draw of a population that is nearest to 80 (VB) and 160 (BIC)."""
    folder.mkdir()
    (folder / "found.csv").write_text(FOUND, encoding="utf-8")
    record = {"config": config() | changes}
    (folder / "provenance.json").write_text(json.dumps(record), encoding="utf-8")
    wanted = {"population": str(folder), "nearest": {"vb": 80, "bic": 160}}
    return {"design": wanted, "draws": None, "population": False}


def test_the_draw_that_is_nearest_to_given_sizes(tmp_path):
    """2 and 4 are off by a factor of 2 for both scores, the first is taken; 5 is off by a factor of
    3 for one; 0 and 7 lack a size.
    """
    found = config(**population(tmp_path / "many"))
    assert problems(found) == []
    assert rows(found) == [(2, "1-12-2", 0.7, 1.6, None, None)]
    assert nearest_draws(**found["design"]) == ([2, 4], 5)
    plan = plan_of(found)
    assert plan.draws == [2] and plan.only_truth == "1-12-2"
    figures = plan.figures_by_rule().values()
    shown = {f.name: plan.arguments_of(f)["draw"] for f in figures if "draw" in f.arguments}
    assert shown == dict.fromkeys(("scores", "annealing", "tightness", "climb"), 2)


def test_a_population_without_a_nearest_draw_is_refused(tmp_path):
    others = {"seed": 8, "family": "?", "true_structure": "?", "alpha": 0.3, "alpha_hidden": 0.3}
    others |= {"true_alpha": 0.3, "true_alpha_hidden": 0.3}
    for key, value in others.items():
        (line,) = problems(config(**population(tmp_path / key, **{key: value})))
        assert line.endswith(f"has {key} {value}, here it is {config()[key]}")
    wanted = population(tmp_path / "many")
    wanted["design"]["nearest"] = {"ais": 80, "vb": 80}
    (line,) = problems(config(**wanted))
    assert line.startswith("design: ") and line.endswith("in no draw ais and vb find the truth")
    wanted["design"]["nearest"] = {"fast": 80}
    assert any("'fast' is not one of" in line for line in problems(config(**wanted)))
    wanted["design"] = {"population": str(tmp_path), "nearest": {"vb": 80}}
    (line,) = problems(config(**wanted))
    assert "found.csv is no table of sizes found" in line
    wanted["design"] = {"population": str(tmp_path)}
    assert problems(config(**wanted)) == ["design: missing key nearest"]


def test_a_design_that_contradicts_the_rest_is_refused(tmp_path):
    mixed = written(tmp_path, "draw,alpha\n0,1\n1,2\n")
    (line,) = problems(config(**mixed | {"population": False}))
    assert line == "draws: several draws are a population; write population: true"
    (line,) = problems(config(**mixed | {"draws": 2}))
    assert line == "draws: needed without a design, and null with one"
    (line,) = problems(config(draws=None))
    assert line == "draws: needed without a design, and null with one"
    (line,) = problems(config(**mixed | {"design": str(tmp_path / "none.csv")}))
    assert "none.csv: No such file" in line
