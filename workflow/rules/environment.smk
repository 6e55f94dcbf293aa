# Where the project's code is, and what its jobs have in their environment.
import logging
import os
import sys
from pathlib import Path

import llvmlite.binding

# a full disk is told once, not at each line that Snakemake cannot add to its log
logging.raiseExceptions = False

# of a workflow that uses this one as a module `workflow.basedir` is another folder
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
# in the project's own folder paths are relative: one that is moved with its results has nothing to do
PROJECT = Path() if Path.cwd() == ROOT else ROOT
# without links: numba keeps machine code by the path of its sources
CODE = [str((ROOT / name).resolve()) for name in ("src", "workflow")]
sys.path[:0] = CODE
# jobs find the package without an installation, and leave their cores to joblib
os.environ.update(
    PYTHONPATH=os.pathsep.join(filter(None, [*CODE, os.getenv("PYTHONPATH")])),
    OMP_NUM_THREADS="1",
    OPENBLAS_NUM_THREADS="1",
    MKL_NUM_THREADS="1",
)
if llvmlite.binding.get_host_cpu_features().get("avx512f"):
    # with it NumPy and OpenBLAS have other last digits than with AVX2
    os.environ.update(
        NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR",
        OPENBLAS_CORETYPE="Haswell",
    )

from lib.code import code
