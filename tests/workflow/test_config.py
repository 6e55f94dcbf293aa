"""The configuration is checked before any work: one clear message that names the key."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from snakemake.cli import parse_config
from studies import N_STRUCTURES, OWN, ROOT, loaded, resolved, small

from latentdag.data.counts import MAX_CASES
from latentdag.ranking.beam import STARTS, WIDTH
from latentdag.ranking.prior import PRIOR
from latentdag.scores import JOBS, SPECS
from latentdag.scores.base import Setting
from latentdag.study.design import model
from latentdag.study.settings import filled, schema, study
from latentdag.study.settings import problems as checks
from lib import places
from lib.figures import figures_of

CONFIGS = ROOT / "workflow/config"
SHIPPED = sorted([*CONFIGS.glob("*.yaml"), *CONFIGS.glob("examples/*.yaml")])


def problems(change: dict) -> list[str]:
    """What is wrong with the small configuration after some changes."""
    return checks.problems(small(**change))


def test_no_group_of_keys_takes_another():
    """In whatever place; rows of WRONG have those of groups that may be null."""
    groups = [key for key, value in small().items() if isinstance(value, dict)]
    assert len(groups) > 8
    for group in ("restarts.map", *groups):
        assert problems({f"{group}.xyzzy": 1})[0].startswith(f"{group}: unknown key 'xyzzy'")


def test_what_is_left_out_has_the_default_of_its_job():
    config = resolved()
    for job in JOBS.values():
        for setting in job.settings:
            assert model.value_at(config, setting.key) == setting.default
        assert study.settings_of(config, job) == job.defaults()
    assert config["methods"] == list(JOBS)


def test_scores_choose_the_methods():
    config = resolved({"scores": ["vb", "bic", "ais"]})
    assert config["methods"] == ["map", "vb", "ais"]
    assert [spec.name for spec in study.scores(config)] == ["bic", "vb", "ais"]
    assert study.kept_of(config, JOBS["map"]) == ["bic"]
    assert study.kept_of(config, JOBS["tempered_smc"]) is None
    assert study.kept_of(resolved({"methods": ["map"]}), JOBS["map"]) is None


@pytest.mark.parametrize("reference", [[], ["reference"]])
def test_tempered_smc_scores_all_of_own_data_alone_and_without_a_reference(reference):
    methods, job = {"methods": ["map", "tempered_smc", *reference]}, JOBS["tempered_smc"]
    simulated, own = small(**methods, tempered_smc_sizes=[10]), small(**OWN | methods)
    assert not study.scores_all(simulated, job)
    assert study.sizes_of(simulated, job, [10, 40]) == [10]
    assert study.scores_all(own, job) == (not reference)


def test_what_another_setting_leaves_out():
    """Jobs that do not run judge no structure; a score that not all structures have is not the most
    trusted; other priors need a score that runs under them.
    """
    for methods in (["map"], ["map", "reference"]):
        within = small(methods=methods, reach=REACH)
        assert study.judges_of(within, JOBS["tempered_smc"]) == methods
    some = {"methods": ["vb", "exact", "tempered_smc"], "exact_sizes": [9]}
    for more, trusted in (([], "tempered_smc"), (["reference"], "reference")):
        own = small(**OWN | some | {"methods": some["methods"] + more, "tempered_smc_sizes": []})
        assert study.most_trusted_of(own, [216]) == trusted
    simulated = small(methods=["vb", "tempered_smc"], tempered_smc_sizes=[10, 40])
    assert study.most_trusted_of(simulated, [10, 40]) == "vb_lr"
    for methods, alphas in ((["ais"], []), (["vb"], [1.3, 0.5])):
        assert study.other_alphas(small(methods=methods)) == alphas


@pytest.mark.parametrize(
    "names",
    ["", "draws", "every-structure", "draws variations/alpha-0.5"]
    + [f"examples/{name}" for name in ("carcinoma", "role-conflict", "house-votes")],
)
def test_a_study_has_the_tables_that_its_run_left(names, committed):
    """Of a population not what is too large, or measures time."""
    config = resolved(*(loaded(f"workflow/config/{name}.yaml") for name in names.split()))
    left_out = {"scores", "seconds"} if config["population"] else set()
    files = (committed.parents[1] / config["results"].replace("/", "/published/")).iterdir()
    names = {path.stem for path in files if path.suffix in (".csv", ".parquet")}
    assert sorted(study.tables(config)) == sorted(names | left_out)


def test_two_jobs_share_no_key_of_different_meaning(monkeypatch):
    other = Setting(name="steps", key="max_iterations", default=7, meaning="steps")
    monkeypatch.setitem(JOBS, "ais", replace(JOBS["ais"], settings=(other,)))
    with pytest.raises(ValueError, match="'max_iterations' differ"):
        schema.all_settings()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_configurations_are_valid(path, monkeypatch):
    monkeypatch.chdir(ROOT)  # paths in a configuration are relative to where the study is run
    assert checks.problems(resolved(loaded(path))) == []


REACH = {"nats": 30, "target": 0.3, "most_cases": 1280}


# by the key that the line must begin with: what is wrong in a simulated study
WRONG = [
    ("alpha", {"alpha": 0}),
    ("alpha", {"alpha": [0.5, 1.0]}),
    ("alpha: nan is not a number", {"alpha": math.nan}),
    ("alpha: 'one' is not of type 'number'", {"alpha": "one"}),
    ("alpha_hidden", {"alpha_hidden": 0.001}),
    ("annealing: must not be null", {"annealing": None}),
    ("annealing.n", {"annealing.n": 20}),
    ("ais.steps", {"ais.steps": 2.5}),
    ("tempered_smc_sizes", {"tempered_smc_sizes": [80]}),
    ("design", {"design": "{a}.csv", "draws": None}),
    *(("draws", {"draws": number}) for number in ("two", 0)),
    ("draws: needed without a design, and null with one", {"design": "a.csv", "draws": 2}),
    ("draws.1", {"draws": [3, -1], "population": True}),
    ("draws: several draws are a population; write population: true", {"draws": [3, 5]}),
    ("true_alpha: bounds on the evidence need", {"true_alpha": 2.0}),
    ("equally_probable", {"equally_probable": "families"}),
    ("exact_sizes", {"sizes": [40], "exact_sizes": [40]}),
    ("exact_sizes", {"exact_sizes": [11, 12]}),
    ("family", {"family": {"hidden": [2] * 5, "observed": [2] * 4}}),
    ("family", {"family.observed": [101, 100, 100]}),
    ("family.hidden", {"family.hidden": [[2], [3]]}),
    ("family.observed: needed when no data", {"family.observed": None}),
    ("family.hidden.0: one class is no cause", {"family.hidden": [1, 2]}),
    ("figure_n", {"figure_n": 41}),
    ("methods", {"methods": ["ml", "exact"]}),
    ("methods", {"methods": ["map", "vb"], "scores": ["bic"]}),
    ("methods", {"methods": ["reference"], "reach": REACH, "reference.other_sizes": [10]}),
    ("methods.1: 'vb_lr' comes with the method 'vb'", {"methods": ["map", "vb_lr"]}),
    ("prior.alphas", {"prior.alphas": [1, 1.0]}),
    ("prior.alphas.1", {"prior.alphas": [1, 0.001]}),
    ("prior.n", {"prior.n": 20}),
    ("reach: missing key target, most_cases", {"reach": {"nats": 3}}),
    ("reach: unknown key 'steps'", {"reach": REACH | {"steps": 3}}),
    ("reference.other_sizes", {"reference.other_sizes": [41]}),
    ("reference.others", {"reference.others": N_STRUCTURES + 1}),
    ("reference.target", {"reference.target": 0.0}),
    ("restarts.vb.same_starts", {"restarts.vb.same_starts": 1}),
    ("results: 'results/{a}' has a brace in it", {"results": "results/{a}"}),
    ("scores", {"methods": ["map"], "scores": ["bic", "vb"]}),
    ("scores", {"scores": ["bic"], "reach": REACH}),
    ("search", {"search": "greedy"}),
    ("sizes", {"sizes": [10, 40, 10]}),
    ("sizes", {"sizes": [40, MAX_CASES + 1]}),
    ("sizes: needed when no data", {"sizes": None}),
    ("true_alpha_hidden", {"true_alpha_hidden": 2e12}),
    ("true_structure", {"true_structure": None}),
    ("true_structure: 2-12-1 is not canonical; write 1-12-2", {"true_structure": "2-12-1"}),
    ("unknown key 'sizs' (did you mean 'sizes'?), 'xyzzy'; allowed", {"sizs": 1, "xyzzy": 3}),
    ("restarts.vb: unknown key 'hit' (did you mean 'hits'?)", {"restarts.vb.hit": 3}),
    ("'blocks' is gone since version 2: use --set-scatter", {"blocks": 4}),
    ("ais: 'jobs' is gone since version 2: use --set-scatter", {"ais.jobs": 4}),
    ("'bridge_sizes' is gone since version 2: use the key 'tempered_smc_", {"bridge_sizes": [40]}),
    ("methods.1: 'bridge' is named 'tempered_smc'", {"methods": ["map", "bridge"]}),
    ("methods.1: 'exat' is not one of map, ", {"methods": ["map", "exat"]}),
]
# what a command line gives, and what it means
COMMAND_LINE = [
    ("sizes=[10,40]", {"sizes": [10, 40]}),
    ("population=true", {"population": True}),
    ("design=null", {"design": None}),
    ("prior={alphas: [1e-1, 2]}", {"prior": {"alphas": [0.1, 2]}}),
    ('ais={"steps":64}', {"ais": {"steps": 64}}),
    ('family={"hidden":[[2],[2,2]]}', {"family": {"hidden": [[2], [2, 2]]}}),
    ("restarts={vb: {same_starts: true}}", {"restarts": {"vb": {"same_starts": True}}}),
    ("data={file: a.csv, levels: {a: 3, b: [0, 1]}, beside: null}",
     {"data": {"file": "a.csv", "levels": {"a": 3, "b": ["0", "1"]}, "beside": None}}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "meaning"), COMMAND_LINE)
def test_a_command_line_is_read_by_the_types_of_the_keys(text, meaning):
    parsed = parse_config([text])
    (key,) = parsed
    assert resolved(parsed) == resolved(meaning)
    assert resolved(meaning)[key] != parsed[key]


def test_a_key_that_is_there_twice(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seed: 7\nais: {steps: 3, steps: 4}\nparts:\n- {b: 1, b: 2}\nseed: 8\n")
    assert filled.read_twice([ROOT / "workflow/config/study.yaml", path]) == [
        f"{path}: steps stands in line 2 and in line 2",
        f"{path}: b stands in line 4 and in line 4",
        f"{path}: seed stands in line 1 and in line 5",
    ]


# and in a study of own data
WRONG_OF_OWN = [
    ("alpha", {"alpha": []}),
    ("alpha.1", {"alpha": [1.0, 0.001]}),
    ("data: nothing.csv: there is no such file", {"data.file": "nothing.csv"}),
    ("data: unknown key 'counts'", {"data.counts": "n"}),
    ("data: 'published' is gone since version 2", {"data.published": {"classes": 2}}),
    ("data", {"data.count": "n"}),
    ("data", {"data.columns": ["drama_critic", "sex"]}),
    ("data", {"data.beside": "sex"}),
    ("data: column 'count' looks like counts of the lines: write", {"data.count": None}),
    ("data", {"data.beside": "count"}),
    ("data: column 'count' looks like counts", {"data.count": None, "data.beside": "drama_critic"}),
    ("data", {"data.beside": "drama_critic", "data.columns": ["drama_critic"]}),
    ("data", {"data.levels": {"drama_critic": ["yes", "no"]}}),
    ("data.levels.a: true and false, as YAML", {"data.levels": {"a": [True, False]}}),
    *(
        (f"data.levels.a: {a!r} is not a number from 2, or a list of", {"data.levels": {"a": a}})
        for a in ("yes", True, 1, [None, "x"])
    ),
    ("design", {"design": "a.csv"}),
    ("draws", {"draws": 2}),
    ("equally_probable", {"equally_probable": "family"}),
    ("family", {"family.hidden": [2] * 5}),
    ("family", {"family.hidden": [[2], [2] * 5]}),
    ("family.hidden", {"family.hidden": [2] * 10}),
    ("family.hidden", {"family.hidden": [[2, 3], [4], [3, 2]]}),
    ("family.hidden", {"family.hidden": [[2], [17]]}),
    ("family.hidden", {"family.hidden": [[2], [16, 16, 5]]}),
    ("family.hidden", {"family.hidden": [[2, 3, 4, k] for k in range(5, 15)]}),
    ("family.hidden.0", {"family.hidden": [2, [3]]}),
    ("family.observed", {"family.observed": [2, 2, 2, 2]}),
    ("methods", {"alpha": [1.0, 2.0], "methods": ["ais"]}),
    ("population", {"population": True}),
    ("reach", {"reach": REACH}),
    ("search", {"search": "gredy"}),
    ("search: unknown key 'widht' (did you mean 'width'?)", {"search": {"widht": 2}}),
    ("search.method", {"search": {"method": "map"}}),
    ("sizes", {"sizes": [10]}),
    *((key, {key: 0.7}) for key in ("true_alpha", "true_alpha_hidden")),
    ("true_structure", {"true_structure": "1-12-2"}),
]


@pytest.mark.parametrize(
    ("line", "change"), WRONG + [(line, OWN | change) for line, change in WRONG_OF_OWN]
)
def test_what_is_wrong_is_said_in_one_line_by_its_key(line, change, monkeypatch):
    monkeypatch.chdir(ROOT)
    lines = problems(change)
    begins = line if " " in line else f"{line}: "
    assert any(line.startswith(begins) for line in lines), lines
    assert all(len(line) < 600 and "\n" not in line for line in lines)


ALLOWED = [  # what would be wrong with another method, or at another size
    {"methods": ["map"], "exact_sizes": [40]},
    {"exact_sizes": [10, 80]},
    {"methods": ["map"], "tempered_smc_sizes": [80]},
    {"methods": ["map"], "reference.other_sizes": [80]},
    {"tempered_smc_sizes": []},
    {"reference.other_sizes": [40]},
    {"sizes": [10, 40, MAX_CASES]},
    {"draws": [5]},
    {"reference.others": N_STRUCTURES},
]


@pytest.mark.parametrize("change", ALLOWED)
def test_what_no_job_reads_may_be_anything(change):
    assert problems(change) == []


def test_own_data_are_allowed(monkeypatch):
    """Also without a word on the simulation's keys."""
    monkeypatch.chdir(ROOT)
    for change in (
        {"data.levels": {"drama_critic": ["particularistic", "universalistic"]}},
        {"alpha": [2.0, 0.5]},
        {"family.hidden": [16]},  # as many states as the table has cells
    ):
        assert problems(OWN | change) == []
    config = resolved({"data": OWN["data"], "family": {"hidden": [[1], [2, 2]]}})
    assert checks.problems(config) == []
    assert config["equally_probable"] == PRIOR != small()["equally_probable"] == "structures"
    assert config["true_structure"] is config["sizes"] is config["family"]["observed"] is None
    assert config["data"]["missing"] == ["", "NA", "NaN"] and config["data"]["beside"] is None
    assert [config[key] for key in ("results", "figures")] == [
        f"{key}/stouffer_toby_1951" for key in ("results", "figures")
    ]
    assert checks.problems(resolved({"data": {"count": "n"}})) == ["data: missing key file"]


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A table of 1300 columns."""
    path = tmp_path_factory.mktemp("wide") / "many.csv"
    columns = np.random.default_rng(0).integers(2, size=(400, 1300))
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("score", "searched_by", "hidden", "limit"),
    [
        ("laplace", "bic", 2, "structures of at most 5,000 probabilities; there are 5,202"),
        ("bic", "laplace", 2, "structures of at most 5,000 probabilities; there are 5,202"),
        ("vb_lr", "bic", 4, "structures of at most 5,000 probabilities; there are 10,404"),
        ("reference", "bic", 2, "at most 107 observed variables with causes where there are 400"),
        ("bic", "bic", 2, None),
    ],
)
def test_own_data_of_more_columns_than_a_score_takes(wide, score, searched_by, hidden, limit):
    """Before any job; a search begins with one cause of all columns."""
    job = SPECS[score].job
    lines = problems(OWN | {
        "data": {"file": str(wide)}, "family.hidden": [hidden],
        "methods": list(dict.fromkeys(["map", *job.needs, job.name])),
        "scores": list(dict.fromkeys(["bic", *job.needs[1:], score])),
        "search": {"method": searched_by},
    })  # fmt: skip
    assert len(lines) == (limit is not None) and all(limit in line for line in lines), lines


def test_a_search_has_defaults_and_no_limit_of_structures(monkeypatch):
    """And a list of one family is that family."""
    monkeypatch.chdir(ROOT)
    default = {"method": "laplace", "width": WIDTH, "starts": STARTS, "keep": 50}
    for search, expected in (("greedy", default), ({"width": 7}, default | {"width": 7})):
        config = small(**OWN | {"family.hidden": [[2] * 9], "search": search})
        assert (config["search"], config["family"]["hidden"]) == (expected, [2] * 9)
        assert checks.problems(config) == []
    assert len(problems(OWN | {"family.hidden": [[2] * 9]})) == 1


@pytest.mark.parametrize(
    ("alpha", "main"), [(0.5, 0.5), ([2.0], 2.0), ([2.0, 0.5], 0.5), ([2.0, 0.5, 1.0], 1.0)]
)
def test_one_alpha_of_several_is_that_of_all_other_tables(alpha, main):
    config = {"alpha": alpha, "data": OWN["data"]}
    assert model.main_alpha(config) == main
    assert sorted([main, *study.other_alphas(config)]) == np.sort(alpha, axis=None).tolist()


@pytest.mark.parametrize(
    ("folder", "why"),
    [
        ("results/published/mine", "it holds published runs"),
        ("workflow/mine", "it holds sources"),
        ("profiles/mine", "it holds sources"),
        (".", "it holds sources"),
        ("s3://mine", "it is no folder"),
        ("null", "it is no folder"),
        ("LICENSE/mine", f"{ROOT / 'LICENSE'} is not a folder"),
    ],
)
def test_no_run_writes_where_something_else_is(folder, why, monkeypatch):
    monkeypatch.chdir(ROOT)
    lines = places.obstacles({"results": "results/mine", "figures": folder})
    assert lines == [f"figures: cannot write to {folder}: {why}"]


def test_a_population_has_the_figures_that_its_settings_allow():
    """Distances need the reference, probabilities truths that come from the prior."""
    for methods in (["vb"], ["vb", "reference"]):
        for truth in ("1-12-2", "uniform"):
            config = resolved(small(population=True, methods=methods))
            names = {figure.name for figure in figures_of(config | {"true_structure": truth})}
            assert ("error_over_draws" in names) == ("reference" in methods)
            assert ("reliability" in names) == (truth == "uniform")
            assert {"found", "rank_over_draws", "accuracy"} <= names


def test_a_link_to_nothing_is_no_folder(tmp_path, monkeypatch):
    """And a full disk has no place."""
    (tmp_path / "disk").symlink_to(tmp_path / "unmounted")
    assert places.obstacle(tmp_path / "disk/results") == f"{tmp_path / 'disk'} is not a folder"
    (tmp_path / "unmounted").mkdir()
    for blocks, free, is_full in ((9, 1, False), (9, 0, True), (0, 0, False)):
        space = SimpleNamespace(f_blocks=blocks, f_bavail=free)
        monkeypatch.setattr("lib.places.os.statvfs", lambda _, space=space: space)
        assert (places.obstacle(tmp_path / "disk/results") is not None) == is_full


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        ({"aplha": 2.0}, (), "unknown key 'aplha' (did you mean 'alpha'?)"),
        (
            {},
            ("--config", "results=workflow/a"),
            "results: cannot write to workflow/a: it holds sources",
        ),
    ],
)
def test_nothing_is_done_with_a_wrong_configuration(study, change, arguments, message):
    printed = study.run(*arguments, status=1, **change)
    assert message in printed
    assert "Traceback" not in printed and "Finished job" not in printed
    assert len(printed.splitlines()) < 30, printed  # with Snakemake's head
    assert not any((study.folder / name).exists() for name in ("results", "figures"))
