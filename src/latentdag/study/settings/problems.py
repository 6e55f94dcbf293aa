"""Checks of a complete configuration before any work: one line per problem, which names the key."""

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from latentdag import Family, Prior, Structure, enumerate_structures
from latentdag.data.counts import MAX_CASES
from latentdag.model.parameters import check_cells
from latentdag.model.structures import MAX_LABELLED, check_enumerable, check_states
from latentdag.ranking.prior import number_of_structures
from latentdag.scores import JOBS, SPECS, refuse
from latentdag.scores.base import REACH, Task
from latentdag.scores.exact import check_size
from latentdag.study.design.draws import check_true_structure, design
from latentdag.study.design.model import alphas, families_of, family_of, value_at
from latentdag.study.design.user_table import user_table
from latentdag.study.settings import parts
from latentdag.study.settings.filled import GREEDY
from latentdag.study.settings.schema import schema

# to the schema's own mind 10.0 is an integer, and nan a number
TYPES = Draft202012Validator.TYPE_CHECKER
STRICTER = {
    "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda _, value: TYPES.is_type(value, "number") and value == value,
}
VALIDATOR = extend(Draft202012Validator, type_checker=TYPES.redefine_many(STRICTER))

SCATTER = "--set-scatter structures=N, which makes N jobs of each score"
# by the key that it had in version 1 (the last name of one with dots), what is used instead
REPLACED = {
    "blocks": SCATTER,
    "sizes_per_job": f"{SCATTER}; each takes all sizes",
    "jobs": SCATTER,
    "bridge": "the key 'tempered_smc'",
    "bridge_sizes": "the key 'tempered_smc_sizes'",
    "published": "the table fit.csv, which has the log-likelihood to compare",
}


def problems(config: dict) -> list[str]:
    """A list of lines of text, one for each problem of ``config``, a configuration that was filled
    in: first those against the schema; without any, those of several keys together. Empty when
    nothing is wrong.
    """
    errors = VALIDATOR(schema()).iter_errors(config)
    messages = [_in_words(error) for error in sorted(errors, key=lambda e: list(map(str, e.path)))]
    return messages or list(_across_keys(config))


def _did_you_mean(word, choices: list[str]) -> str:
    near = difflib.get_close_matches(str(word), choices, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _in_words(error: ValidationError) -> str:
    """One line for one finding of the validator."""
    key = ".".join(map(str, error.absolute_path))
    where = f"{key}: " if key else ""
    if error.validator == "additionalProperties":
        allowed = list(error.schema["properties"])
        if replaced := [name for name in error.instance if name in {*REPLACED} - {*allowed}]:
            words = [f"{name!r} is gone since version 2: use {REPLACED[name]}" for name in replaced]
            return where + "; ".join(words)
        near = {k: _did_you_mean(k, allowed) for k in error.instance if k not in allowed}
        words = ", ".join(f"{unknown!r}{meant}" for unknown, meant in near.items())
        rest = "" if all(near.values()) else f"; allowed are {', '.join(allowed)}"
        return f"{where}unknown key {words}{rest}"
    if error.validator == "required":
        missing = [k for k in error.validator_value if k not in error.instance]
        return f"{where}missing key {', '.join(missing)}"
    if error.validator == "enum":
        choices = list(map(str, error.validator_value))
        if key.startswith("methods") and error.instance in SPECS:
            job = SPECS[error.instance].job.name
            return f"{where}{error.instance!r} comes with the method {job!r}: write that"
        if error.instance == "bridge":
            return f"{where}'bridge' is named 'tempered_smc' since version 2"
        near = _did_you_mean(error.instance, choices)
        return f"{where}{error.instance!r} is not one of {', '.join(choices)}{near}"
    values = error.instance if isinstance(error.instance, list) else [error.instance]
    of_texts = ("data.columns", "data.missing")
    if values is error.instance:
        of_texts += ("data.levels",)
    if key.startswith(of_texts) and any(isinstance(value, bool) for value in values):
        return f"{where}true and false, as YAML reads yes and no: write them in quotes"
    if error.validator == "oneOf":
        return f"{where}{error.instance!r} is not {error.schema['description']}"
    if key.startswith("family.hidden") and error.instance == 1:
        return f"{where}one class is no cause, the structure 0-0-...-0 of every family"
    if error.validator == "pattern":
        return f"{where}{error.instance!r} has a brace in it: such paths are patterns of Snakemake"
    if key == "search" and error.validator == "type":
        return f"search: {error.instance!r} is neither {GREEDY!r} nor keys nor null"
    if error.instance != error.instance:
        return f"{where}nan is not a number"
    if error.validator == "type" and error.instance is None:
        return f"{where}must not be null"
    description = error.schema.get("description")
    return f"{where}{error.message}" + (f" ({description})" if description else "")


# the values of keys that another kind of study reads: of own data, and of simulated cases
WITH_DATA = {
    **dict.fromkeys(("true_structure", "sizes", "family.observed", "design", "reach")),
    **dict.fromkeys(("true_alpha", "true_alpha_hidden")),
    "draws": 1,
    "population": False,
}
WITHOUT_DATA = {"equally_probable": "structures", "search": None}
NEEDED = ("true_structure", "sizes", "family.observed")  # by simulated cases


class Wrong(ValueError):
    """What is wrong with a key, in one line that begins with it; what follows depends on it."""


@contextmanager
def _key_named(key: str) -> Iterator[None]:
    """Name the key in what a check says."""
    try:
        yield
    except ValueError as error:
        raise Wrong(f"{key}: {error}") from None


def _across_keys(config: dict) -> Iterator[str]:
    """Checks that one key's schema cannot make."""
    yield from _check_methods(config["methods"], config["scores"] or list(SPECS))
    wrong = list(_check_kind(config))
    yield from wrong
    if not wrong:
        try:
            yield from _check_own_data(config) if config["data"] else _check_simulation(config)
        except Wrong as error:
            yield str(error)


def _check_kind(config: dict) -> Iterator[str]:
    """Yields a line for each key that a study of a user's data, or a simulated one, cannot have."""
    for key, value in (WITH_DATA if config["data"] else WITHOUT_DATA).items():
        if value_at(config, key) != value:
            words = yaml.safe_dump(value).split("\n")[0]
            yield f"{key}: must be {words} {'with' if config['data'] else 'without'} data"
    if config["data"] is None:
        missing = [key for key in NEEDED if value_at(config, key) is None]
        yield from (f"{key}: needed when no data are given" for key in missing)
        if isinstance(config["family"]["hidden"][0], list):
            yield "family.hidden: several families need data; simulated studies have one"
        if isinstance(config["alpha"], list):
            yield "alpha: a list needs data; a simulated study has its other priors in prior.alphas"


def _check_methods(methods: list[str], scores: list[str]) -> Iterator[str]:
    of_job = {name: SPECS[name].job.name for name in scores}
    if len(scores) < len(SPECS):
        for name, job in of_job.items():
            if job not in methods:
                yield f"scores: {name!r} comes with the method {job!r}, which methods lacks"
        for job in methods:
            if job not in of_job.values():
                yield f"methods: {job!r} gives none of the scores"
    at_all_sizes = {
        spec.job.name
        for spec in SPECS.values()
        if {"scores", "rank"} <= set(spec.figures) and spec.job.sizes_key is None
    }
    if not at_all_sizes & set(methods):
        jobs = [name for name in JOBS if name in at_all_sizes]
        yield f"methods: the figures need at least one of {', '.join(jobs)}"


def _check_simulation(config: dict) -> Iterator[str]:
    family = family_of(config)
    with _key_named("family"):
        check_cells(family)
        n_structures = len(enumerate_structures(family))
    yield from _check_design(config, family)
    yield from _check_sizes(config, config["sizes"], family, n_structures)
    too_large = [n for n in config["reference"]["other_sizes"] if n > max(config["sizes"])]
    if "reference" in config["methods"] and too_large:
        yield f"reference.other_sizes: {too_large[0]} is above the largest of the sizes"
    if max(config["sizes"]) > MAX_CASES:
        yield f"sizes: {max(config['sizes'])} is above {MAX_CASES:,}, the most that is supported"
    for job in JOBS.values():
        if job.sizes_key is None or job.name not in config["methods"]:
            continue
        sizes_of_job = config[job.sizes_key]
        if sizes_of_job and not set(sizes_of_job) & set(config["sizes"]):
            listed = ", ".join(map(str, sizes_of_job))
            yield f"{job.sizes_key}: none of {listed} is one of the sizes"
    if config["reach"] is not None:
        if "map" not in config["methods"]:
            yield "methods: reach needs map, whose score cs_lr says what is within it"
        if REACH not in (config["scores"] or SPECS):
            yield f"scores: reach needs {REACH}, which says what is within it"
    for key in ("annealing.n", "prior.n", "figure_n"):
        if (n := value_at(config, key)) not in config["sizes"]:
            yield f"{key}: {n} is not one of the sizes"


def _check_design(config: dict, family: Family) -> Iterator[str]:
    with _key_named("true_structure"):
        check_true_structure(config["true_structure"], family)
    if (config["design"] is None) == (config["draws"] is None):
        raise Wrong("draws: needed without a design, and null with one")
    with _key_named("design"):
        draws = design(config, family)
    if not draws and not config["parts"]:
        raise Wrong("draws: 0 needs parts, whose draws are pooled")
    yield from parts.problems(config, [draw.draw for draw in draws])
    if config["one_chain"]:
        if not config["population"]:
            yield "one_chain: only a population has the figure found"
        elif not (Path(config["one_chain"]) / "found.csv").is_file():
            yield f"one_chain: {config['one_chain']} has no found.csv"
    if len(draws) > 1 and not config["population"]:
        yield "draws: several draws are a population; write population: true"
    has_bounds = not config["population"] and "reference" in config["methods"]
    if has_bounds and any(draw.true_prior != draw.prior for draw in draws):
        yield (
            "true_alpha: bounds on the evidence need parameters from the prior of the scores; "
            "write population: true, or leave out the method reference"
        )


def _check_own_data(config: dict) -> Iterator[str]:
    with _key_named("data"):
        table = user_table(config["data"])
    families = families_of({"family": config["family"] | {"observed": table.cardinalities}})
    _check_families(families, config["search"])
    if len(alphas(config)) > 1 and not {"map", "vb"} & set(config["methods"]):
        yield "methods: a list of alpha needs map or vb"
    n_structures = number_of_structures(families)
    if config["search"]:
        n_structures = min(n_structures, config["search"]["keep"])
    largest = max(families, key=lambda family: family.n_states)
    yield from _check_sizes(config, [table.n], largest, n_structures)
    # the largest structure that is surely scored: a search begins with one cause of all variables
    causes = (0,) if config["search"] and largest.hidden else (*range(len(largest.hidden)),)
    structure = Structure((causes,) * len(table.names), largest)
    scores = [SPECS[name] for name in config["scores"] or SPECS]
    # the sizes of exact are checked with their key
    names = [s.name for s in scores if s.job.name in config["methods"] and s.name != "exact"]
    names += [config["search"]["method"]] if config["search"] else []
    with _key_named("methods"):
        for alpha in alphas(config):
            prior = Prior(alpha, config["alpha_hidden"])
            refuse(Task([structure], table.counts, prior), names)


def _check_families(families: list[Family], search: dict | None) -> None:
    """Raise Wrong unless the structures of the families of own data can be scored, or searched."""
    seen: dict[tuple[int, ...], Family] = {}
    with _key_named("family.hidden"):
        for family in families:
            hidden = list(family.hidden)
            if (same := seen.setdefault(tuple(sorted(hidden)), family)) is not family:
                raise ValueError(f"{list(same.hidden)} and {hidden} are the same family")
            if max(hidden, default=0) > family.n_cells:
                raise ValueError(
                    f"{max(hidden)} states are more than the {family.n_cells} cells of the table, "
                    "and can tell no more than as many"
                )
            check_states(family.hidden)
    if search is not None:
        return
    with _key_named("family"):
        for family in families:
            check_enumerable(family)
    if (n_structures := number_of_structures(families)) > MAX_LABELLED:
        raise Wrong(
            f"family.hidden: {n_structures:,} structures in all; at most {MAX_LABELLED:,} are "
            f"scored, and with more search: {GREEDY} looks for the best"
        )


def _check_sizes(
    config: dict, sizes: list[int], family: Family, n_structures: int
) -> Iterator[str]:
    largest = Structure(((*range(len(family.hidden)),),) * len(family.observed), family)
    with _key_named("exact_sizes"):
        for n in config["exact_sizes"]:
            if "exact" in config["methods"] and n in sizes:
                check_size(n, [largest])
    others = config["reference"]["others"]
    if config["data"] is None and others > n_structures:
        yield f"reference.others: {others} is more than the {n_structures} structures"
