"""Tables for the figures of one draw: no two columns, draws, sizes, scores or structures alike, and
their rows in no order.
"""

import numpy as np
import pandas as pd

from latentdag.model.structures import enumerate_structures

TRUE = "1-12-12-2"
SIZES = (10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280, 2560)
SIZES += (5120, 10240)
METHODS = ("map", "bic", "cs", "ml", "vb", "ais", "exact", "reference")
LABELS = [s.label for s in enumerate_structures()]
ITERATIONS = {"EM": 40, "VBEM": 9}


def shuffled(table, seed=0):
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


def every(**columns):
    return pd.MultiIndex.from_product(columns.values(), names=columns).to_frame(index=False)


def structures():
    rows = [(s.label, s.n_parameters, s.label == TRUE) for s in enumerate_structures()]
    return shuffled(pd.DataFrame(rows, columns=["structure", "n_parameters", "is_true"]), 1)


def scores():
    """Two draws, two sizes, all structures and methods."""
    table = every(draw=(0, 1), n=(480, 60), structure=LABELS, method=METHODS)
    rng = np.random.default_rng(5)
    place = table["method"].map({m: 12.0 * i for i, m in enumerate(METHODS)})
    about = -5.0 * table["n"] - place - 700 * table["draw"]
    table["score"] = about + rng.uniform(-9, 9, len(table))
    error = rng.uniform(0.5, 2, len(table)) * (1 + table["draw"])
    table["standard_error"] = error.where(table["method"].isin(["ais", "reference"]))
    return shuffled(table)


def ranks():
    """Two draws at all sizes; exact at the first size alone."""
    table = every(draw=(0, 1), n=SIZES, method=METHODS)
    rng = np.random.default_rng(6)
    table["rank"] = rng.integers(20, 110, len(table))
    noisy = table["method"].isin(["ais", "reference"])
    table["rank_low"] = table["rank"] - rng.integers(1, 9, len(table)) * noisy
    table["rank_high"] = table["rank"] + rng.integers(11, 19, len(table)) * noisy
    return shuffled(table[(table["method"] != "exact") | (table["n"] == SIZES[0])])


def annealing():
    """Two draws and two sizes; the chains of few steps are far too low."""
    lengths = 2 ** np.arange(6, 19)
    prior = every(draw=(0, 1), n=(480, 60), steps=lengths, start=["prior"], chain=range(10))
    true = every(draw=(0, 1), n=(480, 60), steps=lengths, start=["true"], chain=[0])
    table = pd.concat([prior, true], ignore_index=True)
    table = table.assign(structure=TRUE, transition="metropolis")
    low = 4e4 / table["steps"] * np.random.default_rng(7).uniform(0.8, 1.2, len(table))
    table["log_weight"] = -5.0 * table["n"] - 84 - 700 * table["draw"] - low
    return shuffled(table)


def errors():
    """Two draws at all sizes, all structures."""
    scale = {"bic": 90.0, "cs": 30.0, "vb": 9.0, "ais": 4.0, "exact": 0.1}
    table = every(draw=(0, 1), n=SIZES, structure=LABELS, method=scale)
    noise = np.random.default_rng(8).standard_normal(len(table)) - 1 - table["draw"]
    table["error_nats"] = table["method"].map(scale) * noise
    return shuffled(table)


def climb():
    """EM begins far below the axis; every value is another. VBEM has no E-step at the start."""
    table = every(draw=(0, 1), algorithm=ITERATIONS, iteration=range(40), half_step=["E", "M"])
    table = table[table["iteration"] < table["algorithm"].map(ITERATIONS)]
    k = 2 * table["iteration"] + (table["half_step"] == "M")
    first = -870.0 - 50 * table["draw"]
    bound = (first - 25 / (1 + k)).where(k > 0, first - 730)
    target = bound + (table["half_step"] == "M") * 9 / (1 + k)
    em = table["algorithm"] == "EM"
    table = table.assign(n=480, structure=TRUE, bound=bound, target=target.where(em), k=k)
    return shuffled(table[em | (k > 0)])


def evidence():
    table = every(draw=(0, 1), n=(480, 80), structure=(TRUE, "1-1-1-1"))
    level = -851.25 - 50 * table["draw"] - (table["n"] != 480) - 3 * (table["structure"] != TRUE)
    return table.assign(log_evidence=level, standard_error=0.25 + table["draw"])


def equal_modes(squares=8):
    middles = (np.arange(squares) + 0.5) / squares
    table = every(phi_1=middles, phi_2=middles)
    for k, name in enumerate(("posterior", "q", "normal", "mixture")):
        table[name] = (1 + k) * (table["phi_1"] ** 2 + 0.1 * table["phi_2"])
    return shuffled(table)


STRUCTURES, SCORES, RANKS, ANNEALING, ERRORS, CLIMB, EVIDENCE, EQUAL_MODES = (
    make() for make in (structures, scores, ranks, annealing, errors, climb, evidence, equal_modes)
)
