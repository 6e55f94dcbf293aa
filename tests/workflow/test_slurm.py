"""The profile for a Slurm cluster: what it would submit, and the smoke study through a Slurm of one
node.
"""

import math
import re
from collections import Counter

import pytest
from slurm import said, slurm_in
from studies import SMOKE_CONFIG, Study, loaded, tool

pytestmark = pytest.mark.weekly

PROFILE = "profiles/slurm"
SETTINGS = loaded(f"{PROFILE}/config.yaml")
# in the smoke study's folder, where the loops of the reference are compiled
ELSEWHERE = "results/slurm"
# this Slurm keeps no accounts, and starts jobs at once
OF_TEST = ("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2")
MEASURED = ("timing.csv", "seconds.csv")


def through_slurm(study: Study, *arguments: str) -> str:
    """Run the smoke study by the profile; what Snakemake printed."""
    pytest.importorskip("snakemake_executor_plugin_slurm", reason="install requirements.txt")
    options = ["--workflow-profile", PROFILE, "--configfile", SMOKE_CONFIG, *arguments]
    result = study.call([tool("snakemake"), *options])
    return result.stdout + result.stderr


def test_jobs_share_submissions(study):
    planned = through_slurm(study, "--dry-run", "--set-scatter", "structures=20")
    members = {
        # map with all that starts from it, online VB, exact
        "scores": (1 + 1 + 1) * 20,
        "annealing": 3,
        # the reference, three kinds of AIS, tempered SMC; the bounds, the climb, two priors, and
        # the two equal modes
        "evidence": 5 * 20 + 1 + 1 + 2 + 1,
    }
    assert Counter(re.findall(r"Group job (\w+) ", planned)) == {
        group: math.ceil(n / SETTINGS["group-components"][group]) for group, n in members.items()
    }


@pytest.fixture
def slurm(tmp_path):
    with slurm_in(tmp_path / "slurm"):
        yield


def tables_of(study: Study, results: str) -> dict[str, bytes]:
    """Every table that a run wrote, but for those of times."""
    folder = study.folder / results
    paths = (path for path in folder.rglob("*.csv") if not path.name.endswith(MEASURED))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_the_smoke_study_through_slurm(smoke, slurm):
    """Same bytes as on one machine, and all of it done by Slurm's jobs, one for each group."""
    folders = ["--config", f"results={ELSEWHERE}", f"figures={ELSEWHERE}/figures"]
    printed = through_slurm(smoke, *folders, *OF_TEST)
    comments = said("squeue", "--states=all", "--noheader", "--format=%k")
    groups = sorted(re.findall(r"rule_(\w+?)_", comments))
    assert groups == ["annealing", "evidence", "scores"], printed
    local, cluster = tables_of(smoke, "results/smoke"), tables_of(smoke, ELSEWHERE)
    assert len(local) > 20 and set(cluster) == set(local)
    assert [name for name in local if cluster[name] != local[name]] == []
