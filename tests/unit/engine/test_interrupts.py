"""Ctrl-C at many moments: in processes of their own, as what is not right may end them."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from latentdag.engine.interrupts import uninterrupted

pytestmark = pytest.mark.slow
CARCINOMA = Path(__file__).parents[3] / "workflow/data/carcinoma_agresti_2002.csv"
FIVE = (str(CARCINOMA), "--count", "count", "--hidden", "5", "--structure", "-".join("1111111"))
OFTEN = {"restarts": 10**5, "hits": 10**5}
CALLS = {  # of the library
    "score": "latentdag.score(cases, **asked, **long)",
    "fit": "latentdag.fit(cases, asked['structure'], **long)",
    "rank": "latentdag.rank_structures(cases, [latentdag.Family()], method, **long)",
    "search": "latentdag.rank_structures(cases, [latentdag.Family()], method, search=5, **long)",
    "estimator": "latentdag.LatentCauses(method=method, settings=long).fit(frame)",
}
COMMANDS = {
    "score": ("score", *FIVE, "--method", "bic"),
    "fit": ("fit", *FIVE),
    "rank": ("rank", *FIVE[:3], "--hidden", "2,2", "--method", "bic", "--columns", "A,B,C,D"),
    "search": ("rank", *FIVE[:5], "--method", "bic", "--search", "2"),
}
LONG = {
    "bic": OFTEN,
    "vb_mix": OFTEN,
    "ais": {"steps": 2**22},
    "tempered_smc": {"particles": 2**16},
    "reference": {"particles": 2**14, "runs": 64},
}
CODE = """
import os, signal, sys, threading
import latentdag, numpy as np, pandas

signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore it
method, long, moments = sys.argv[1], eval(sys.argv[2]), int(sys.argv[3])
call = eval(f"lambda: {sys.argv[4]}")  # Python ends by SIGINT after a text that was interrupted
cases = np.arange(1200).reshape(300, 4) % 7 % 5
frame = pandas.DataFrame(cases, columns=list("abcd")).astype(str)
asked = {"structure": latentdag.Structure.from_label("12-12-12-12"), "method": method, "seed": 1}
before = latentdag.score(cases[:20], **asked)
raised = 0
for moment in range(moments):
    timer = threading.Timer(0.04 * moment, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        call()
    except KeyboardInterrupt:
        raised += 1
assert raised == moments
assert repr(latentdag.score(cases[:20], **asked)) == repr(before)
"""
COMMAND = """
import signal, sys
from latentdag.command import main

signal.signal(signal.SIGINT, signal.default_int_handler)
if "--hits" in sys.argv:
    print("begun", flush=True)
sys.exit(main())
"""


def started(*arguments, **pipes):
    command = [sys.executable, "-c", COMMAND, *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **pipes)


OF_CALLS = [(method, "score", 6) for method in ("bic", "ais")]
MORE = [(method, "score", 12) for method in LONG] + [("bic", call, 50) for call in CALLS]
OF_CALLS += [pytest.param(*of, marks=pytest.mark.weekly) for of in MORE if of not in OF_CALLS]


@pytest.mark.parametrize(("method", "call", "moments"), OF_CALLS)
def test_the_library_raises_and_then_is_as_good_as_before(method, call, moments):
    command = [sys.executable, "-c", CODE, method, repr(LONG[method]), str(moments), CALLS[call]]
    found = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert found.returncode == 0, (found.returncode, found.stderr)


OF_COMMANDS = [("fit", number, 2, 0.75) for number in (signal.SIGINT, signal.SIGTERM)]
OF_COMMANDS += [
    pytest.param(command, signal.SIGINT, 50, 0.08, marks=pytest.mark.weekly) for command in COMMANDS
]


@pytest.mark.parametrize(("command", "number", "moments", "seconds"), OF_COMMANDS)
def test_the_command_stops_at_any_moment_and_says_so(command, number, moments, seconds):
    """While modules and functions are loaded, and in the midst of the work, which takes hours."""
    asked = (*COMMANDS[command], "--restarts", "100000", "--hits", "100000")
    for moment in range(1, moments + 1):
        process = started(*asked, stdout=subprocess.PIPE)
        assert process.stdout.readline() == "begun\n"
        time.sleep(seconds * moment)
        process.send_signal(number)
        out, err = process.communicate()
        assert process.returncode == 130, (moment, process.returncode, err)
        assert (out, err.splitlines()[-1]) == ("", "latentdag: stopped")


@pytest.mark.parametrize(
    "asked", [("score", *FIVE, "--method", "bic", "--restarts", "2"), ("--version",)]
)
def test_a_full_standard_output_is_told(asked):
    with open("/dev/full", "w") as full:
        process = started(*asked, stdout=full)
        _, err = process.communicate()
    assert process.returncode == 1
    assert err.splitlines()[-1] == "latentdag: standard output: No space left on device"


def test_signals_wait_for_a_safe_point_however_many_come():
    """And leave what handled them before in its place."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    done = []

    def work():
        with uninterrupted:
            with uninterrupted:
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
            done.append(1)

    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert (done, uninterrupted.depth) == ([1], 0)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
