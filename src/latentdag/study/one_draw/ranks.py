"""The rank of the true structure by each score, and statistics of it. Ranks by size have inf where
the true structure has no score, and nan where a method did not run.
"""

import numpy as np
import pandas as pd

from latentdag.engine.streams import generator
from latentdag.ranking.probabilities import normalise
from latentdag.scores import SPECS
from latentdag.study.one_draw.posterior import class_numbers, log_masses
from latentdag.study.one_draw.score_arrays import ScoreArrays, highest, structure_arrays
from latentdag.study.schema.columns import TABLES, Kind
from latentdag.study.schema.frames import method_columns

REDRAWN = 2000  # times, the scores of one method at one size
INTERVAL = (0.05, 0.95)


def rank(scores: np.ndarray, true: int) -> np.ndarray:
    """The rank, shape (...), of the structure at place ``true`` by ``scores`` (..., S): 1 + the
    number of scores above its own; nan is not above.
    """
    return 1 + (scores > scores[..., true, None]).sum(axis=-1)


def ranks(
    scores: pd.DataFrame, true_structure: str, seed: int, structures: pd.DataFrame
) -> pd.DataFrame:
    """The table of ranks of ``true_structure``, a DataFrame, by draw, n and method, from
    ``scores``, the table of scores as `join_evidence` returns it, and the table ``structures``.

    Each score is redrawn from a normal distribution about it with its standard error, from a stream
    of ``seed``, and the true structure ranked again. `rank_low` and `rank_high` are the ends of the
    middle 90 % of these ranks, drawn out to hold the rank itself: redrawing adds noise to noise, so
    that of many structures near the true one more move past it. They are the rank itself for a
    deterministic score, and nan for a Monte Carlo score that lacks a standard error. The true
    structure's class is ranked by posterior mass in the same way, by methods from which a posterior
    follows.

    Raises ValueError when the true structure is not among those scored, KeyError when the table of
    structures lacks one that is.
    """
    # whatever the order of the table: each structure keeps its place in the stream
    order = scores.sort_values(["n_parameters", "structure"])["structure"].unique()
    structures = structures.set_index("structure").loc[order].reset_index()
    rows = []
    for _, scores_of_draw in scores.groupby("draw"):
        arrays = structure_arrays(scores_of_draw, structures, true_structure)
        rows += [_row(arrays, n, m, seed, structures) for n, m in np.argwhere(arrays.ran)]
    table = pd.DataFrame(rows, columns=TABLES["ranks"].columns)
    counts = [name for name in table if TABLES["ranks"].column(name).kind is Kind.COUNT]
    return table.astype(dict.fromkeys([*counts, "class_probability"], float))


def _row(arrays: ScoreArrays, n: int, m: int, seed: int, structures: pd.DataFrame) -> dict:
    """The row of the ``m``-th method at the ``n``-th size."""
    size, method, there = int(arrays.sizes[n]), arrays.methods[m], arrays.there[n, m]
    values, errors = arrays.scores[n, m, there], arrays.standard_errors[n, m, there]
    scored, true = ~np.isnan(values), int(there[: arrays.true].sum())
    redrawn, best = None, arrays.best[n, m]
    if scored.any() and not np.isnan(errors[scored]).any():
        stream = generator(seed, "rank", arrays.draw, size, method)
        noise = stream.standard_normal((REDRAWN, len(values)))
        redrawn = values + np.where(scored, errors, 0.0) * noise
    row = {
        "draw": arrays.draw,
        "n": size,
        "method": method,
        **_places("rank", values, redrawn, true, SPECS[method].monte_carlo),
        "score_true": values[true],
        "best_structure": arrays.items[best] if scored.any() else "",
        "score_best": arrays.scores[n, m, best],
        "best_class": "",
    }
    if SPECS[method].posterior and scored.any():
        labels = np.array(arrays.items, dtype=object)[there]
        numbers, names = class_numbers(labels, structures)
        masses, of_true = log_masses(values, numbers), numbers[true]
        row["best_class"] = names[highest(masses)]
        others = None if redrawn is None else log_masses(redrawn, numbers)
        if of_class := _places("class_rank", masses, others, of_true, SPECS[method].monte_carlo):
            row |= of_class | {"class_probability": normalise(masses)[of_true]}
    return row


def _places(
    name: str, scores: np.ndarray, redrawn: np.ndarray | None, true: int, sampled: bool
) -> dict:
    """The columns ``name``, ``name``_low and ``name``_high: the rank of item ``true`` by scores
    (S,), and the ends of its ranks by those redrawn (REDRAWN, S), if any; ``sampled`` scores that
    are not redrawn have no ends. Nothing without a score.
    """
    if not np.isfinite(scores[true]):
        return {}
    place = int(rank(scores, true))
    low = high = np.nan if sampled else place
    if redrawn is not None:
        ends = np.quantile(rank(redrawn, true), INTERVAL, method="nearest")
        low, high = min(place, int(ends[0])), max(place, int(ends[1]))
    return {name: place, f"{name}_low": low, f"{name}_high": high}


def rank_by_size(ranks: pd.DataFrame, end: str = "rank") -> pd.DataFrame:
    """A DataFrame, n by method, of the column ``end`` of the table ``ranks`` of one draw, a rank
    or, with `_low` or `_high`, an end of the ranks that its error allows; inf where the true
    structure has no rank, nan where the method did not run or where a rank has no ends.
    """
    unranked = ranks[end.removesuffix("_low").removesuffix("_high")].isna()
    return method_columns(
        ranks.assign(**{end: ranks[end].mask(unranked, np.inf)}), end
    ).sort_index()


def median_ranks(ranks: pd.DataFrame, below: int) -> pd.Series:
    """A Series by method of the median of the true structure's rank over the sizes smaller than
    ``below``, from the table ``ranks`` of one draw; without a score the rank is inf.
    """
    wide = rank_by_size(ranks)
    return wide[wide.index < below].median()


def beats(a: pd.Series, b: pd.Series) -> tuple[int, int, int]:
    """Three numbers of sizes, of those at which both Series by n have a value: at how many that in
    ``a`` is smaller than that in ``b``, larger, and equal.
    """
    both = pd.concat([a, b], axis=1).dropna()
    a, b = both.iloc[:, 0], both.iloc[:, 1]
    return int((a < b).sum()), int((a > b).sum()), int((a == b).sum())
