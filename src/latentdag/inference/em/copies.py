"""How many distinct copies of a mode there are: what a relabelling of hidden states and of hidden
variables makes of it.

A relabelling permutes the states of each hidden variable, and exchanges hidden variables of equal
cardinality that have the same children. It changes neither the prior nor the probability of any
cell. So the posterior has as many equal modes as a mode has distinct images: the number of all
relabellings over the number of those that map the mode onto itself.
"""

from functools import cached_property
from math import log

import numpy as np

from latentdag.inference.relabellings import kinds, n_relabellings
from latentdag.model.structures import Structure

# Two modes are one if no probability differs by more than this. A fit to 1e-6 nats leaves a
# probability uncertain by less, unless the mode is nearly flat. Distinct modes that lie closer
# would lie within two standard deviations up to some 10^4 cases, and the normal density around
# one holds the other's mass already.
SAME = 1e-2


def log_copies(structure: Structure, probabilities: np.ndarray) -> float:
    """ln M, M the number of distinct relabelled copies of a mode.

    ``structure`` has no childless hidden variables; ``probabilities`` (H, F) are its parameters in
    the slots of a `Kernel`.
    """
    mode = _Mode(structure, probabilities)
    return log(n_relabellings(structure)) - log(mode.symmetries())


# one state of one hidden variable; a relabelling maps each to another
Place = tuple[int, int]


class _Mode:
    """The parameters of a mode as relabellings see them."""

    def __init__(self, structure: Structure, probabilities: np.ndarray):
        family = structure.family
        self.hidden = family.hidden
        n_observed = sum(family.observed)
        self.kinds = kinds(structure)
        # first states first: what joint states select tells most places apart early in a search
        places = [(i, k) for i, size in enumerate(self.hidden) for k in range(size)]
        self.places = sorted(places, key=lambda place: place[::-1])
        # of each joint state: the rows that it selects
        self.rows = probabilities[:, :n_observed].reshape(*self.hidden, n_observed)
        self.states = dict(zip(places, probabilities[0, n_observed:], strict=True))

    def symmetries(self) -> int:
        """The number of relabellings that map the mode onto itself.

        They are a group. The number of its members is that of the images of the first place, times
        that of the images of the second under those that keep the first, and so on: to see that a
        place is an image takes one relabelling that maps to it.
        """
        number, kept = 1, {}
        for place in self.places:
            others = [p for p in self.candidates[place] if p != place]
            number *= 1 + sum(self._extends({**kept, place: other}) for other in others)
            kept[place] = place
        return number

    @cached_property
    def candidates(self) -> dict[Place, list[Place]]:
        """For each place those that it may be mapped to, as far as it shows by itself."""
        return {p: [q for q in self.places if self._alike(p, q)] for p in self.places}

    def _alike(self, p: Place, q: Place) -> bool:
        """Whether two places have the same probability, and the same mean over the joint states
        with them of the rows that these select.
        """
        if self.kinds[p[0]] != self.kinds[q[0]] or abs(self.states[p] - self.states[q]) > SAME:
            return False
        return _same(self.means[p], self.means[q])

    @cached_property
    def means(self) -> dict[Place, np.ndarray]:
        """Of each place the mean of the rows that the joint states with it select."""
        return {place: self._mean(place) for place in self.places}

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
