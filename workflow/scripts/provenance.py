"""Record what made these results: command, settings, sources, versions, machine, start and end."""

import json
import os
import platform
from collections import defaultdict
from datetime import UTC, datetime
from importlib.metadata import distributions
from math import isnan
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from latentdag.study.design.files import read_json, read_rows, write_text
from lib import record
from lib.job import logged, seconds_spent


def processor() -> str:
    """The name of the processor's model."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def wall_seconds(benchmark: Path) -> float:
    """The wall time, in seconds, of the job that left the file ``benchmark`` of Snakemake."""
    return sum(float(row["s"]) for row in read_rows(benchmark, delimiter="\t"))


def spent(benchmarks: list[Path], logs: Path) -> dict[str, dict[str, float | None]]:
    """By rule: how many jobs it has, their wall time and their processor time, in seconds; None
    where a log does not tell it. ``benchmarks`` are the jobs' files of Snakemake, their logs in
    ``logs``.
    """
    by_rule = defaultdict(lambda: {"jobs": 0, "wall_seconds": 0.0, "processor_seconds": 0.0})
    for benchmark in benchmarks:
        of_rule = by_rule[benchmark.name.partition(".")[0]]
        of_rule["jobs"] += 1
        of_rule["wall_seconds"] += wall_seconds(benchmark)
        of_rule["processor_seconds"] += seconds_spent(logs / f"{benchmark.stem}.log")
    return {
        rule: {name: None if isnan(value) else round(value, 2) for name, value in of_rule.items()}
        for rule, of_rule in by_rule.items()
    }


def vector_instructions() -> list[str]:
    """The instruction sets for vectors that compiled code may use here."""
    names = llvm.get_host_cpu_features()
    return sorted(name for name in names if names[name] and name.startswith(("avx", "neon", "sve")))


def records_of(folder: str) -> dict[str, dict]:
    """By folder and time the records of a part of a population and of the parts pooled in it. A run
    without draws of its own, which pools parts alone, adds none.
    """
    record = read_json(Path(folder) / "provenance.json")
    records = record.pop("parts", {}) | {f"{folder}, {record['end']}": record}
    return {name: run for name, run in records.items() if run["config"].get("draws") != 0}


def utc(time: float) -> str:
    """The ``time``, in seconds since 1970, as text: date and time in UTC, to the second."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


with logged(snakemake.log[0]):
    config, log = snakemake.params.config, Path(snakemake.log[0])  # this job's, which has not ended
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    packages = sorted(distributions(), key=lambda d: d.name.lower())
    benchmarks = Path(snakemake.output.record).parent / "benchmarks"
    ended = sorted(b for b in benchmarks.glob("*.tsv") if b.stem != log.stem)
    parts = {k: v for folder in config["parts"] for k, v in records_of(folder).items()}
    run = {
        "command": os.getenv("STUDY_COMMAND"),
        "config": dict(config),
        "commit": record.git("rev-parse", "HEAD"),
        "uncommitted_changes_to_code": record.has_uncommitted_changes(),
        "code_sha256": snakemake.params.code_sha256,
        "python": platform.python_version(),
        "packages": {d.name: d.version for d in packages},
        "machine": {
            "system": platform.platform(),
            "processor": processor(),
            "cores": os.cpu_count(),
            "blas": f"{blas['name']} {blas['version']}",
            "vector_instructions": vector_instructions(),
        },
        "jobs": spent(ended, log.parent),
        "start": utc(min(b.stat().st_mtime - wall_seconds(b) for b in ended)),
        "end": utc(datetime.now(UTC).timestamp()),
    } | ({"parts": parts} if parts else {})
    write_text(snakemake.output.record, json.dumps(run, indent=2) + "\n")
