"""What a run says on the terminal: a line when a job starts, a line when it ends with how far the
whole is, and all of it when one fails.
"""

import logging
import time

from snakemake.logging import ColorizingTextHandler, DefaultFormatter, LogEvent, logger, show_logs

BESIDE_THE_POINT = (
    "Assuming unrestricted shared filesystem usage.",
    "Using shell:",
    "Conda environments: ignored",
    "Group jobs: inactive (local execution)",
    "Select jobs to execute...",
    "RuleException:\nCalledProcessError in file",  # a script failed: its own words are the point
)
LEFT_OUT = {
    LogEvent.WORKFLOW_STARTED,
    LogEvent.JOB_STARTED,
    LogEvent.RESOURCES_INFO,
    LogEvent.SHELLCMD,
}


def one_line_per_job(output) -> None:
    """Say less than Snakemake does, which goes on to write everything to its log.

    Not where the user asked for more (``--verbose``, ``--debug-dag``), chose a way of his own
    (``--logger``), or runs nothing (``--dry-run``). ``output`` are the workflow's output settings.
    """
    if output.verbose or output.debug_dag or output.dryrun:
        return
    for handler in logger.handlers:
        if isinstance(handler, ColorizingTextHandler):
            logger.removeHandler(handler)
            logger.addHandler(Terse(handler, output.quiet))


class Terse(ColorizingTextHandler):
    """Snakemake's handler of the terminal, in its place and with its filters, but in few words."""

    def __init__(self, other: ColorizingTextHandler, quiet):
        super().__init__(other.nocolor, other.stream)
        self.name = other.name
        for each in other.filters:
            self.addFilter(each)
        self.addFilter(is_to_the_point)
        self.setFormatter(JobLines(quiet, show_failed_logs=True))

    def emit(self, record: logging.LogRecord) -> None:
        self.last_msg_was_job_info = True  # or there would be a blank line before each job
        super().emit(record)


def is_to_the_point(record: logging.LogRecord) -> bool:
    """Whether a message is worth a line of its own."""
    if getattr(record, "event", None) in LEFT_OUT:
        return False
    return not str(record.msg).startswith(BESIDE_THE_POINT)


class JobLines(DefaultFormatter):
    """Snakemake's messages, those on the course of jobs as one line each."""

    def __init__(self, quiet, show_failed_logs: bool):
        super().__init__(quiet, show_failed_logs)
        self.running: dict[int, tuple[str, float]] = {}  # by job: what it does, when it began
        self.ended: list[int] = []  # jobs of which the number done is not yet known

    def format_run_info(self, msg: dict) -> str:
        total = msg["stats"]["total"]
        return f"{total} job{'s' if total > 1 else ''} to do"

    def format_job_info(self, msg: dict) -> str:
        what = msg["rule_msg"] or msg["rule_name"]
        self.running[msg["jobid"]] = what, time.monotonic()
        if not msg["output"]:  # a target: it does nothing but end
            return ""
        log = f" (log: {', '.join(msg['log'])})" if msg["log"] else ""
        return f"{_clock()}  start  {what}{log}"

    def format_job_error(self, msg: dict) -> str:
        what, began = self.running.pop(msg["jobid"], (msg["rule_name"], time.monotonic()))
        after = _span(time.monotonic() - began)
        lines = [f"{_clock()}  failed {what} (rule {msg['rule_name']}, after {after})"]
        lines += [f"    {name}: {value}" for name, value in msg["aux"].items()]
        return "\n".join([*lines, *show_logs(msg["log"])])

    def format_job_finished(self, msg: dict) -> str:
        self.ended.append(msg["job_id"])
        return ""  # its line follows with the next word on progress

    def format_progress(self, msg: dict) -> str:
        done, total = msg["done"], msg["total"]
        lines = []
        for k, jobid in enumerate(self.ended, start=done - len(self.ended) + 1):
            if jobid not in self.running:  # the user wants no word on its start
                continue
            what, began = self.running.pop(jobid)
            so_far = f"{k} of {total} jobs, {100 * k // total} %"
            lines.append(f"{_clock()}  done   {what} ({_span(time.monotonic() - began)}; {so_far})")
        self.ended.clear()
        return "\n".join(lines)


def _clock() -> str:
    return time.strftime("%H:%M:%S")


def _span(seconds: float) -> str:
    """A time span in few digits."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"
