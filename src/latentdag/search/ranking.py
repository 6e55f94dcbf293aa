"""Rankings of the structures of several families of the same observed variables, with one prior and
one posterior over all. A hidden variable without children changes no score: structures that are
equal without their childless hidden variables are one model, and count once.

Up to relabelling, a structure is given by the number of states and the set of children of each
cause. J observed variables have 2^J - 1 sets of children, and m causes with the same number of
states take one of N sets each in comb(N + m - 1, m) ways. So structures are counted without being
listed, and a prior over all of them is known where only some are scored.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, log, prod

import numpy as np
import scipy  # loads scipy.special when it is first used: that takes a fifth of a second

from latentdag.data.tables import named_table
from latentdag.model.structures import Family, Structure, enumerate_structures
from latentdag.scores import METHOD, SPECS, score_structures
from latentdag.scores.base import Score


def causes_of(structure: Structure) -> tuple[int, ...]:
    """The cardinalities of the hidden variables with children, sorted."""
    hidden = structure.family.hidden
    return tuple(sorted(hidden[i] for i in set().union(*structure.parents)))


def model_of(structure: Structure) -> Structure:
    """The model of a structure: without childless causes, the others sorted by cardinality."""
    reduced = structure.without_childless()
    hidden = reduced.family.hidden
    order = sorted(range(len(hidden)), key=hidden.__getitem__)
    new_name = {old: new for new, old in enumerate(order)}
    family = Family(tuple(hidden[i] for i in order), reduced.family.observed)
    parents = tuple(tuple(new_name[i] for i in p) for p in reduced.parents)
    return Structure(parents, family).canonical()


def class_of(structure: Structure) -> Structure:
    """The representative of the structures, of every family, with the same distributions."""
    return model_of(structure.absorbed())


def sharing(parents: Sequence[Sequence[int]]) -> list[bool]:
    """By pair of observed variables, (1, 2), (1, 3), ..., whether they share a hidden parent."""
    return [not set(a).isdisjoint(b) for a, b in combinations(parents, 2)]


# a prior is uniform over groups of structures, and uniform within each group: the group of each
PRIORS: Mapping[str, Callable[[Structure], Hashable]] = {
    "structures": lambda structure: structure,
    "families": causes_of,
    "classes": class_of,
}

AT_ONCE = 64  # structures, between two looks at whether to stop
PRIOR = "classes"  # unless another is asked for: no model counts once for each way to write it


@dataclass(frozen=True)
class Ranking:
    """Scores of different structures, best first, those without one last; and their posterior."""

    scores: tuple[Score, ...]
    prior: str  # one of PRIORS

    @classmethod
    def of(cls, scores: Iterable[Score], prior: str) -> "Ranking":
        """The ``scores`` in order; equal ones keep theirs."""
        return cls(tuple(sorted(scores, key=worth, reverse=True)), prior)

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
        """p(structure given the cases), (S,): nan without a score, or where the method has none."""
        values = np.array([s.score for s in self.scores])
        known = ~np.isnan(values) & SPECS[self.scores[0].method].posterior
        p = np.full(len(values), np.nan)
        if known.any():
            p[known] = scipy.special.softmax(values[known] + self.log_prior[known])
        return p

    def of_causes(self) -> dict[tuple[int, ...], float]:
        """p(causes of the structure's class), by their numbers of states, most probable first."""
        return self._sums(causes_of(s.absorbed()) for s in self.structures)

    def of_classes(self) -> dict[Structure, float]:
        """p(class) by `class_of`, most probable first."""
        return self._sums(map(class_of, self.structures))

    def of_pairs(self) -> dict[tuple[int, int], float]:
        """p(two observed variables share a cause), by their numbers from 0."""
        shared = np.array([sharing(s.parents) for s in self.structures], dtype=bool)
        pairs = combinations(range(len(self.structures[0].parents)), 2)
        sums = [float(np.nansum(self.probabilities[has])) for has in shared.T]
        return dict(zip(pairs, sums, strict=True))

    def _sums(self, groups: Iterable) -> dict:
        sums: Counter = Counter()
        for group, p in zip(groups, np.nan_to_num(self.probabilities), strict=True):
            sums[group] += float(p)
        return dict(sums.most_common())


def rank_structures(
    cases,
    families: Sequence[Family],
    method: str = METHOD,
    *,
    prior: str = PRIOR,
    stop: Callable[[], bool] | None = None,
    **settings,
) -> Ranking:
    """Score every structure of the ``families`` on ``cases`` (n, J), and rank them together.

    ``prior`` is one of PRIORS: equally probable are structures, or families (the hidden variables
    that have children, by their numbers of states), or classes of structures that describe the same
    distributions; within a family or class its structures are. ``stop`` is asked after every
    `AT_ONCE` structures; once it is true, no further ones are scored. ``settings`` are those of
    `score_structures`. Raises ValueError for families that differ in their observed variables, for
    an unknown prior, and as `score_structures` does.

    >>> from latentdag import Prior, Structure, draw_study
    >>> family = Family((2, 2), (2, 3, 2))
    >>> truth = Structure.from_label("1-12-2", family)
    >>> cases = draw_study(truth, Prior(), n=400, seed=1).cases
    >>> ranking = rank_structures(cases, [family], "laplace")
    >>> len(ranking.scores), ranking.scores[0].structure.label
    (36, '1-0-12')
    """
    check_prior(prior)
    if isinstance(families, Family):
        raise ValueError(f"families must be a sequence of Family, got {families}")
    if len({family.observed for family in families}) != 1:
        raise ValueError("families must be one or more with the same observed variables")
    cases = named_table(cases)
    scores: list[Score] = []
    for new in distinct_structures(families):
        at_once = AT_ONCE if stop else len(new)
        for begin in range(0, len(new), at_once):
            if scores and stop and stop():
                break
            scores += score_structures(cases, new[begin : begin + at_once], method, **settings)
    return Ranking.of(scores, prior)


def worth(score: Score) -> float:
    """The score as a key for sorting: a structure without one comes last."""
    return -np.inf if np.isnan(score.score) else score.score


def check_prior(prior: str) -> None:
    """Raise ValueError unless ``prior`` is one of PRIORS."""
    if prior not in PRIORS:
        raise ValueError(f"unknown prior {prior!r}: it must be one of {', '.join(PRIORS)}")


def distinct_structures(families: Sequence[Family]) -> list[list[Structure]]:
    """Structures by family, fewest hidden variables first, that no earlier family has."""
    seen: set[tuple[int, ...]] = set()
    found = []
    for family in sorted(families, key=lambda family: (len(family.hidden), family.hidden)):
        new = [s for s in enumerate_structures(family) if causes_of(s) not in seen]
        seen.update(map(causes_of, new))
        if new:
            found.append(new)
    return found


def number_of_structures(families: Sequence[Family]) -> int:
    """The number of structures of the families, up to childless hidden variables."""
    n_sets = 2 ** len(families[0].observed) - 1
    return sum(_ways(causes, n_sets) for causes in _all_causes(families))


def number_of_classes(families: Sequence[Family]) -> int:
    """The number of `class_of` values: a cause that is not absorbed has at least two children."""
    n_observed = len(families[0].observed)
    n_sets = 2**n_observed - 1 - n_observed
    return sum(_ways(causes, n_sets) for causes in _all_causes(families))


def log_prior(
    structures: Sequence[Structure], families: Sequence[Family], prior: str
) -> list[float]:
    """ln p(structure) of each of ``structures`` among all structures of the ``families``, under a
    ``prior`` of PRIORS. Raises ValueError for an unknown one.
    """
    check_prior(prior)
    if prior == "structures":
        return [-log(number_of_structures(families))] * len(structures)
    everyone, n_observed = _all_causes(families), len(families[0].observed)
    if prior == "families":
        n_sets = 2**n_observed - 1
        causes = map(causes_of, structures)
        return [-log(len(everyone) * _ways(own, n_sets)) for own in causes]

    def members(left: Counter) -> int:
        """The size of a class: the ways to give one child each to further causes."""
        more = (Counter(causes) - left for causes in everyone if left <= Counter(causes))
        return sum(_ways(tuple(own.elements()), n_observed) for own in more)

    n_classes = number_of_classes(families)
    left = (Counter(causes_of(class_of(s))) for s in structures)
    return [-log(n_classes * members(own)) for own in left]


def _all_causes(families: Sequence[Family]) -> set[tuple[int, ...]]:
    """The numbers of states of the causes, for every subset of a family's hidden variables."""
    return {
        causes
        for family in families
        for n_causes in range(len(family.hidden) + 1)
        for causes in combinations(sorted(family.hidden), n_causes)
    }


def _ways(causes: tuple[int, ...], n_sets: int) -> int:
    """The ways, up to relabelling, in which each cause has one of ``n_sets`` sets of children."""
    return prod(comb(n_sets + m - 1, m) for m in Counter(causes).values())
