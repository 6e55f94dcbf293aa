"""Uses of the workflow beyond its own targets: parts of it, other limits and places, another commit
and back.
"""

import os
import subprocess

import pytest
from studies import Study, jobs

pytestmark = pytest.mark.weekly

TARGETS = ("results/structures.csv", "results/draws/0/n10-40/map.1.csv")


@pytest.mark.parametrize("limit", ["umask 077", "ulimit -n 256", "ln -s elsewhere results"])
def test_a_study_runs_under_other_limits_and_into_a_link(finished, study, limit):
    (study.folder / "elsewhere").mkdir()
    command = ["bash", "-c", f'{limit} && exec "$@"', "bash", *study.command(*TARGETS)]
    study.call(command)
    for name in TARGETS:
        assert (study.folder / name).read_bytes() == (finished.folder / name).read_bytes()
    assert (study.folder / "results").is_symlink() == limit.startswith("ln")
    assert "Nothing to be done" in study.run("--dry-run", *TARGETS)


@pytest.mark.parametrize(
    ("options", "some", "none"),
    [
        (("--until", "map"), {"draw", "map"}, {"vb", "scores", "summary"}),
        (("--omit-from", "scores"), {"draw", "map", "vb"}, {"scores", "ranks", "summary"}),
    ],
)
def test_a_part_of_a_study_is_run(unrun, options, some, none):
    planned = jobs(unrun.run("--dry-run", *options)).keys()
    assert some <= planned and not none & planned


def test_times_alone_rerun_nothing(finished):
    assert "Nothing to be done" in finished.run("--dry-run", "--rerun-triggers", "mtime")


def test_another_commit_and_back_reruns_nothing(finished, tmp_path):
    """Sources, settings of another study and committed tables then have new times."""
    study = Study(tmp_path / "study", finished.folder)
    who = ("-c", "user.name=n", "-c", "user.email=e")
    study.git("add", "--force", "results/scores.csv")
    study.git(*who, "commit", "--quiet", "--message", "a table")
    for name in ("src/latentdag/scores/laplace.py", "workflow/lib/job.py", "results/scores.csv"):
        with (study.folder / name).open("a", encoding="utf-8") as file:
            file.write("# edited\n")
    study.git(*who, "commit", "--quiet", "--all", "--message", "edited")
    study.git("checkout", "--quiet", "HEAD~1")
    assert "Nothing to be done" in study.run("--dry-run")


def test_two_studies_of_one_clone_run_at_once_in_folders_of_their_own(finished, study):
    command = study.command(*TARGETS)
    place = (
        "--snakefile",
        study.folder / "Snakefile",
        "--configfile",
        study.folder / "config.yaml",
    )
    running = []
    for name in ("one", "other"):
        started = subprocess.Popen(
            list(map(os.fspath, (*command, *place, "--directory", study.folder / name))),
            cwd=study.folder,
            env=study.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        running.append(started)
    assert [started.wait(1200) for started in running] == [0, 0]
    for place in ("one", "other"):
        for name in TARGETS:
            made = study.folder / place / name
            assert made.read_bytes() == (finished.folder / name).read_bytes()
    assert not (study.folder / "results").exists()
