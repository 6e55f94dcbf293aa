"""The number of structures of several families together, and the prior probability of each.

Up to relabelling, a structure is given by the number of states and the set of children of each
cause. J observed variables have 2^J - 1 sets of children, and m causes with the same number of
states take one of N sets each in comb(N + m - 1, m) ways. So structures are counted without being
listed, and a prior over all of them is known where only some are scored. Structures of several
families that are equal up to childless hidden variables count once.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb, log, prod

from latentdag.model.structures import Family, Structure
from latentdag.search.ranking import causes_of, check_prior, class_of

Causes = tuple[int, ...]  # numbers of states, sorted


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
    ``prior`` of `latentdag.search.ranking.PRIORS`. Raises ValueError for an unknown one.
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


def _all_causes(families: Sequence[Family]) -> set[Causes]:
    """The numbers of states of the causes, for every subset of a family's hidden variables."""
    return {
        causes
        for family in families
        for n_causes in range(len(family.hidden) + 1)
        for causes in combinations(sorted(family.hidden), n_causes)
    }


def _ways(causes: Causes, n_sets: int) -> int:
    """The ways, up to relabelling, in which each cause has one of ``n_sets`` sets of children."""
    return prod(comb(n_sets + m - 1, m) for m in Counter(causes).values())
