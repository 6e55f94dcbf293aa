# Settings and folders, checked before any job; names of files; and what a rule's result depends on besides its data.
import fcntl
import os
import re
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
for folder in ("src", "workflow/scripts"):
    sys.path.insert(0, str(ROOT / folder))
# jobs find the package without an installation, and leave their cores to joblib
_path = [str(ROOT / "src"), str(ROOT / "workflow/scripts"), os.getenv("PYTHONPATH")]
os.environ.update(PYTHONPATH=os.pathsep.join(dict.fromkeys(filter(None, _path))))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import settings

_problems = settings.problems(config)
if _problems:
    raise WorkflowError("Nothing was run: the configuration is not valid.", *_problems)


def obstacle(folder):
    """Why nothing can be written to this folder, whether it is there or not; None when it can."""
    nearest = next(p for p in (folder, *folder.parents) if os.path.lexists(p))
    if not nearest.is_dir():
        return f"{nearest} is not a folder"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"{nearest} is not writable"
    space = os.statvfs(nearest)
    if space.f_blocks and not space.f_bavail:
        return "No space left on device"


_obstacles = {
    key: obstacle(Path(config[key]).absolute()) for key in ("results", "figures")
}
if any(_obstacles.values()):
    raise WorkflowError(
        "Nothing was run: there is no place for what it would write.",
        *(
            f"{key}: cannot write to {config[key]}: {why}"
            for key, why in _obstacles.items()
            if why
        ),
    )

if workflow.is_main_process:
    os.environ.update(STUDY_COMMAND=shlex.join(["snakemake", *sys.argv[1:]]))

# A killed run leaves its lock behind. This one goes with its process: whoever gets it is alone, and may clear the other.
if workflow.is_main_process:
    Path(".snakemake").mkdir(exist_ok=True)
    _alive = open(".snakemake/alive", "w")
    try:
        fcntl.flock(_alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for _stale in Path(".snakemake/locks").glob("*.lock"):
            _stale.unlink()
    except BlockingIOError:
        pass  # another run is at work: Snakemake's own lock has the say

RESULTS, FIGURES = config["results"], config["figures"]
OWN_DATA = config["data"] is not None
DRAWS = list(range(config["draws"]))
FAMILY = dict(config["family"])
if OWN_DATA:
    _table = settings.own_table(config)
    FAMILY["observed"] = list(_table.cardinalities)
    SIZES = [len(_table.cases)]
else:
    SIZES = sorted(config["sizes"])
FIGURE_N = SIZES[0] if OWN_DATA else config["figure_n"]
BLOCKS = range(1, config["blocks"] + 1)
REFERENCE_BLOCKS = config["reference"]["jobs"]
SCORED = f"{RESULTS}/draws/{{draw}}/n{{n}}"
CASES, STATES = f"{SCORED}/cases.csv", f"{SCORED}/states.csv"
PARAMETERS = f"{SCORED}/parameters.json"
MODEL = {key: config[key] for key in ("seed", "alpha", "alpha_hidden")} | {
    "family": FAMILY
}

# A fresh clone holds committed tables and figures, but nothing that they were made from: they do not count as done.
if workflow.is_main_process and not Path(RESULTS, "draws").exists():
    for _committed in (*Path(RESULTS).glob("*.*"), *Path(FIGURES).glob("*.*")):
        os.utime(_committed, (0, 0))


wildcard_constraints:
    draw=r"\d+",
    n=r"\d+",
    block=r"\d+",
    steps=r"\d+",


def package(*modules):
    """Sources of these modules of the package and of all that they import: an edit reruns what it changes."""
    found, waiting = set(), list(modules)
    while waiting:
        source = waiting.pop()
        path = ROOT / "src" / "latentdag" / f"{source}.py"
        if source in found or not path.exists():
            continue
        found.add(source)
        for package_import, names in re.findall(
            r"^from latentdag(\.\w+)? import (.+)$", path.read_text(), re.MULTILINE
        ):
            waiting += (
                [package_import[1:]] if package_import else re.findall(r"\w+", names)
            )
    return [f"src/latentdag/{source}.py" for source in sorted(found)]


def known_truth(path):
    """An input of a rule that needs the structure that made the data; for own data one whose name says why there is none."""
    return "(none: own data have no true structure)" if OWN_DATA else path


def at(n, name):
    """The file of this name at one number of cases."""
    return name.replace("{n}", str(n))


def sizes_of(method):
    return [n for n in SIZES if method != "exact" or n in config["exact_sizes"]]


def scored(name, methods):
    """The files that the scoring jobs of these methods write under this name."""
    return [
        f"{RESULTS}/draws/{draw}/n{n}/{method}.{block}.{name}"
        for method in methods
        if method in config["methods"]
        for draw in DRAWS
        for n in sizes_of(method)
        for block in BLOCKS
    ]


def references():
    if "reference" not in config["methods"]:
        return []
    return expand(
        f"{RESULTS}/draws/{{draw}}/reference/{{block}}.csv",
        draw=DRAWS,
        block=range(1, REFERENCE_BLOCKS + 1),
    )


def annealed():
    return expand(
        f"{RESULTS}/draws/{{draw}}/annealing/{{steps}}.csv",
        draw=DRAWS,
        steps=config["annealing"]["steps"],
    )


def log_of(rule):
    return f"{RESULTS}/logs/{rule}.log"
