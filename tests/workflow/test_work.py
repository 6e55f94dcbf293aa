"""What a study of own data says of its work, before any job."""

from math import isnan
from pathlib import Path

import pytest
from studies import ROOT, loaded, resolved

from latentdag.scores import JOBS
from latentdag.study.design import files, user_table
from latentdag.study.settings import study, work
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
def test_the_estimate_is_near_the_times_of_the_committed_reports(committed, monkeypatch):
    monkeypatch.chdir(ROOT)
    ratios = []
    for name in REPORTS:
        config = resolved(loaded(f"workflow/config/{name}.yaml"))
        table = user_table.user_table(config["data"])
        rows = (committed / Path(name).name / "structures.csv").read_text().splitlines()
        said = work.of_own_data(config, table, committed / "experiments/cost.csv")
        jobs = [job for job in study.jobs(config) if study.scores_all(config, job)]
        jobs = [job for job in jobs if study.sizes_of(config, job, [table.n])]
        jobs += study.jobs_under_priors(config) * len(study.other_alphas(config))
        hidden = config["family"]["hidden"]
        hidden = hidden if isinstance(hidden[0], list) else [hidden]
        seconds = expected_seconds(
            jobs, table.n, len(rows) - 1, len(table.names), hidden,
            measured=committed / "experiments/cost.csv",
        )  # fmt: skip
        assert said == remark(seconds, len(rows) - 1, table.n)
        taken = files.read_json(committed / Path(name).name / "provenance.json")["jobs"]
        names = {*(job.name for job in jobs), "under_alpha"}
        ratios.append(sum(taken[n]["processor_seconds"] for n in names & set(taken)) / seconds)
    assert min(ratios) > 0.5 and max(ratios) < 10
