"""Record what made these results: versions, commit, settings, machine, start and end."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from job import logged, write_text

PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "joblib", "snakemake")


def git(*arguments: str) -> str | None:
    """Output of a git command; None outside a repository."""
    result = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else None


def cpu() -> str:
    info = Path("/proc/cpuinfo")
    names = (
        [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    return names[0] if names else platform.processor()


def main(job):
    first = min(Path(job.params.benchmarks).glob("*.tsv"), key=lambda path: path.stat().st_mtime)
    sources = git("status", "--porcelain", "--", "src", "workflow", "Snakefile")
    record = {
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "commit": git("rev-parse", "HEAD"),
        "uncommitted_changes_to_code": None if sources is None else bool(sources),
        "config": dict(job.params.config),
        "machine": {"system": platform.platform(), "processor": cpu(), "cores": os.cpu_count()},
        "first_job_ended": datetime.fromtimestamp(first.stat().st_mtime, UTC).isoformat(timespec="seconds"),
        "end": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_text(job.output.record, json.dumps(record, indent=2) + "\n")


with logged(snakemake.log[0]):
    main(snakemake)
