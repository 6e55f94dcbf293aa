"""One structure with its ordered cases and prior, as the tables that the compiled loops read.

A joint hidden state is coded in bits, one field for each hidden variable. Two states have the same
parents' states of a variable if their codes agree under the mask of its parents.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from latentdag.data.counts import MISSING
from latentdag.inference.slots import NO_ROW
from latentdag.model.parameters import Prior
from latentdag.model.structures import Structure

DECADES = 300  # that a product of counts may span in double precision


class Tables(NamedTuple):
    """What the compiled loops read of a model.

    V is the number of observed variables with parents, by their set of parents; G that of sets of
    parents, the sets of one hidden variable with children among them; S the number of joint states
    of all hidden variables. A variable with missing values has a set to itself: not all cases
    count.
    """

    # (n, V): row of the counts of the case's value and its parents' state 0; NO_ROW without value
    rows: np.ndarray
    total_prior: np.ndarray  # (V,): K_j alpha
    first_child: np.ndarray  # (G + 1,): where the children of each set of parents begin in V
    first_part: np.ndarray  # (G + 1,): where its parts begin
    mask: np.ndarray  # (G,): bits of the parents in a code
    root: np.ndarray  # (G,): whether it is one hidden variable alone
    part: np.ndarray  # (parts,): the code under the mask
    parts_of: np.ndarray  # (S, G): the parts that a joint state agrees with
    codes: np.ndarray  # (S,): of the joint states in C order
    none: int  # a code that agrees with no state under any mask
    alpha: float
    alpha_hidden: float
    one: float  # 1 in the type of the counts
    scale: np.ndarray  # (n,): makes a weight a ratio to the probability in the unlinked model


class Model:
    """What all runs on the same ordered ``cases`` (n, J), codes, share. Weights are relative to the
    *unlinked model*, without links, whose evidence has a closed form: ``log_unlinked``, (n,), for
    the first 1, 2, ..., n cases, in nats. Where no variable has parents there are no tables.
    """

    def __init__(self, structure: Structure, cases: np.ndarray, prior: Prior):
        self._active = sorted(set().union(*structure.parents))
        structure = structure.without_childless()
        predictive = _predictive(cases, np.array(structure.family.observed), prior.alpha)
        self.log_unlinked = np.cumsum(np.log(predictive).sum(axis=1))
        self.n_states = structure.family.n_states
        if self.n_states > 1:
            self._tabulate(structure, cases, prior, predictive)

    def _tabulate(
        self, structure: Structure, cases: np.ndarray, prior: Prior, predictive: np.ndarray
    ) -> None:
        """The codes of the hidden states, and the tables of counts of each group of variables."""
        hidden, cardinality = map(np.array, (structure.family.hidden, structure.family.observed))
        # factors of variables without parents are the same in the unlinked model: they cancel
        linked = [j for j, parents in enumerate(structure.parents) if parents]
        before = np.arange(len(cases))[:, None]
        of_hidden = (before + hidden * prior.alpha_hidden).prod(axis=1)
        scale = 1 / (predictive[:, linked].prod(axis=1) * of_hidden)

        width = np.array([(k - 1).bit_length() for k in structure.family.hidden])
        self._offset = np.cumsum(width) - width
        fields = ((1 << width) - 1) << self._offset
        none = 1 << width.sum()
        self.code_type = np.min_scalar_type(none - 1)
        codes = self._pack(np.indices(structure.family.hidden).reshape(len(hidden), -1).T)

        seen = cases != MISSING
        whole = [j for j in linked if seen[:, j].all()]
        parents, children, root = zip(*_groups(structure, linked, whole), strict=True)
        mask = np.array([fields[list(p)].sum() for p in parents])
        of_masks = (np.unique(codes & m, return_inverse=True) for m in mask)
        parts, parts_of = zip(*of_masks, strict=True)
        first_part = np.cumsum([0, *map(len, parts)])
        by_group = list(chain.from_iterable(children))
        n_parts_of = np.repeat([len(p) for p in parts], [len(c) for c in children])
        size = cardinality[by_group] * n_parts_of  # rows of each variable
        self.shape = (size.sum(), first_part[-1])

        rows = np.cumsum(size) - size + cases[:, by_group] * n_parts_of
        self.float = _float_type(len(cases), len(linked), hidden, cardinality, prior)
        self.tables = Tables(
            rows=np.ascontiguousarray(np.where(seen[:, by_group], rows, NO_ROW)),
            total_prior=(cardinality[by_group] * prior.alpha).astype(self.float),
            first_child=np.cumsum([0, *map(len, children)]),
            first_part=first_part,
            mask=(mask | none).astype(np.int32),
            root=np.array(root),
            part=np.concatenate(parts).astype(np.int32),
            parts_of=np.ascontiguousarray(np.stack(parts_of, axis=1) + first_part[:-1]),
            codes=codes.astype(np.int32),
            none=np.int32(none),
            alpha=self.float(prior.alpha),
            alpha_hidden=self.float(prior.alpha_hidden),
            one=self.float(1),
            scale=scale,
        )

    def _pack(self, states: np.ndarray) -> np.ndarray:
        return (states << self._offset).sum(axis=-1)

    def encode(self, states: np.ndarray) -> np.ndarray:
        """Codes (n,) of hidden ``states`` (n, H) of the family; childless variables are ignored."""
        return self._pack(states[:, self._active])


def _predictive(cases: np.ndarray, cardinality: np.ndarray, alpha: float) -> np.ndarray:
    """Predictive probability of each value given the earlier cases in the unlinked model, (n, J); 1
    where it is missing.
    """
    seen = cases != MISSING
    with_value = np.cumsum(seen, axis=0) - seen  # earlier cases that have one, (n, J)
    predictive = (_earlier(cases) + alpha) / (with_value + cardinality * alpha)
    predictive[~seen] = 1.0
    return predictive


def _groups(
    structure: Structure, linked: Sequence[int], whole: Sequence[int]
) -> list[tuple[tuple[int, ...], list[int], bool]]:
    """Variables whose counts one code finds: their parents, the variables, and whether that is the
    group of one hidden variable. Those without a missing value, ``whole``, are grouped by parents.
    """
    of = structure.parents
    sets = sorted({of[j] for j in whole} | {(i,) for i in range(len(structure.family.hidden))})
    groups = [(g, [j for j in whole if of[j] == g], len(g) == 1) for g in sets]
    return groups + [(of[j], [j], False) for j in linked if j not in whole]


def _earlier(cases: np.ndarray) -> np.ndarray:
    """How many earlier cases share each case's value of each variable, or lack it too, (n, J)."""
    counts = np.empty_like(cases)
    for column, values in zip(counts.T, cases.T, strict=True):
        same = values[:, None] == np.arange(MISSING, values.max() + 1)
        column[:] = np.cumsum(same, axis=0)[same] - 1
    return counts


def _float_type(
    n: int, n_linked: int, hidden: np.ndarray, cardinality: np.ndarray, prior: Prior
) -> type:
    """Single precision where no product of counts can leave its range, double elsewhere. Rounding
    to single moves ln of a weight by less than 1e-5 nats at 2560 cases, and than 2e-4 at 10240
    (tests/unit/inference/particles/test_smc.py). A square of counts up to 2^12 is exact; that of a
    larger odd number is always rounded down.
    """
    decades = (n_linked + len(hidden)) * decades_of_count(n, hidden, cardinality, prior)
    return np.float32 if decades < 35 else np.float64


def decades_of_count(n: int, hidden: Sequence[int], cardinality: Sequence[int], prior: Prior):
    """log10, a float, of the largest over the smallest number that stands for one count in a
    product, for ``n`` cases, hidden variables of cardinalities ``hidden``, observed ones of
    ``cardinality``, and ``prior``.
    """
    alphas = np.array([prior.alpha, prior.alpha_hidden])
    largest = np.log10(n + alphas.max() * max(*hidden, *cardinality))
    return largest - min(0.0, np.log10(alphas.min()))
