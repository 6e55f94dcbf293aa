"""Tables for the figures: no two columns, draws, sizes, scores or structures alike, and their rows
in no order.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from figure_tables import LABELS, METHODS, SIZES, TRUE, shuffled

from latentdag import scores as registry
from latentdag.model.structures import enumerate_structures


@pytest.fixture(scope="session")
def structures():
    rows = [(s.label, s.n_links, s.n_parameters, s.label == TRUE) for s in enumerate_structures()]
    columns = ["structure", "n_links", "n_parameters", "is_true"]
    return shuffled(pd.DataFrame(rows, columns=columns), 1)


@pytest.fixture(scope="session")
def scores():
    """Two draws, two sizes, all structures and methods."""
    index = pd.MultiIndex.from_product(
        [(0, 1), (480, 60), LABELS, METHODS], names=["draw", "n", "structure", "method"]
    )
    table = index.to_frame(index=False)
    rng = np.random.default_rng(5)
    place = table["method"].map({m: 12.0 * i for i, m in enumerate(METHODS)})
    table["score"] = (
        -5.0 * table["n"] - place - 700 * table["draw"] + rng.uniform(-9, 9, len(table))
    )
    error = rng.uniform(0.5, 2, len(table)) * (1 + table["draw"])
    table["standard_error"] = error.where(table["method"].isin(["ais", "reference"]))
    return shuffled(table)


@pytest.fixture(scope="session")
def ranks():
    """Two draws at all sizes; exact at the first size alone."""
    index = pd.MultiIndex.from_product([(0, 1), SIZES, METHODS], names=["draw", "n", "method"])
    table = index.to_frame(index=False)
    rng = np.random.default_rng(6)
    table["rank"] = rng.integers(20, 110, len(table))
    noisy = table["method"].isin(["ais", "reference"])
    table["rank_low"] = table["rank"] - rng.integers(1, 9, len(table)) * noisy
    table["rank_high"] = table["rank"] + rng.integers(11, 19, len(table)) * noisy
    table["score_true"] = rng.uniform(-900, -800, len(table))
    table["score_best"] = rng.uniform(-700, -600, len(table))
    return shuffled(table[(table["method"] != "exact") | (table["n"] == SIZES[0])])


@pytest.fixture(scope="session")
def annealing():
    """Two draws and two sizes; the chains of few steps are far too low."""
    rng = np.random.default_rng(7)
    rows = [
        (draw, n, TRUE, "metropolis", steps, start, chain)
        for draw in (0, 1)
        for n in (480, 60)
        for steps in 2 ** np.arange(6, 19)
        for start, chain in [("prior", c) for c in range(10)] + [("true", 0)]
    ]
    columns = ["draw", "n", "structure", "transition", "steps", "start", "chain"]
    table = pd.DataFrame(rows, columns=columns)
    low = 4e4 / table["steps"] * rng.uniform(0.8, 1.2, len(table))
    table["log_weight"] = -5.0 * table["n"] - 84 - 700 * table["draw"] - low
    return shuffled(table)


@pytest.fixture(scope="session")
def errors():
    """Two draws at all sizes, all structures."""
    index = pd.MultiIndex.from_product(
        [(0, 1), SIZES, LABELS, ("bic", "cs", "vb", "ais", "exact")],
        names=["draw", "n", "structure", "method"],
    )
    table = index.to_frame(index=False)
    rng = np.random.default_rng(8)
    scale = table["method"].map({"bic": 90.0, "cs": 30.0, "vb": 9.0, "ais": 4.0, "exact": 0.1})
    table["error_nats"] = scale * (rng.standard_normal(len(table)) - 1 - table["draw"])
    table["standard_error"] = rng.uniform(0.1, 0.2, len(table))
    return shuffled(table)


@pytest.fixture
def add_score(monkeypatch):
    """Adds scores to the registry that declare no look, unless said."""

    def add(name, figures, **changes):
        changes = {"label": name.title(), "title": f"A {name}", "look": None, **changes}
        spec = replace(registry.SPECS["vb"], name=name, figures=figures, **changes)
        monkeypatch.setitem(registry.SPECS, name, spec)
        return spec

    return add


@pytest.fixture
def toys(add_score):
    """One score that all figures draw, and one that none does."""
    add_score("toy", ("scores", "rank", "tightness", "annealing"))
    add_score("hidden", ())
    return ("toy", "hidden")
