"""Tables for the figures of one draw: two draws, in which no two scores of a size are alike, and
rows in no order; and those of a study of own data, in which every probability is another.
"""

from itertools import combinations

import made_up
import numpy as np
import pandas as pd

from latentdag.analysis.fit_tables import name_states
from latentdag.model.structures import Family, Structure
from latentdag.study.schema.columns import TABLES

TRUE, LABELS, SIZES = made_up.TRUE, [*made_up.STRUCTURES], sorted(made_up.SIZES)
ITERATIONS = {"EM": 40, "VBEM": 9}
STRUCTURES, SCORES = made_up.structures_table(), made_up.scores(missing=())
SCORES["score"] += np.arange(len(SCORES)) / 1e4
RANKS, ERRORS = map(made_up.study(SCORES).get, ("ranks", "errors"))
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

# ---- of own data

METHODS = ("map", "bic", "laplace", "vb", "ais", "reference")


def parameters(structure: Structure, name: str, names, values, rng, kind="map") -> list[tuple]:
    """Rows of the table of parameters, with the fitted structure's causes first."""
    hidden = structure.family.hidden
    places = [(f"s{h + 1}", "", [str(i + 1) for i in range(k)]) for h, k in enumerate(hidden)]
    for j, causes in enumerate(structure.parents):
        for states in np.ndindex(*(hidden[i] for i in causes)):
            places.append((names[j], name_states(causes, states), values[j]))
    rows = []
    for variable, state, of_variable in places:
        for value, p in zip(of_variable, rng.dirichlet(np.ones(len(of_variable))), strict=True):
            low, high = p * rng.uniform(0.3, 1), p + (1 - p) * rng.uniform(0, 0.7)
            mean = 0.9 * p + 0.1 * high
            rows.append((name, kind, variable, state, value, p, low, high, 500, mean))
    return rows


def own_tables(label: str, hidden, names, values, seed: int = 0) -> dict:
    """The tables by name, and the cardinalities ``observed``. ``label`` is the most probable
    structure by the reference; by every other score the one without links is.
    """
    rng = np.random.default_rng(seed)
    observed = tuple(map(len, values))
    family = Family(hidden, observed)
    empty = "-".join("0" * len(names))
    by_label = {s: Structure.from_label(s, family) for s in (empty, label)}
    rows = []
    for s, kind in ((empty, "map"), (label, "ml"), (label, "map")):
        rows += parameters(by_label[s].without_childless(), s, names, values, rng, kind)
    posterior = [
        (0, 435, s, m, p if m == "reference" else 1 - p)
        for m in METHODS[1:]
        for s, p in ((empty, 0.07), (label, 0.93))
    ]
    links = [(*pair, m, rng.uniform()) for pair in combinations(names, 2) for m in METHODS[1:]]
    scores = [
        (0, 435, s, m, -3000 + 40 * i + by_label[s].n_links, 0.5)
        for i, m in enumerate(METHODS)
        for s in by_label
    ]
    variables = [
        (j, name, code, value, 9)
        for j, name in reversed([*enumerate(names, start=1)])
        for code, value in enumerate(values[j - 1])
    ]
    structures = [(s, ",".join(map(str, hidden)), m.n_parameters) for s, m in by_label.items()]
    columns = {name: table.columns for name, table in TABLES.items()}
    columns |= {"structures": ["structure", "hidden", "n_parameters"]}
    columns["scores"] = columns["scores"][:6]
    made = {"parameters": rows, "posterior": posterior, "links": links, "scores": scores}
    made |= {"variables": variables, "structures": structures}
    tables = {name: pd.DataFrame(of, columns=columns[name]) for name, of in made.items()}
    return tables | {"observed": observed}
