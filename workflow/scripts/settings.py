"""Check a resolved configuration before any work: one line per problem, naming the key."""

import difflib
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

from latentdag import Family, Structure, enumerate_structures
from latentdag.exact import check_size

SCHEMA = Path(__file__).parents[1] / "schemas" / "config.schema.yaml"


def schema() -> dict:
    """The JSON schema of the configuration."""
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def problems(config: dict) -> list[str]:
    """What is wrong with ``config``, most basic first; empty when nothing is."""
    found = [
        _in_words(error)
        for error in sorted(Draft202012Validator(schema()).iter_errors(config), key=lambda e: list(map(str, e.path)))
    ]
    return found or list(_across_keys(config))


def _in_words(error) -> str:
    key = ".".join(map(str, error.absolute_path))
    if error.validator == "additionalProperties":
        allowed = list(error.schema["properties"])
        unknown = [k for k in error.instance if k not in allowed]
        near = [difflib.get_close_matches(str(k), allowed, n=1, cutoff=0.5) for k in unknown]
        hints = [f"{k!r}" + (f" (did you mean {n[0]!r}?)" if n else "") for k, n in zip(unknown, near, strict=True)]
        where = f"{key}: " if key else ""
        return f"{where}unknown key {', '.join(hints)}; allowed are {', '.join(allowed)}"
    if error.validator == "required":
        missing = [k for k in error.validator_value if k not in error.instance]
        return f"{key + ': ' if key else ''}missing key {', '.join(missing)}"
    if error.validator == "enum":
        near = difflib.get_close_matches(str(error.instance), list(map(str, error.validator_value)), n=1, cutoff=0.5)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        return f"{key}: {error.instance!r} is not one of {', '.join(map(str, error.validator_value))}{hint}"
    description = error.schema.get("description")
    return f"{key}: {error.message}" + (f" ({description})" if description else "")


def _across_keys(config: dict):
    """Checks that one key's schema cannot make."""
    family = Family(tuple(config["family"]["hidden"]), tuple(config["family"]["observed"]))
    try:
        true = Structure.from_label(config["true_structure"], family)
    except ValueError as error:
        yield f"true_structure: {error}"
        return
    if true.canonical() != true:
        yield f"true_structure: {true} is not canonical; write {true.canonical()}"
    if "vb" in config["methods"] and "map" not in config["methods"]:
        yield "methods: vb needs map, whose best solution is one of its starts"
    if not {"map", "vb", "ais"} & set(config["methods"]):
        yield "methods: the figures need at least one of map, vb and ais"
    for size in config["exact_sizes"]:
        if "exact" in config["methods"] and size in config["sizes"]:
            try:
                check_size(size, [true, Structure(((*range(len(family.hidden)),),) * len(family.observed), family)])
            except ValueError as error:
                yield f"exact_sizes: {error}"
    too_large = [n for n in config["reference"]["other_sizes"] if n > max(config["sizes"])]
    if "reference" in config["methods"] and too_large:
        yield f"reference.other_sizes: {too_large[0]} is above the largest of the sizes"
    if config["annealing"]["n"] not in config["sizes"]:
        yield f"annealing.n: {config['annealing']['n']} is not one of the sizes"
    if config["figure_n"] not in config["sizes"]:
        yield f"figure_n: {config['figure_n']} is not one of the sizes"
    n_structures = len(enumerate_structures(family))
    if config["blocks"] > n_structures:
        yield f"blocks: {config['blocks']} is more than the {n_structures} structures"
