# What every rule has, in the study and in the companion on topics: the project's code, an
# environment, a log and a benchmark.
import os
import re
import sys
from pathlib import Path

import llvmlite.binding
from snakemake.utils import min_version

min_version("9.0")

# of a workflow that uses this one as a module `workflow.basedir` is another folder
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
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

# a project that is moved with its results has nothing to run; from elsewhere paths are whole
HERE = Path() if Path.cwd() == ROOT.resolve() else ROOT


def project_files(*names):
    """Files of the project, for the input of a rule."""
    return [str(HERE / name) for name in names]


def step(
    name,
    doc,
    outputs,
    inputs={},
    params={},
    message=None,
    runs=None,
    local=True,
    group=None,
    threads=1,
    priority=0,
):
    """A rule with a docstring, which is its message too where no message says more. It runs a
    script of its own name, or another one, where Snakemake runs unless it has a group.
    """
    path = next(iter(outputs.values()))
    wildcards = re.findall(r"\{\w+\}", path)
    label = ".".join([name, *wildcards])

    rule:
        name:
            name
        input:
            **inputs,
        output:
            **outputs,
        log:
            f"{config['results']}/logs/{label}.log",
        benchmark:
            f"{config['results']}/benchmarks/{label}.tsv"
        priority: priority
        group:
            group
        localrule: local and group is None
        conda:
            "../../environment.yml"
        threads: threads
        params:
            **params,
            code=code(f"{runs or name}.py"),
        message:
            message or doc
        script:
            f"../scripts/{runs or name}.py"

    # a docstring is a literal in a rule, and no expression
    next(reversed(workflow.rules)).docstring = doc
