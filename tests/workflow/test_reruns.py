"""What counts as done: nothing in a fresh clone, everything after a run, and after a change all but
what it changes.
"""

import os
import shutil
from contextlib import contextmanager

import pytest
from studies import SMALL, Study, jobs

SCORING = {"map", "ml", "vb", "ais", "exact"}
PLOTS = {"plot_structure", "plot_scores", "plot_rank", "plot_annealing"}
OF_SCORES = {
    "scores",
    "ranks",
    "timing",
    "summary",
    "provenance",
    "plot_scores",
    "plot_rank",
    "plot_annealing",
}
OF_AIS = {"ais", "ais_chains", "ais_acceptance", *OF_SCORES}
OF_ANNEALING = {"anneal", "annealing", "plot_annealing", "summary", "provenance"}
SAID = {"summary", "provenance"}  # both state all settings
EVERYTHING = {"structures", "draw", *SCORING, *OF_AIS, *OF_ANNEALING, *PLOTS}


def test_after_a_complete_run_nothing_is_to_be_done(finished):
    path = finished.folder / "src/latentdag/inference.py"
    status = path.stat()
    path.touch()  # its content counts, not its time
    try:
        assert "Nothing to be done" in finished.run("--dry-run")
    finally:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("committed", ["newer", "older"])
def test_a_fresh_clone_has_everything_to_do(finished, study, committed):
    for folder in ("results", "figures"):
        (study.folder / folder).mkdir()
        for path in (finished.folder / folder).iterdir():
            if path.is_file():
                shutil.copy(path, study.folder / folder)
    stamp = {"newer": 4_000_000_000, "older": 1_000_000_000}[committed]
    for folder in ("results", "figures"):
        for path in (study.folder / folder).iterdir():
            os.utime(path, (stamp, stamp))
    before = {
        path: path.read_bytes()
        for folder in ("results", "figures")
        for path in (study.folder / folder).iterdir()
    }
    assert len(before) == 17
    assert jobs(study.run("--dry-run")) == {
        **dict.fromkeys(EVERYTHING | {"all"}, 1),
        **dict.fromkeys({"draw"} | SCORING - {"exact"}, len(SMALL["sizes"])),
        "anneal": len(SMALL["annealing"]["steps"]),
    }
    target = {"newer": "figures", "older": "scores"}[committed]
    assert set(jobs(study.run("--dry-run", target))) >= SCORING, target
    assert {path: path.read_bytes() for path in before} == before


# one changed key -> the rules that run again
CHANGES = {
    "restarts.map": ({"restarts__map": {"at_most": 3, "hits": 3}}, {"map", "vb", *OF_SCORES}),
    "restarts.ml": ({"restarts__ml": {"at_most": 3, "hits": 3}}, {"ml", *OF_SCORES} - {"timing"}),
    "restarts.vb": ({"restarts__vb": {"at_most": 3, "hits": 3}}, {"vb", *OF_SCORES}),
    "ais.steps": ({"ais__steps": 33}, OF_AIS),
    "annealing.chains": ({"annealing__chains": 3}, OF_ANNEALING),
    "figure_n": ({"figure_n": 10}, {"plot_scores", *SAID}),
    "true_structure": ({"true_structure": "1-12-12"}, EVERYTHING),
}


@pytest.mark.parametrize("key", CHANGES)
def test_a_changed_key_reruns_what_depends_on_it(finished, key):
    change, expected = CHANGES[key]
    pending = finished.pending(**change)
    assert set(pending) <= expected, "does too much"
    assert expected <= set(pending), "does too little"
    for rule in SCORING & expected:
        n_jobs = {name.rsplit("/", 1)[0] for name in pending[rule]}
        assert len(n_jobs) == (1 if rule == "exact" else 2), f"{rule}: every size"


@pytest.mark.parametrize("n", [5, 20, 80])
def test_one_more_size_runs_that_size(finished, n):
    pending = finished.pending(sizes=[10, 40, n])
    assert set(pending) == {"draw"} | (SCORING - {"exact"}) | OF_AIS
    for rule in {"draw"} | (SCORING - {"exact"}):
        assert {name.split("/")[3] for name in pending[rule]} == {f"n{n}"}


def test_one_more_schedule_length_runs_that_length(finished):
    pending = finished.pending(annealing__steps=[16, 24, 32])
    assert set(pending) == OF_ANNEALING
    assert pending["anneal"] == {"results/draws/0/annealing/24.csv"}


def test_one_more_method_leaves_the_others_alone(finished):
    pending = finished.pending(methods=[*SMALL["methods"], "reference"])
    assert set(pending) >= {
        "reference",
        "sandwich",
        "sandwiches",
        "errors",
        "plot_tightness",
        "scores",
    }
    assert not SCORING & set(pending)


def test_the_order_of_sizes_and_the_number_of_threads_change_no_result(finished):
    assert set(finished.pending(sizes=[40, 10])) <= SAID
    assert set(finished.pending(threads=2)) <= {"timing", *SAID}


def test_one_more_draw_leaves_the_first_alone(finished):
    pending = finished.pending(draws=2)
    for rule in ("draw", "anneal", *SCORING):
        assert {name.split("/")[2] for name in pending[rule]} == {"1"}, rule
    assert not {"structures", "plot_structure"} & set(pending)


@contextmanager
def edited(study: Study, name: str):
    """A source with one more line, for a while."""
    path = study.folder / name
    text, status = path.read_bytes(), path.stat()
    path.write_bytes(text + b"\n# edited\n")
    try:
        yield
    finally:
        path.write_bytes(text)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


# an edited module of the package -> rules that must run again, rules that need not
EDITS = {
    "plots": (PLOTS, EVERYTHING - PLOTS),
    "summary": (SAID, EVERYTHING - SAID),
    "ranking": (
        {"ranks", "plot_rank", *SAID},
        SCORING | {"draw", "anneal", "structures", "scores"},
    ),
    "vb": ({"vb", "map", *OF_SCORES}, {"draw", "structures", "plot_structure"}),
    "ais": ({"anneal", *OF_AIS, *OF_ANNEALING}, {"draw", "structures"}),
    "model": ({"draw", "anneal", *SCORING, *OF_AIS}, {"structures"}),
    "structures": (EVERYTHING, set()),
}


@pytest.mark.parametrize("module", EDITS)
def test_an_edited_module_reruns_what_imports_it(finished, module):
    must, must_not = EDITS[module]
    with edited(finished, f"src/latentdag/{module}.py"):
        pending = set(finished.pending())
    assert must - pending == set(), "not run again"
    assert must_not & pending == set(), "run again for nothing"
