"""Print the rules of a study as Snakemake itself has them after it has read every file, as JSON.

For the study in the current folder ``python rules.py CONFIGFILE ...`` prints a list with the rules
by each configuration. Parameters that depend on wildcards are those of the jobs of WILDCARDS.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

from snakemake.api import ConfigSettings, ResourceSettings, SnakemakeApi

WILDCARDS = SimpleNamespace(draw="0", scatteritem="1-of-2", steps="16", alpha="0.5")


def parameters(rule) -> dict:
    """The parameters of a rule by name, but for the hash of its code; None for one that no job of
    WILDCARDS has.
    """
    found = {}
    for name, value in rule.params.items():
        try:
            found[name] = value(WILDCARDS) if callable(value) else value
        except KeyError:  # the study has no such draw
            found[name] = None
    found.pop("code", None)  # of a target there is none
    return found


def unnamed(files) -> list[str]:
    """The files among a rule's input or output that have no name."""
    spans = [span for _, span in files._get_names()]
    named = {i for start, end in spans for i in range(start, end or start + 1)}
    return [str(file) for i, file in enumerate(files) if i not in named]


def described(rule) -> dict:
    info = rule.ruleinfo
    return {
        "name": rule.name,
        "runs": bool(info.script or info.shellcmd or rule.is_run or info.notebook),
        "input": list(map(str, rule.input)),
        "unnamed": unnamed(rule.input) + unnamed(rule.output),
        "log": [str(path) for path in rule.log],
        "benchmark": str(rule.benchmark or ""),
        "message": rule.message,
        "docstring": rule.docstring,
        "script": Path(info.script or "").name,
        "local": rule.name in rule.workflow._localrules,
        "threads": info.threads,
        "conda": str(info.conda_env or ""),
        "container": str(info.container_img or ""),
        "params": parameters(rule),
    }


def rules(config: str) -> list[dict]:
    with SnakemakeApi() as api:
        settings = ConfigSettings(configfiles=[Path(config)])
        # the rules have no public way to them
        workflow = api.workflow(ResourceSettings(cores=1), settings)._workflow
        return [described(rule) for rule in workflow.rules]


if __name__ == "__main__":
    print(json.dumps([rules(config) for config in sys.argv[1:]]))
