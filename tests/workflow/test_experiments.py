"""The experiments still run, each in a small version of itself."""

import importlib
import os
import sys
from unittest import mock

import joblib
import numpy as np
import pandas as pd
import pytest
from studies import ROOT, loaded

from latentdag import Family, Prior, Structure, enumerate_structures
from latentdag.model.dimension import effective_dimension
from latentdag.model.parameters import cell_probabilities, draw_parameters
from latentdag.study.schema import tables

EXPERIMENTS = ROOT / "workflow/experiments"


@pytest.fixture
def small(monkeypatch, tmp_path):
    """An experiment by its name, with other constants; what it writes goes to ``tmp_path``."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))

    def load(name, **constants):
        monkeypatch.delitem(sys.modules, name, raising=False)
        module = importlib.import_module(name)
        monkeypatch.setitem(sys.modules, name, module)  # removed in the end
        for place, file in (("RESULT", None), ("KEPT", "kept"), ("FIGURE", "figure")):
            if hasattr(module, place):
                constants[place] = tmp_path / (file or module.RESULT.name)
        for constant, value in constants.items():
            assert hasattr(module, constant)
            monkeypatch.setattr(module, constant, value)
        return module

    with mock.patch.dict(os.environ):  # which experiments change
        yield load


def few_structures() -> list[Structure]:
    return [*enumerate_structures()[::30], Structure.from_label("1-12-12-2")]


def audited_population() -> pd.DataFrame:
    """Made-up evidence of all structures at two sizes."""
    pairs = [(n, s.label) for n in (20, 30) for s in few_structures()]
    index = pd.MultiIndex.from_tuples(pairs, names=["n", "structure"])
    return pd.DataFrame({"log_evidence": -100.0, "standard_error": 0.1}, index)


FEW = {"enumerate_structures": few_structures}
STUDY = loaded("workflow/config/draws.yaml")
QUICK = {job: {"particles": 8, "runs": 2} for job in ("reference", "tempered_smc")}
# by program its small version: constants, and what `main` is given
SMALL = {
    "steps": ({"SIZES": (20, 30), "USUAL": 30, "SECONDS": 1e-3}, ()),
    "scores": ({"SIZES": (20,), "EXACT_SIZES": (8,), "FEW": 1, "SHORT": {}} | FEW, ()),
    "accuracy": ({"SIZES": (20,), "REPEATS": 2}, ()),
    "annealed": ({"SIZES": (20,), "DRAWS": (0,), "LENGTHS": (4,), "RUNS": 2}, (100,)),
    "annealing_and_rank": ({"SIZES": (10, 30), "STEPS": (64,), "CHAINS": 2, "RUNS": 1} | FEW, ()),
    "errors": ({"SIZES": (10,), "CHAINS": 32, "NUMBERS": (4, 16), "RESAMPLED": 8}, ()),
    "row_moves": ({"SIZES": (20,), "STEPS": 64, "REPEATS": 2}, ()),
    "cost": ({"FAMILIES": [Family((2,), (2, 2, 2, 2))]}, ()),
    "many_variables": (
        {
            "FAMILY": Family((2,), (2, 2, 2)),
            "TRUE": Structure.from_label("1-1-1", Family((2,), (2, 2, 2))),
        },
        (1,),
    ),
    "path_sampling": ({"SIZES": (10, 80)}, ()),
    "bias_by_parameters": ({"SIZES": (80, 10), "METHODS": ("vb", "ais")}, ()),
    "expectation_propagation": ({"SIZES": (80,), "EVERY": 130, "SWEEPS": 300}, ()),
    "states_of_a_cause": ({"DRAWS": 2, "SIZES": (20, 30), "MOST_STATES": 3}, ()),
    "mean_field_starts": ({"SIZES": (40,), "RESTARTS": 3}, ()),
    "importance_sampling": ({"SIZES": (80,), "EVERY": 130, "DRAWS": 64}, ()),
    "chib": ({"SIZES": (80,), "EVERY": 130, "CHAINS": 2, "DRAWS": 20}, ()),
    "bridge_sampling": ({"SIZES": (80,), "EVERY": 130, "DRAWS": 32}, ()),
    "alpha_integrated": (
        {"SIZES": (20,), "ALPHAS": (0.5, 1.0, 2.0), "NATS": 3.0, "REFERENCE": {"runs": 4}} | FEW,
        (2,),
    ),
    "evidence_audit": (
        {
            "SIZES": (20, 30),
            "NATS": 1.0,
            "EFFORT": {"particles": 8, "runs": 2},
            "of_population": lambda draw: audited_population(),
        }
        | FEW,
        (2,),
    ),
    "asymptotics": (
        {
            "SIZES": (10**4, 10**5),
            "DRAWS": 2,
            "EVIDENCE_DRAWS": 1,
            "CONTAIN": {"1-12-12-2": ("1-12-12-2",), "0-0-0-0": ("1-1-1-1",)},
            "LACK": {"1-12-12-2": ("1-1-12-2",), "0-0-0-0": ()},
        },
        (),
    ),
    "posterior_width": ({"SIZES": (80,), "EVERY": 130}, ()),
    "pruned_states": ({"SIZES": (20,)}, ()),
    "reach": ({"SIZES": (10,), "SETTINGS": STUDY | QUICK}, ()),
    "restarts": ({"SIZES": (20,), "METHODS": ("map",)}, (2,)),
    "searches": ({"FAMILIES": {"2 x 4": Family()}, "EFFORT": {"restarts": 2}}, (1,)),
    "latent_classes": ({"CLASSES": (2,), "STARTS": 2}, ()),
}


# those that take seconds even so
SLOW = {"accuracy", "asymptotics", "bias_by_parameters", "cost", "errors", "many_variables"}
SLOW |= {"expectation_propagation", "mean_field_starts", "pruned_states", "reach", "scores"}
SLOW |= {"states_of_a_cause", "steps"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(p.stem, marks=[pytest.mark.weekly] if p.stem in SLOW else [])
        for p in sorted(EXPERIMENTS.glob("*.py"))
    ],
)
def test_it_runs(small, capsys, tmp_path, name):
    """And prints a table, or writes one that its columns declare."""
    if name not in SMALL:
        assert "__main__" not in (EXPERIMENTS / f"{name}.py").read_text("utf-8")
        return
    constants, arguments = SMALL[name]
    module = small(name, **constants)
    with joblib.parallel_config("sequential"):  # other processes know no small settings
        # experiments have rows, which they write, other programs a main
        if hasattr(module, "main"):
            module.main(*arguments)
        else:
            module.common.write(module.RESULT, module.rows())
    written = list(tmp_path.glob("*.csv"))
    assert written or capsys.readouterr().out
    for path in written:
        assert len(tables.read(path, path.stem)) > 0


def test_path_sampling_is_held_against_the_published_evidence(small, committed):
    """A study that is published anew has it computed anew."""
    rows = pd.DataFrame(small("path_sampling").rows())
    published = tables.read(committed / "experiments/path_sampling.csv", "path_sampling")
    assert (rows["structure"] == published["structure"]).all()
    numbers = ["n", "error_nats", "standard_error"]
    assert np.allclose(rows[numbers], published[numbers], rtol=0, atol=1e-6)  # as printed


def test_bridge_sampling_finds_a_constant_that_is_known(small):
    """Of a normal density times exp(3), from its draws and those of one a standard deviation aside.
    The errors of the jackknife are those of many repetitions.
    """
    module, rng = small("bridge_sampling"), np.random.default_rng(1)

    def log_ratio(x):
        return 3 - x**2 / 2 + (x - 1) ** 2 / 2

    repetitions = []
    for _ in range(100):
        ratios = log_ratio(rng.normal(1, size=(8, 64))), log_ratio(rng.normal(size=(8, 64)))
        estimators = module.ESTIMATORS.values()
        repetitions.append([(f(*ratios), module.jackknife(f, *ratios)) for f in estimators])
    estimates, errors = np.moveaxis(repetitions, 2, 0)
    spread = estimates.std(axis=0, ddof=1)
    assert (np.abs(estimates.mean(axis=0) - 3) < 4 * spread / 10).all()
    assert np.sqrt((errors**2).mean(axis=0)) == pytest.approx(spread, rel=0.25)
    assert spread[0] < min(spread[1:])


def test_alpha_is_integrated_by_the_trapezoidal_rule(small):
    """Over a log-uniform prior: of alpha^2 a closed form, of equal errors the root mean square."""
    module = small("alpha_integrated", ALPHAS=tuple(np.geomspace(0.25, 4, 301)))
    scores = 2 * np.log(module.ALPHAS)[:, None] + [0.0, 5.0]
    integrals, _ = module.integrated(scores, np.full(scores.shape, 0.3))
    exact = np.log((4**2 - 0.25**2) / 2 / np.log(16))
    assert integrals == pytest.approx([exact, exact + 5], abs=1e-3)
    module = small("alpha_integrated", ALPHAS=(0.5, 1.0, 2.0))
    integrals, errors = module.integrated(np.zeros((3, 1)), np.array([[0.1], [0.2], [0.4]]))
    assert integrals.item() == pytest.approx(0)
    assert errors.item() == pytest.approx(np.hypot(np.hypot(0.025, 0.1), 0.1))


def test_the_jacobian_has_the_effective_dimension_at_random_parameters(small):
    """Of a structure that contains the true one too, but where a cause is redundant."""
    module, rng = small("asymptotics"), np.random.default_rng(2)
    true, none = map(Structure.from_label, ("1-12-12-2", "0-0-0-0"))
    for structure in enumerate_structures()[::9]:
        drawn = draw_parameters(structure, Prior(), rng)
        assert module.jacobian_rank(structure, drawn) == effective_dimension(structure)
    for narrow, label in ((true, "12-12-12-12"), (true, "1-12-12-2"), (none, "1-1-1-1")):
        structure, drawn = Structure.from_label(label), draw_parameters(narrow, Prior(), rng)
        wider = module.embedded(drawn, narrow, structure)
        p = cell_probabilities(narrow, drawn)
        assert cell_probabilities(structure, wider) == pytest.approx(p, rel=1e-12)
        lacks = structure.without_childless().n_parameters - module.jacobian_rank(structure, wider)
        assert lacks > 0 if narrow == none else lacks == 0
