"""The settings of a study as a JSON schema: keys of the whole study from a file, those of the jobs
from the registry of scores.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml

from latentdag.data.tables import MISSING_TEXT
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA
from latentdag.scores import JOBS, SPECS
from latentdag.scores.base import Job, Setting
from latentdag.search.beam import STARTS, WIDTH
from latentdag.search.ranking import PRIORS

FILE = Path(__file__).parents[1] / "schemas" / "config.schema.yaml"
STUDY = Path(__file__).parents[1] / "config" / "study.yaml"
WORDS = {"string": "text", "object": "keys", "boolean": "true or false"}
MARKDOWN_HEADER = ("key", "meaning", "range", "default", "source of the default")


def settings(job: Job) -> tuple[Setting, ...]:
    """The keys of one job: its settings, and for one that takes long the number of jobs that share
    its structures.
    """
    if job.jobs is None:
        return job.settings
    jobs = Setting(
        name="jobs",
        key=f"{job.name}.jobs",
        default=job.jobs,
        meaning="jobs per draw and group of sizes, over which the structures are spread",
    )
    return (*job.settings, jobs)


def all_settings() -> dict[str, Setting]:
    """The keys of all jobs, in the registry's order. Raises ValueError when two jobs share a key
    and differ in what it means.
    """
    found: dict[str, Setting] = {}
    for job in JOBS.values():
        for setting in settings(job):
            if found.setdefault(setting.key, setting) != setting:
                raise ValueError(f"two settings with the key {setting.key!r} differ")
    return found


def schema() -> dict:
    """The schema of a complete configuration: every key is required, and no other is allowed."""
    found = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    keys = found["properties"]
    keys["methods"]["items"] = {"enum": list(JOBS)}
    keys["scores"]["items"] = {"enum": list(SPECS)}
    keys["design"]["properties"]["nearest"]["propertyNames"] = {"enum": list(SPECS)}
    keys["equally_probable"]["enum"] = list(PRIORS)
    judges = [spec.name for spec in SPECS.values() if spec.posterior]
    of_search = keys["search"]["properties"]
    of_search["method"]["enum"] = judges
    of_search["width"]["default"], of_search["starts"]["default"] = WIDTH, STARTS
    keys["data"]["properties"]["missing"]["default"] = list(MISSING_TEXT)
    limits = {"minimum": MIN_ALPHA, "maximum": MAX_ALPHA}
    for name in ("alpha", "alpha_hidden"):
        keys[name] |= limits
    keys["prior"]["properties"]["alphas"]["items"] |= limits
    keys["alpha"]["items"] |= limits
    for setting in all_settings().values():
        _add(found, setting)
    _make_strict(found)
    return found


def defaults(part: dict) -> dict:
    """The values of the keys that a part of a configuration may leave out: those with a default,
    and those that may be null.
    """
    return {
        key: own.get("default")
        for key, own in part["properties"].items()
        if "default" in own or "null" in own.get("type", ())
    }


def _add(whole: dict, setting: Setting) -> None:
    """Put the schema of one setting in its place, with the objects around it."""
    *groups, name = setting.key.split(".")
    part, path = whole, ""
    for group in groups:
        path = f"{path}{group}."
        part = part["properties"].setdefault(group, {"type": "object", "properties": {}})
        part.setdefault("description", f"settings of {', '.join(_jobs_under(path))}")
    kind = {bool: "boolean", int: "integer", float: "number"}[type(setting.default)]
    limit = {} if kind == "boolean" else {"minimum": setting.minimum}
    source = {"source": setting.source} if setting.source else {}
    part["properties"][name] = {"type": kind, "description": setting.meaning} | limit | source


def _jobs_under(path: str) -> list[str]:
    """What runs by the keys that begin like this."""
    return [
        job.meaning
        for job in JOBS.values()
        if any(setting.key.startswith(path) for setting in settings(job))
    ]


def _make_strict(part: dict) -> None:
    if "properties" in part:
        part["additionalProperties"] = False
        part["required"] = list(part["properties"])
        for inner in part["properties"].values():
            _make_strict(inner)
    if "items" in part:
        _make_strict(part["items"])


def markdown() -> str:
    """Every key with its meaning, range and default, as a Markdown table."""
    rows = [MARKDOWN_HEADER, ("---",) * len(MARKDOWN_HEADER), *_rows()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _rows() -> Iterator[tuple[str, ...]]:
    study = yaml.safe_load(STUDY.read_text(encoding="utf-8"))
    by_job = all_settings()
    for key, part in _leaves(schema()):
        known = by_job[key].default if key in by_job else _in_words(study, key)
        default = _in_words(part, "default") or str(known)
        default = default.lower() if part.get("type") == "boolean" else default
        yield f"`{key}`", part["description"], _range(part), default, part.get("source", "")


def _leaves(part: dict, at: str = "") -> Iterator[tuple[str, dict]]:
    """Keys that hold a value, and groups of keys that may be null, with their schemas; the keys of
    a list's items stand below that of the list.
    """
    for name, inner in part["properties"].items():
        if "properties" not in inner or "null" in inner["type"]:
            yield at + name, inner
        group = inner.get("items", inner)
        if "properties" in group:
            yield from _leaves(group, f"{at}{name}.")


def _in_words(config: dict, key: str) -> str:
    """The value under a key with dots; nothing where there is none."""
    for name in key.split("."):
        if not isinstance(config, dict) or name not in config:
            return ""
        config = config[name]
    if config is None:
        return "null"
    return ", ".join(filter(None, map(str, config))) if isinstance(config, list) else str(config)


def _range(part: dict) -> str:
    """What a value may be, in a few words."""
    if "range" in part:
        return part["range"]
    if "enum" in part:
        return "one of " + ", ".join(part["enum"])
    if "$ref" in part:
        return {"count": "integer from 1", "path": "text without braces"}[Path(part["$ref"]).name]
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    if kinds[0] == "array":
        items = part["items"]
        each = ", ".join(items["enum"]) if "enum" in items else _range(items)
        words = "some of " + each if "enum" in items else each.replace(" ", "s ", 1)
        words = f"list of {words}" if words == "keys" else words
    else:
        words = WORDS.get(kinds[0], kinds[0])
    for limit, word in (("minimum", "from"), ("maximum", "to")):
        if limit in part:
            words += f" {word} {part[limit]:g}"
    return words + (" or null" if "null" in kinds else "")
