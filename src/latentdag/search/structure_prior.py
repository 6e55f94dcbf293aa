"""How many structures the families have together, and how probable that makes each beforehand.

But for the names of causes, a structure says of each cause how many states it has and which
observed variables are its children. There are 2^J - 1 sets of children of J observed variables, and
comb(N + m - 1, m) ways to give m causes with as many states one of N sets each. So structures are
counted without being listed, however many there are, and a prior over all of them is known where
only some are scored. Structures of several families that are the same model, but for hidden
variables without children, count once.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb, log, prod

from latentdag.model.structures import Family, Structure
from latentdag.search.ranking import causes_of, check_prior, class_of

Causes = tuple[int, ...]  # numbers of states, sorted


def number_of_structures(families: Sequence[Family]) -> int:
    """How many structures the families have; a childless hidden variable makes no other one."""
    n_sets = 2 ** len(families[0].observed) - 1
    return sum(_ways(causes, n_sets) for causes in _all_causes(families))


def number_of_classes(families: Sequence[Family]) -> int:
    """How many classes of equal distributions, `latentdag.search.ranking.class_of`, they have:
    every cause
    left has two children or more.
    """
    n_observed = len(families[0].observed)
    n_sets = 2**n_observed - 1 - n_observed
    return sum(_ways(causes, n_sets) for causes in _all_causes(families))


def log_prior(
    structures: Sequence[Structure], families: Sequence[Family], prior: str
) -> list[float]:
    """ln p(structure) of these among all structures of the ``families``, where what ``prior``
    names, one of `latentdag.search.ranking.PRIORS`, is equally probable, and within it each of its
    structures.

    Raises ValueError for an unknown prior.
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
        """Of a class: one for each way to give more causes one child each."""
        more = (Counter(causes) - left for causes in everyone if left <= Counter(causes))
        return sum(_ways(tuple(own.elements()), n_observed) for own in more)

    n_classes = number_of_classes(families)
    left = (Counter(causes_of(class_of(s))) for s in structures)
    return [-log(n_classes * members(own)) for own in left]


def _all_causes(families: Sequence[Family]) -> set[Causes]:
    """The causes that structures of the families may have: some of a family's hidden variables."""
    return {
        causes
        for family in families
        for n_causes in range(len(family.hidden) + 1)
        for causes in combinations(sorted(family.hidden), n_causes)
    }


def _ways(causes: Causes, n_sets: int) -> int:
    """In how many ways, but for names, the causes can each have one of so many sets of children."""
    return prod(comb(n_sets + m - 1, m) for m in Counter(causes).values())
