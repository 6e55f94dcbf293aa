"""Parts of a population that were computed elsewhere or before: whether they belong to it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from latentdag.scores import JOBS
from latentdag.study.design.draws import UNIFORM
from latentdag.study.design.files import read_json, read_rows
from latentdag.study.settings.schema import all_settings

FILES = ("design.csv", "verdicts.parquet", "reliability_counts.parquet", "provenance.json")
# what may differ between parts: which draws and methods (statistics are over the draws that have
# them), how the work is cut, and what single draws alone read
MAY_DIFFER = {
    *("blocks", "sizes_per_job"),  # of records before version 2
    *("draws", "design", "parts", "one_chain", "methods", "scores", "results", "figures"),
    *("figure_n", "figure_width", "threads", "quoted"),
    *("annealing", "prior", "fit", "data", "equally_probable", "search"),
}


def problems(config: dict, draws: Iterable[int]) -> Iterator[str]:
    """Yields a line of text for each problem with the key `parts` of the complete configuration
    ``config``, folders with the tables of other populations, for a run that itself computes the
    draws with the numbers ``draws``.
    """
    if config["parts"] and not config["population"]:
        yield "parts: only a population has parts"
        return
    files = [*FILES]
    if config["true_structure"] != UNIFORM:
        files.append("claims.csv")
    if "reference" in config["methods"]:
        files.append("worths.parquet")
    seen = dict.fromkeys(draws, "the draws")
    for folder in map(Path, config["parts"]):
        missing = [name for name in files if not (folder / name).is_file()]
        if missing:
            yield f"parts: {folder} has no {missing[0]}"
            continue
        try:
            recorded = read_json(folder / "provenance.json")["config"]
            other, methods = _flat(recorded), recorded["methods"]
            numbers = [int(row["draw"]) for row in read_rows(folder / "design.csv")]
        except (ValueError, KeyError, TypeError) as error:
            yield f"parts: {folder} is no population: {error}"
            continue
        settings = _flat(config)
        # a setting that is newer than the part had its default
        other = {key: s.default for key, s in all_settings().items() if key in settings} | other
        unread = _unread(config["methods"]) | _unread(methods)
        differ = [
            k for k in settings | other if settings.get(k) != other.get(k) and k not in unread
        ]
        if differ:
            key = differ[0]
            yield f"parts: {folder} has {key} {other.get(key)}, here it is {settings.get(key)}"
        for draw in numbers:
            if draw in seen:
                yield f"parts: draw {draw} of {folder} is also in {seen[draw]}"
                break
        seen |= dict.fromkeys(numbers, str(folder))


def _unread(methods: Iterable[str]) -> set[str]:
    """The keys that jobs read, but none of those that run."""
    keys = {
        name: {s.key for s in job.settings} | {job.sizes_key or "methods"}
        for name, job in JOBS.items()
    }
    return set().union(*keys.values()).difference(*(keys[name] for name in methods))


def _flat(config: dict, at: str = "") -> dict:
    """The settings on which a draw's numbers depend, by their keys written with dots."""
    settings = {}
    for key, value in config.items():
        if (at == "" and key in MAY_DIFFER) or key == "jobs":
            continue
        if isinstance(value, dict):
            settings |= _flat(value, f"{at}{key}.")
        else:
            settings[at + key] = value
    return settings
