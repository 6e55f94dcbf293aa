"""The profile for a Slurm cluster: what it would submit, the smoke study through a Slurm of one
node, and a population through one of three that fails in every way that this machine can bring
about.
"""

import math
import re
import subprocess
from collections import Counter
from functools import partial

import pytest
from slurm import ACCOUNTS, CannotStart, said, slurm_of, wait_until
from studies import SMOKE, SMOKE_CONFIG, Study, loaded, tool

pytestmark = pytest.mark.weekly

PROFILE = "profiles/slurm"
SETTINGS = loaded(f"{PROFILE}/config.yaml")
# in the smoke study's folder, where the loops of the reference are compiled
ELSEWHERE = "results/slurm"
# this Slurm keeps no accounts, and starts jobs at once
OF_TEST = ("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2")
MEASURED = ("timing.csv", "seconds.csv", "provenance.json")  # times, machine


def through_slurm(study: Study, *arguments: str) -> str:
    """Run the smoke study by the profile; what Snakemake printed."""
    pytest.importorskip(
        "snakemake_executor_plugin_slurm",
        reason="the plugin is not installed: install requirements.txt",
    )
    result = study.call(
        [tool("snakemake"), "--workflow-profile", PROFILE, "--configfile", SMOKE_CONFIG, *arguments]
    )
    return result.stdout + result.stderr


@pytest.mark.parametrize("config", ["study", "own-data", "draws", "every-structure"])
def test_every_rule_is_local_or_in_a_group(study, config):
    """Whatever the scores are: a new job's rule is as its neighbours'."""
    (rules,) = study.rules(f"workflow/config/{config}.yaml")
    running = [rule for rule in rules.values() if rule["runs"]]
    assert len(running) > 10
    for rule in running:
        assert rule["local"] == (rule["name"] not in SETTINGS["groups"]), rule["name"]
    assert {*SETTINGS["groups"].values()} == {*SETTINGS["group-components"]}
    assert set(SETTINGS["set-resources"]) <= {"reference", "sandwich"}


@pytest.mark.parametrize("spread", [2, 20])
def test_jobs_share_submissions(study, spread):
    planned = through_slurm(study, "--dry-run", "--set-scatter", f"structures={spread}")
    members = {
        # map with all that starts from it, online VB, exact
        "scores": (1 + 1 + 1) * spread,
        "annealing": 3,
        # the reference, three kinds of AIS, tempered SMC; the bounds, the climb, two priors, and
        # the two equal modes
        "evidence": 5 * spread + 1 + 1 + 2 + 1,
    }
    assert Counter(re.findall(r"Group job (\w+) ", planned)) == {
        group: math.ceil(n / SETTINGS["group-components"][group]) for group, n in members.items()
    }


@pytest.fixture
def slurm(tmp_path, request):
    """Of one node, or of as many as the test asks for."""
    try:
        with slurm_of(getattr(request, "param", 1), tmp_path / "slurm") as running:
            yield running
    except CannotStart as reason:
        pytest.skip(f"no Slurm could be started: {reason}")


def files(study: Study, results: str) -> dict[str, str]:
    """Everything that a run wrote to its tables and its summary, but for what tells the time."""
    folder = study.folder / results
    found = {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for pattern in ("*.csv", "*.json", "*.md")
        for path in folder.rglob(pattern)
        if not path.name.endswith(MEASURED)
    }
    untimed = re.sub(
        r"^## Computation time.*?(?=^## )", "", found["summary.md"], flags=re.DOTALL | re.MULTILINE
    )
    of_claims = r"^(\| time of |- Of \d+ claims ).*\n"  # two of the claims are about times
    return found | {"summary.md": re.sub(of_claims, "", untimed, flags=re.MULTILINE)}


def submitted() -> list[str]:
    """The groups of what was submitted, one for each of Slurm's jobs."""
    comments = said("squeue", "--states=all", "--noheader", "--format=%k")
    return sorted(re.findall(r"rule_(\w+?)_", comments))


def in_folder(results: str) -> list[str]:
    return ["--config", f"results={results}", f"figures={results}/figures"]


def same_files(study: Study, results: str, others: str):
    known, found = files(study, results), files(study, others)
    assert len(known) > 20 and set(found) == set(known)
    assert [name for name in known if found[name] != known[name]] == []


def test_the_smoke_study_through_slurm(smoke, slurm):
    """Same bytes as on one machine, and all of it done by Slurm's jobs."""
    printed = through_slurm(smoke, *in_folder(ELSEWHERE), *OF_TEST)
    assert submitted() == ["annealing", "evidence", "scores"], printed
    same_files(smoke, "results/smoke", ELSEWHERE)


@pytest.mark.parametrize("slurm", [3], indirect=True)
def test_a_population_on_a_cluster_that_fails(smoke, slurm, tmp_path):
    """All jobs have too little memory at first, one too little time, a node dies with what runs
    there, and the controller is restarted: in one run the tables are those of one machine.
    """
    population = ["population=True", "draws=3", "methods=[map, vb, ais]"]
    smoke.call([tool("snakemake"), *SMOKE, *in_folder("results/many"), *population])
    accounts = tmp_path / "sacct"
    accounts.write_text(ACCOUNTS, encoding="utf-8")
    accounts.chmod(0o755)
    path = f"{tmp_path}:{smoke.environment()['PATH']}"
    command = [tool("snakemake"), "--workflow-profile", PROFILE, "--configfile", SMOKE_CONFIG]
    command += [*in_folder("results/failing"), *population]
    command += ["--slurm-status-command", "sacct", "--slurm-init-seconds-before-status-checks", "2"]
    command += ["--default-resources", "mem_mb=30 if attempt == 1 else 900", "runtime=10 * attempt"]
    command += ["--group-components", "scores=1", "evidence=1"]  # a Slurm job for each
    log = smoke.folder / "failing.log"
    with log.open("w") as file:
        how = {"cwd": smoke.folder, "env": smoke.environment() | {"PATH": path}}
        running = subprocess.Popen(command, **how, stdout=file, stderr=file)

    # first attempts end at once, so that only second ones can be caught
    second_attempt = partial(slurm.running_on, memory="900M")
    try:
        assert wait_until(lambda: second_attempt("node3"), 300), log.read_text()
        ended = second_attempt("node3")[0]
        slurm.end(ended)
        assert wait_until(lambda: second_attempt("node2"), 300), log.read_text()
        slurm.lose("node2")
        assert wait_until(lambda: "down" in said("sinfo", "--noheader", "--nodes=node2"), 300)
        slurm.restart_the_controller()
        assert running.wait(900) == 0, log.read_text()
    finally:
        running.kill()
    assert states(f"--jobs={ended}") <= {"TIMEOUT", "FAILED"}
    assert "NODE_FAIL" in states()
    same_files(smoke, "results/many", "results/failing")


def states(*which: str) -> set[str]:
    """Of all of Slurm's jobs so far, or of some."""
    return set(said("squeue", "--states=all", "--noheader", "--format=%T", *which).split())
