# The configuration and the folders, checked before any job, and what rules need to know of the
# study.
import atexit
import shlex
from contextlib import suppress

from latentdag.scores import JOBS, SPECS, scores_of
from latentdag.study.settings import filled, problems, study
from lib import places, record, snakemake_private
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

filled.fill_in(config, places.defaults())
for wrong, lines in (
    ("a key is there twice", lambda _: filled.read_twice(workflow.configfiles)),
    ("the configuration is not valid", problems.problems),
    ("there is no place for what it would write", places.obstacles),
):
    if faults := lines(config):
        # unlike a WorkflowError this names no line of the rules, where nothing is wrong
        sys.exit("\n".join([f"Nothing was run: {wrong}.", *faults]))

with suppress(WorkflowError):  # no cores are asked for, as where rules are only drawn
    if workflow.cores == 0:  # Snakemake waits for ever
        sys.exit("Nothing was run: --cores must be at least 1.")
if os.getenv("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    sys.exit("Nothing was run: the jobs need compiled code: unset NUMBA_DISABLE_JIT.")

if workflow.is_main_process:
    os.environ.update(STUDY_COMMAND=shlex.join(["snakemake", *sys.argv[1:]]))
    for remark in (*record.other_code(config), *places.nothing_kept()):
        logger.warning(remark)


onstart:
    snakemake_private.lift_rate_limit(workflow)


onerror:
    # below Snakemake's own last words; a comparison that fails has its verdict there
    if "compare" not in sys.argv:
        atexit.register(
            print, "The same command resumes where this run stopped.", file=sys.stderr
        )


pathvars:
    results=config["results"],
    figures=config["figures"],


METHODS = [job.name for job in study.jobs(config)]
REFERENCE = study.has_reference(config)
# the files of all tables, by name
LARGE = study.LARGE if config["population"] else ()
TABLES = {
    name: f"<results>/{name}.{'parquet' if name in LARGE else 'csv'}"
    for name in study.tables(config)
}


def model(wildcards):
    """What scores assume of a draw: family, prior, and the root of its random streams."""
    return MODEL | DRAWS[int(wildcards.draw)].prior


def true_model(wildcards):
    """The model of a draw, with the prior that its parameters come from."""
    return MODEL | DRAWS[int(wildcards.draw)].true_prior


def truth(wildcards):
    """The true structure of a draw; own data have none."""
    return DRAWS[int(wildcards.draw)].true_structure


wildcard_constraints:
    draw=r"\d+",
    steps=r"\d+",
    alpha=r"[\d.e+-]+",
