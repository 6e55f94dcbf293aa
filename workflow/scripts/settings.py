"""Check a resolved configuration before any work: one line per problem, naming the key."""

import difflib
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

from latentdag import Family, Structure, Table, enumerate_structures, read_table
from latentdag.counts import check_cells
from latentdag.scores.exact import check_size

SCHEMA = Path(__file__).parents[1] / "schemas" / "config.schema.yaml"


def schema() -> dict:
    """The JSON schema of the configuration."""
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def problems(config: dict) -> list[str]:
    """What is wrong with ``config``, most basic first; empty when nothing is."""
    found = [
        _in_words(error)
        for error in sorted(
            Draft202012Validator(schema()).iter_errors(config), key=lambda e: list(map(str, e.path))
        )
    ]
    return found or list(_across_keys(config))


def own_table(config: dict) -> Table:
    """The cases of ``data``; ValueError saying what is wrong with them."""
    data = config["data"]
    return read_table(data["file"], data["count"], data["levels"])


def _in_words(error) -> str:
    key = ".".join(map(str, error.absolute_path))
    if error.validator == "additionalProperties":
        allowed = list(error.schema["properties"])
        unknown = [k for k in error.instance if k not in allowed]
        near = [difflib.get_close_matches(str(k), allowed, n=1, cutoff=0.5) for k in unknown]
        hints = [
            f"{k!r}" + (f" (did you mean {n[0]!r}?)" if n else "")
            for k, n in zip(unknown, near, strict=True)
        ]
        where = f"{key}: " if key else ""
        return f"{where}unknown key {', '.join(hints)}; allowed are {', '.join(allowed)}"
    if error.validator == "required":
        missing = [k for k in error.validator_value if k not in error.instance]
        return f"{key + ': ' if key else ''}missing key {', '.join(missing)}"
    if error.validator == "enum":
        near = difflib.get_close_matches(
            str(error.instance), list(map(str, error.validator_value)), n=1, cutoff=0.5
        )
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        return f"{key}: {error.instance!r} is not one of {', '.join(map(str, error.validator_value))}{hint}"
    description = error.schema.get("description")
    return f"{key}: {error.message}" + (f" ({description})" if description else "")


def _across_keys(config: dict):
    """Checks that one key's schema cannot make."""
    simulated = {
        "true_structure": config["true_structure"],
        "sizes": config["sizes"],
        "family.observed": config["family"]["observed"],
    }
    if config["data"] is None:
        missing = [
            f"{key}: needed when no data are given"
            for key, value in simulated.items()
            if value is None
        ]
        yield from missing or _of_simulation(config)
    else:
        given = [
            f"{key}: must be null with data, which have their own"
            for key, value in simulated.items()
            if value is not None
        ]
        yield from given or _of_own_data(config)
    if "vb" in config["methods"] and "map" not in config["methods"]:
        yield "methods: vb needs map, whose best solution is one of its starts"
    if not {"map", "vb", "ais"} & set(config["methods"]):
        yield "methods: the figures need at least one of map, vb and ais"


def _of_simulation(config: dict):
    family = Family(tuple(config["family"]["hidden"]), tuple(config["family"]["observed"]))
    try:
        check_cells({f"y{j + 1}": k for j, k in enumerate(family.observed)})
        n_structures = len(enumerate_structures(family))
    except ValueError as error:
        yield f"family: {error}"
        return
    try:
        true = Structure.from_label(config["true_structure"], family)
    except ValueError as error:
        yield f"true_structure: {error}"
        return
    if true.canonical() != true:
        yield f"true_structure: {true} is not canonical; write {true.canonical()}"
    yield from _of_sizes(config, config["sizes"], family, n_structures)
    too_large = [n for n in config["reference"]["other_sizes"] if n > max(config["sizes"])]
    if "reference" in config["methods"] and too_large:
        yield f"reference.other_sizes: {too_large[0]} is above the largest of the sizes"
    for key, n in (("annealing.n", config["annealing"]["n"]), ("figure_n", config["figure_n"])):
        if n not in config["sizes"]:
            yield f"{key}: {n} is not one of the sizes"


def _of_own_data(config: dict):
    try:
        table = own_table(config)
    except ValueError as error:
        yield f"data: {error}"
        return
    family = table.family(config["family"]["hidden"])
    try:
        n_structures = len(enumerate_structures(family))
    except ValueError as error:
        yield f"family: {error}"
        return
    if config["draws"] != 1:
        yield f"draws: {config['draws']}; data are one draw"
    yield from _of_sizes(config, [len(table.cases)], family, n_structures)
    published = config["data"]["published"]
    if published is None:
        return
    try:
        structure = Structure.from_label(published["structure"], family)
    except ValueError as error:
        yield f"data.published.structure: {error}"
        return
    if structure.canonical() != structure or set(structure.parents) != {(0,)}:
        yield f"data.published.structure: {structure} is not a latent class model; write {'-'.join(['1'] * len(table.names))}"
    elif len(published["class_sizes"]) != family.hidden[0]:
        yield f"data.published.class_sizes: {len(published['class_sizes'])} sizes for the {family.hidden[0]} values of s1"
    if "ml" not in config["methods"]:
        yield "methods: data.published needs ml"


def _of_sizes(config: dict, sizes: list[int], family: Family, n_structures: int):
    largest = Structure(((*range(len(family.hidden)),),) * len(family.observed), family)
    for n in config["exact_sizes"]:
        if "exact" in config["methods"] and n in sizes:
            try:
                check_size(n, [largest])
            except ValueError as error:
                yield f"exact_sizes: {error}"
    if config["blocks"] > n_structures:
        yield f"blocks: {config['blocks']} is more than the {n_structures} structures"
