"""What a study of own data says of its work, before any job."""

from math import isnan
from pathlib import Path

import pytest
from studies import ROOT, loaded, resolved

from latentdag.scores import JOBS
from latentdag.study.design import files, user_table
from latentdag.study.settings import work
from latentdag.study.settings.work import expected_seconds, remark

REPORTS = ("own-data", "examples/carcinoma", "examples/role-conflict", "examples/house-votes")
MEASURED = "n,method,job_milliseconds,score_milliseconds\n80,vb,2,9\n80,laplace,1,9\n480,vb,4,9\n"


def test_the_time_is_in_proportion_to_structures_variables_and_states(tmp_path):
    table = tmp_path / "cost.csv"
    table.write_text(MEASURED)

    def seconds(jobs, *how) -> float:
        return expected_seconds([JOBS[job] for job in jobs], *how, measured=table)

    assert seconds(["vb"], 80, 1000, 4, [[2, 2]]) == pytest.approx(2.0)
    assert seconds(["vb"], 280, 1000, 4, [[2, 2]]) == pytest.approx(3.0)  # on a line between
    assert seconds(["vb"], 9000, 1000, 4, [[2, 2]]) == pytest.approx(4.0)
    assert seconds(["vb"], 80, 500, 8, [[2], [3, 2]]) == pytest.approx(2.0 / 2 * 2 * 6 / 4)
    assert seconds(["map", "vb", "ais"], 80, 1000, 4, [[2, 2]]) == pytest.approx(3.0)
    assert isnan(expected_seconds([JOBS["vb"]], 80, 1, 4, [[2]], measured=tmp_path / "none.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTS)
def test_the_estimate_is_near_the_times_of_the_committed_reports(committed, monkeypatch, name):
    """Of the jobs that it counts, with those under other priors."""
    monkeypatch.chdir(ROOT)
    seconds = []

    def estimate(*how) -> float:
        seconds.append(expected_seconds(*how))
        return seconds[0]

    monkeypatch.setattr(work, "expected_seconds", estimate)
    config = resolved(loaded(f"workflow/config/{name}.yaml"))
    table = user_table.user_table(config["data"])
    words = work.of_own_data(config, table, committed / "experiments/cost.csv")
    folder = committed / Path(name).name
    n_structures = len((folder / "structures.csv").read_text().splitlines()) - 1
    assert words == remark(seconds[0], n_structures, table.n)
    of_jobs = files.read_json(folder / "provenance.json")["jobs"]
    spent = sum(of_jobs[name]["processor_seconds"] for name in of_jobs.keys() & {*JOBS, "prior"})
    assert 0.5 < spent / seconds[0] < 10
