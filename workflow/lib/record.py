"""Which code made a result: a hash of its sources, and what git knows of them."""

import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    *("Snakefile", "workflow/**/*.smk", "workflow/**/*.py", "workflow/**/*.yaml"),
    *("src/**/*.py", "src/**/*.yaml", "src/**/*.j2"),
)


def code_files(root: Path = ROOT) -> list[Path]:
    """The sources below the project's folder. Raises FileNotFoundError where a pattern of `CODE`
    matches none: then the folder is not the project's.
    """
    found = {pattern: sorted(root.glob(pattern)) for pattern in CODE}
    for pattern, paths in found.items():
        if not paths:
            raise FileNotFoundError(f"no file {pattern} in {root}: not the project's folder")
    return sorted(path for paths in found.values() for path in paths)


def code_hash(root: Path = ROOT) -> str:
    """SHA-256 over the sources' names and contents: tells one version from another outside a
    repository too.
    """
    digest = hashlib.sha256()
    for path in code_files(root):
        name = path.relative_to(root).as_posix()
        digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def git(*arguments: str, root: Path = ROOT) -> str | None:
    """What a git command prints; None outside a repository, or without git."""
    command = ["git", "-C", str(root), *arguments]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()


def commit(root: Path = ROOT) -> str | None:
    """The commit that is checked out; None outside a repository."""
    return git("rev-parse", "HEAD", root=root)


def has_uncommitted_changes(root: Path = ROOT) -> bool | None:
    """Whether a source is changed, new or gone since that commit; None outside a repository."""
    patterns = [f":(glob){pattern}" for pattern in CODE]
    changes = git("status", "--porcelain", "--", *patterns, root=root)
    return None if changes is None else bool(changes)
