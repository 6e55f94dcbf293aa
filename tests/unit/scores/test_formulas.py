"""Formulas of the scores that are read off a fit, and what a score may not depend on."""

import re
from dataclasses import replace
from math import log, nan

import numpy as np
import pytest
from scipy import stats

from latentdag import METHODS, Family, Structure, Table, score, score_structures
from latentdag.data.counts import Counts
from latentdag.inference.em import fixed_point
from latentdag.model.parameters import Prior
from latentdag.scores import JOBS, SPECS, compute, run_job, settings_of, settings_used, what_failed
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Score, Task

LABELS = ["0-0-0-0", "1-0-1-1", "1-1-1-1", "1-2-0-0", "1-1-2-2", "1-12-12-2"]
LABELS += ["12-12-12-1", "12-12-12-12"]
# ml may stop at the iteration limit
QUICK = {"restarts": 12, "hits": 3, "max_iterations": 900, "steps": 64, "chains": 3}
AT_80 = [m for m in METHODS if m not in ("exact", "reference")]


@pytest.fixture(scope="module")
def group(cases):
    """All methods but exact on structures of all kinds together; key and prior are not the default
    ones.
    """
    task = Task([Structure.from_label(x) for x in LABELS], cases[:80], Prior(0.8, 1.3), 7, (3,))
    scores, results = compute(task, AT_80, QUICK)
    return {(s.structure.label, s.method): s for s in scores}, results


@pytest.mark.slow
@pytest.mark.parametrize("job", [*(j for j in JOBS if j != "exact"), "annealing"])
def test_reports_add_up_to_the_work(cases, group, job):
    """By number of structures, in several steps."""
    structures = [Structure.from_label(label) for label in ("1-0-1-1", "1-12-12-2", "12-12-12-12")]
    reports = []
    task = Task(structures, cases[:80], Prior(0.8, 1.3), 7, (3,), report=reports.append)
    if job == "annealing":
        annealing_runs(replace(task, structures=structures[1:2]), steps=3000, chains=3)
    else:
        estimates = {name: JOBS[name].estimates(group[1][name]) for name in JOBS[job].needs}
        quick = QUICK | {"steps": 100, "particles": 16, "runs": 2, "batch": 20}
        run_job(JOBS[job], task, settings_of(JOBS[job], quick), estimates)
    assert len(reports) >= 3
    assert min(reports) >= 0
    assert sum(reports) == pytest.approx(1 if job == "annealing" else 3)


# effective dimension, and free parameters without those of childless hidden variables
DIMENSIONS = {"0-0-0-0": (16, 16), "1-0-1-1": (29, 29), "1-1-2-2": (30, 34)}
DIMENSIONS |= {"1-12-12-2": (50, 50), "1-2-0-0": (16, 26)}


@pytest.mark.parametrize("label", DIMENSIONS)
def test_penalties(group, label):
    """Childless hidden variables count for BIC, and not for what Cheeseman-Stutz completes."""
    (dimension, free), d = DIMENSIONS[label], Structure.from_label(label).n_parameters
    of = {method: s.score for (other, method), s in group[0].items() if other == label}
    each = log(80) / 2
    expected = {
        "bic": of["map"] - d * each,
        "bic_ml": of["ml"] - d * each,
        "bic_dim": of["map"] - dimension * each,
        "cs_dim": of["cs"] + (free - dimension) * each,
    }
    assert {m: of[m] for m in expected} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", ["map", "cs", "laplace", "cs_lr", "ml", "vb", "vb_lr", "exact"])
def test_a_childless_hidden_variable_drops_out(cases, method):
    """Whatever its cardinality; only d differs."""

    def of(label, hidden):
        s = Structure.from_label(label, Family(hidden, Family().observed))
        settings = {} if method == "exact" else {"restarts": 64, "hits": 8}
        return score(cases[:10], s, method, **settings)

    alone = of("1-1-1-1", (2,))
    for label, hidden, more in (("1-1-1-1", (2, 4), 3), ("2-2-2-2", (999, 2), 998)):
        other = of(label, hidden)
        assert other.score == pytest.approx(alone.score, abs=1e-6)
        assert other.n_parameters == alone.n_parameters + more


def test_the_default_prior_is_uniform_and_alpha_hidden_follows_alpha(cases):
    s = Structure.from_label("1-12-12-2")
    for method in ("map", "cs", "vb", "ais", "exact"):
        quick = {name: QUICK[name] for name in settings_used(method) if name in QUICK}
        one = score(cases[:8], s, method, **quick).score
        assert one == score(cases[:8], s, method, alpha=1.0, alpha_hidden=1.0, **quick).score
        half = score(cases[:8], s, method, alpha=0.5, **quick).score
        assert half == score(cases[:8], s, method, alpha=0.5, alpha_hidden=0.5, **quick).score
        other = score(cases[:8], s, method, alpha=0.5, alpha_hidden=1.0, **quick).score
        assert len({one, half, other}) == 3
    assert score(cases[:8], s, hits=None, chains=None) == score(cases[:8], s, "laplace")


@pytest.mark.parametrize(
    ("job", "settings", "more"),
    [
        ("vb", {}, {}),
        ("vb", {"restarts": 20}, {"hits": 20}),
        ("vb", {"restarts": 20, "hits": 3}, {}),
        ("vb", {"hits": 3}, {}),
        ("reference", {"runs": 3}, {"most_runs": 3}),
        ("reference", {"runs": 3, "most_runs": 9, "target": 0.001}, {}),
    ],
)
def test_restarts_and_runs_that_are_given_are_all_done_unless_told_otherwise(job, settings, more):
    """What is not given is the study's."""
    defaults = JOBS[job].defaults()
    assert (
        settings_of(JOBS[job], settings | {"restarts": settings.get("restarts")})
        == defaults | settings | more
    )
    assert job != "vb" or defaults["hits"] < 20 < defaults["restarts"]


def test_a_score_that_is_none_gives_its_reason(cases, monkeypatch):
    silent = replace(SPECS["exact"], read=lambda task, fits: [Score(ONE_CAUSE, nan)])
    monkeypatch.setitem(SPECS, "exact", silent)
    with pytest.raises(ValueError, match="exact has no score for 1-1-1-1 and gives no reason"):
        score(cases[:5], ONE_CAUSE, "exact")
    failed = [Score(ONE_CAUSE, nan, reason=reason) for reason in "bab"]
    without, stopped = what_failed([*failed, replace(failed[0], score=0.0, converged=False)])
    assert "3 of 4 " in without and without.endswith(" a; b") and "1 of 4 " in stopped


def hidden_probabilities(task, sparse):
    """p(s1) and p(s2) of 2000 starts, (2000, 4), and the observed variables' rows for the first
    states of both, (2000, 20).
    """
    ((kernel, structures),) = task.kernels
    start = task.start(kernel, structures, sparse=sparse)
    weights = np.exp([start(0, r)[0] for r in range(2000)])
    return weights[:, -4:], weights[:, :-4]


def test_sparse_starts_leave_hidden_states_with_next_to_no_cases(cases):
    """By the law of Dirichlet(0.2), while the tables of the observed variables follow the prior."""
    task = Task([Structure.from_label("1-12-12-2")], cases[:80], Prior(1.0, 1.5), 7, (3,))
    hidden, tables = hidden_probabilities(task, sparse=True)
    law = stats.beta(0.2, 0.2)
    for column in hidden.T:
        assert stats.kstest(column, law.cdf).pvalue > 1e-3
    for column in tables.T:
        assert stats.kstest(column, stats.beta(1, 4).cdf).pvalue > 1e-4
    dense, _ = hidden_probabilities(task, sparse=False)
    for column in dense.T:
        assert stats.kstest(column, stats.beta(1.5, 1.5).cdf).pvalue > 1e-3
    # a prior that is sparser still is left alone
    task = replace(task, prior=Prior(1.0, 0.1))
    for a, b in zip(*(hidden_probabilities(task, sparse) for sparse in (True, False)), strict=True):
        assert (a == b).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"restart": 3}, "unknown setting 'restart' (did you mean 'restarts'?)"),
        (
            {"method": "vb_collapsed", "chains": 8},
            "'chains' is no setting of vb_collapsed; known are restarts, hits, max_iterations, ",
        ),
        ({"method": "exact", "runs": 8}, "'runs' is no setting of exact; known are none"),
        ({"method": "vbem"}, "unknown method 'vbem': it must be one of map, "),
        ({"restarts": 4, "hits": 0}, "hits must be at least 1, got 0"),
        ({"method": "reference", "target": 0.0}, "target must be at least 0.001, got 0.0"),
        ({"alpha": "1"}, "alpha must be a number, got '1'"),
        ({"seed": None}, "seed must be an integer, got None"),
        ({"seed": True}, "seed must be an integer, got True"),
        ({"restarts": 2.5}, "restarts must be an integer, got 2.5"),
        ({"method": "reference", "target": nan}, "target must be at least 0.001, got nan"),
        ({"alpha": True}, "alpha must be a number, got True"),
        ({"alpha_hidden": nan}, "alpha_hidden must lie from 0.01 to 1e+12, got nan"),
    ],
)
def test_a_wrong_setting_is_named(cases, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        score(cases[:10], Structure.from_label("1-1-1-1"), **settings)


TABLE = Table(("a",) * 4, ((),) * 4, Counts.of(np.zeros((3, 4), dtype=int)))
ONE_CAUSE = Structure.from_label("1-1-1-1")


@pytest.mark.parametrize(
    ("cases", "structures", "message"),
    [
        (object(), [ONE_CAUSE], "cases must be an array of shape (n, J), got object; those of a"),
        (
            TABLE.counts,
            ["1-1-1-1"],
            "must be of the class Structure, got '1-1-1-1': with a Table or a DataFrame a label",
        ),
        (TABLE.counts, "1-1-1-1", "structures must be a sequence of Structure, got '1-1-1-1'"),
        (TABLE.counts, ONE_CAUSE, "structures must be a sequence of Structure, got 1-1-1-1"),
        (TABLE.counts, [], "structures are empty: at least one is needed"),
        (
            TABLE.counts,
            [ONE_CAUSE, Structure.from_label("1-1-1", Family((2,), (2, 2, 2)))],
            "structures must be of one family, got Family(hidden=(2, 2), observed=(5, 5, 5, 5)) ",
        ),
        (TABLE.counts, [Structure.from_label("12-2-0-0", Family((64, 64)))], "4,096 joint states"),
    ],
)
def test_wrong_arguments_are_named(cases, structures, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        score_structures(cases, structures)
    assert "\n" not in str(caught.value)


def test_em_and_vbem_may_have_the_same_initial_conditions(cases, monkeypatch):
    """As in the paper: the start of each number is that of EM, and there are no others."""
    begun = {}

    def searched(kernel, algorithm, start, settings, first, **how):
        begun[type(algorithm).__name__] = first, [start(0, r) for r in range(3)]
        return [None]

    monkeypatch.setattr(fixed_point, "search", searched)
    task = Task([Structure.from_label("1-12-12-2")], cases[:80], Prior(), 7, (3,))
    estimates = {"map": {"1-12-12-2": np.zeros((1, 4, 22))}}
    for name, settings in (("map", {}), ("vb", {"same_starts": True})):
        JOBS[name].run(task, settings_of(JOBS[name], settings), estimates)
    assert begun["VBEM"][0] is None
    np.testing.assert_array_equal(begun["EM"][1], begun["VBEM"][1])
    JOBS["vb"].run(task, settings_of(JOBS["vb"], {}), estimates)
    assert begun["VBEM"][0] is not None
    assert (np.array(begun["EM"][1]) != begun["VBEM"][1]).any()
    with pytest.raises(ValueError, match="same_starts must be true or false, got 1"):
        settings_of(JOBS["vb"], {"same_starts": 1})


def test_the_iteration_limit_shows(cases):
    for method in ("map", "ml", "vb", "vb_mf", "vb_online"):
        structure = Structure.from_label("1-12-12-2")
        s = score(cases[:480], structure, method, restarts=2, max_iterations=6)
        assert s.converged is False
        assert s.iterations == (12 if method == "vb_online" else 6)  # in each of its two batches
