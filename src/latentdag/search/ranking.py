"""Structures of several families, ranked together: one posterior over how many causes there are,
with how many states, and which observed variables they have as children.

All families have the same observed variables. A hidden variable without children changes no score,
so that families overlap: what is the same model without its childless hidden variables counts once.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import scipy  # loads scipy.special when it is first used: that takes a fifth of a second

from latentdag.model.structures import Family, Structure, enumerate_structures
from latentdag.scores import SPECS, score_structures
from latentdag.scores.base import Score


def causes_of(structure: Structure) -> tuple[int, ...]:
    """How many states each hidden variable with children has, sorted."""
    hidden = structure.family.hidden
    return tuple(sorted(hidden[i] for i in set().union(*structure.parents)))


def model_of(structure: Structure) -> Structure:
    """What stands for the structures, of every family, that are the same but for childless hidden
    variables and for names: without these, the causes sorted by their numbers of states.
    """
    reduced = structure.without_childless()
    hidden = reduced.family.hidden
    order = sorted(range(len(hidden)), key=hidden.__getitem__)
    new_name = {old: new for new, old in enumerate(order)}
    family = Family(tuple(hidden[i] for i in order), reduced.family.observed)
    parents = tuple(tuple(new_name[i] for i in p) for p in reduced.parents)
    return Structure(parents, family).canonical()


def class_of(structure: Structure) -> Structure:
    """What stands for the structures, of every family, that describe the same distributions."""
    return model_of(structure.absorbed())


# what is equally probable beforehand, and within it each of its structures
PRIORS: Mapping[str, Callable[[Structure], Hashable]] = {
    "structures": lambda structure: structure,
    "families": causes_of,
    "classes": class_of,
}


@dataclass(frozen=True)
class Ranking:
    """Scores of different structures, best first, those without one last; and the posterior that
    they imply.
    """

    scores: tuple[Score, ...]
    prior: str  # one of PRIORS

    @property
    def structures(self) -> list[Structure]:
        return [s.structure for s in self.scores]

    @cached_property
    def log_prior(self) -> np.ndarray:
        """ln p(structure), (S,)."""
        groups = [PRIORS[self.prior](s) for s in self.structures]
        members = Counter(groups)
        return -np.log([float(members[group]) * len(members) for group in groups])

    @cached_property
    def probabilities(self) -> np.ndarray:
        """p(structure given the cases), (S,): nan for one without a score, and all nan where the
        method implies no posterior.
        """
        values = np.array([s.score for s in self.scores])
        known = ~np.isnan(values) & SPECS[self.scores[0].method].posterior
        found = np.full(len(values), np.nan)
        if known.any():
            found[known] = scipy.special.softmax(values[known] + self.log_prior[known])
        return found

    def of_causes(self) -> dict[tuple[int, ...], float]:
        """p(causes): by the numbers of states of the hidden variables that have children, most
        probable first.
        """
        return self._sums(map(causes_of, self.structures))

    def of_classes(self) -> dict[Structure, float]:
        """p(class): by what stands for structures of equal distributions, most probable first."""
        return self._sums(map(class_of, self.structures))

    def of_pairs(self) -> dict[tuple[int, int], float]:
        """p(two observed variables share a cause), by their numbers from 0."""
        n = len(self.structures[0].parents)
        share = {
            (i, j): [not set(s.parents[i]).isdisjoint(s.parents[j]) for s in self.structures]
            for i, j in combinations(range(n), 2)
        }
        return {pair: float(np.nansum(self.probabilities[own])) for pair, own in share.items()}

    def _sums(self, groups: Iterable) -> dict:
        found: dict = {}
        for group, p in zip(groups, np.nan_to_num(self.probabilities), strict=True):
            found[group] = found.get(group, 0.0) + float(p)
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def rank_structures(
    cases,
    families: Sequence[Family],
    method: str = "vb",
    *,
    prior: str = "structures",
    **settings,
) -> Ranking:
    """Score every structure of the ``families`` on ``cases`` (n, J), and rank them together.

    ``prior`` is one of PRIORS: equally probable are structures, or families (the hidden variables
    that have children, by their numbers of states), or classes of structures that describe the same
    distributions; within a family or class its structures are. ``settings`` are those of
    `score_structures`. Raises ValueError for families that differ in their observed variables, for
    an unknown prior, and as `score_structures` does.
    """
    check_prior(prior)
    if len({family.observed for family in families}) != 1:
        raise ValueError("families must be one or more with the same observed variables")
    scores = [
        score
        for new in distinct_structures(families)
        for score in score_structures(cases, new, method, **settings)
    ]
    values = np.array([s.score for s in scores])
    best_first = np.argsort(-values, kind="stable")  # those without a score come last
    return Ranking(tuple(scores[i] for i in best_first), prior)


def check_prior(prior: str) -> None:
    """Raise ValueError unless ``prior`` is one of PRIORS."""
    if prior not in PRIORS:
        raise ValueError(f"unknown prior {prior!r}: it must be one of {', '.join(PRIORS)}")


def distinct_structures(families: Sequence[Family]) -> list[list[Structure]]:
    """The structures of each family, those with fewer hidden variables first, that none before it
    has, but for childless hidden variables: with the same causes families have the same structures.
    """
    seen: set[tuple[int, ...]] = set()
    found = []
    for family in sorted(families, key=lambda family: (len(family.hidden), family.hidden)):
        new = [s for s in enumerate_structures(family) if causes_of(s) not in seen]
        seen.update(map(causes_of, new))
        if new:
            found.append(new)
    return found
