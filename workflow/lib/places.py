"""Where a study reads what the project has, where it writes, and whether it can."""

import os
from pathlib import Path

import yaml

from latentdag.engine.files import cache_folder
from latentdag.study.settings.schema import with_defaults_of_jobs

ROOT = Path(__file__).resolve().parents[2]
# folders that nothing is written to
SOURCES = ("src", "workflow", "profiles", "tests", ".git", ".github")

STUDY = ROOT / "workflow/config/study.yaml"


def defaults() -> dict:
    """The complete configuration of the study, as a dict: its file, and the defaults of the jobs'
    settings.
    """
    return with_defaults_of_jobs(yaml.safe_load(STUDY.read_text(encoding="utf-8")))


def obstacle(folder: Path) -> str | None:
    """Why nothing can be written to ``folder``, which need not exist, as text; None when it can."""
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
    """A list of lines: one for each key of ``config``, ``results`` or ``figures``, whose folder
    cannot be written to, and one for a project's folder that Snakemake takes for a pattern.
    """
    lines = []
    if not {"{", "}"}.isdisjoint(str(ROOT)):
        lines.append(f"{ROOT}: a folder with a brace in its name is a pattern of Snakemake")
    for key in ("results", "figures"):
        if why := no_folder(config[key]) or obstacle(Path(config[key])):
            lines.append(f"{key}: cannot write to {config[key]}: {why}")
    return lines


def nothing_kept() -> list[str]:
    """A list with a line if every job has to compile, as there is no place for compiled code; else
    empty.
    """
    why = obstacle(cache_folder())
    return [f"compiled code is not kept, so each job takes a minute longer: {why}"] if why else []


def no_folder(name: str) -> str | None:
    """Why no study writes to a folder of this ``name``, as text; None where one may."""
    if name == "null" or "://" in name:
        return "it is no folder"
    path = Path(name).resolve()
    if not path.is_relative_to(ROOT):
        return None
    parts = path.relative_to(ROOT).parts
    if parts[1:2] == ("published",):
        return "it holds published runs"
    return "it holds sources" if not parts or parts[0] in SOURCES else None
