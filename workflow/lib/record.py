"""Which code made a result: a hash of its sources, and what git knows of them."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    *("Snakefile", "workflow/rules/*.smk", "workflow/lib/*.py", "workflow/scripts/*.py"),
    *("workflow/config/**/*.yaml", "src/**/*.py", "src/**/*.yaml", "src/**/*.j2"),
)


def code_hash() -> str:
    """SHA-256, as hexadecimal digits, over the sources' names and contents: tells one version from
    another outside a repository too.
    """
    digest = hashlib.sha256()
    for path in sorted(path for pattern in CODE for path in ROOT.glob(pattern)):
        name = path.relative_to(ROOT).as_posix()
        digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def git(*arguments: str) -> str | None:
    """What git prints for these ``arguments`` in the project's folder, without blanks at its ends;
    None outside a repository, or where git fails or is not there.
    """
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()


def has_uncommitted_changes() -> bool | None:
    """Whether a source is changed, new or gone since the last commit; None outside a repository."""
    changes = git("status", "--porcelain", "--", *(f":(glob){pattern}" for pattern in CODE))
    return None if changes is None else bool(changes)


def other_code(config: dict) -> Iterator[str]:
    """Yields a line for each of the folders ``config["parts"]``, all of which belong to the
    population, that another version of the code has computed: whoever pools them answers for that.
    """
    for folder in map(Path, config["parts"]):
        made = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        if made.get("code_sha256") != code_hash():
            yield f"parts: {folder} was computed by another version (commit {made.get('commit')})"
