"""What a study of own data says of its work, before any job."""

from math import isnan

import numpy as np
import pytest
from studies import OWN, ROOT, small

import latentdag
from latentdag.scores import JOBS
from latentdag.study.settings import work
from latentdag.study.settings.work import expected_seconds, remark

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


def test_jobs_under_other_priors_and_the_structures_of_all_families_count(tmp_path):
    """Laplace reads off the job `map`, the one of the two that also runs with alpha 2 and 3."""
    table, cost = latentdag.read_table(ROOT / OWN["data"]["file"], "count"), tmp_path / "cost.csv"
    cost.write_text(MEASURED.replace("laplace,1,9", "laplace,1e6,9").replace("vb,2", "vb,1e5"))
    some = {"methods": ["map", "vb"], "alpha": [1, 2.0, 3.0], "family__hidden": [[3], [2, 2]]}
    words = work.of_own_data(small(**OWN | some), table, cost)
    n_structures, n = 136 + 16 - 1, table.n  # the one without causes is in both families
    of_vb = np.interp(n, [80, 480], [100.0, 0.004])
    assert words == remark((3 * 1000 + of_vb) * n_structures * 4 * 4 / 16, n_structures, n)
    cost.write_text(cost.read_text() + "80,exact,7e7,9\n")  # not at this size
    some |= {"methods": ["map", "vb", "exact"], "search": {"keep": 5}}
    words = work.of_own_data(small(**OWN | some), table, cost)
    assert words == remark((3 * 1000 + of_vb) * 5 * 4 * 4 / 16, 5, n)
