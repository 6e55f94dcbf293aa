"""The configuration is checked before any work: one clear message that names the key."""

import math
import re

import pytest
import yaml
from jsonschema import Draft202012Validator
from studies import N_STRUCTURES, ROOT, SMALL, changed, resolved

from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA
from latentdag.scores import JOBS, SPECS
from latentdag.scores.base import Setting
from latentdag.search.beam import STARTS, WIDTH
from lib import files, schema, settings
from lib.plan import Plan

CONFIGS = ROOT / "workflow/config"
SHIPPED = sorted([*CONFIGS.glob("*.yaml"), *CONFIGS.glob("examples/*.yaml")])


def problems(*changes: dict) -> list[str]:
    """What is wrong with the small configuration after some changes."""
    config = SMALL
    for change in changes:
        config = changed(config, change)
    return settings.problems(resolved(config))


def parts(schema: dict, at: str = ""):
    """Every subschema with its place."""
    yield at, schema
    for kind in ("properties", "$defs"):
        for name, part in schema.get(kind, {}).items():
            yield from parts(part, f"{at}/{kind}/{name}")
    if "items" in schema:
        yield from parts(schema["items"], f"{at}/items")


def at(config: dict, key: str):
    """What stands under a key with dots."""
    for name in key.split("."):
        config = config[name]
    return config


def test_schema_is_valid():
    whole = schema.schema()
    assert whole["$schema"].endswith("2020-12/schema")
    Draft202012Validator.check_schema(whole)


def test_schema_is_strict():
    objects = [
        (at, part) for at, part in parts(schema.schema()) if "object" in part.get("type", ())
    ]
    assert len(objects) >= 9
    # their keys are the names of columns, and of scores
    free = {at.split("/")[-1]: p for at, p in objects if at.endswith(("/levels", "/nearest"))}
    assert set(free["levels"]["additionalProperties"]) == {"description", "oneOf"}
    assert free["nearest"]["propertyNames"] == {"enum": list(SPECS)}
    objects = [(at, part) for at, part in objects if at.split("/")[-1] not in free]
    for at, part in objects:
        assert part["additionalProperties"] is False, at
        assert set(part["required"]) == set(part["properties"]), at


def test_every_property_is_described():
    undescribed = [
        f"{at}/{name}"
        for at, part in parts(schema.schema())
        for name, key in part.get("properties", {}).items()
        if "description" not in key
    ]
    assert undescribed == []


def test_every_setting_of_a_job_has_its_key():
    """With the type, the least value and the meaning that the job declares."""
    whole = schema.schema()
    declared = [setting for job in JOBS.values() for setting in job.settings]
    assert len(declared) > 10
    for setting in declared:
        part = at(whole, "properties." + setting.key.replace(".", ".properties."))
        kinds = {bool: "boolean", int: "integer", float: "number"}
        assert part["type"] == kinds[type(setting.default)]
        assert part.get("minimum", setting.minimum) == setting.minimum
        assert part["description"] == setting.meaning
    assert whole["properties"]["methods"]["items"]["enum"] == list(JOBS)


def test_a_job_that_takes_long_says_over_how_many_jobs():
    assert problems({"reference.jobs": 0})
    plan = Plan(resolved(SMALL, {"reference": {"jobs": 5}, "blocks": 3}))
    assert plan.n_blocks(JOBS["reference"]) == 5
    assert {plan.n_blocks(job) for job in plan.jobs if job.jobs is None} == {3}
    plan = Plan(resolved(SMALL, {"reference": {"jobs": 1000}}))
    assert plan.n_blocks(JOBS["reference"]) == N_STRUCTURES


def test_what_is_left_out_has_the_default_of_its_job():
    config = resolved()
    for job in JOBS.values():
        for setting in job.settings:
            assert at(config, setting.key) == setting.default
        assert Plan(config).settings(job) == job.defaults()
    assert config["methods"] == list(JOBS)


def test_what_is_given_is_kept():
    config = resolved({"restarts": {"vb": {"hits": 5}}, "ais": {"chains": 9}, "methods": ["map"]})
    assert Plan(config).settings(JOBS["vb"])["hits"] == 5
    assert Plan(config).settings(JOBS["vb"])["restarts"] == 128
    assert Plan(config).settings(JOBS["ais"])["chains"] == 9
    assert config["methods"] == ["map"]


def test_scores_choose_the_methods():
    config = resolved({"scores": ["vb", "bic", "ais"]})
    assert config["methods"] == ["map", "vb", "ais"]
    plan = Plan(config)
    assert [spec.name for spec in plan.scores] == ["bic", "vb", "ais"]
    assert plan.kept_of(JOBS["map"]) == {"scores": ["bic"]}
    assert plan.kept_of(JOBS["bridge"]) == {}
    assert Plan(resolved({"methods": ["map"]})).kept_of(JOBS["map"]) == {}


def test_the_study_repeats_no_default_of_a_job():
    study = yaml.safe_load((ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
    for key in schema.all_settings():
        with pytest.raises(KeyError):
            at(study, key)


def test_two_jobs_may_share_a_key_that_means_the_same(monkeypatch):
    """And no other."""
    shared = [job.name for job in JOBS.values() if "max_iterations" in job.defaults()]
    assert {"map", "ml", "vb"} <= set(shared)
    assert list(schema.all_settings()).count("max_iterations") == 1
    other = Setting(name="steps", key="max_iterations", default=7, meaning="steps")
    ais = JOBS["ais"]
    monkeypatch.setitem(JOBS, "ais", type(ais)(**vars(ais) | {"settings": (other,)}))
    with pytest.raises(ValueError, match="'max_iterations' differ"):
        schema.all_settings()


def test_the_table_of_keys():
    """Each key once, with what it means, may be, and is unless given."""
    header, rule, *lines = schema.markdown().splitlines()
    assert header == "| key | meaning | range | default | source of the default |"
    assert rule == "| --- | --- | --- | --- | --- |"
    rows = {line.split("`")[1]: [c.strip() for c in line.strip("|").split(" | ")] for line in lines}
    assert len(rows) == len(lines) > 30
    assert set(schema.all_settings()) < set(rows)
    assert rows["ais.steps"][1:] == [
        "temperatures of a chain",
        "integer from 1",
        "16384",
        "the paper",
    ]
    limits = f"number from {MIN_ALPHA:g} to {MAX_ALPHA:g}"
    assert rows["alpha"][2:4] == [f"{limits}, or a list of such", "1.0"]
    assert rows["reference.runs"][2:4] == ["integer from 2", "16"]
    assert rows["reference.target"][2:4] == ["number from 0.001", "0.1"]
    assert rows["family.observed"][2:4] == ["integers from 2 or null", "5, 5, 5, 5"]
    assert rows["prior.alphas"][2:4] == ["numbers from 0.01 to 1e+12", "0.5, 1.0, 2.0"]
    assert rows["restarts.vb.same_starts"][2:4] == ["true or false", "false"]
    assert rows["methods"][2:4] == [f"some of {', '.join(JOBS)}", "null"]
    assert rows["data"][2:4] == ["keys or null", "null"]
    assert rows["data.published"][2] == "list of keys or null"
    assert rows["data.published.classes"][2] == "integer from 2"
    assert rows["data.published.class_sizes"][2] == "numbers from 0 to 1 or null"
    assert rows["results"][2:4] == ["text without braces", "results"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_configurations_are_valid(path, monkeypatch):
    monkeypatch.chdir(ROOT)  # paths in a configuration are relative to where the study is run
    text = path.read_text(encoding="utf-8")
    assert settings.problems(resolved(yaml.safe_load(text))) == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_configurations_hold_what_differs(path):
    """From study.yaml, and from the jobs' defaults; own data state their causes in any case."""
    if path.name == "study.yaml":
        return
    default, given = resolved(), yaml.safe_load(path.read_text(encoding="utf-8"))

    def repeated(given, default, key=""):
        for name, value in given.items():
            if isinstance(value, dict) and default[name] is not None:
                yield from repeated(value, default[name], f"{key}{name}.")
            elif value == default[name]:
                yield key + name

    stated = ["family.hidden"] if path.name == "own-data.yaml" else []
    assert list(repeated(given, default)) == stated


def test_the_tests_configuration_is_valid():
    assert problems() == []


OWN = {
    "data": {
        "file": "workflow/data/stouffer_toby_1951.csv",
        "count": "count",
        "levels": None,
        "published": None,
    },
    "family.observed": None,
    "true_structure": None,
    "sizes": None,
    "draws": 1,
}
REACH = {"nats": 30, "target": 0.3, "most_cases": 1280}
CLASSES = {
    "source": "a book",
    "classes": 2,
    "cases": 216,
    "parameters": 9,
    "likelihood_ratio": 2.7,
    "class_sizes": [0.3, 0.7],
}
WRONG = {
    "several alpha, simulated": (
        {"alpha": [0.5, 1.0]},
        "^alpha: a list needs data; a simulated study has its other priors in prior.alphas$",
    ),
    "no alpha": (OWN | {"alpha": []}, "^alpha: "),
    "an alpha beyond sense": (OWN | {"alpha": [1.0, 0.001]}, r"^alpha.1: 0.001 is less than"),
    "an alpha twice": (OWN | {"alpha": [1.0, 1.0]}, "^alpha: .*unique"),
    "alpha as text in a list": (
        OWN | {"alpha": ["1e-1", 1.0]},
        "^alpha.0: '1e-1' is text and no number; in YAML write 0.1$",
    ),
    "several alpha without a fit": (
        OWN | {"alpha": [1.0, 2.0], "methods": ["ais"]},
        "^methods: a list of alpha needs map or vb$",
    ),
    "alpha 0": ({"alpha": 0}, r"^alpha: 0\b"),
    "alpha below 0": ({"alpha_hidden": -0.5}, r"^alpha_hidden: -0\.5\b"),
    "alpha too large": ({"alpha": 1e15}, r"^alpha: 10+\.0 is greater than the maximum"),
    "a job's settings as a number": ({"ais": 3}, r"^ais: 3 is not of type 'object'"),
    "a word for a number": ({"draws": "two"}, r"^draws: 'two' is not of type 'integer'"),
    "a fraction for a count": ({"ais.steps": 2.5}, r"^ais\.steps: 2\.5\b"),
    "a truth value for a number": ({"alpha": True}, r"^alpha: True\b"),
    "no sizes": ({"sizes": []}, r"^sizes: "),
    "a size of 0": ({"sizes": [0, 40]}, r"^sizes\.0: 0\b"),
    "a size twice": ({"sizes": [10, 40, 10]}, r"^sizes: .*(unique|twice)"),
    "one run": ({"reference.runs": 1}, r"^reference\.runs: 1\b"),
    "misspelt method": (
        {"methods": ["map", "exat"]},
        r"^methods\.1: 'exat' is not one of map, .*did you mean 'exact'",
    ),
    "misspelt key": ({"sizs": [10]}, r"^unknown key 'sizs' \(did you mean 'sizes'\?\)"),
    "misspelt inner key": (
        {"restarts.vb.hit": 3},
        r"^restarts\.vb: unknown key 'hit' \(did you mean 'hits'\?\)",
    ),
    "unlike any key": ({"xyzzy": 3}, r"^unknown key 'xyzzy'; allowed are seed, "),
    "restarts of 0": ({"restarts.map.at_most": 0}, r"^restarts\.map\.at_most: 0\b"),
    "a variable of one value": ({"family.hidden": [1, 2]}, r"^family\.hidden\.0: 1\b"),
    "unknown structure": ({"true_structure": "1-13-2"}, r"^true_structure: .*'1-13-2'"),
    "a structure too short": ({"true_structure": "1-12"}, r"^true_structure: .*'1-12'"),
    "not canonical": (
        {"true_structure": "2-12-1"},
        r"^true_structure: 2-12-1 is not canonical; write 1-12-2$",
    ),
    "too many cases for exact": (
        {"sizes": [40], "exact_sizes": [40]},
        r"^exact_sizes: .*40 cases are too many",
    ),
    "figure of no size": ({"figure_n": 41}, r"^figure_n: 41 is not one of the sizes"),
    "annealing at no size": ({"annealing.n": 41}, r"^annealing\.n: 41 is not one of the sizes"),
    "another prior at no size": ({"prior.n": 41}, r"^prior\.n: 41 is not one of the sizes"),
    "another prior too strong": (
        {"prior.alphas": [0.5, 1e15]},
        r"^prior\.alphas\.1: 10+\.0 is gre",
    ),
    "a prior twice": ({"prior.alphas": [1, 1.0]}, r"^prior\.alphas: .*(unique|twice)"),
    "no error at all": ({"reference.target": 0.0}, r"^reference\.target: 0\.0\b"),
    "no size for the bounds": (
        {"methods": ["map", "reference"], "reference.other_sizes": [80]},
        r"^reference\.other_sizes: ",
    ),
    "blocks": (
        {"blocks": N_STRUCTURES + 1},
        rf"^blocks: {N_STRUCTURES + 1} is more than the {N_STRUCTURES} structures",
    ),
    "too many structures": (
        {"family": {"hidden": [2] * 5, "observed": [2] * 4}},
        r"^family: 5 hidden and 4 observed variables have 2\^20 .* at most 2\^18",
    ),
    "too many cells": ({"family.observed": [101, 100, 100]}, r"^family: .* at most 1,000,000"),
    "no truth and no data": (
        {"true_structure": None},
        r"^true_structure: needed when no data are given",
    ),
    "a truth for own data": (
        OWN | {"true_structure": "1-12-2"},
        r"^true_structure: must be null with data",
    ),
    "sizes of own data": (OWN | {"sizes": [10]}, r"^sizes: must be null with data"),
    "cardinalities of own data": (
        OWN | {"family.observed": [2, 2, 2, 2]},
        r"^family\.observed: must be null with data",
    ),
    "no such data": (
        OWN | {"data.file": "nothing.csv"},
        r"^data: nothing\.csv: there is no such file",
    ),
    "misspelt key of data": (
        OWN | {"data.counts": "n"},
        r"^data: unknown key 'counts' \(did you mean 'count'\?\)",
    ),
    "no such column": (OWN | {"data.count": "n"}, r"^data: .*there is no column 'n' of counts"),
    "no such column of a variable": (
        OWN | {"data.columns": ["drama_critic", "sex"]},
        r"^data: .*there is no column 'sex'; the columns are auto_passenger, ",
    ),
    "no columns": (OWN | {"data.columns": []}, r"^data\.columns: "),
    "unseen level": (
        OWN | {"data.levels": {"drama_critic": ["yes", "no"]}},
        r"^data: .*row 1 \(line 2 .*'drama_critic'",
    ),
    "levels that YAML takes for booleans": (
        OWN | {"data.levels": {"drama_critic": [True, False]}},
        r"^data\.levels\.drama_critic.*: true and false, as YAML reads yes and no: write them in ",
    ),
    "levels of one": (
        OWN | {"data.levels": {"drama_critic": 1}},
        r"^data\.levels\.drama_critic: 1 .*a number from 2",
    ),
    "a reach without MAP": (
        {"methods": ["reference"], "reach": REACH, "reference.other_sizes": [10]},
        r"^methods: reach needs map, whose score cs_lr",
    ),
    "a reach without its score": (
        {"scores": ["bic"], "reach": REACH},
        r"^scores: reach needs cs_lr",
    ),
    "a score that its method lacks": (
        {"methods": ["map"], "scores": ["bic", "vb"]},
        r"^scores: 'vb' comes with the method 'vb', which methods lacks",
    ),
    "a method without a score": (
        {"methods": ["map", "vb"], "scores": ["bic"]},
        r"^methods: 'vb' gives none of the scores",
    ),
    "a misspelt score": ({"scores": ["bci"]}, r"^scores\.0: 'bci' is not one .*mean 'bic'"),
    "starts neither the same nor not": (
        {"restarts.vb.same_starts": 1},
        r"^restarts\.vb\.same_starts: 1 is not of type 'boolean'",
    ),
    "a reach of own data": (OWN | {"reach": REACH}, r"^reach: must be null with data"),
    "part of a reach": ({"reach": {"nats": 3}}, r"^reach: missing key target, most_cases"),
    "draws of own data": (OWN | {"draws": 2}, r"^draws: must be 1, .* data are one draw"),
    "too large for own data": (OWN | {"family.hidden": [2] * 5}, r"^family: .* at most 2\^18"),
    "class sizes of other classes": (
        OWN | {"data.published": CLASSES | {"class_sizes": [0.2, 0.3, 0.5]}},
        r"^data\.published: a book: 3 class_sizes for 2 classes$",
    ),
    "class sizes in percent": (
        OWN | {"data.published": [CLASSES, CLASSES | {"class_sizes": [0.3, 0.6]}]},
        r"^data\.published: a book: the class_sizes add up to 0\.9, not 1$",
    ),
    "published without a source": (
        OWN | {"data.published": [CLASSES, {"classes": 3}]},
        r"^data\.published\.1: missing key source$",
    ),
    "misspelt published number": (
        OWN | {"data.published": CLASSES | {"loglikelihood": -504.5}},
        r"^data\.published\.0: unknown key 'loglikelihood' \(did you mean 'log_likelihood'\?\)",
    ),
    "published as a word": (
        OWN | {"data.published": "Goodman"},
        r"^data\.published: 'Goodman' is not of type 'array', 'null'",
    ),
    "alpha that is none": ({"alpha": math.nan}, r"^alpha: nan is not a number$"),
    "a prior that is none": ({"prior.alphas": [1, math.nan]}, r"^prior\.alphas\.1: nan is not"),
    "alpha without limit": ({"alpha": math.inf}, r"^alpha: inf is greater than the maximum"),
    "a number that YAML takes for text": (
        {"alpha": "1e-1"},
        r"^alpha: '1e-1' is text and no number; in YAML write 0\.1$",
    ),
    "a number in quotes": ({"draws": "3"}, r"^draws: '3' is text and no number; .* write 3$"),
    "a size with a point": ({"sizes": [10.0, 40]}, r"^sizes\.0: 10\.0 is not of type 'integer'"),
    "a size beyond sense": ({"sizes": [40, 10**9]}, r"^sizes: 1000000000 is above 10,000,000"),
    "exact at none of the sizes": (
        {"exact_sizes": [11, 12]},
        r"^exact_sizes: none of 11, 12 is one of the sizes$",
    ),
    "bridge at none of the sizes": ({"bridge_sizes": [80]}, r"^bridge_sizes: none of 80 is one"),
    "jobs": (
        {"reference.jobs": N_STRUCTURES + 1},
        rf"^reference\.jobs: {N_STRUCTURES + 1} is more than the {N_STRUCTURES} structures",
    ),
    "others": (
        {"reference.others": N_STRUCTURES + 1},
        rf"^reference\.others: {N_STRUCTURES + 1} is more than the {N_STRUCTURES} structures",
    ),
    "a wildcard for a folder": (
        {"results": "results/{a}"},
        r"^results: 'results/\{a\}' has a brace in it: such paths are patterns of Snakemake",
    ),
    "a wildcard in the data's path": (OWN | {"data.file": "{a}.csv"}, r"^data\.file: '\{a\}"),
    "a wildcard in the design's path": ({"design": "{a}.csv", "draws": None}, r"^design: '\{a"),
    "published of another table": (
        OWN | {"data.published": [CLASSES | {"cases": 118}]},
        r"^data\.published: a book: 118 cases, but the table has 216; null, if it is of another",
    ),
    "published of other variables": (
        OWN | {"data.published": CLASSES | {"cases": None, "parameters": 15}},
        r"^data\.published: a book: 15 parameters, but 2 classes of this table's variables have 9; "
        r"null, if it is of another table$",
    ),
    "families without data": (
        {"family.hidden": [[2], [3]]},
        r"^family\.hidden: several families need data",
    ),
    "a prior over families without data": (
        {"equally_probable": "families"},
        r"^equally_probable: must be structures when no data",
    ),
    "a search without data": ({"search": "greedy"}, r"^search: must be null when no data"),
    "misspelt prior": (
        OWN | {"equally_probable": "family"},
        r"^equally_probable: 'family' is not one of structures, families, classes \(did you mean",
    ),
    "a family beside a number": (
        OWN | {"family.hidden": [2, [3]]},
        r"^family\.hidden\.0: 2 is not of type 'array'",
    ),
    "a family of none": (OWN | {"family.hidden": [[2], []]}, r"^family\.hidden\.1: "),
    "states of one": (OWN | {"family.hidden": [[2], [2, 1]]}, r"^family\.hidden\.1\.1: 1 is less"),
    "states in words": (OWN | {"family.hidden": [["two"]]}, r"^family\.hidden\.0: 'two' is not of"),
    "states for a list": (OWN | {"family.hidden": 3}, r"^family\.hidden: 3 is not of type 'array'"),
    "ten causes": (
        OWN | {"family.hidden": [[2] * 10, [2]]},
        r"^family\.hidden\.0: .* is too long \(one to nine hidden variables\)",
    ),
    "ten causes of one family": (
        OWN | {"family.hidden": [2] * 10},
        r"^family\.hidden: .* is too long \(one to nine hidden variables\)",
    ),
    "a family twice": (
        OWN | {"family.hidden": [[2, 3], [4], [3, 2]]},
        r"^family\.hidden: \[2, 3\] and \[3, 2\] are the same family$",
    ),
    "more states than cells": (
        OWN | {"family.hidden": [[2], [17]]},
        r"^family\.hidden: 17 states are more than the 16 cells",
    ),
    "states beyond sense": (
        OWN | {"family.hidden": [[2], [16, 16, 5]]},
        r"^family\.hidden: \[16, 16, 5\] have 1,280 joint states; at most 1,024",
    ),
    "too many families": (
        OWN | {"family.hidden": [[2, 3, 4, k] for k in range(5, 15)]},
        r"^family\.hidden: [\d,]+ structures in all; at most 262,144 are scored, .* search: greedy",
    ),
    "one too large for all structures": (
        OWN | {"family.hidden": [[2], [2] * 5]},
        r"^family: 5 hidden and 4 observed variables have 2\^20 .* setting search: greedy\)$",
    ),
    "misspelt search": (
        OWN | {"search": "gredy"},
        r"^search: 'gredy' is neither 'greedy' nor keys",
    ),
    "a search of a number": (OWN | {"search": 3}, r"^search: 3 is neither 'greedy' nor keys"),
    "misspelt key of the search": (
        OWN | {"search": {"widht": 2}},
        r"^search: unknown key 'widht' \(did you mean 'width'\?\)",
    ),
    "a search by a likelihood": (
        OWN | {"search": {"method": "map"}},
        r"^search\.method: 'map' is not one of bic, cs, ",
    ),
    "a search of no width": (OWN | {"search": {"width": 0}}, r"^search\.width: 0 is less"),
    "a search that keeps none": (OWN | {"search": {"keep": 0}}, r"^search\.keep: 0 is less"),
    "starts of a search": (OWN | {"search": {"starts": -1}}, r"^search\.starts: -1 is less"),
    "nothing to draw": ({"methods": ["ml", "exact"]}, r"^methods: "),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_configuration(what, monkeypatch):
    monkeypatch.chdir(ROOT)
    change, expected = WRONG[what]
    found = problems(change)
    assert any(re.search(expected, line) for line in found), found
    assert all(len(line) < 400 and "\n" not in line for line in found)


def test_own_data_are_allowed(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert problems(OWN | {"data.published": CLASSES}) == []
    known = {"source": "a book", "classes": 3, "log_likelihood": -503.3011}
    assert problems(OWN | {"data.published": [CLASSES, known], "methods": ["map"]}) == []
    levels = {"drama_critic": ["particularistic", "universalistic"]}
    assert problems(OWN | {"data.levels": levels}) == []


def test_a_search_has_defaults_and_no_limit_of_structures(monkeypatch):
    """And a list of one family is that family."""
    monkeypatch.chdir(ROOT)
    own = {"hidden": [[2] * 9], "observed": None}
    config = resolved(SMALL, {"family": own, "sizes": None, "true_structure": None, "draws": 1})
    config |= {"data": {"file": "workflow/data/stouffer_toby_1951.csv"}, "search": "greedy"}
    settings.fill_in(config)
    default = {"method": "laplace", "width": WIDTH, "starts": STARTS, "keep": 50}
    assert config["search"] == default
    assert config["family"]["hidden"] == [2] * 9
    assert settings.problems(config) == []
    config["search"] = {"width": 7}
    settings.fill_in(config)
    assert config["search"] == default | {"width": 7}
    assert settings.problems(config) == []
    config["search"] = None
    assert len(settings.problems(config)) == 1


@pytest.mark.parametrize(
    ("alpha", "main"), [(0.5, 0.5), ([2.0], 2.0), ([2.0, 0.5], 0.5), ([2.0, 0.5, 1.0], 1.0)]
)
def test_one_alpha_of_several_is_that_of_all_other_tables(alpha, main, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert problems(OWN | {"alpha": alpha}) == []
    assert files.main_alpha({"alpha": alpha}) == main


def test_data_need_their_file_alone(monkeypatch):
    monkeypatch.chdir(ROOT)
    file = "workflow/data/stouffer_toby_1951.csv"
    config = resolved(SMALL, {"true_structure": None, "sizes": None, "draws": 1})
    config |= {"data": {"file": file}, "family": {"hidden": [2], "observed": None}}
    settings.fill_in(config)
    nulls = dict.fromkeys(("count", "columns", "levels", "beside", "published"))
    defaults = nulls | {"missing": ["", "NA", "NaN"]}
    assert config["data"] == {"file": file} | defaults
    assert settings.problems(config) == []
    config["data"] = {}
    settings.fill_in(config)
    assert settings.problems(config) == ["data: missing key file"]


def test_what_the_study_simulates_is_not_of_own_data(monkeypatch):
    """A configuration of own data need not say that it has no true structure and no sizes."""
    monkeypatch.chdir(ROOT)
    config = yaml.safe_load((ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
    config["data"] = {"file": "workflow/data/stouffer_toby_1951.csv", "count": "count"}
    settings.fill_in(config)
    assert settings.problems(config) == []
    assert config["true_structure"] is config["sizes"] is config["family"]["observed"] is None
    assert config["family"]["hidden"] == [2, 2]


def test_a_missing_key_is_named():
    config = resolved(SMALL)
    del config["seed"]
    assert settings.problems(config) == ["missing key seed"]


def test_every_problem_of_a_kind_is_told_at_once():
    assert len(problems({"alpha": 0, "draws": 0, "seed": "x"})) == 3


def test_limits_are_allowed():
    assert problems({"blocks": N_STRUCTURES}) == []
    sizes = {"sizes": [13, 40], "exact_sizes": [13], "reference.other_sizes": [13]}
    assert problems(sizes | {"prior.n": 13, "figure_n": 13}) == []
    small = {"family": {"hidden": [2], "observed": [2, 2]}, "true_structure": "1-1"}
    assert problems(small) == []


REFUSED = {
    "misspelt key in a file": ({"aplha": 2.0}, (), "unknown key 'aplha' (did you mean 'alpha'?)"),
    "wrong type given with --config": (
        {},
        ("--config", "blocks=many"),
        "blocks: 'many' is not of type 'integer'",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", REFUSED)
def test_nothing_is_done_with_a_wrong_configuration(study, what):
    change, arguments, message = REFUSED[what]
    printed = study.run(*arguments, status=1, **change)
    assert message in printed
    assert "Traceback" not in printed
    assert len(printed.splitlines()) < 10, printed
    assert "Finished job" not in printed
    assert not (study.folder / "results").exists()
    assert not (study.folder / "figures").exists()


@pytest.mark.slow
def test_what_a_listed_job_needs_runs_too(study):
    planned = study.pending(methods=["vb", "ais"])
    assert {"map", "vb", "ais"} <= set(planned)
    assert {"ml", "vb_mf", "exact", "reference"}.isdisjoint(planned)


def test_the_figures_need_a_score_that_they_draw():
    assert problems({"methods": ["exact"]}) == [
        "methods: the figures need at least one of map, vb, ais, reference"
    ]
    assert problems({"methods": ["ais"]}) == []
