"""The configuration is checked before any work: one clear message that names the key."""

import copy
import re

import pytest
import yaml
from jsonschema import Draft202012Validator
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
    objects = [(at, part) for at, part in parts(settings.schema()) if part.get("type") == "object"]
    assert len(objects) >= 6
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
def test_shipped_configurations_are_valid(path):
    assert settings.problems(yaml.safe_load(path.read_text(encoding="utf-8"))) == []


def test_shipped_configurations_have_the_same_keys():
    assert len(SHIPPED) >= 2
    keys = [set(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in SHIPPED]
    assert all(k == keys[0] for k in keys)


def test_the_tests_configuration_is_valid():
    assert settings.problems(copy.deepcopy(SMALL)) == []


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
    "misspelt method": ({"methods": ["map", "vbem"]}, r"^methods\.1: 'vbem' is not one of map, .*did you mean 'vb'"),
    "misspelt key": ({"sizs": [10]}, r"^unknown key 'sizs' \(did you mean 'sizes'\?\)"),
    "misspelt inner key": ({"restarts.vb.hit": 3}, r"^restarts\.vb: unknown key 'hit' \(did you mean 'hits'\?\)"),
    "unlike any key": ({"xyzzy": 3}, r"^unknown key 'xyzzy'; allowed are seed, "),
    "restarts of 0": ({"restarts.map.at_most": 0}, r"^restarts\.map\.at_most: 0\b"),
    "a variable of one value": ({"family.hidden": [1, 2]}, r"^family\.hidden\.0: 1\b"),
    "unknown structure": ({"true_structure": "1-13-2"}, r"^true_structure: .*'1-13-2'"),
    "a structure too short": ({"true_structure": "1-12"}, r"^true_structure: .*'1-12'"),
    "not canonical": ({"true_structure": "2-12-1"}, r"^true_structure: 2-12-1 is not canonical; write 1-12-2$"),
    "too many cases for exact": ({"sizes": [40], "exact_sizes": [40]}, r"^exact_sizes: .*40 cases are too many"),
    "figure of no size": ({"figure_n": 41}, r"^figure_n: 41 is not one of the sizes"),
    "annealing at no size": ({"annealing.n": 41}, r"^annealing\.n: 41 is not one of the sizes"),
    "no size for the bounds": ({"methods": ["map", "reference"], "reference.other_sizes": [80]}, r"^reference\.other_sizes: "),
    "blocks": ({"blocks": N_STRUCTURES + 1}, rf"^blocks: {N_STRUCTURES + 1} is more than the {N_STRUCTURES} structures"),
    "vb without map": ({"methods": ["vb", "ais"]}, r"^methods: vb needs map"),
    "nothing to draw": ({"methods": ["ml", "exact"]}, r"^methods: "),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_configuration(what):
    change, expected = WRONG[what]
    found = settings.problems(changed(SMALL, change))
    assert any(re.search(expected, line) for line in found), found
    assert all(len(line) < 300 and "\n" not in line for line in found)


def test_a_missing_key_is_named():
    without = {key: value for key, value in SMALL.items() if key != "seed"}
    assert settings.problems(without) == ["missing key seed"]


def test_every_problem_of_a_kind_is_told_at_once():
    assert len(settings.problems(changed(SMALL, {"alpha": 0, "draws": 0, "seed": "x"}))) == 3


def test_limits_are_allowed():
    assert settings.problems(changed(SMALL, {"blocks": N_STRUCTURES})) == []
    assert settings.problems(changed(SMALL, {"sizes": [13, 40], "exact_sizes": [13]})) == []
    assert settings.problems(changed(SMALL, {"family": {"hidden": [2], "observed": [2, 2]}, "true_structure": "1-1"})) == []


REFUSED = {
    "misspelt key in a file": ({"aplha": 2.0}, (), "unknown key 'aplha' (did you mean 'alpha'?)"),
    "unknown structure in a file": ({"true_structure": "2-12-1"}, (), "true_structure: 2-12-1 is not canonical; write 1-12-2"),
    "misspelt key given with --config": ({}, ("--config", "figure_m=10"), "unknown key 'figure_m' (did you mean 'figure_n'?)"),
    "wrong type given with --config": ({}, ("--config", "blocks=many"), "blocks: 'many' is not of type 'integer'"),
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
