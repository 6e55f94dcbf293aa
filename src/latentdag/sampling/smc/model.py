"""One structure with its ordered cases and prior, as the tables that the compiled loops read.

A joint hidden state is coded in bits, one field for each hidden variable. Two states have the same
parents' states of a variable if their codes agree under the mask of its parents. Counts have one
row for each (variable, value, joint state): rows whose joint states agree under the mask are copies
of each other, and are kept equal.
"""

from typing import NamedTuple

import numpy as np

from latentdag.model import Prior
from latentdag.sampling.smc.loops import FUSED
from latentdag.sampling.smc.schedule import GRID
from latentdag.structures import Structure


class Tables(NamedTuple):
    """What the compiled loops read of a model.

    V is the number of observed variables with parents, filled up to a multiple of FUSED; H that of
    hidden variables with children; S that of their joint states; G that of distinct sets of
    parents, the sets of one hidden variable among them.
    """

    rows: np.ndarray  # (n, V): row of the counts of the case's value and joint state 0
    group: np.ndarray  # (V,): which of the sets of parents
    mask: np.ndarray  # (V,): bits of the parents in a code
    total_prior: np.ndarray  # (V,): K_j alpha
    group_mask: np.ndarray  # (G + 1,): as mask, for each set of parents, and for those filled up
    root: np.ndarray  # (H,): which set of parents is this hidden variable alone
    codes: np.ndarray  # (S,): of the joint states in C order
    none: int  # a code that agrees with no state under any mask
    neutral: int  # a bit that no hidden variable uses
    alpha: float
    alpha_hidden: float
    scale: np.ndarray  # (n,): makes a weight a ratio to the probability in the unlinked model


class Model:
    """What all runs on the same ordered ``cases`` (n, J) share.

    Weights are kept relative to the *unlinked model*, the one without links, whose evidence has a
    closed form: ``log_unlinked``, (n,), for the first 1, 2, ..., n cases, in nats. Childless hidden
    variables are left out; without any others ``n_states`` is 1, and there are no tables.
    """

    def __init__(self, structure: Structure, cases: np.ndarray, prior: Prior):
        self._active = sorted(set().union(*structure.parents))
        structure = structure.without_childless()
        family = structure.family
        before = np.arange(len(cases))[:, None]
        cardinality = np.array(family.observed)
        predictive = (_earlier(cases) + prior.alpha) / (before + cardinality * prior.alpha)
        self.log_unlinked = np.cumsum(np.log(predictive).sum(axis=1))
        self.n_states = family.n_states
        if self.n_states == 1:
            return

        # factors of variables without parents are the same in the unlinked model: they cancel
        linked = [j for j, parents in enumerate(structure.parents) if parents]
        hidden = np.array(family.hidden)
        scale = 1 / (
            predictive[:, linked].prod(axis=1) * (before + hidden * prior.alpha_hidden).prod(axis=1)
        )

        width = np.array([(k - 1).bit_length() for k in family.hidden])
        self._offset = np.cumsum(width) - width
        fields = ((1 << width) - 1) << self._offset
        none, neutral = 1 << width.sum(), 2 << width.sum()
        self.code_type = np.min_scalar_type(none - 1)
        codes = self._pack(np.indices(family.hidden).reshape(len(hidden), -1).T)

        groups = sorted({structure.parents[j] for j in linked} | {(i,) for i in range(len(hidden))})
        group_mask = np.array([none | fields[list(g)].sum() for g in groups] + [neutral])
        # the variables filled up agree with no state: their factor is (0 + alpha) / (0 + alpha)
        n_variables = -(-len(linked) // FUSED) * FUSED
        group = np.full(n_variables, len(groups))
        group[: len(linked)] = [groups.index(structure.parents[j]) for j in linked]
        total_prior = np.full(n_variables, prior.alpha)
        total_prior[: len(linked)] = cardinality[linked] * prior.alpha
        values = np.zeros((len(cases), n_variables), dtype=np.int64)
        values[:, : len(linked)] = cases[:, linked]
        n_values = max(cardinality[linked])
        self.shape = (n_variables * n_values * self.n_states, len(group_mask) * self.n_states)

        self.float = _float_type(len(cases), len(linked), hidden, cardinality, prior)
        self.tables = Tables(
            rows=(values + n_values * np.arange(n_variables)) * self.n_states,
            group=group,
            mask=group_mask[group].astype(np.int32),
            total_prior=total_prior.astype(self.float),
            group_mask=group_mask.astype(np.int32),
            root=np.array([groups.index((i,)) for i in range(len(hidden))]),
            codes=codes.astype(np.int32),
            none=np.int32(none),
            neutral=np.int32(neutral),
            alpha=self.float(prior.alpha),
            alpha_hidden=self.float(prior.alpha_hidden),
            scale=scale,
        )

    def _pack(self, states: np.ndarray) -> np.ndarray:
        return (states << self._offset).sum(axis=-1)

    def encode(self, states: np.ndarray) -> np.ndarray:
        """Codes (n,) of hidden ``states`` (n, H) of the family; childless variables are ignored."""
        return self._pack(states[:, self._active])


def _earlier(cases: np.ndarray) -> np.ndarray:
    """How many earlier cases share each case's value of each variable, (n, J)."""
    counts = np.empty_like(cases)
    for column, values in zip(counts.T, cases.T, strict=True):
        same = values[:, None] == np.arange(values.max() + 1)
        column[:] = np.cumsum(same, axis=0)[same] - 1
    return counts


def _float_type(
    n: int, n_linked: int, hidden: np.ndarray, cardinality: np.ndarray, prior: Prior
) -> type:
    """Single precision where no product of counts can leave its range, double elsewhere.

    Rounding to single precision moves ln evidence by about 1e-5 nats. The type is that for all of
    GRID at least, so that the beginning of a path gets the type of the whole.
    """
    alphas = np.array([prior.alpha, prior.alpha_hidden])
    largest = np.log10(max(n, GRID[-1]) + alphas.max() * max(*hidden, *cardinality))
    smallest = min(0.0, np.log10(alphas.min()))
    decades = (max(n_linked, FUSED) + len(hidden)) * (largest - smallest)
    return np.float32 if decades < 35 else np.float64
