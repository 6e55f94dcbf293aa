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
MEASURED = ("timing.csv", "seconds.csv", "provenance.json")  # times, machine


def through_slurm(study: Study, *arguments: str) -> str:
    """Run the smoke study by the profile; what Snakemake printed."""
    pytest.importorskip("snakemake_executor_plugin_slurm", reason="install requirements.txt")
    result = study.call(
        [tool("snakemake"), "--workflow-profile", PROFILE, "--configfile", SMOKE_CONFIG, *arguments]
    )
    return result.stdout + result.stderr


def test_jobs_share_submissions(study):
    spread = 20
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
def slurm(tmp_path):
    with slurm_in(tmp_path / "slurm"):
        yield


def files(study: Study, results: str) -> dict[str, str]:
    """Everything that a run wrote to its tables and its summary, but for what tells the time."""
    folder = study.folder / results
    texts = {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for pattern in ("*.csv", "*.json", "*.md")
        for path in folder.rglob(pattern)
        if not path.name.endswith(MEASURED)
    }
    untimed = re.sub(
        r"^## Computation time.*?(?=^## )", "", texts["summary.md"], flags=re.DOTALL | re.MULTILINE
    )
    of_claims = r"^(\| time of |- Of \d+ claims ).*\n"  # two of the claims are about times
    return texts | {"summary.md": re.sub(of_claims, "", untimed, flags=re.MULTILINE)}


def submitted() -> list[str]:
    """The groups of what was submitted, one for each of Slurm's jobs."""
    comments = said("squeue", "--states=all", "--noheader", "--format=%k")
    return sorted(re.findall(r"rule_(\w+?)_", comments))


def test_the_smoke_study_through_slurm(smoke, slurm):
    """Same bytes as on one machine, and all of it done by Slurm's jobs."""
    folders = ["--config", f"results={ELSEWHERE}", f"figures={ELSEWHERE}/figures"]
    printed = through_slurm(smoke, *folders, *OF_TEST)
    assert submitted() == ["annealing", "evidence", "scores"], printed
    local, cluster = files(smoke, "results/smoke"), files(smoke, ELSEWHERE)
    assert len(local) > 20 and set(cluster) == set(local)
    assert [name for name in local if cluster[name] != local[name]] == []
