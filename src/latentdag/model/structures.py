"""Families of bipartite latent-class networks, and their structures.

A *family* fixes the cardinalities of the hidden variables s1..sH (all roots) and of the observed
variables y1..yJ. A *structure* says which hidden variables are the parents of each observed one.
Two structures that differ only by exchanging hidden variables of equal cardinality are the same
model; the canonical one stands for the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations, product
from math import log2, prod
from operator import index

MAX_STATES = 1024  # joint states of the hidden variables; nine of two values have 512
MAX_HIDDEN = 9  # labels name a hidden variable by one digit
# structures before those that differ by a renaming are joined: three hidden, six observed variables
MAX_LABELLED = 2**18


@dataclass(frozen=True)
class Family:
    """Cardinalities of hidden and observed variables; by default those of the paper (sec. 4)."""

    hidden: tuple[int, ...] = (2, 2)
    observed: tuple[int, ...] = (5, 5, 5, 5)

    def __post_init__(self):
        for name in ("hidden", "observed"):
            values = getattr(self, name)
            try:
                cardinalities = tuple(index(c) for c in values)
            except TypeError:
                raise ValueError(
                    f"{name} must be the cardinalities of the {name} variables, a sequence of "
                    f"integers, got {values!r}"
                ) from None
            object.__setattr__(self, name, cardinalities)
            if any(c < 2 for c in cardinalities):
                raise ValueError(
                    f"every {name} variable needs at least 2 values, got cardinalities "
                    f"{cardinalities}"
                )
        if not self.observed:
            raise ValueError("a family needs at least one observed variable")
        if len(self.hidden) > MAX_HIDDEN:
            raise ValueError(f"at most {MAX_HIDDEN} hidden variables, got {len(self.hidden)}")

    @property
    def n_states(self) -> int:
        """Number of joint states of the hidden variables."""
        return prod(self.hidden)

    @property
    def n_cells(self) -> int:
        """Number of joint values of the observed variables."""
        return prod(self.observed)

    def exchanges(self) -> list[tuple[int, ...]]:
        """A list of the renamings of hidden variables that keep the cardinalities, each a tuple p:
        variable i becomes ``p[i]``. The one that changes nothing is among them.
        """
        every = permutations(range(len(self.hidden)))
        return [p for p in every if tuple(self.hidden[i] for i in p) == self.hidden]

    def parent_sets(self) -> list[tuple[int, ...]]:
        """A list of all sets of hidden variables, each a tuple of sorted indices from 0, in the
        order of their tokens in labels: 0 < 1 < 12 < 2.
        """
        sizes, everyone = range(len(self.hidden) + 1), range(len(self.hidden))
        return sorted((c for size in sizes for c in combinations(everyone, size)), key=_token)


PAPER_FAMILY = Family()


def _token(parents: tuple[int, ...]) -> str:
    return "".join(str(i + 1) for i in parents) or "0"


@dataclass(frozen=True)
class Structure:
    """Which hidden variables (indices from 0) are the parents of each observed variable.

    >>> Structure.from_label("1-12-12-2").n_parameters
    50
    """

    parents: tuple[tuple[int, ...], ...]
    family: Family = field(default=PAPER_FAMILY)

    def __post_init__(self):
        parents = tuple(tuple(sorted(set(p))) for p in self.parents)
        object.__setattr__(self, "parents", parents)
        if len(parents) != len(self.family.observed):
            raise ValueError(
                f"{len(parents)} parent sets for {len(self.family.observed)} observed variables"
            )
        for p in parents:
            if any(not 0 <= i < len(self.family.hidden) for i in p):
                raise ValueError(
                    f"parents {p} outside the family's {len(self.family.hidden)} hidden variables"
                )

    @classmethod
    def from_label(cls, label: str, family: Family = PAPER_FAMILY) -> Structure:
        """The structure of ``family`` with this ``label``, e.g. ``1-12-12-2``: parents of y1..yJ,
        ``0`` for none. Raises ValueError naming the label when it is not one of the family's.
        """
        tokens = str(label).split("-")
        by_token = {_token(p): p for p in family.parent_sets()}
        wrong = [t for t in tokens if t not in by_token]
        if wrong or len(tokens) != len(family.observed):
            raise ValueError(
                f"unknown structure label {label!r}: it needs {len(family.observed)} parts joined "
                f"by '-', each one of {', '.join(by_token)}"
            )
        return cls(tuple(by_token[t] for t in tokens), family)

    @cached_property
    def label(self) -> str:
        return "-".join(_token(p) for p in self.parents)

    @property
    def n_links(self) -> int:
        return sum(len(p) for p in self.parents)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters; as in the paper, those of childless hidden variables
        count.
        """
        hidden = self.family.hidden
        of_observed = zip(self.family.observed, self.parents, strict=True)
        tables = ((c - 1) * prod(hidden[i] for i in p) for c, p in of_observed)
        return sum(c - 1 for c in hidden) + sum(tables)

    def canonical(self) -> Structure:
        """The structure whose label sorts first, with 0 < 1 < 12 < 2, among this one and those that
        differ from it by exchanging hidden variables of equal cardinality.
        """
        hidden = self.family.hidden
        names = sorted(range(len(hidden)), key=lambda i: hidden[i])
        # of causes of equal cardinality that one is named first which has the first child, or if
        # both or neither have, the second, and so on
        first = sorted(names, key=lambda i: (hidden[i], [i not in p for p in self.parents]))
        new = dict(zip(first, names, strict=True))
        return Structure(tuple(tuple(new[i] for i in p) for p in self.parents), self.family)

    def without_childless(self) -> Structure:
        """A `Structure`, the same model without its childless hidden variables, which integrate out
        of every score: its ``family`` lacks them, and the others have new indices from 0.
        """
        active = sorted(set().union(*self.parents))
        new_name = {old: new for new, old in enumerate(active)}
        family = Family(tuple(self.family.hidden[i] for i in active), self.family.observed)
        return Structure(tuple(tuple(new_name[i] for i in p) for p in self.parents), family)

    def absorbed(self) -> Structure:
        """The structure that stands for a class of those that describe the same distributions.

        A hidden variable with one child can be absorbed in that child's table, and the set of
        distributions of the observed variables stays the same. What is left, in its canonical form,
        names the class: two structures with the same one describe the same distributions.
        """
        children = [sum(i in p for p in self.parents) for i in range(len(self.family.hidden))]
        kept = (tuple(i for i in p if children[i] > 1) for p in self.parents)
        return Structure(tuple(kept), self.family).canonical()

    def __repr__(self) -> str:
        return self.label


def check_states(hidden: Sequence[int]) -> None:
    """Raise ValueError when hidden variables with the cardinalities ``hidden``, a sequence, have
    more than MAX_STATES joint states.
    """
    if prod(hidden) > MAX_STATES:
        raise ValueError(
            f"{list(hidden)} have {prod(hidden):,} joint states; at most {MAX_STATES:,} are "
            "supported"
        )


def check_enumerable(family: Family) -> None:
    """Raise ValueError when ``family`` has more than MAX_LABELLED labelled structures."""
    n_hidden, n_observed = len(family.hidden), len(family.observed)
    if n_hidden * n_observed > log2(MAX_LABELLED):
        raise ValueError(
            f"{n_hidden} hidden and {n_observed} observed variables have "
            f"2^{n_hidden * n_observed} structures before renaming; at most "
            f"2^{log2(MAX_LABELLED):g} are supported, those of 3 hidden and 6 observed variables, "
            "where every one is scored: with more, search (rank_structures(..., search=1), rank "
            "--search, or the setting search: greedy)"
        )


def enumerate_structures(family: Family = PAPER_FAMILY) -> list[Structure]:
    """A list of the structures of ``family``, one canonical `Structure` per exchange class, sorted
    by number of parameters, then label: 136 for the paper's family.

    Raises ValueError as `check_enumerable` does.

    >>> structures = enumerate_structures()
    >>> len(structures), structures[0].label, structures[-1].label
    (136, '0-0-0-0', '12-12-12-12')
    """
    check_enumerable(family)
    sets = family.parent_sets()
    rank = {p: r for r, p in enumerate(sets)}
    # what each exchange makes of a parent set, by rank: a structure is canonical if no exchange
    # makes it sort earlier
    images = [[rank[tuple(sorted(e[i] for i in p))] for p in sets] for e in family.exchanges()]
    canonical = (
        ranks
        for ranks in product(range(len(sets)), repeat=len(family.observed))
        if all(tuple(image[r] for r in ranks) >= ranks for image in images)
    )
    structures = (Structure(tuple(sets[r] for r in ranks), family) for ranks in canonical)
    return sorted(structures, key=lambda s: (s.n_parameters, s.label))
