"""The profile for a Slurm cluster: what it would submit, and the smoke study through a Slurm of one
node.
"""

import math
import re
from collections import Counter

import pytest
import yaml
from slurm import CannotStart, said, slurm_in
from studies import ROOT, SMOKE_CONFIG, Study, tool

pytestmark = pytest.mark.weekly

PROFILE = "workflow/profiles/slurm"
SETTINGS = yaml.safe_load((ROOT / PROFILE / "config.yaml").read_text(encoding="utf-8"))
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
        assert rule["local"] == (rule["group"] is None), rule["name"]
    groups = {rule["group"] for rule in running} - {None}
    assert groups <= set(SETTINGS["group-components"])
    assert set(SETTINGS["set-resources"]) <= {"reference", "sandwich"}


@pytest.mark.parametrize("blocks", [1, 20])
def test_jobs_share_submissions(study, blocks):
    planned = through_slurm(study, "--dry-run", "--config", f"blocks={blocks}")
    members = {
        # map with all that starts from it, online VB, exact
        "scores": (1 + 1 + 1) * blocks,
        "annealing": 3,
        # two jobs of the reference, one each of AIS and bridge, the bounds, two priors
        "evidence": 2 + 1 + 1 + 1 + 2,
    }
    assert Counter(re.findall(r"Group job (\w+) ", planned)) == {
        group: math.ceil(n / SETTINGS["group-components"][group]) for group, n in members.items()
    }


@pytest.fixture
def slurm(tmp_path):
    try:
        with slurm_in(tmp_path / "slurm"):
            yield
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


@pytest.mark.usefixtures("slurm")
def test_the_smoke_study_through_slurm(smoke):
    """Same bytes as on one machine, and all of it done by Slurm's jobs."""
    elsewhere = ["--config", f"results={ELSEWHERE}", f"figures={ELSEWHERE}/figures"]
    printed = through_slurm(smoke, *elsewhere, *OF_TEST)
    assert submitted() == sorted(SETTINGS["group-components"]), printed
    known, found = files(smoke, "results/smoke"), files(smoke, ELSEWHERE)
    assert len(known) > 20 and set(found) == set(known)
    assert [name for name in known if found[name] != known[name]] == []
