# The configuration and the folders, checked before any job, and what rules need to know of the
# study.
import os
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
CODE = [str(ROOT / "src"), str(ROOT / "workflow")]
sys.path[:0] = CODE
# jobs find the package without an installation, and leave their cores to joblib
os.environ["PYTHONPATH"] = os.pathsep.join([*CODE, os.getenv("PYTHONPATH", "")]).strip(
    os.pathsep
)
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from latentdag.scores import JOBS
from latentdag.study.columns import TABLES
from lib import places, settings, sources, terminal
from lib.plan import Plan

settings.fill_in(config)
for wrong, lines in (
    ("the configuration is not valid", settings.problems),
    ("there is no place for what it would write", places.obstacles),
):
    if found := lines(config):
        raise WorkflowError(f"Nothing was run: {wrong}.", *found)

PLAN = Plan(config)

if workflow.is_main_process:
    os.environ["STUDY_COMMAND"] = shlex.join(["snakemake", *sys.argv[1:]])
    places.clear_stale_locks()
    places.start(PLAN.started)
    terminal.one_line_per_job(workflow.output_settings)


wildcard_constraints:
    draw=r"\d+",
    n=r"\d+",
    block=r"\d+",
    steps=r"\d+",
