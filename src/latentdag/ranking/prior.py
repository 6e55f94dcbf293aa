"""The prior over the structures of some families of the same observed variables.

A hidden variable without children changes no score: structures that are equal without their
childless hidden variables are one model, and count once.

Up to relabelling, a structure is determined by the number of states and the set of children of each
cause. J observed variables have 2^J - 1 sets of children, and m causes with the same number of
states take one of N sets each in comb(N + m - 1, m) ways. So structures are counted without being
listed, and the prior is over all of them, whichever are scored.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from math import comb, log, prod

import numpy as np

from latentdag.model.structures import Family, Structure


def causes_of(structure: Structure) -> tuple[int, ...]:
    """The cardinalities of the hidden variables of ``structure`` that have children, sorted: a
    tuple.
    """
    hidden = structure.family.hidden
    return tuple(sorted(hidden[i] for i in set().union(*structure.parents)))


def model_of(structure: Structure) -> Structure:
    """The structure that stands for all that are one model with ``structure``: without childless
    causes, the others sorted by number of states, in canonical form.
    """
    reduced = structure.without_childless()
    hidden = reduced.family.hidden
    order = sorted(range(len(hidden)), key=hidden.__getitem__)
    new_name = {old: new for new, old in enumerate(order)}
    family = Family(tuple(hidden[i] for i in order), reduced.family.observed)
    parents = tuple(tuple(new_name[i] for i in p) for p in reduced.parents)
    return Structure(parents, family).canonical()


def class_of(structure: Structure) -> Structure:
    """The structure that stands for the class of ``structure``, over all families: each cause of
    one variable is absorbed in that variable's table, and `model_of` is taken. All structures of a
    class have the same distributions of the observed variables. Structures of two classes can have
    equal distributions too: a common cause of two binary variables has no more of them with 3
    states than with 2.
    """
    return model_of(structure.absorbed())


# a prior is uniform over groups of structures, and uniform within each group: the group of each
PRIORS: Mapping[str, Callable[[Structure], Hashable]] = {
    "structures": lambda structure: structure,
    "families": causes_of,
    "classes": class_of,
}
PRIOR = "classes"  # the default: a model counts once, in however many ways it can be written


def check_prior(prior: str) -> None:
    """Raise ValueError unless ``prior`` is one of PRIORS."""
    if prior not in PRIORS:
        raise ValueError(f"unknown prior {prior!r}: it must be one of {', '.join(PRIORS)}")


def number_of_structures(families: Sequence[Family]) -> int:
    """The number of structures of the ``families``, all of the same observed variables: structures
    that differ in the names of causes, or in childless hidden variables, count once.
    """
    n_sets = 2 ** len(families[0].observed) - 1
    return sum(_ways(causes, n_sets) for causes in _all_causes(families))


def number_of_classes(families: Sequence[Family]) -> int:
    """The number of classes of structures of the ``families``, which is that of `class_of` values:
    a cause that is not absorbed has at least two children.
    """
    n_observed = len(families[0].observed)
    n_sets = 2**n_observed - 1 - n_observed
    return sum(_ways(causes, n_sets) for causes in _all_causes(families))


def log_prior(
    structures: Sequence[Structure], families: Sequence[Family], prior: str
) -> np.ndarray:
    """ln p(structure) of each of ``structures`` among all structures of the ``families``, shape
    (S,), under a ``prior`` of PRIORS. Raises ValueError for an unknown one.
    """
    check_prior(prior)
    every, n_observed = _all_causes(families), len(families[0].observed)
    if prior == "structures":
        sizes = [number_of_structures(families)] * len(structures)
    elif prior == "families":
        sizes = [len(every) * _ways(causes_of(s), 2**n_observed - 1) for s in structures]
    else:
        n_classes, members = number_of_classes(families), {}
        sizes = []
        for s in structures:
            kept = causes_of(class_of(s))
            if kept not in members:  # with the ways to give one child each to further causes
                more = (Counter(c) - Counter(kept) for c in every if Counter(kept) <= Counter(c))
                members[kept] = sum(_ways(tuple(left.elements()), n_observed) for left in more)
            sizes.append(n_classes * members[kept])
    return -np.array([log(size) for size in sizes])


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
