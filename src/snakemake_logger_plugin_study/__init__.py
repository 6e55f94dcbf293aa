"""``snakemake --logger study``: one line when a job starts, one when it ends with the share of the
whole that is done, and everything about a job that fails.
"""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

# events that the handler's method of the same name puts into words
TOLD = (LogEvent.RUN_INFO, LogEvent.JOB_INFO, LogEvent.JOB_ERROR, LogEvent.JOB_FINISHED)
LEFT_OUT = {
    LogEvent.PROGRESS,  # each job that ends says it
    LogEvent.WORKFLOW_STARTED,
    LogEvent.JOB_STARTED,
    LogEvent.RESOURCES_INFO,
    LogEvent.SHELLCMD,
}
BESIDE_THE_POINT = (
    "Assuming unrestricted shared filesystem usage.",
    "Using shell:",
    "Conda environments: ignored",
    "Group jobs: inactive (local execution)",
    "Select jobs to execute...",
    "RuleException:\nCalledProcessError in file",  # a script failed: its own words are the point
)


class LogHandler(LogHandlerBase):
    """Snakemake's own words where the user asks for more, or where nothing runs; else few."""

    # Snakemake attaches its filter, which knows --quiet, and its formatter
    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.running: dict[int, tuple[str, float]] = {}  # by job: what it does, when it began
        self.done = self.total = 0  # jobs
        asked = self.common_settings
        self.has_few_words = not (asked.verbose or asked.debug_dag or asked.dryrun)

    def emit(self, record: logging.LogRecord) -> None:
        event, said = getattr(record, "event", None), str(record.msg or "")
        is_beside_the_point = event in LEFT_OUT or not said or said.startswith(BESIDE_THE_POINT)
        if event == LogEvent.ERROR and (found := not_run(said, sys.argv)):
            words = f"Nothing was run: {found}"
        elif self.has_few_words and event in TOLD:
            words = getattr(self, event)(vars(record))
        elif self.has_few_words and is_beside_the_point:
            return
        else:
            words = self.format(record)
        if words:
            print(words, file=sys.stdout if self.common_settings.stdout else sys.stderr, flush=True)

    def run_info(self, record: dict) -> str:
        """How many jobs there are."""
        self.total = record["stats"]["total"]
        return f"{self.total} job{'s' if self.total > 1 else ''} to do"

    def job_info(self, record: dict) -> str:
        """That a job starts; nothing for a target, which has no work."""
        what = record["rule_msg"] or record["rule_name"]
        self.running[record["jobid"]] = what, time.monotonic()
        if not record["output"]:
            return ""
        log = f" (log: {', '.join(record['log'])})" if record["log"] else ""
        return f"{_clock()}  start  {what}{log}"

    def job_error(self, record: dict) -> str:
        """That a job failed, with its log."""
        unknown = record["rule_name"], time.monotonic()
        what, began = self.running.pop(record["jobid"], unknown)
        after = _span(time.monotonic() - began)
        lines = [f"{_clock()}  failed {what} (rule {record['rule_name']}, after {after})"]
        lines += [f"    {name}: {value}" for name, value in record["aux"].items()]
        for path in map(Path, record["log"]):
            if path.exists():
                lines += [f"Logfile {path}:", path.read_text(encoding="utf-8", errors="replace")]
        return "\n".join(lines)

    def job_finished(self, record: dict) -> str:
        """That a job has ended, and how many of all are done."""
        self.done += 1
        if record["job_id"] not in self.running:  # the user wants no word on its start
            return ""
        what, began = self.running.pop(record["job_id"])
        so_far = f"{self.done} of {self.total} jobs, {100 * self.done // self.total} %"
        return f"{_clock()}  done   {what} ({_span(time.monotonic() - began)}; {so_far})"


def not_run(words: str, arguments: Iterable[str]) -> str:
    """What is wrong with settings on a command line, or with a file of them, where that is why
    nothing was run; else nothing.
    """
    if "Config file is not valid JSON or YAML" in words:
        return "\n".join(["a file of settings is not valid YAML.", *_not_yaml(arguments)])
    if "in _get_overwrite_config" in words:  # it opens the files
        return words.split()[-1].strip("'") + ": there is no such file"
    if "in parse_config" in words:
        return "--config needs KEY=VALUE, and for a key within another one KEY='{KEY: VALUE}'"
    return ""


def _not_yaml(arguments: Iterable[str]) -> Iterator[str]:
    """A line for each file among ``arguments`` that is no YAML, with the place of the fault."""
    for path in map(Path, arguments):
        if path.suffix in (".yaml", ".yml", ".json") and path.is_file():
            try:
                yaml.compose(path.read_text(encoding="utf-8"))
            except yaml.MarkedYAMLError as error:
                yield f"{path}, line {error.problem_mark.line + 1}: {error.problem}"


def _clock() -> str:
    return time.strftime("%H:%M:%S")


def _span(seconds: float) -> str:
    """A time span in few digits."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"
