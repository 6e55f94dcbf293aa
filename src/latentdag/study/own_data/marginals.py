"""What a posterior over structures says of their causes: how many there are, with how many states,
and which observed variables share one.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import pandas as pd

from latentdag.model.structures import Structure
from latentdag.search.ranking import causes_of
from latentdag.study.schema.candidates import states
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import by_method


def causes(posterior: pd.DataFrame, known: Mapping[str, Structure]) -> pd.DataFrame:
    """The table of causes from that of posteriors, of one draw and size, and the structures
    ``known`` by name: p(the hidden variables with children have these numbers of states), by
    method; nan where no structure has a score.
    """
    of_structure = {name: causes_of(s) for name, s in known.items()}
    masses = by_method(posterior, "probability", "structure")
    sums = masses.groupby(lambda name: states(of_structure[name])).sum(min_count=1)
    rows = [
        {"n_causes": len(own), "causes": states(own), "method": method, "probability": p}
        for own in sorted(set(of_structure.values()), key=lambda own: (len(own), own))
        for method, p in sums.loc[states(own)].items()
    ]
    return pd.DataFrame(rows, columns=TABLES["causes"].columns)


def number_of_causes(causes: pd.DataFrame) -> pd.DataFrame:
    """From the table of causes, p(as many hidden variables have children): number by method."""
    sums = causes.groupby(["n_causes", "method"])["probability"].sum(min_count=1)
    return by_method(sums.reset_index(), "probability", "n_causes")


def with_most_states(causes: pd.DataFrame, method: str) -> tuple[int, float]:
    """From the table of causes, the most states of any cause there, and p(a cause has so many) by
    ``method``.
    """
    own = causes[(causes["method"] == method) & (causes["n_causes"] > 0)]
    largest = own["causes"].map(lambda states: max(map(int, states.split(","))))
    most = int(largest.max())
    return most, float(own["probability"][largest == most].sum())


def links(
    posterior: pd.DataFrame, known: Mapping[str, Structure], names: Sequence[str]
) -> pd.DataFrame:
    """The table of links from that of posteriors, of one draw and size, and the structures
    ``known`` by name: p(two observed variables have a hidden cause in common), by method; nan where
    no structure has a score. ``names`` are those of the variables.

    The statement does not depend on how hidden variables are named.
    """
    masses = by_method(posterior, "probability", "structure")
    parents = [known[name].parents for name in masses.index]
    rows = []
    for i, j in combinations(range(len(names)), 2):
        shared = [not set(p[i]).isdisjoint(p[j]) for p in parents]
        sums = masses[shared].sum().where(masses.notna().any())
        for method, p in sums.items():
            pair = {"first_name": names[i], "second_name": names[j]}
            rows.append(pair | {"method": method, "probability": p})
    return pd.DataFrame(rows, columns=TABLES["links"].columns)
