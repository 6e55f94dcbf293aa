"""Record what made these results: command, settings, sources, versions, machine, start and end."""

import csv
import hashlib
import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path

import numpy as np

from job import logged, write_text

CODE = ("Snakefile", "workflow/**/*.smk", "workflow/**/*.py", "src/**/*.py")


def git(root: Path, *arguments: str) -> str | None:
    """Output of a git command; None outside a repository."""
    result = subprocess.run(
        ["git", "-C", root, *arguments], capture_output=True, text=True, check=False
    )
    return result.stdout.strip() if result.returncode == 0 else None


def code_hash(root: Path) -> str:
    """SHA-256 over names and contents: tells one version from another outside a repository too."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in CODE for path in root.glob(pattern)):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")),
        platform.processor(),
    )


def started(benchmark: Path) -> float:
    """When its job began."""
    with benchmark.open(newline="", encoding="utf-8") as file:
        return benchmark.stat().st_mtime - sum(
            float(row["s"]) for row in csv.DictReader(file, delimiter="\t")
        )


def utc(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


def main(job):
    root = Path(job.scriptdir).parents[1]
    changes = git(root, "status", "--porcelain", "--", "Snakefile", "workflow", "src")
    built = np.show_config(mode="dicts")
    blas = built["Build Dependencies"]["blas"]
    record = {
        "command": os.getenv("STUDY_COMMAND"),
        "config": dict(job.params.config),
        "commit": git(root, "rev-parse", "HEAD"),
        "uncommitted_changes_to_code": None if changes is None else bool(changes),
        "code_sha256": code_hash(root),
        "python": platform.python_version(),
        "packages": {
            d.name: d.version for d in sorted(distributions(), key=lambda d: d.name.lower())
        },
        "machine": {
            "system": platform.platform(),
            "processor": processor(),
            "cores": os.cpu_count(),
            "blas": f"{blas['name']} {blas['version']}",
            "vector_instructions": built["SIMD Extensions"]["found"],
        },
        "start": utc(min(map(started, Path(job.params.benchmarks).glob("*.tsv")))),
        "end": utc(datetime.now(UTC).timestamp()),
    }
    write_text(job.output.record, json.dumps(record, indent=2) + "\n")


with logged(snakemake.log[0]):
    main(snakemake)
