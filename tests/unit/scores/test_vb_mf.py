"""The bound with a factorised q(s): its order beside VB and the evidence, and its best optimum."""

import numpy as np
import oracles
import pytest

from latentdag import Family, Prior, Structure, enumerate_structures, score_structures
from latentdag.scores import JOBS, compute, run_job
from latentdag.scores.base import Task
from latentdag.scores.vb_mf import causes_share_a_child

UNEQUAL = Family((2, 3), (3, 2, 2))
PRIOR = {"alpha": 0.8, "alpha_hidden": 1.3}


@pytest.mark.parametrize("family", [UNEQUAL, Family((2, 2, 2), (2, 3))], ids=str)
def test_below_vb_below_the_evidence(family):
    """For every structure; equal to VB where no child is shared. Elsewhere it is below, but where
    VB leaves all but one of the causes that share a child without a use: they are independent.
    """
    cases, structures = oracles.dependent_cases(family, 5, 2, 0.7), enumerate_structures(family)
    mean_field, vb, exact = (
        [s.score for s in score_structures(cases, structures, method, **PRIOR)]
        for method in ("vb_mf", "vb", "exact")
    )
    lost = np.subtract(vb, mean_field)
    shared = np.array([causes_share_a_child(s) for s in structures])
    assert 0 < shared.sum() < len(shared)
    assert np.all(np.subtract(exact, vb) > -1e-9)
    assert np.abs(lost[~shared]).max() < 1e-6
    assert lost[shared].min() > -1e-9
    assert np.mean(lost[shared] > 1e-3) > 0.5


def test_its_fits_begin_at_every_optimum_of_vb(cases):
    """The best of them is taken, and it need not be that from VB's best."""
    task = Task([Structure.from_label("1-12-12-1")], cases[:560], Prior())
    starts = JOBS["vb"].estimates(compute(task, ["vb"])[1]["vb"])["1-12-12-1"]

    def value(starts):
        limit = {"max_iterations": 30_000}
        return run_job(JOBS["vb_mf"], task, limit, {"vb": {"1-12-12-1": starts}})[0][0].score

    alone = [value(starts[[k]]) for k in range(len(starts))]
    assert max(alone) > min(alone) + 1
    assert value(starts) == value(starts[::-1]) == max(alone)
