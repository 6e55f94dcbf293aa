"""A configuration is completed by the values of the study, and read by the schema."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import yaml

from latentdag.ranking.prior import PRIOR
from latentdag.scores import JOBS, SPECS
from latentdag.study.settings.schema import defaults, schema

GREEDY = "greedy"  # as search: with all its defaults


def fill_in(config: dict, study: dict) -> None:
    """Complete ``config`` in place: give every key that it leaves out its value in the complete
    configuration ``study``, and read by the schema what a command line gave as text.

    The keys of `data` that may be left out get their defaults, and so do those of `search`, which
    may be the word GREEDY alone; null `methods` are those of the `scores`, or all. A list of one
    family stands for that. With `data`, what the study says of its simulated data becomes null, and
    results that would go to its folders go to one that is named after the data's file.
    """
    settings = copy.deepcopy(config)
    overlay(config, copy.deepcopy(study))
    overlay(config, settings)
    if config["search"] == GREEDY:
        config["search"] = {}
    keys = schema()["properties"]
    for key in config:
        config[key] = _filled(config[key], keys.get(key, {}))
    if config["equally_probable"] is None:
        config["equally_probable"] = PRIOR if config["data"] else "structures"
    if config["methods"] is None:
        named = config["scores"] if isinstance(config["scores"], list) else list(SPECS)
        jobs = {SPECS[name].job.name for name in named if name in list(SPECS)}
        config["methods"] = [name for name in JOBS if name in jobs] or list(JOBS)
    if isinstance(config["data"], dict):
        family = config["family"] if isinstance(config["family"], dict) else {}
        for part, defaults_of_part in ((config, study), (family, study["family"])):
            for key in {"true_structure", "sizes", "observed"} & defaults_of_part.keys():
                if part.get(key) == defaults_of_part[key]:
                    part[key] = None
        if isinstance(file := config["data"].get("file"), str):
            for key in ("results", "figures"):
                if config[key] == study[key]:
                    config[key] = f"{key}/{Path(file).stem}"
    match config["family"]:
        case {"hidden": [[*only]]}:
            config["family"]["hidden"] = only


def overlay(config: dict, settings: Mapping) -> None:
    """Write ``settings`` into ``config`` in place, over the values there, key by key in groups of
    keys, which are mappings.
    """
    for key, value in settings.items():
        if isinstance(value, Mapping):
            if not isinstance(config.get(key), dict):
                config[key] = {}
            overlay(config[key], value)
        else:
            config[key] = value


def _filled(value, part: dict):
    """A value with the types of its part of the schema, and with the defaults of keys that it
    leaves out. ``--config`` gives lists, groups of keys, null, true and the numbers in them as
    text.
    """
    kinds = _kinds(part)
    is_null = value == "null" and "null" in kinds
    if isinstance(value, str) and (is_null or (kinds and "string" not in kinds)):
        value = _as_yaml(value, kinds)
    if isinstance(value, dict):
        inner, others = part.get("properties", {}), part.get("additionalProperties") or {}
        filled = {key: _filled(setting, inner.get(key, others)) for key, setting in value.items()}
        return filled if inner.keys() <= filled.keys() else defaults(inner) | filled
    if isinstance(value, list):
        # of a list of one family and of several the numbers stand in the innermost lists
        items = part.get("else", part).get("items", {})
        return [_filled(x, {"items": items} if type(x) is list else items) for x in value]
    return value


def _kinds(part: dict) -> set[str]:
    """The types that a part of the schema allows; none where it names none."""
    if "oneOf" in part:
        return set.union(*map(_kinds, part["oneOf"]))
    kinds = part.get("type", ["string"] if "enum" in part else [])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _as_yaml(text: str, kinds: set[str]):
    """What a text means; where a number may stand also 1e-3, which to YAML is text. Yes is text
    unless true may stand there.
    """
    value = text
    with suppress(yaml.YAMLError):
        value = yaml.safe_load(text)
    if isinstance(value, bool) and "boolean" not in kinds:
        return text
    if "number" in kinds and isinstance(value, str):
        with suppress(ValueError):
            value = float(value)
    return value


def read_twice(paths: Iterable[str | Path]) -> list[str]:
    """A list of lines of text, one for each key that stands twice in one of the YAML files
    ``paths``: YAML takes the second.
    """
    return [
        f"{path}: {line}"
        for path in paths
        for line in _twice(yaml.compose(Path(path).read_text(encoding="utf-8")))
    ]


def _twice(node: yaml.Node | None) -> Iterator[str]:
    """A line for each key that stands twice in a node of a file, or in a node within it."""
    if isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.value in first:
                yield f"{key.value} stands in line {first[key.value]} and in line {line}"
            first.setdefault(key.value, line)
            yield from _twice(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _twice(item)
