"""Tables of a study of own data, made up for its figures: every probability is another."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from latentdag.analysis.fit_tables import name_states
from latentdag.model.structures import Family, Structure
from latentdag.study.schema.columns import TABLES

METHODS = ("map", "bic", "laplace", "vb", "ais", "reference")


class Own(NamedTuple):
    """The tables, and the cardinalities of the observed variables."""

    tables: dict[str, pd.DataFrame]
    observed: tuple[int, ...]

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.tables[name]


def parameters(structure: Structure, name: str, names, values, rng, kind="map") -> list[tuple]:
    """Rows of the table of parameters, with the fitted structure's causes first."""
    hidden = structure.family.hidden
    places = [(f"s{h + 1}", "", [str(i + 1) for i in range(k)]) for h, k in enumerate(hidden)]
    for j, own in enumerate(structure.parents):
        for states in np.ndindex(*(hidden[i] for i in own)):
            places.append((names[j], name_states(own, states), values[j]))
    rows = []
    for variable, given, of_variable in places:
        for value, p in zip(of_variable, rng.dirichlet(np.ones(len(of_variable))), strict=True):
            low, high = p * rng.uniform(0.3, 1), p + (1 - p) * rng.uniform(0, 0.7)
            mean = 0.9 * p + 0.1 * high
            rows.append((name, kind, variable, given, value, p, low, high, 500, mean))
    return rows


def own_tables(label: str, hidden, names, values, seed: int = 0) -> Own:
    """``label`` is the most probable structure by the reference; by every other score the one
    without links is.
    """
    rng = np.random.default_rng(seed)
    observed = tuple(map(len, values))
    family = Family(hidden, observed)
    empty = "-".join("0" * len(names))
    known = {s: Structure.from_label(s, family) for s in (empty, label)}
    rows = []
    for s, kind in ((empty, "map"), (label, "ml"), (label, "map")):
        rows += parameters(known[s].without_childless(), s, names, values, rng, kind)
    posterior = [
        (0, 435, s, m, p if m == "reference" else 1 - p)
        for m in METHODS[1:]
        for s, p in ((empty, 0.07), (label, 0.93))
    ]
    links = [(*pair, m, rng.uniform()) for pair in combinations(names, 2) for m in METHODS[1:]]
    scores = [
        (0, 435, s, m, -3000 + 40 * i + known[s].n_links, 0.5)
        for i, m in enumerate(METHODS)
        for s in known
    ]
    tables = {
        "parameters": pd.DataFrame(rows, columns=TABLES["parameters"].columns),
        "posterior": pd.DataFrame(posterior, columns=TABLES["posterior"].columns),
        "links": pd.DataFrame(links, columns=TABLES["links"].columns),
        "scores": pd.DataFrame(scores, columns=TABLES["scores"].columns[:6]),
        "variables": pd.DataFrame(
            [
                (j, name, code, value, 9)
                for j, name in reversed([*enumerate(names, start=1)])
                for code, value in enumerate(values[j - 1])
            ],
            columns=TABLES["variables"].columns,
        ),
        "structures": pd.DataFrame(
            [
                {"structure": s, "hidden": ",".join(map(str, hidden))}
                | {"n_parameters": m.n_parameters}
                for s, m in known.items()
            ]
        ),
    }
    return Own(tables, observed)
