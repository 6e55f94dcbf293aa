"""The configuration is checked before any work: one clear message that names the key."""

import copy
import re

import pytest
import yaml
from jsonschema import Draft202012Validator
from snakemake.utils import update_config
from studies import N_STRUCTURES, ROOT, SMALL, changed

import settings

SHIPPED = sorted((ROOT / "workflow/config").glob("*.yaml"))


def parts(schema: dict, at: str = ""):
    """Every subschema with its place."""
    yield at, schema
    for kind in ("properties", "$defs"):
        for name, part in schema.get(kind, {}).items():
            yield from parts(part, f"{at}/{kind}/{name}")
    if "items" in schema:
        yield from parts(schema["items"], f"{at}/items")


def test_schema_is_valid():
    schema = settings.schema()
    assert schema["$schema"].endswith("2020-12/schema")
    Draft202012Validator.check_schema(schema)


def test_schema_is_strict():
    objects = [
        (at, part) for at, part in parts(settings.schema()) if "object" in part.get("type", ())
    ]
    assert len(objects) >= 9
    (free,) = (
        part for at, part in objects if at.endswith("/levels")
    )  # its keys are the names of columns
    assert set(free["additionalProperties"]) == {"description", "oneOf"}
    objects = [(at, part) for at, part in objects if part is not free]
    for at, part in objects:
        assert part["additionalProperties"] is False, at
        assert set(part["required"]) == set(part["properties"]), at


def test_every_property_is_described():
    undescribed = [
        f"{at}/{name}"
        for at, part in parts(settings.schema())
        for name, key in part.get("properties", {}).items()
        if "description" not in key
    ]
    assert undescribed == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_configurations_are_valid(path, monkeypatch):
    monkeypatch.chdir(ROOT)  # paths in a configuration are relative to where the study is run
    assert settings.problems(resolved(path)) == []


def resolved(path) -> dict:
    """A configuration as Snakemake sees it: on top of the default one."""
    config = yaml.safe_load((ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
    update_config(config, yaml.safe_load(path.read_text(encoding="utf-8")))
    return config


def test_shipped_configurations_have_the_same_keys():
    keys = {path.name: set(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in SHIPPED}
    assert keys["smoke.yaml"] == keys["study.yaml"]
    assert keys["own-data.yaml"] < keys["study.yaml"]


def test_the_tests_configuration_is_valid():
    assert settings.problems(copy.deepcopy(SMALL)) == []


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
}
CLASSES = {
    "source": "a book",
    "structure": "1-1-1-1",
    "likelihood_ratio": 2.7,
    "class_sizes": [0.3, 0.7],
}
WRONG = {
    "alpha 0": ({"alpha": 0}, r"^alpha: 0\b"),
    "alpha below 0": ({"alpha_hidden": -0.5}, r"^alpha_hidden: -0\.5\b"),
    "a word for a number": ({"draws": "two"}, r"^draws: 'two' is not of type 'integer'"),
    "a fraction for a count": ({"ais.steps": 2.5}, r"^ais\.steps: 2\.5\b"),
    "a truth value for a number": ({"alpha": True}, r"^alpha: True\b"),
    "no sizes": ({"sizes": []}, r"^sizes: "),
    "a size of 0": ({"sizes": [0, 40]}, r"^sizes\.0: 0\b"),
    "a size twice": ({"sizes": [10, 40, 10]}, r"^sizes: .*(unique|twice)"),
    "one chain": ({"ais.chains": 1}, r"^ais\.chains: 1\b"),
    "misspelt method": (
        {"methods": ["map", "vbem"]},
        r"^methods\.1: 'vbem' is not one of map, .*did you mean 'vb'",
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
    "no size for the bounds": (
        {"methods": ["map", "reference"], "reference.other_sizes": [80]},
        r"^reference\.other_sizes: ",
    ),
    "blocks": (
        {"blocks": N_STRUCTURES + 1},
        rf"^blocks: {N_STRUCTURES + 1} is more than the {N_STRUCTURES} structures",
    ),
    "vb without map": ({"methods": ["vb", "ais"]}, r"^methods: vb needs map"),
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
    "unseen level": (
        OWN | {"data.levels": {"drama_critic": ["yes", "no"]}},
        r"^data: .*row 1 \(line 2 .*'drama_critic'",
    ),
    "levels of one": (
        OWN | {"data.levels": {"drama_critic": 1}},
        r"^data\.levels\.drama_critic: 1 .*a number from 2",
    ),
    "draws of own data": (OWN | {"draws": 2}, r"^draws: 2; data are one draw"),
    "too large for own data": (OWN | {"family.hidden": [2] * 5}, r"^family: .* at most 2\^18"),
    "no latent classes": (
        OWN | {"data.published": CLASSES | {"structure": "1-1-2-2"}},
        r"^data\.published\.structure: 1-1-2-2 is not a latent class model; write 1-1-1-1",
    ),
    "classes": (
        OWN | {"data.published": CLASSES | {"class_sizes": [0.2, 0.3, 0.5]}},
        r"^data\.published\.class_sizes: 3 sizes",
    ),
    "published without ml": (
        OWN | {"data.published": CLASSES, "methods": ["map"]},
        r"^methods: data\.published needs ml",
    ),
    "nothing to draw": ({"methods": ["ml", "exact"]}, r"^methods: "),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_configuration(what, monkeypatch):
    monkeypatch.chdir(ROOT)
    change, expected = WRONG[what]
    found = settings.problems(changed(SMALL, change))
    assert any(re.search(expected, line) for line in found), found
    assert all(len(line) < 300 and "\n" not in line for line in found)


def test_own_data_are_allowed(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert settings.problems(changed(SMALL, OWN | {"data.published": CLASSES})) == []
    assert (
        settings.problems(
            changed(
                SMALL,
                OWN | {"data.levels": {"drama_critic": ["particularistic", "universalistic"]}},
            )
        )
        == []
    )


def test_a_missing_key_is_named():
    without = {key: value for key, value in SMALL.items() if key != "seed"}
    assert settings.problems(without) == ["missing key seed"]


def test_every_problem_of_a_kind_is_told_at_once():
    assert len(settings.problems(changed(SMALL, {"alpha": 0, "draws": 0, "seed": "x"}))) == 3


def test_limits_are_allowed():
    assert settings.problems(changed(SMALL, {"blocks": N_STRUCTURES})) == []
    assert settings.problems(changed(SMALL, {"sizes": [13, 40], "exact_sizes": [13]})) == []
    assert (
        settings.problems(
            changed(SMALL, {"family": {"hidden": [2], "observed": [2, 2]}, "true_structure": "1-1"})
        )
        == []
    )


REFUSED = {
    "misspelt key in a file": ({"aplha": 2.0}, (), "unknown key 'aplha' (did you mean 'alpha'?)"),
    "unknown structure in a file": (
        {"true_structure": "2-12-1"},
        (),
        "true_structure: 2-12-1 is not canonical; write 1-12-2",
    ),
    "misspelt key given with --config": (
        {},
        ("--config", "figure_m=10"),
        "unknown key 'figure_m' (did you mean 'figure_n'?)",
    ),
    "wrong type given with --config": (
        {},
        ("--config", "blocks=many"),
        "blocks: 'many' is not of type 'integer'",
    ),
}


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
