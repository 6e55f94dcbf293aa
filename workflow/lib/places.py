"""Where a study writes: whether it can, who may, and what counts as done there."""

import atexit
import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from lib.files import write_text

UNLOCKING = "STUDY_UNLOCKING"  # in the environment
_held = []  # open files whose locks last as long as this process


def obstacle(folder: Path) -> str | None:
    """Why nothing can be written to this folder, which need not exist; None when it can."""
    folder = folder.absolute()
    nearest = next(p for p in (folder, *folder.parents) if os.path.lexists(p))
    if not nearest.is_dir():
        return f"{nearest} is not a folder"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"{nearest} is not writable"
    space = os.statvfs(nearest)
    if space.f_blocks and not space.f_bavail:
        return "No space left on device"
    return None


def obstacles(config: dict, keys: Iterable[str] = ("results", "figures")) -> list[str]:
    """A line for each key whose folder cannot be written to."""
    found = {key: obstacle(Path(config[key])) for key in keys}
    lines = [f"{key}: cannot write to {config[key]}: {why}" for key, why in found.items() if why]
    return lines + another_study(config)


def another_study(config: dict) -> list[str]:
    """A line where the folder of the results has those of other data, or of a population in place
    of one study: tables of the two would stand side by side.
    """
    record = Path(config["results"]) / "provenance.json"
    try:
        before = json.loads(record.read_text(encoding="utf-8"))["config"]
        words = _what(before)
    except (OSError, ValueError, KeyError, TypeError):
        return []
    if words == _what(config):
        return []
    return [f"results: {config['results']} has results of {words}: choose another folder"]


def _what(config: dict) -> str:
    """What a study is about."""
    if config["data"]:
        return config["data"]["file"]
    return "a population of draws" if config["population"] else "a study of simulated data"


def unlocking() -> bool:
    """Whether this process is the one that `unlock_after_a_kill` has started."""
    return UNLOCKING in os.environ


def unlock_after_a_kill(running: Path = Path(".study_running")) -> None:
    """Run ``snakemake --unlock`` if the last run in this folder was killed.

    A run that is killed cannot remove Snakemake's lock. Each run holds a lock of its own, which
    goes with its process, on the file ``running``, which is empty unless a run is at work or was
    killed. While another run holds it, Snakemake decides whether this one may start.
    """
    file = running.open("a+")
    _held.append(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    if running.stat().st_size:
        command = [sys.executable, "-m", "snakemake", *sys.argv[1:], "--unlock"]
        subprocess.run(command, env=os.environ | {UNLOCKING: "1"}, capture_output=True)
    file.truncate(0)
    file.write("a run is at work, or was killed\n")
    file.flush()
    atexit.register(file.truncate, 0)


def start(stamp: str) -> None:
    """Make the file that is older than every result of this clone, unless it is there.

    A fresh clone holds committed tables and figures, but nothing that they were made from. The
    rules that make them take this file as an input: it is newer than what was committed, which so
    does not count as done, and older than all that is made later. It says when it was made, so that
    a second one differs from the first.
    """
    path = Path(stamp)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, f"{datetime.now(UTC).isoformat()}\n")
