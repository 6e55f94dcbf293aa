"""Studies for the workflow's tests: copies of the project in temporary folders, run as a user runs
them.
"""

import copy
import csv
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from functools import cache
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from snakemake.utils import update_config

from latentdag.engine import jit
from latentdag.scores import JOBS
from latentdag.study.schema import tables
from latentdag.study.settings.filled import fill_in
from lib.places import defaults

ROOT = Path(__file__).parents[2]
SMOKE_CONFIG = "workflow/config/smoke.yaml"
SMOKE = ("--cores", "2", "--configfile", SMOKE_CONFIG)
COPIED = ("Snakefile", "workflow", "profiles", "environment.yml")
COMPILED = shutil.ignore_patterns("*.pyc", "*.egg-info")
# Every setting of a simulated study differs from study.yaml: sizes that are not sorted,
# priors other than uniform, unequal cardinalities; no two jobs could be exchanged.
SMALL = {
    "seed": 7,
    "family": {"hidden": [2, 2], "observed": [2, 3, 2]},
    "true_structure": "1-12-2",
    "alpha": 0.7,
    "alpha_hidden": 1.6,
    "sizes": [40, 10],
    "exact_sizes": [10],
    "tempered_smc_sizes": [40, 10],
    "tempered_smc": {"particles": 8, "runs": 3},
    "restarts": {
        "map": {"at_most": 3, "hits": 2},
        "ml": {"at_most": 3, "hits": 3},
        "vb": {"at_most": 4, "hits": 3},
        "vb_eb": {"at_most": 6, "hits": 2},
    },
    "vb_online": {"batch": 16, "passes": 3},
    "max_iterations": 2000,
    "ais": {"steps": 32, "chains": 3},
    "ais_long_sizes": [40, 10],
    "ais_long": {"steps": 64, "chains": 2},
    "ais_rows_sizes": [40, 10],
    "ais_rows": {"steps": 48, "chains": 4},
    "reference": {
        "target": 2.0, "particles": 8, "runs": 4, "most_runs": 12,
        "upper_runs": 2, "others": 1, "other_sizes": [10],
    },
    "annealing": {"n": 40, "steps": [32, 16], "chains": 2},
    "prior": {"n": 10, "alphas": [1.3, 0.5]},
    "figure_n": 10,
    "results": "results",
    "figures": "figures",
    "quoted": None,
}  # fmt: skip
N_STRUCTURES = 36  # of SMALL's family
# what makes SMALL a study of own data
OWN = dict.fromkeys(("family.observed", "true_structure", "sizes"))
OWN |= {"data": {"file": "workflow/data/stouffer_toby_1951.csv", "count": "count"}}
# without reference and tempered SMC, whose loops every copy would have to compile
LEFT_OUT = ("reference", "tempered_smc")
LESS = {"methods": [name for name in JOBS if name not in LEFT_OUT], "prior__alphas": []}

LOOK = """
include: "{}"
import json, sys, types
def value(function):
    try:
        return function(types.SimpleNamespace(**{}))
    except (KeyError, AttributeError):  # it asks for more
        return None
of = {{name: getattr(rules, name) for name in {}}}
print(json.dumps({{
    name: dict(r.params.items()) | dict(r.input.items()) | {{"": list(r.input)}}
    for name, r in of.items()
}}, default=value))
sys.exit()
"""


def printed(*command: str, **how) -> str:
    """What a command prints, which must end well."""
    done = subprocess.run(command, **how, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@cache
def _parsed(name: str) -> dict:
    text = (ROOT / name).read_text(encoding="utf-8")
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def loaded(name: str) -> dict:
    """A YAML file of the project."""
    return copy.deepcopy(_parsed(name))


_defaults = cache(defaults)


def resolved(*configs: dict) -> dict:
    """The whole configuration that Snakemake makes of study.yaml and what differs from it."""
    config = loaded("workflow/config/study.yaml")
    for other in configs:
        update_config(config, copy.deepcopy(other))
    fill_in(config, copy.deepcopy(_defaults()))
    return config


def resolved_smoke() -> dict:
    return resolved(loaded(SMOKE_CONFIG))


def tool(name: str) -> str:
    """Path of a command line tool, beside this Python or on the path; the test is skipped where
    there is none.
    """
    beside = Path(sys.executable).parent / name
    path = str(beside) if beside.exists() else shutil.which(name)
    return path or pytest.skip(f"{name} is not installed: install requirements.txt")


def small(**changes) -> dict:
    """The whole configuration of the small study with some keys changed."""
    return resolved(changed(SMALL, changes))


def changed(config: dict, changes: dict) -> dict:
    """A copy of ``config`` with some keys, such as ``annealing__n`` or ``annealing.n``, changed."""
    config = copy.deepcopy(config)
    for key, value in changes.items():
        *path, last = key.replace("__", ".").split(".")
        part = config
        for name in path:
            part = part.setdefault(name, {})
        part[last] = copy.deepcopy(value)
    return config


class Named(dict):
    """Files or values as Snakemake hands them to a script."""

    __getattr__ = dict.__getitem__


def run_script(name: str, log: Path, input=(), output=(), wildcards=(), params=()) -> None:
    """Run the script of a rule, with files and values as Snakemake hands them to it."""
    parts = {"input": input, "output": output, "wildcards": wildcards, "params": params}
    named = {part: Named(values) for part, values in parts.items()}
    job = SimpleNamespace(**named, threads=1, rule=name, log=[str(log)])
    runpy.run_path(str(ROOT / f"workflow/scripts/{name}.py"), {"snakemake": job})


class Study:
    """A copy of the project's code, and a small configuration to run it with."""

    def __init__(self, folder: Path, computed: Path | None = None):
        """In a new ``folder``; with ``computed`` a copy of that study with all that it has."""
        self.folder = folder
        if computed:
            shutil.copytree(computed, folder, symlinks=True)
            return
        folder.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=COMPILED)
            else:
                shutil.copy2(source, folder / name)
        (folder / "src").symlink_to(ROOT / "src")

    def command(self, *arguments: str, cores: int = 1, spread: int = 1, **changes) -> list[str]:
        """The command line for the small configuration with some keys changed, with a scoring job
        for each ``spread``-th part of the structures.
        """
        config = self.folder / "config.yaml"
        config.write_text(yaml.safe_dump(changed(SMALL, changes)), encoding="utf-8")
        options = ("--configfile", config.name, "--cores", str(cores), *arguments)
        return [tool("snakemake"), *options, "--set-scatter", f"structures={spread}"]

    def environment(self) -> dict:
        """Without what would let a study find another copy of the package or other settings."""
        cache = str(self.folder / ".cache")
        folders = {"XDG_CACHE_HOME": cache, "NUMBA_CACHE_DIR": str(jit.FOLDER or cache)}
        left_out = ("PYTHONPATH", "SNAKEMAKE_PROFILE")
        return {k: v for k, v in os.environ.items() if k not in left_out} | folders

    def call(self, command: list[str], status: int = 0) -> subprocess.CompletedProcess:
        at = {"cwd": self.folder, "env": self.environment(), "timeout": 1200}
        result = subprocess.run(command, **at, capture_output=True, text=True, check=False)
        assert result.returncode == status, f"{result.returncode}\n{result.stdout}\n{result.stderr}"
        return result

    def run(self, *arguments: str, status: int = 0, **changes) -> str:
        """Run snakemake; what it printed."""
        result = self.call(self.command(*arguments, **changes), status)
        return result.stdout + result.stderr

    def plan(self, *arguments: str, **changes) -> list[dict]:
        """One row per output file of the study: output_file, rule, plan and more."""
        result = self.call(self.command("--summary", *arguments, **changes))
        return list(csv.DictReader(StringIO(result.stdout), delimiter="\t"))

    def run_alone(self, kind: str, small: dict, *arguments: str) -> str:
        """Run the study of topics, or that of truths outside, with some other settings; what it
        printed.
        """
        (self.folder / "small.yaml").write_text(yaml.safe_dump(small), encoding="utf-8")
        options = ("--configfile", "small.yaml", "--directory", ".", "--cores", "2")
        rules = str(ROOT / f"workflow/{kind}")
        result = self.call([tool("snakemake"), "--snakefile", rules, *options, *arguments])
        return result.stdout + result.stderr

    def handed(
        self, file: str, rules: Iterable[str], wildcards: dict, **changes
    ) -> dict[str, dict]:
        """By name of some ``rules`` of a file the parameters, and the inputs by their names and all
        of them by none: what Snakemake hands to scripts, of functions for these ``wildcards``.
        """
        look = LOOK.format(file, wildcards, [*rules])
        (self.folder / "look.smk").write_text(look, encoding="utf-8")
        printed = self.call(self.command("--snakefile", "look.smk", **changes)).stdout
        return json.loads(printed.splitlines()[-1])

    def pending(self, **changes) -> dict[str, set[str]]:
        """The files that the next run would write, by rule."""
        files: dict[str, set[str]] = {}
        for row in self.plan(**changes):
            if row["plan"] != "no update":
                files.setdefault(row["rule"], set()).add(row["output_file"])
        return files

    def put_in_repository(self) -> None:
        """Commit its code, with a copy of the package in place of the link, to a repository."""
        (self.folder / "src").unlink()
        shutil.copytree(ROOT / "src", self.folder / "src", ignore=COMPILED)
        self.git("init", "--quiet")
        self.git("add", "src", *COPIED)
        who = ("-c", "user.name=n", "-c", "user.email=e")
        self.git(*who, "commit", "--quiet", "--message", "the code")

    def git(self, *arguments: str) -> str:
        return self.call(["git", *arguments]).stdout.strip()

    @contextmanager
    def edited(self, name: str, change: Callable[[str], str] = lambda text: f"{text}\n# edited\n"):
        """A file with other content for a while, by default one more line."""
        path = self.folder / name
        text, status = path.read_text(encoding="utf-8"), path.stat()
        assert change(text) != text
        path.write_text(change(text), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def table(self, name: str) -> list[dict]:
        with (self.folder / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def lines(path: Path) -> list[str]:
    """Lines of a table."""
    return path.read_text(encoding="utf-8").splitlines()[1:]


def written(folder: Path, table: str, rows) -> list[str]:
    """Rows as the lines of a table."""
    tables.write(folder / f"{table}.csv", table, rows)
    return lines(folder / f"{table}.csv")


def jobs(printed: str) -> dict[str, int]:
    """Numbers of jobs by rule, from what a dry run printed."""
    stats = printed.partition("Job stats:")[2].split("\n\n")[0]
    return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", stats, re.MULTILINE)}
