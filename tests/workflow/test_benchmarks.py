"""The benchmarks still run, each in a small version of itself, and the numbers that they print are
what they say.
"""

import importlib
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
import yaml

from latentdag import Family, Prior, Structure, draw_study, enumerate_structures, score
from latentdag.engine.log_mean import log_mean_exp
from latentdag.scores.base import Score
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


def run_program(module, *arguments) -> None:
    """What ``python FILE`` does: experiments have rows, which they write, other programs a main."""
    if hasattr(module, "main"):
        module.main(*arguments)
    else:
        module.common.write(module.RESULT, module.rows())


def cause(*states: int) -> Family:
    return Family((2,), states)


# by program its small version: constants, and what `main` is given
SMALL = {
    "steps": ({"SIZES": (20, 30), "USUAL": 30, "SECONDS": 1e-3}, ()),
    "annealed": ({"SIZES": (20,), "DRAWS": (0,), "LENGTHS": (4,), "RUNS": 2}, (100,)),
    "errors": ({"SIZES": (10,), "CHAINS": 32, "NUMBERS": (4, 16), "RESAMPLED": 8}, ()),
    "cost": ({"FAMILIES": [cause(2, 2, 2, 2)]}, ()),
    "many_variables": (
        {"FAMILY": cause(2, 2, 2), "TRUE": Structure.from_label("1-1-1", cause(2, 2, 2))},
        (1,),
    ),
    "path_sampling": ({"SIZES": (10, 80)}, ()),
    "bias_by_parameters": ({"SIZES": (80, 10), "METHODS": ("vb", "ais")}, ()),
    "expectation_propagation": ({"SIZES": (80,), "EVERY": 130, "SWEEPS": 300}, ()),
    "states_of_a_cause": ({"DRAWS": 2, "SIZES": (20, 30), "MOST_STATES": 3}, ()),
    "mean_field_starts": ({"SIZES": (40,), "RESTARTS": 3}, ()),
    "importance_sampling": ({"SIZES": (80,), "EVERY": 130, "DRAWS": 64}, ()),
    "chib": ({"SIZES": (80,), "EVERY": 130, "CHAINS": 2, "DRAWS": 20}, ()),
    "posterior_width": ({"SIZES": (80,), "EVERY": 130}, ()),
    "pruned_states": ({"SIZES": (20,)}, ()),
}


@pytest.mark.parametrize("name", SMALL)
def test_it_runs(small, capsys, tmp_path, name):
    """And prints a table, or writes one that its columns declare."""
    constants, arguments = SMALL[name]
    with joblib.parallel_config("sequential"):  # other processes know no small settings
        run_program(small(name, **constants), *arguments)
    written = list(tmp_path.glob("*.csv"))
    assert written or len(capsys.readouterr().out.splitlines()) > 1
    for path in written:
        assert len(tables.read(path, path.stem)) > 0


def test_every_benchmark_is_run_here():
    own = Path(__file__).read_text(encoding="utf-8")
    programs = [p.stem for p in BENCHMARKS.glob("*.py") if "__main__" in p.read_text("utf-8")]
    assert len(programs) > 15 and [name for name in programs if f'"{name}"' not in own] == []


def test_scores(small, monkeypatch, tmp_path):
    scores = small("scores", SIZES=(20,), EXACT_SIZES=(8,), FEW=1, SHORT={})
    costs = scores.costs

    def few(cases, structures, jobs):
        return costs(cases, structures[:3], [j for j in jobs if j.name in ("map", "exact")])

    monkeypatch.setattr(scores, "costs", few)
    monkeypatch.setattr(scores, "compute", lambda *_: None)
    run_program(scores)
    table = pd.read_csv(tmp_path / "cost.csv").set_index("method")
    assert table.loc["exact", "n"] == 8 and table.loc["laplace", "n"] == 20


def test_accuracy(small, monkeypatch, capsys):
    """Seeds 1 and 2 give -10 and -12; the evidence is what the reference says."""
    accuracy = small("accuracy", SIZES=(20,), REPEATS=2)
    monkeypatch.setattr(
        accuracy, "score", lambda *_, seed: SimpleNamespace(score=-8.0 - 2.0 * seed)
    )
    accuracy.main()
    bias = -11.0 - log_mean_exp(np.array([-10.0, -12.0]))[0]
    error = np.hypot(bias, 2**0.5)
    _, _, *lines = capsys.readouterr().out.splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines]
    assert [row[:2] for row in rows] == [["20", m] for m in ("reference", "bridge", "ais")]
    assert all(row[3:6] == ["1.414", f"{bias:+.3f}", f"{error:.3f}"] for row in rows)


def test_restarts(small, monkeypatch, capsys):
    restarts = small("restarts", METHODS=("map",))
    load = yaml.safe_load
    monkeypatch.setattr(restarts.yaml, "safe_load", lambda text: load(text) | {"sizes": [20]})
    restarts.main(2)
    assert " of 2 pairs (" in capsys.readouterr().out


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


@pytest.mark.parametrize(
    ("name", "package"), [("nested_sampling", "dynesty"), ("latent_classes", "stepmix.stepmix")]
)
def test_a_comparison_needs_the_other_package(small, monkeypatch, capsys, name, package):
    module = small(name)
    monkeypatch.setitem(sys.modules, package, None)
    module.main()
    assert "is not installed" in capsys.readouterr().out


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
    known = pd.DataFrame(cheap), pd.DataFrame(study | {"standard_error": 0.25})
    cases = np.zeros((30, 4), dtype=int)
    row = module.compared(20, *known, cases, settings)
    assert asked == [("reference", labels, 7), ("bridge", labels[1:], 9)]
    far, near = 0.0, 0.5 / np.hypot(0.25, 0.25)
    z = [far, -near, near, -near]
    expected = (20, 4, 3, "1.00", f"{np.sqrt(np.mean(np.square(z))):.2f}", f"{-near:+.1f}")
    assert row[:-1] == expected
    module.compared(20, *known, cases, settings | {"bridge_sizes": [40]})
    assert len(asked) == 3


def test_annealing_and_rank(small, tmp_path):
    """Ranks of the truth by AIS at one structure, one size and one run at a time."""
    module = small("annealing_and_rank", SIZES=(10, 30), STEPS=(64, 32), CHAINS=2, RUNS=2)
    structures = [*enumerate_structures()[::30], module.TRUE]
    module.enumerate_structures = lambda: structures
    with joblib.parallel_config("sequential"):
        run_program(module)
    found = tables.read(tmp_path / "annealing_and_rank.csv", "annealing_and_rank")
    found = found.set_index(["steps", "run", "n"])["rank"]
    cases = draw_study(module.TRUE, Prior(), 30, module.SEED).cases
    assert len(found) == 8
    for (steps, run, n), rank in found.items():
        of_run = {"seed": module.SEED, "key": (0, run), "steps": steps, "chains": 2}
        *others, true = (score(cases[:n], s, "ais", **of_run).score for s in structures)
        assert rank == 1 + sum(other > true for other in others)
