"""The benchmarks still run, each in a small version of itself, and the numbers that they print are
what they say.
"""

import importlib
import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import spearmanr

from latentdag import Family, Prior, Structure, draw_study, enumerate_structures, score
from latentdag.engine.log_mean import log_mean_exp
from latentdag.scores.base import Score
from latentdag.scores.exact import log_evidence
from latentdag.study.schema import tables

pytestmark = pytest.mark.weekly

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "tests/benchmarks"
TRUE = Structure.from_label("1-12-12-2")


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A benchmark by its name, with other constants; what it writes goes to ``tmp_path``."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))

    def load(name, **constants):
        monkeypatch.delitem(sys.modules, name, raising=False)
        module = importlib.import_module(name)
        monkeypatch.setitem(sys.modules, name, module)  # removed in the end
        if hasattr(module, "RESULT"):
            constants["RESULT"] = tmp_path / module.RESULT.name
        for constant, value in constants.items():
            assert hasattr(module, constant)
            monkeypatch.setattr(module, constant, value)
        return module

    environment = dict(os.environ)
    yield load
    os.environ.clear()
    os.environ.update(environment)


@pytest.fixture
def printed(capsys):
    """Rows of the Markdown tables that were printed, as lists of their cells."""

    def rows():
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    return rows


class Clock:
    """A clock that only moves where a test says so."""

    def __init__(self):
        self.now = 0.0

    def process_time(self):
        return self.now


def test_every_benchmark_is_run_here():
    own = Path(__file__).read_text(encoding="utf-8")
    programs = [p.stem for p in BENCHMARKS.glob("*.py") if "def main(" in p.read_text("utf-8")]
    assert len(programs) > 15 and [name for name in programs if f'"{name}"' not in own] == []


def test_microseconds_of_an_item_are_those_of_the_fastest_call(small, monkeypatch):
    steps, clock = small("steps", SECONDS=10.0), Clock()
    monkeypatch.setattr(steps, "time", clock)
    takes = iter([9.0, 4.0, 3.0, 5.0])  # the first compiles; 12 s after it are enough

    def call():
        clock.now += next(takes)

    assert steps.microseconds(call, 6) == pytest.approx(0.5e6)


def test_steps(small, capsys, tmp_path):
    small("steps", SIZES=(20, 30), USUAL=30, SECONDS=1e-3).main()
    table = pd.read_csv(tmp_path / "benchmark.csv")
    assert len(table) == 8 and set(table["n"]) == {20, 30}
    assert (table["microseconds"] > 0).all()
    ratio = table["plain_microseconds"] / table["microseconds"]  # of rounded numbers
    assert np.allclose(table["ratio"], ratio, rtol=0.1)
    assert "times the time at n = 20" in capsys.readouterr().out


def test_scores(small, monkeypatch, tmp_path):
    """A job that takes 2 s for 2 structures and a reading of 0.5 s: 1000 and 250 ms of each."""
    scores, clock = small("scores", SIZES=(20,), EXACT_SIZES=(8,), FEW=1, SHORT={}), Clock()
    costs = scores.costs

    def few(cases, structures, jobs):
        return costs(cases, structures[:3], [j for j in jobs if j.name in ("map", "exact")])

    monkeypatch.setattr(scores, "costs", few)
    monkeypatch.setattr(scores, "compute", lambda *_: None)
    scores.main()
    table = pd.read_csv(tmp_path / "cost.csv").set_index("method")
    assert table.loc["exact", "n"] == 8 and table.loc["laplace", "n"] == 20

    two = scores.enumerate_structures()[:2]
    task = SimpleNamespace(n=7, structures=two)
    monkeypatch.setattr(scores, "time", clock)
    monkeypatch.setattr(scores, "Task", lambda *_, **__: task)

    def takes(seconds, result):
        clock.now += seconds
        return result

    job = SimpleNamespace(
        name="made-up",
        needs=(),
        jobs=None,
        sizes_key=None,
        together=8,
        defaults=dict,
        run=lambda *_: takes(2.0, "found"),
    )
    spec = SimpleNamespace(name="score", read=lambda *_: takes(0.5, [1, 2]))
    monkeypatch.setattr(scores, "scores_of", lambda _: [spec])
    (row,) = costs(None, two, [job])
    assert row == {
        "method": "score",
        "n": 7,
        "job_milliseconds": 1000.0,
        "score_milliseconds": 250.0,
    }


def test_accuracy(small, monkeypatch, printed):
    """Seeds 1 and 2 give -10 and -12 in 3 s each; the evidence is what the reference says."""
    accuracy, clock = small("accuracy", SIZES=(20,), REPEATS=2), Clock()

    def score(cases, structure, method, seed):
        clock.now += 3.0
        assert len(cases) == 20
        return SimpleNamespace(score=-8.0 - 2.0 * seed)

    monkeypatch.setattr(accuracy, "time", clock)
    monkeypatch.setattr(accuracy, "score", score)
    accuracy.main()
    bias = -11.0 - log_mean_exp(np.array([-10.0, -12.0]))[0]
    error = np.hypot(bias, 2**0.5)
    _, _, *rows = printed()
    assert [row[:2] for row in rows] == [["20", m] for m in ("reference", "bridge", "ais")]
    for row in rows:
        assert row[2:] == [
            "3.00",
            "1.414",
            f"{bias:+.3f}",
            f"{error:.3f}",
            f"{3 * error**2:.2g}",
        ]


def test_annealed(small, printed):
    small("annealed", SIZES=(20,), DRAWS=(0,), LENGTHS=(4,), RUNS=2).main(100)
    _, _, *rows = printed()
    assert [row[1] for row in rows[:4]] == ["restarts", "linear, 4", "geometric, 4", "sparse"]
    assert all(row[2] == "2" for row in rows) and rows[0][3:6] == ["0", "0", "0.000"]


def test_annealed_runs_are_better_or_worse_than_restarts(small, monkeypatch, printed):
    """By a nat, or the same to within 0.01 nats."""
    annealed = small("annealed", SIZES=(20,), DRAWS=(0,), LENGTHS=(4,), RUNS=2)

    def runs(kernel, item, start, alpha, betas, steps):
        if steps is None:
            best = -10.0
        elif betas.size == 0:
            best = -10.005
        else:
            best = -9.0 if betas[0] == 0.25 else -11.0
        return np.array([best - 5.0, best]), np.array([4, 10])

    monkeypatch.setattr(annealed, "runs", runs)
    annealed.main(100)
    _, _, *rows = printed()
    assert [row[1:] for row in rows[:4]] == [
        ["restarts", "2", "0", "0", "0.000", "0 %", "7"],
        ["linear, 4", "2", "2", "0", "1.000", "50 %", "7"],
        ["geometric, 4", "2", "0", "2", "-1.000", "0 %", "7"],
        ["sparse", "2", "0", "0", "-0.005", "0 %", "7"],
    ]


def test_errors(small, printed):
    small("errors", SIZES=(10,), CHAINS=32, NUMBERS=(4, 16), RESAMPLED=8).main()
    rows = printed()
    assert len(rows) == 2 * (2 + 6) and all(float(row[1]) > 0 for row in rows if "%" in row[2])


def test_estimates_of_an_error_agree_where_weights_are_even(small):
    """Of 4000 weights near 1: the deviation of their ln over the root of their number."""
    errors = small("errors")
    w = np.random.default_rng(0).normal(0.0, 0.05, 4000)
    for name, estimate in errors.ESTIMATES.items():
        if name != "jackknife":  # which takes too long
            assert estimate(w) == pytest.approx(0.05 / 4000**0.5, rel=0.15), name
    assert errors.jackknife(w[:400]) == pytest.approx(0.05 / 20, rel=0.1)


def test_cost(small, printed):
    small("cost", FAMILIES=[Family((2,), (2,) * 4)]).main()
    _, _, row = printed()
    assert row[:5] == ["1 x 2", "4 x 2", "16", "16", "2"]
    assert float(row[6]) > 0 and 50 < float(row[8]) < 2000


def test_restarts(small, monkeypatch, capsys):
    """The fit of ten times as many restarts is better by a nat for one structure of two."""
    restarts = small("restarts", METHODS=("map",))
    load = yaml.safe_load
    monkeypatch.setattr(restarts.yaml, "safe_load", lambda text: load(text) | {"sizes": [20]})
    fits_of = restarts.fits_of

    def better(task, factor):
        fits = fits_of(task, 1)
        if factor == 10:
            first, *others = fits["map"]
            fits["map"] = [replace(first, score=first.score + 1.0), *others]
        return fits

    monkeypatch.setattr(restarts, "fits_of", better)
    restarts.main(2)
    out = capsys.readouterr().out
    assert "n    20 map  : 1 of 2 improved by more than 0.01 nats" in out
    assert "map: 1 of 2 pairs (50.00 %)" in out


def test_searches(small, tmp_path):
    searches = small(
        "searches", KEPT=tmp_path / "kept", FAMILIES={"2 x 4": Family()}, EFFORT={"restarts": 2}
    )
    searches.main(1)
    table = pd.read_csv(tmp_path / "searches.csv")
    assert len(table) == 6 and set(table["structures"]) == {136}
    kept = searches.enumerated("2 x 4", 0)
    for row in table.itertuples():
        assert row.score_best == pytest.approx(np.nanmax(kept[row.method]))
        assert row.score_found <= row.score_best + 1e-6
        assert 0 < row.scored <= 136 and (row.fits > 0) == (row.search == "structural EM")


def test_many_variables(small, capsys):
    """With one cause of three variables in place of five of twelve."""
    family = Family((2,), (2, 2, 2))
    small("many_variables", FAMILY=family, TRUE=Structure.from_label("1-1-1", family)).main(1)
    *_, line = capsys.readouterr().out.splitlines()
    _, best, found, _, true, own = line.replace(";", "").split()
    assert best == true == "1-1-1" and float(found) == pytest.approx(float(own), abs=1e-5)


def test_planted_cases_follow_their_causes(small):
    """Variables without a cause in common are independent."""
    many = small("many_variables", N=20_000)
    cases = many.planted()
    assert cases.shape == (20_000, 12) and set(np.unique(cases)) == {0, 1}
    r = np.corrcoef(cases.T)
    assert r[0, 1] > 0.5 and abs(r[0, 5]) < 0.03  # both of the first; first and third


class Sampler:
    """Stands for dynesty's: the mean likelihood of random points."""

    def __init__(self, log_likelihood, transform, size, nlive, rstate):
        points = rstate.random((4000, size))
        logs = np.array([log_likelihood(transform(u)) for u in points])
        self.results = SimpleNamespace(logz=[0.0, log_mean_exp(logs)[0]], logzerr=[9.0, 0.1])

    def run_nested(self, dlogz, print_progress):
        pass


def test_nested_sampling(small, monkeypatch, capsys):
    nested = small("nested_sampling")
    monkeypatch.setitem(sys.modules, "dynesty", None)
    nested.main()
    assert "dynesty is not installed" in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "dynesty", SimpleNamespace(NestedSampler=Sampler))
    nested.main()
    _, *lines = capsys.readouterr().out.splitlines()
    for line, (structure, n) in zip(lines, nested.CASES, strict=True):
        label, cases, truth, reference, _, _, theirs, _, error = line.split()
        assert (label, int(cases), error) == (structure.label, n, "0.100")
        exact = log_evidence(draw_study(structure, Prior(), n, seed=0).cases, [structure]).item()
        assert float(truth) == pytest.approx(exact, abs=1e-4)
        assert float(reference) == pytest.approx(exact, abs=0.2)
        assert float(theirs) == pytest.approx(exact, abs=0.4)


class Model:
    """Stands for StepMix: says -2 for each case."""

    def __init__(self, n_components, **settings):
        assert n_components == 2 and settings["n_init"] == 2

    def fit(self, codes):
        self.n = len(codes)

    def score(self, codes):
        assert len(codes) == self.n
        return -2.0


def test_latent_classes(small, monkeypatch, capsys):
    classes = small("latent_classes", CLASSES=(2,), STARTS=2)
    monkeypatch.setitem(sys.modules, "stepmix.stepmix", None)
    classes.main()
    assert "StepMix is not installed" in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "stepmix", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "stepmix.stepmix", SimpleNamespace(StepMix=Model))
    classes.main()
    first, _, line = capsys.readouterr().out.splitlines()
    assert first.startswith("434 cases of 16 variables")
    number, theirs, ours, difference = line.split()
    assert number == "2" and float(theirs) == 434 * -2.0
    assert float(difference) == pytest.approx(float(ours) - float(theirs), abs=1e-3)


def test_path_sampling_reads_the_committed_chains(small, tmp_path):
    module = small("path_sampling", SIZES=(10, 80))
    module.main()
    found = tables.read(tmp_path / "path_sampling.csv", "path_sampling")
    found = found.pivot(index=["n", "structure"], columns="method", values="error_nats")
    assert len(found) == 2 * 136 and (found["path sampling"] <= found["ais"]).all()


def test_slopes_of_the_committed_errors(small, tmp_path):
    """The rows are of draw 0, and by size and score in the order that is asked for."""
    small("bias_by_parameters", SIZES=(80, 10), METHODS=("vb", "ais")).main()
    found = tables.read(tmp_path / "bias_by_parameters.csv", "bias_by_parameters")
    rows = found[["n", "method"]].to_numpy().tolist()
    assert rows == [[80, "vb"], [80, "ais"], [10, "vb"], [10, "ais"]]
    errors = pd.read_csv(ROOT / "results/errors.csv")
    own = errors[(errors["n"] == 10) & (errors["method"] == "vb") & (errors["draw"] == 0)]
    d = [Structure.from_label(label).n_parameters for label in own["structure"]]
    slope, _ = np.polyfit(d, own["error_nats"], 1)
    assert found["slope"][2] == pytest.approx(slope, rel=1e-5)


def test_scores_on_other_draws(small, tmp_path, monkeypatch):
    """Of made-up scores that know their task: one that keeps the order, and one that turns it."""
    module = small("other_draws", SIZES=(20, 30), DRAWS=(1, 4), METHODS=("vb", "cs_lr"))
    few = enumerate_structures()[:20]
    monkeypatch.setattr(module, "enumerate_structures", lambda: few)
    at = np.arange(20)

    def compute_from_the_task(task, methods):
        (draw,) = task.key
        expected = draw_study(TRUE, Prior(), 30, module.SEED, draw).cases[: task.n]
        assert np.array_equal(task.cases, expected) and task.seed == module.SEED
        found = {"reference": -2.0 * at, "vb": -2.0 * at - draw, "cs_lr": 1.0 * at + draw}
        rows = [
            SimpleNamespace(structure=s, method=m, score=found[m][k])
            for m in reversed(methods)
            for k, s in enumerate(few)
        ]
        return rows, {}

    monkeypatch.setattr(module, "compute", compute_from_the_task)
    with joblib.parallel_config("sequential"):
        module.main()
    found = pd.read_csv(tmp_path / "other_draws.csv").set_index(["draw", "n", "method"])
    assert len(found) == 2 * 2 * 3
    share = 1 - np.exp(-2.0)  # of the first of structures 2 nats apart
    for (draw, _, method), row in found.iterrows():
        if method == "vb":
            expected = {
                "mean_absolute_error": draw,
                "order": 1,
                "order_same_d": 1,
                "total_variation": 0,
            }
            expected["regret"] = 0
        elif method == "cs_lr":
            turned = sum(abs((1 - np.exp(-1)) * np.exp(k - 19.0) - share * np.exp(-2.0 * k))
                         for k in at) / 2  # fmt: skip
            expected = {"mean_absolute_error": np.mean(3 * at + draw), "order": -1}
            expected |= {"order_same_d": -1, "total_variation": turned, "regret": 2 * 19}
        else:  # few's structures are in the order of their parameters
            links = [-sum(map(len, s.parents)) for s in few]
            best = 2 * int(np.argmax(links))
            expected = {"order": spearmanr(links, -at).statistic, "regret": best}
            assert row[["mean_absolute_error", "total_variation"]].isna().all()
        assert row[list(expected)].to_dict() == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_the_evidence_of_a_population_beside_the_studys(small, monkeypatch):
    """The bridge takes what the reference leaves open, at its sizes. Of five structures four have
    more than 1e-4 of the probability; one of these is out of reach.
    """
    module = small("reach", TRUE="0-1-0-1")
    few = [Structure.from_label(s) for s in ("0-0-0-0", "0-0-1-1", "0-1-0-1", "0-1-1-0", "1-0-0-1")]
    monkeypatch.setattr(module, "enumerate_structures", lambda: few)
    asked = []

    def run(job, task, settings, starts):
        assert task.key == module.KEY and task.seed == module.SEED and len(task.cases) == 20
        asked.append((job.name, [s.label for s in task.structures], settings["particles"]))
        value = {"reference": (-50.0, 1.0), "bridge": (-50.5, 0.25)}[job.name]
        found = [Score(s, *value, restarts=8, method=job.name, n=20) for s in task.structures]
        return found, {}

    monkeypatch.setattr(module, "run_job", run)
    settings = {"reach": {"nats": 5.0, "target": 0.5, "most_cases": 9}, "bridge_sizes": [20]}
    settings |= {"reference": {"particles": 7}, "bridge": {"particles": 9}}
    labels = [s.label for s in few]
    cheap = {"method": "cs_lr", "n": 20, "structure": labels, "score": [-9.0, -3, -2, -1, 0]}
    study = {"n": 20, "structure": labels, "log_evidence": [-50.0, -50, -51, -50, -99]}
    cases = np.zeros((30, 4), dtype=int)
    row = module.compared(
        20, pd.DataFrame(cheap), pd.DataFrame(study | {"standard_error": 0.25}), cases, settings
    )
    assert asked == [("reference", labels, 7), ("bridge", labels[1:], 9)]
    far, near = 0.0, 0.5 / np.hypot(0.25, 0.25)
    z = [far, -near, near, -near]
    expected = (20, 4, 3, "1.00", f"{np.sqrt(np.mean(np.square(z))):.2f}", f"{-near:+.1f}")
    assert row[:-1] == expected
    module.compared(
        20, pd.DataFrame(cheap), pd.DataFrame(study | {"standard_error": 0.25}), cases,
        settings | {"bridge_sizes": [40]},
    )  # fmt: skip
    assert len(asked) == 3


def test_expectation_propagation_runs(small, tmp_path):
    small("expectation_propagation", SIZES=(80,), EVERY=130, SWEEPS=300).main()
    found = tables.read(tmp_path / "expectation_propagation.csv", "expectation_propagation")
    assert len(found) == 2 and (found["converged"] == found["error_nats"].notna()).all()
    assert found["error_nats"].abs().max() < 5


def test_states_of_a_cause_run(small, tmp_path):
    module = small("states_of_a_cause", DRAWS=2, SIZES=(20, 30), MOST_STATES=3)
    with joblib.parallel_config("sequential"):  # other processes know no small settings
        module.main()
    found = tables.read(tmp_path / "states_of_a_cause.csv", "states_of_a_cause")
    assert len(found) == 2 * 2 * 11 and found["states_chosen"].between(1, 3).all()


def test_annealing_and_rank(small, tmp_path):
    """Ranks of the truth by AIS at one structure, one size and one run at a time."""
    module = small("annealing_and_rank", SIZES=(10, 30), STEPS=(64, 32), CHAINS=2, RUNS=2)
    structures = [*enumerate_structures()[::30], module.TRUE]
    module.enumerate_structures = lambda: structures
    with joblib.parallel_config("sequential"):
        module.main()
    found = tables.read(tmp_path / "annealing_and_rank.csv", "annealing_and_rank")
    found = found.set_index(["steps", "run", "n"])["rank"]
    cases = draw_study(module.TRUE, Prior(), 30, module.SEED).cases
    assert len(found) == 8
    for (steps, run, n), rank in found.items():
        of_run = {"seed": module.SEED, "key": (0, run), "steps": steps, "chains": 2}
        *others, true = (score(cases[:n], s, "ais", **of_run).score for s in structures)
        assert rank == 1 + sum(other > true for other in others)


def test_starts_of_vb_run(small, tmp_path):
    small("mean_field_starts", SIZES=(40,), RESTARTS=3).main()
    found = tables.read(tmp_path / "mean_field_starts.csv", "mean_field_starts")
    shared = [s.label for s in enumerate_structures() if any(len(p) > 1 for p in s.parents)]
    assert sorted(found["structure"]) == sorted(2 * shared)
    assert (3 * found["share_best"]).round(4).isin([0, 1, 2, 3]).all()
    assert ((found["below_best"] < 0.01) == (found["share_best"] == 1)).all()


def test_experiments_run(small, tmp_path):
    """Each once, on two structures and one size of the study."""
    small("importance_sampling", SIZES=(80,), EVERY=130, DRAWS=64).main()
    small("chib", SIZES=(80,), EVERY=130, CHAINS=2, DRAWS=20).main()
    small("posterior_width", SIZES=(80,), EVERY=130).main()
    assert len(tables.read(tmp_path / "importance_sampling.csv", "importance_sampling")) == 4
    assert len(tables.read(tmp_path / "chib.csv", "chib")) == 8
    widths = tables.read(tmp_path / "posterior_width.csv", "posterior_width")
    assert len(widths) == 2 and (widths[["width_q", "width_response"]] > 0).all(axis=None)
    small("pruned_states", SIZES=(20,)).main()
    found = tables.read(tmp_path / "pruned_states.csv", "pruned_states")
    assert len(found) == 2 * 135 and (found["pruned"] <= found["n_states"]).all()
