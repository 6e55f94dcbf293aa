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
    "score": "latentdag.score(cases, **settings, **long)",
    "fit": "latentdag.fit(cases, settings['structure'], **long)",
    "rank": "latentdag.rank_structures(cases, [latentdag.Family()], method, **long)",
    "search": "latentdag.rank_structures(cases, [latentdag.Family()], method, search=5, **long)",
    "estimator": "latentdag.LatentCauses(method=method, settings=long).fit(frame)",
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
settings = {"structure": latentdag.Structure.from_label("12-12-12-12"), "method": method, "seed": 1}
before = latentdag.score(cases[:20], **settings)
raised = 0
for moment in range(moments):
    timer = threading.Timer(0.04 * moment, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        call()
    except KeyboardInterrupt:
        raised += 1
assert raised == moments
assert repr(latentdag.score(cases[:20], **settings)) == repr(before)
"""
COMMAND = """
import signal, sys
from latentdag.command import main

signal.signal(signal.SIGINT, signal.default_int_handler)
if "--hits" in sys.argv:
    print("begun", flush=True)
sys.exit(main())
"""


def started(*arguments, stdout):
    command = [sys.executable, "-c", COMMAND, *arguments]
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, text=True)


OF_CALLS = [(method, "score", 6) for method in ("bic", "ais")]
MORE = [(method, "score", 12) for method in LONG] + [("bic", call, 50) for call in CALLS]
OF_CALLS += [pytest.param(*of, marks=pytest.mark.weekly) for of in MORE if of not in OF_CALLS]


@pytest.mark.parametrize(("method", "call", "moments"), OF_CALLS)
def test_the_library_raises_and_then_is_as_good_as_before(method, call, moments):
    command = [sys.executable, "-c", CODE, method, repr(LONG[method]), str(moments), CALLS[call]]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.returncode, done.stderr)


@pytest.mark.parametrize(
    ("number", "moments", "seconds"),
    [
        (signal.SIGINT, 2, 0.75),
        (signal.SIGTERM, 2, 0.75),
        pytest.param(signal.SIGINT, 50, 0.08, marks=pytest.mark.weekly),
    ],
)
def test_the_command_stops_at_any_moment_and_says_so(number, moments, seconds):
    """While modules and functions are loaded, and in the midst of the work, which takes hours."""
    for moment in range(1, moments + 1):
        words = ("fit", *FIVE, "--restarts", "100000", "--hits", "100000")
        process = started(*words, stdout=subprocess.PIPE)
        assert process.stdout.readline() == "begun\n"
        time.sleep(seconds * moment)
        process.send_signal(number)
        out, err = process.communicate()
        assert process.returncode == 130, (moment, process.returncode, err)
        assert (out, err.splitlines()[-1]) == ("", "latentdag: stopped")


def test_a_full_standard_output_is_said():
    words = ("score", *FIVE, "--method", "bic", "--restarts", "2")
    with open("/dev/full", "w") as full:
        process = started(*words, stdout=full)
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
