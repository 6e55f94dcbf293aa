"""The settings of a study as a JSON schema: keys of the whole study from a file, those of the jobs
from the registry of scores.
"""

import copy
from functools import cache
from pathlib import Path

import yaml

from latentdag.data.tables import MISSING_TEXT
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA
from latentdag.ranking.beam import STARTS, WIDTH
from latentdag.ranking.prior import PRIORS
from latentdag.scores import JOBS, SPECS
from latentdag.scores.base import Setting

FILE = Path(__file__).with_name("config.schema.yaml")


def all_settings() -> dict[str, Setting]:
    """A dict of the `Setting` of each key of all jobs, in the registry's order. Raises ValueError
    when two jobs share a key and differ in what it means.
    """
    by_key: dict[str, Setting] = {}
    for job in JOBS.values():
        for setting in job.settings:
            if by_key.setdefault(setting.key, setting) != setting:
                raise ValueError(f"two settings with the key {setting.key!r} differ")
    return by_key


@cache
def _of_file() -> dict:
    # the parser that is written in C, where it is there
    return yaml.load(FILE.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def schema() -> dict:
    """The JSON schema of a complete configuration, a dict: all its keys are required, no others
    valid.
    """
    whole = copy.deepcopy(_of_file())
    keys = whole["properties"]
    keys["methods"]["items"] = {"enum": list(JOBS)}
    keys["scores"]["items"] = {"enum": list(SPECS)}
    keys["design"]["properties"]["nearest"]["propertyNames"] = {"enum": list(SPECS)}
    keys["equally_probable"]["enum"] = list(PRIORS)
    of_search = keys["search"]["properties"]
    of_search["method"]["enum"] = [spec.name for spec in SPECS.values() if spec.posterior]
    of_search["width"]["default"], of_search["starts"]["default"] = WIDTH, STARTS
    keys["data"]["properties"]["missing"]["default"] = list(MISSING_TEXT)
    of_prior = keys["prior"]["properties"]["alphas"]
    of_alpha = [keys[f"{of}{key}"] for of in ("", "true_") for key in ("alpha", "alpha_hidden")]
    for part in (*of_alpha, keys["alpha"]["items"], of_prior["items"]):
        part.update(minimum=MIN_ALPHA, maximum=MAX_ALPHA)
    for setting in all_settings().values():
        _add(whole, setting)
    _make_strict(whole)
    return whole


def with_defaults_of_jobs(study: dict) -> dict:
    """A copy of the configuration ``study``, completed by the default of each setting of a job that
    it leaves out.
    """
    complete = copy.deepcopy(study)
    for setting in all_settings().values():
        *groups, name = setting.key.split(".")
        part = complete
        for group in groups:
            part = part.setdefault(group, {})
        part.setdefault(name, setting.default)
    return complete


def defaults(keys: dict) -> dict:
    """A dict of the values by key, from ``keys``, parts of the schema by key, of those that a
    configuration may leave out: the default where a key has one, else None where it may be null.
    """
    return {
        key: part.get("default")
        for key, part in keys.items()
        if "default" in part or "null" in part.get("type", ())
    }


def _add(whole: dict, setting: Setting) -> None:
    """Put the schema of one setting in its place, with the objects around it."""
    *groups, name = setting.key.split(".")
    part, path = whole, ""
    for group in groups:
        path = f"{path}{group}."
        part = part["properties"].setdefault(group, {"type": "object", "properties": {}})
        of = [job for job in JOBS.values() if any(s.key.startswith(path) for s in job.settings)]
        part.setdefault("description", f"settings of {', '.join(job.meaning for job in of)}")
    kind = {bool: "boolean", int: "integer", float: "number"}[type(setting.default)]
    limit = {} if kind == "boolean" else {"minimum": setting.minimum}
    source = {"source": setting.source} if setting.source else {}
    part["properties"][name] = {"type": kind, "description": setting.meaning} | limit | source


def _make_strict(part: dict) -> None:
    if "properties" in part:
        part["additionalProperties"] = False
        part["required"] = list(part["properties"])
        for inner in part["properties"].values():
            _make_strict(inner)
    if "items" in part:
        _make_strict(part["items"])
