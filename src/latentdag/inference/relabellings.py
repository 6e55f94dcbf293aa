"""Relabellings of a structure: renamings of hidden states and of exchangeable hidden variables.

A relabelling permutes the states of each hidden variable, and exchanges hidden variables of equal
cardinality that have the same children. It changes neither the prior nor the likelihood. So the
posterior has as many equal modes as a mode has distinct images: the number of all relabellings over
the number of those that map the mode onto itself.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
from math import factorial, log, prod

import numpy as np

from latentdag.model.structures import Structure

# Two modes are one if no probability differs by more than this. A fit to 1e-6 nats leaves a
# probability uncertain by less, unless the mode is nearly flat. Distinct modes that lie closer
# would lie within two standard deviations up to some 10^4 cases, and the normal density around
# one holds the other's mass already.
SAME = 1e-2
# cardinality of a hidden variable, and for each observed variable whether it is its child
Kind = tuple[int, tuple[bool, ...]]
# one state of one hidden variable; a relabelling maps each to another
Place = tuple[int, int]


def kinds(structure: Structure) -> list[Kind]:
    """A list of the kind of each hidden variable of ``structure``, in order: a pair of its
    cardinality and a tuple with True for each observed variable that is its child, else False.
    Variables of one kind can be exchanged.
    """
    return [
        (cardinality, tuple(i in parents for parents in structure.parents))
        for i, cardinality in enumerate(structure.family.hidden)
    ]


def n_relabellings(structure: Structure) -> int:
    """The number of relabellings of ``structure``: permutations of the states of each hidden
    variable times exchanges of hidden variables of one kind.
    """
    orders = prod(factorial(cardinality) for cardinality in structure.family.hidden)
    return orders * prod(factorial(number) for number in Counter(kinds(structure)).values())


def relabellings(structure: Structure) -> Iterator[tuple[tuple[int, ...], tuple]]:
    """Yields every relabelling of ``structure`` as ``(variables, orders)``, two tuples: hidden
    variable i of the renamed structure is ``variables[i]`` of the old one, and its state k is the
    old state ``orders[i][k]``.
    """
    of_variables = kinds(structure)
    for variables in permutations(range(len(of_variables))):
        if [of_variables[i] for i in variables] == of_variables:
            for orders in product(*(permutations(range(k)) for k in structure.family.hidden)):
                yield variables, orders


def log_copies(structure: Structure, probabilities: np.ndarray) -> float:
    """ln of the number M of distinct relabelled copies of a mode, itself among them.
    ``probabilities`` are its slots (H, F), and ``structure`` has no childless hidden variables.
    Copies are one where no probability differs by more than SAME.
    """
    mode = _Mode(structure, probabilities)
    return log(n_relabellings(structure)) - log(mode.symmetries())


class _Mode:
    """The parameters of a mode as relabellings see them."""

    def __init__(self, structure: Structure, probabilities: np.ndarray):
        family = structure.family
        self.hidden = family.hidden
        n_observed = sum(family.observed)
        # of each joint state: the rows that it selects
        self.rows = probabilities[:, :n_observed].reshape(*self.hidden, n_observed)
        places = [(i, k) for i, size in enumerate(self.hidden) for k in range(size)]
        states = dict(zip(places, probabilities[0, n_observed:], strict=True))
        means, of_kind = {place: self._mean(place) for place in places}, kinds(structure)

        def alike(p: Place, q: Place) -> bool:
            same = of_kind[p[0]] == of_kind[q[0]] and abs(states[p] - states[q]) <= SAME
            return same and _same(means[p], means[q])

        # first states first: what joint states select tells most places apart early in a search
        self.places = sorted(places, key=lambda place: place[::-1])
        # those that each place may be mapped to, as far as it shows by itself
        self.candidates = {p: [q for q in self.places if alike(p, q)] for p in self.places}

    def symmetries(self) -> int:
        """The number of relabellings that map the mode onto itself.

        They are a group: the product of the number of images of the first place, of the second
        under those that keep the first, and so on. One relabelling shows that a place is an image.
        """
        number, kept = 1, {}
        for place in self.places:
            others = [p for p in self.candidates[place] if p != place]
            number *= 1 + sum(self._extends({**kept, place: other}) for other in others)
            kept[place] = place
        return number

    def _mean(self, *places: Place) -> np.ndarray:
        """Mean over the joint states with these places of the rows that they select."""
        index: list = [slice(None)] * len(self.hidden)
        for i, k in places:
            index[i] = k
        return self.rows[tuple(index)].reshape(-1, self.rows.shape[-1]).mean(axis=0)

    def _extends(self, images: dict[Place, Place]) -> bool:
        """Whether some relabelling that maps the mode onto itself has these images."""
        *before, (place, image) = images.items()
        if not all(self._fit(place, image, *pair) for pair in before):
            return False
        if len(images) == len(self.places):
            return self._maps_onto_itself(images)
        following = next(p for p in self.places if p not in images)
        return any(self._extends({**images, following: p}) for p in self.candidates[following])

    def _fit(self, p: Place, image_p: Place, q: Place, image_q: Place) -> bool:
        """Whether two places and their images can belong to one relabelling."""
        if (p[0] == q[0]) != (image_p[0] == image_q[0]) or image_p == image_q:
            return False
        return p[0] == q[0] or _same(self._mean(p, q), self._mean(image_p, image_q))

    def _maps_onto_itself(self, images: dict[Place, Place]) -> bool:
        variables = [images[i, 0][0] for i in range(len(self.hidden))]
        states = [[images[i, k][1] for k in range(size)] for i, size in enumerate(self.hidden)]
        renamed = self.rows.transpose(*variables, -1)[np.ix_(*states)]
        return _same(self.rows, renamed)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.abs(a - b).max() <= SAME)
