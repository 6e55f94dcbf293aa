"""Tables for the figures of one draw: two draws, in which no two scores of a size are alike, and
rows in no order.
"""

import made_up
import numpy as np
import pandas as pd

from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.ranks import ranks

TRUE, LABELS, SIZES = made_up.TRUE, [*made_up.STRUCTURES], sorted(made_up.SIZES)
ITERATIONS = {"EM": 40, "VBEM": 9}
STRUCTURES, SCORES = made_up.structures_table(), made_up.scores(missing=())
SCORES["score"] += np.arange(len(SCORES)) / 1e4
RANKS, ERRORS = ranks(SCORES, TRUE, 7, STRUCTURES), errors(SCORES)
ANNEALING = pd.concat([made_up.annealing(), made_up.annealing(seed=4, n=80)])
ANNEALING["log_weight"] += 130 - ANNEALING["n"]  # near the scores of that size
ANNEALING = ANNEALING[(ANNEALING["start"] == "prior") | (ANNEALING["chain"] == 0)]


def shuffled(table, seed=0):
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


def every(**columns):
    return pd.MultiIndex.from_product(columns.values(), names=columns).to_frame(index=False)


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
    table = every(draw=(0, 1), n=(480, 80), structure=(TRUE, "1-1-0"))
    level = -851.25 - 50 * table["draw"] - (table["n"] != 480) - 3 * (table["structure"] != TRUE)
    return table.assign(log_evidence=level, standard_error=0.25 + table["draw"])


def equal_modes(squares=8):
    middles = (np.arange(squares) + 0.5) / squares
    table = every(phi_1=middles, phi_2=middles)
    for k, name in enumerate(("posterior", "q", "normal", "mixture")):
        table[name] = (1 + k) * (table["phi_1"] ** 2 + 0.1 * table["phi_2"])
    return shuffled(table)


CLIMB, EVIDENCE, EQUAL_MODES = climb(), evidence(), equal_modes()
