"""Copy a complete run to the committed ones, in place of what is there."""

import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from latentdag.study.design.files import read_json
from lib.pages import flat


def refusal(record: dict, config: dict, code_sha256: str) -> str | None:
    """Why a run with this ``record`` is not published; None where it was made with the sources of
    the hash ``code_sha256`` and with the settings ``config``, those of today.
    """
    if record["code_sha256"] != code_sha256:
        return "other sources made the run: make it again, and then publish it"
    config = json.loads(json.dumps(config))  # as the record has it
    made, current = (dict(flat(settings)) for settings in (record["config"], config))
    for key in sorted(made.keys() | current.keys()):
        if made.get(key) != current.get(key):
            return f"the run was made with {key} {made.get(key)}, and {key} is {current.get(key)}"
    return None


def replace(folder: str | Path, paths: Iterable[str | Path]) -> None:
    """Let ``folder`` hold copies of these files, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    for path in paths:
        shutil.copyfile(path, Path(folder) / Path(path).name)


files, params = snakemake.input, snakemake.params
if why := refusal(read_json(files.record), params.config, params.code_sha256):
    sys.exit(f"Nothing is published: {why}.")
replace(params.to_results, [*files.results, files.record])
replace(params.to_figures, files.figures)
words = f"{params.to_results} and {params.to_figures} hold the run of {Path(files.record).parent}"
print(words)
Path(snakemake.log[0]).write_text(f"{words}\n", encoding="utf-8")
