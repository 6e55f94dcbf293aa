# What every rule of the study has: an environment, a log and a benchmark.
import re


include: "environment.smk"


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
