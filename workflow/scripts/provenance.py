"""Record what made these results: command, settings, sources, versions, machine, start and end."""

import csv
import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path

import numpy as np

from lib import record
from lib.files import write_text
from lib.job import logged


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def began(benchmark: Path) -> float:
    """When its job began."""
    with benchmark.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return benchmark.stat().st_mtime - sum(float(row["s"]) for row in rows)


def utc(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


def main(snakemake):
    built = np.show_config(mode="dicts")
    blas = built["Build Dependencies"]["blas"]
    packages = sorted(distributions(), key=lambda d: d.name.lower())
    benchmarks = Path(snakemake.params.benchmarks).glob("*.tsv")
    known = {
        "command": os.getenv("STUDY_COMMAND"),
        "config": dict(snakemake.params.config),
        "commit": record.commit(),
        "uncommitted_changes_to_code": record.has_uncommitted_changes(),
        "code_sha256": record.code_hash(),
        "python": platform.python_version(),
        "packages": {d.name: d.version for d in packages},
        "machine": {
            "system": platform.platform(),
            "processor": processor(),
            "cores": os.cpu_count(),
            "blas": f"{blas['name']} {blas['version']}",
            "vector_instructions": built["SIMD Extensions"]["found"],
        },
        "start": utc(min(map(began, benchmarks))),
        "end": utc(datetime.now(UTC).timestamp()),
    }
    write_text(snakemake.output.record, json.dumps(known, indent=2) + "\n")


with logged(snakemake.log[0]):
    main(snakemake)
