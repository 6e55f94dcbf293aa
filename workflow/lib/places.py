"""Where a study writes: whether it can, who may, and what counts as done there."""

import atexit
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from latentdag.engine.files import cache_folder
from lib.files import read_json, write_text

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("src", "workflow", "tests", ".git", ".github")  # folders that nothing is written to
UNLOCKING = "STUDY_UNLOCKING"  # in the environment of what `unlock_after_a_kill` starts


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


def obstacles(config: dict) -> list[str]:
    """A line for each key whose folder cannot be written to, and for a project's folder that
    Snakemake takes for a pattern.
    """
    lines = []
    if not {"{", "}"}.isdisjoint(str(ROOT)):
        lines.append(f"{ROOT}: a folder with a brace in its name is a pattern of Snakemake")
    for key in ("results", "figures"):
        if why := no_folder(config[key]) or obstacle(Path(config[key])):
            lines.append(f"{key}: cannot write to {config[key]}: {why}")
    return lines + another_study(config)


def nothing_kept() -> list[str]:
    """A line if every job has to compile, as there is no place for compiled code."""
    why = obstacle(cache_folder())
    return [f"compiled code is not kept, so each job takes a minute longer: {why}"] if why else []


def no_folder(name: str) -> str | None:
    """Why no study writes to a folder of this name; None where one may."""
    if name == "null" or "://" in name:
        return "it is no folder"
    path = Path(name).resolve()
    of_sources = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[:1]
    return "it holds sources" if of_sources and of_sources[0] in SOURCES else None


def another_study(config: dict) -> list[str]:
    """A line for each key whose folder has results of other data, or of a population in place of
    one study: tables and figures of the two would stand side by side.
    """
    results, found = Path(config["results"]), []
    keys = {results: "results"}  # by the folder whose record says what is there
    keys.setdefault(Path(config["figures"]).parent, "figures")
    for folder, key in keys.items():
        if (words := _recorded(folder)) not in (None, _what(config)):
            where = Path(config[key])
            found.append(f"{key}: {where} has results of {words}: choose another folder")
    began = (results / "provenance.json").exists() or (results / "draws/.started").exists()
    if config["data"] and not began and any(results.glob("*.csv")):
        found.append(f"results: {results} has tables of something else: choose another folder")
    return found


def _recorded(folder: Path) -> str | None:
    """What the study that has written to this folder is about; None without one."""
    try:
        return _what(read_json(folder / "provenance.json")["config"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _what(config: dict) -> str:
    """What a study is about."""
    if config["data"]:
        return config["data"]["file"]
    return "a population of draws" if config["population"] else "a study of simulated data"


def remove_stale(package: Path, tables: Iterable[str]) -> list[str]:
    """Remove the tables that the run before left, as its data package lists them, and that this
    study does not have: beside a new summary they would be taken for its own. Their names.
    """
    try:
        listed = read_json(package)["resources"]
        files = {own["name"]: package.parent / Path(own["path"]).name for own in listed}
    except (OSError, ValueError, KeyError, TypeError):
        return []
    stale = [name for name, file in files.items() if name not in tables and file.is_file()]
    for name in stale:
        files[name].unlink()
    return stale


def unlock_after_a_kill(running: Path = Path(".snakemake/running")) -> None:
    """Run ``snakemake --unlock`` if the last run in this folder was killed.

    A run that is killed cannot remove Snakemake's lock. Each run holds a lock of its own, which
    goes with its process, on the file ``running``, which is empty unless a run is at work or was
    killed. While another run holds it, Snakemake decides whether this one may start.
    """
    running.parent.mkdir(exist_ok=True)
    file = running.open("a+")
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
    atexit.register(file.truncate, 0)  # holds the file, and so its lock, as long as the process


def start(stamp: str) -> None:
    """Make the file that is older than every result of this clone, unless it is there.

    A fresh clone holds committed tables and figures, but nothing that they were made from. The
    rules that make them take this file as an input: it is newer than what was committed, which so
    does not count as done, and older than all that is made later. It says when it was made, so that
    a second one differs from the first. Where no job runs, as in a dry run, it goes at the end of
    this process.
    """
    path = Path(stamp)
    if not path.exists():
        made = [path, *(folder for folder in path.parents if not folder.exists())]
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, f"{datetime.now(UTC).isoformat()}\n")
        atexit.register(_withdraw, made)


def _withdraw(made: list[Path]) -> None:
    """Remove a file and folders, if they are empty: the innermost first; nothing if there is a log
    of a job that is newer than the file.
    """
    file, *folders = made
    with suppress(OSError):
        since = file.stat().st_mtime_ns
        if any(log.stat().st_mtime_ns > since for log in (file.parents[1] / "logs").glob("*")):
            return
        file.unlink()
        for folder in folders:
            folder.rmdir()
