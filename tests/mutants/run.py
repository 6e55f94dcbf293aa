"""Do the tests see a wrong program? Run them on programs with one mistake each.

    python tests/mutants/run.py [--only TEXT ...] [--jobs N] [--whole]

For every mutant of `mutants.MUTANTS` the project is copied to a temporary folder, one piece of text
is replaced there, and the tests that should see it run until the first fails. A copy of its own for
each: no compiled file of another mutant can be taken for the new one. Before that the same tests
must pass on an unchanged copy. A mutant that changes nothing that a test could see says why.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutant import Mutant
from mutants import MUTANTS

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds of a test run, and
SLOWER = 5  # times those that it takes on the unchanged project: longer is an endless loop
KILLED, SURVIVED, NOT_APPLIED, NOT_RUN = "killed", "survived", "does not apply", "no test ran"
# all tests but those that see that a text has changed, not that the program is wrong
WHOLE = ("--ignore=tests/mutants", "--ignore=tests/workflow/test_style.py")
WIDTH = 70  # characters of a name in the table
# signals that end compiled code which reads where there is nothing
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)
FAILED = (1, 2)  # pytest's exit status: a test failed, or a test's file could not be imported


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant, after how many seconds, and by which test."""

    mutant: Mutant
    result: str
    seconds: float = 0.0
    by: str = ""


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """A copy of the project as a commit of everything would have it."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        for name in filter(None, names):
            if (root / name).is_file():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, Path(folder) / name)
        yield Path(folder)


def apply(folder: Path, mutant: Mutant) -> None:
    """Make the mutant's mistake. Raises ValueError when its text is not there, or more than
    once.
    """
    path = folder / mutant.file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if text.count(mutant.old) != 1:
        raise ValueError(f"its text occurs {text.count(mutant.old)} times in {mutant.file}")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def run_tests(folder: Path, tests: Sequence[str], limit: float | None) -> tuple[int, float, str]:
    """pytest's exit status, seconds, and what it printed; status 1 when it took longer than the
    limit.
    """
    path = os.pathsep.join(str(folder / name) for name in ("src", "workflow"))
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # so that all of its processes can be stopped
    )
    try:
        printed = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return 1, time.monotonic() - began, f"FAILED after {limit:.0f} s: it does not end"
    return process.returncode, time.monotonic() - began, printed


def seconds_unchanged(root: Path, tests: Sequence[str]) -> float:
    """Seconds of the tests on the project as it is. Exits when they do not pass there."""
    with copied(root) as folder:
        status, seconds, printed = run_tests(folder, tests, limit=None)
    if status != 0:
        raise SystemExit(f"{printed}\nThe tests fail on the unchanged project: {' '.join(tests)}")
    return seconds


def judged(root: Path, mutant: Mutant, tests: Sequence[str], limit: float) -> Verdict:
    """Whether the tests see the mutant."""
    with copied(root) as folder:
        try:
            apply(folder, mutant)
        except ValueError as error:
            return Verdict(mutant, NOT_APPLIED, by=str(error))
        status, seconds, printed = run_tests(folder, tests, limit)
    if status == 0:
        return Verdict(mutant, SURVIVED, seconds)
    if -status in CRASHES:
        return Verdict(mutant, KILLED, seconds, "the process crashed")
    if status not in FAILED:
        return Verdict(mutant, NOT_RUN, seconds, printed.strip().rpartition("\n")[2])
    failed = re.findall(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", printed, re.MULTILINE)
    return Verdict(mutant, KILLED, seconds, failed[0] if failed else "")


def judge(root: Path, mutants: Sequence[Mutant], jobs: int, whole: bool) -> Iterator[Verdict]:
    """Verdicts in the order of the mutants. ``whole``: what its own tests do not see meets the
    whole suite.
    """

    @cache
    def limit(tests: Sequence[str]) -> float:
        return PATIENCE + SLOWER * seconds_unchanged(root, tests)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(limit, dict.fromkeys(mutant.tests for mutant in mutants)))
        for verdict in pool.map(lambda m: judged(root, m, m.tests, limit(m.tests)), mutants):
            if whole and verdict.result == SURVIVED:
                yield judged(root, verdict.mutant, WHOLE, limit(WHOLE))
            else:
                yield verdict


def main(arguments: Sequence[str], root: Path = ROOT, mutants: Sequence[Mutant] = MUTANTS) -> int:
    """Print a table of verdicts and the share that is killed; 1 when a mutant survived without a
    reason or could not be judged.
    """
    parser = argparse.ArgumentParser(description="Do the tests see a wrong program?")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="those with it in their names")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time (1)")
    parser.add_argument("--whole", action="store_true", help="survivors meet all tests")
    options = parser.parse_args(arguments)
    chosen = [m for m in mutants if any(text in m.name for text in options.only or [""])]
    if not chosen:
        parser.error(f"no mutant has {' or '.join(options.only)} in its name")
    verdicts = []
    for v in judge(root, chosen, options.jobs, options.whole):
        verdicts.append(v)
        seen = v.by or v.mutant.survives
        name = textwrap.shorten(v.mutant.name, WIDTH, placeholder=" ...")
        print(f"{name:<{WIDTH}}  {v.result:<14} {v.seconds:6.1f} s  {seen}", flush=True)
    killed = [v for v in verdicts if v.result == KILLED]
    print(f"{len(killed)} of {len(chosen)} mutants killed ({len(killed) / len(chosen):.1%})")
    explained = [v for v in verdicts if v.result == SURVIVED and v.mutant.survives]
    return int(len(killed) + len(explained) < len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
