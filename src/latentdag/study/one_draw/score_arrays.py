"""The scores of one draw as arrays over sizes, methods and structures, or classes of these."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from latentdag.ranking.probabilities import log_normalise
from latentdag.scores import SPECS, present
from latentdag.study.one_draw.posterior import class_numbers, log_masses
from latentdag.study.schema.evidence import ENOUGH_RUNS, ERROR_ROUNDING

EVIDENCE = "reference"  # the method that the others are held against
EXACT_ENOUGH = 0.5  # nats: the largest standard error of an evidence that scores are compared with


@dataclass(frozen=True)
class ScoreArrays:
    """Scores of K structures, or K classes, by M methods at N sizes, in nats; nan without one."""

    draw: int
    by: str  # `structure` or `class`
    sizes: np.ndarray  # (N,), ascending
    methods: list[str]  # M, in the registry's order
    items: list[str]  # K labels, in the order of the table of structures
    true: int  # the item that is the truth
    scores: np.ndarray  # (N, M, K)
    standard_errors: np.ndarray  # (N, M, K), nan where there is none
    there: np.ndarray  # (N, M, K), false for an item that the method did not run on
    reference: np.ndarray  # (N, K), ln evidence
    reference_error: np.ndarray  # (N, K), its standard error, nan where there is none

    @property
    def ran(self) -> np.ndarray:
        """Whether each method ran at each size: shape (N sizes, M methods)."""
        return self.there.any(axis=-1)

    @property
    def scored(self) -> np.ndarray:
        """Whether any item has a score, by size and method: shape (N, M)."""
        return ~np.isnan(self.scores).all(axis=-1)

    @property
    def best(self) -> np.ndarray:
        """The place of the `highest` score among the K items, by size and method: shape (N, M)."""
        return highest(self.scores)

    def log_probabilities(self) -> np.ndarray:
        """ln p(item given y), under a uniform prior over structures, by size, method and item:
        shape (N, M, K); -inf for an item without a score, nan where none has one or the method
        implies no posterior.
        """
        believed = np.array([SPECS[m].posterior for m in self.methods], dtype=bool)
        log_p = np.where(np.isnan(self.scores), -np.inf, log_normalise(self.scores))
        return np.where((self.scored & believed)[..., None], log_p, np.nan)


def highest(values: np.ndarray) -> np.ndarray:
    """The place of the highest of ``values`` (..., K) along the last axis, shape (...), the first
    of equals; nan is lowest, and 0 is the place if all are nan.
    """
    return np.where(np.isnan(values), -np.inf, values).argmax(axis=-1)


def structure_arrays(
    scores: pd.DataFrame, structures: pd.DataFrame, true_structure: str
) -> ScoreArrays:
    """The `ScoreArrays` of one draw from ``scores``, the table of scores as `join_evidence` returns
    it; the items are those of the table ``structures``. Raises ValueError for another number of
    draws, when a method lacks ``true_structure`` where it ran, or ``structures`` one that is
    scored.
    """
    draws = scores["draw"].unique()
    if len(draws) != 1:
        raise ValueError(f"one draw at a time: the scores have {len(draws)}")
    items, methods = list(structures["structure"]), present(scores["method"])
    sizes = np.sort(scores["n"].unique())
    unknown = scores.loc[~scores["structure"].isin(items), "structure"]
    if len(unknown):
        raise ValueError(f"the table of structures lacks {unknown.iloc[0]}")
    shape = len(sizes), len(methods), len(items)
    cells = pd.MultiIndex.from_product([sizes, methods, items])
    rows = scores.set_index(["n", "method", "structure"])[["score", "standard_error"]]
    there = cells.isin(rows.index).reshape(shape)
    values, errors = rows.astype(float).reindex(cells).to_numpy().T.reshape(2, *shape)
    of_true = there[..., [item == true_structure for item in items]].any(axis=-1)
    lacking = np.argwhere(there.any(axis=-1) & ~of_true)
    if len(lacking):
        n, m = lacking[0]
        raise ValueError(
            f"{methods[m]} at n = {sizes[n]} has no row for the structure {true_structure}"
        )
    reference, reference_error = np.full((2, len(sizes), len(items)), np.nan)
    if EVIDENCE in methods:
        m = methods.index(EVIDENCE)
        reference, reference_error = values[:, m], errors[:, m]
    return ScoreArrays(
        draw=int(draws[0]),
        by="structure",
        sizes=sizes,
        methods=methods,
        items=items,
        true=items.index(true_structure),
        scores=values,
        standard_errors=errors,
        there=there,
        reference=reference,
        reference_error=reference_error,
    )


def class_arrays(arrays: ScoreArrays, structures: pd.DataFrame) -> ScoreArrays:
    """The `ScoreArrays` of the classes, from ``arrays``, that of the structures, and the table
    ``structures``, for the methods from which a posterior follows. A class's score is ln of the sum
    of exp(score) over its members; its ln evidence is that of the mean evidence of its members,
    under a uniform prior within the class. Members without a score do not count.
    """
    numbers, names = class_numbers(arrays.items, structures)
    kept = [m for m, name in enumerate(arrays.methods) if SPECS[name].posterior]

    def summed(scores: np.ndarray) -> np.ndarray:
        masses = log_masses(scores, numbers)
        return np.where(masses == -np.inf, np.nan, masses)

    total = summed(arrays.reference)
    shares = np.exp(arrays.reference - total[:, numbers])  # of a member in its class's evidence
    of_class = numbers[:, None] == np.arange(len(names))
    members = (~np.isnan(arrays.reference)) @ of_class.astype(float)
    squares = np.where(np.isnan(arrays.reference), 0.0, (shares * arrays.reference_error) ** 2)
    variance = np.where(of_class, squares[..., None], 0.0).sum(axis=1)  # nan stays in its class
    scores = summed(arrays.scores[:, kept])
    return replace(
        arrays,
        by="class",
        methods=[arrays.methods[m] for m in kept],
        items=names,
        true=int(numbers[arrays.true]),
        scores=scores,
        standard_errors=np.full_like(scores, np.nan),
        there=arrays.there[:, kept] @ of_class,
        reference=total - np.log(np.maximum(members, 1.0)),
        reference_error=np.sqrt(variance),
    )


def exact_enough(scores: pd.DataFrame, arrays: ScoreArrays) -> np.ndarray:
    """Whether the evidence of a structure of ``arrays`` is so exact that scores are compared with
    it, (N, K): its error is at most `EXACT_ENOUGH`, from as many runs (in the table ``scores``) as
    the true structure's, or `ENOUGH_RUNS`; or it is of rounding, at most `ERROR_ROUNDING`.
    """
    rows = scores[scores["method"] == EVIDENCE]
    runs = rows.pivot(index="n", columns="structure", values="restarts").astype(float)
    runs = runs.reindex(index=arrays.sizes, columns=arrays.items, fill_value=0.0).to_numpy()
    enough = runs >= np.minimum(ENOUGH_RUNS, runs[:, [arrays.true]])
    error = arrays.reference_error
    return (enough & (error <= EXACT_ENOUGH)) | (error <= ERROR_ROUNDING)
