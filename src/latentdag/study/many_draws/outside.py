"""What each score picks where no structure is true, how sure it is, and how the pick predicts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np
import pandas as pd

from latentdag.analysis.estimates import estimate
from latentdag.analysis.fit import fit
from latentdag.engine.significance import LEVEL
from latentdag.engine.streams import generator
from latentdag.model.parameters import Prior, cell_probabilities, draw_parameters
from latentdag.model.structures import Family, Structure
from latentdag.ranking.ranking import Ranking
from latentdag.scores import compute
from latentdag.scores.base import Task
from latentdag.study.many_draws.population import means, share
from latentdag.study.one_draw.score_arrays import EVIDENCE
from latentdag.study.schema.columns import TABLES

MEANS = ("n_links", "top_probability", "lost_by_top")


def truth_cells(
    structure: Structure,
    prior: Prior,
    rng: np.random.Generator,
    link: tuple[int, int] | None = None,
) -> np.ndarray:
    """p(y) of each joint value, shape ``family.observed``, of a truth whose parameters are a draw
    from the ``prior``: of a structure, or of one in which the first observed variable of a ``link``
    (both counted from 1) is a further parent of the second.
    """
    drawn = draw_parameters(structure, prior, rng)
    cells = cell_probabilities(structure, drawn)
    if link is None:
        return cells
    parent, child = (variable - 1 for variable in link)
    for value in range(structure.family.observed[parent]):
        observed = list(drawn.observed)
        observed[child] = draw_parameters(structure, prior, rng).observed[child]
        conditional = cell_probabilities(structure, replace(drawn, observed=tuple(observed)))
        index = (slice(None),) * parent + (value,)
        cells[index] = conditional[index]
    return cells


def cases_of_cells(cells: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Codes (n, J) of ``n`` independent cases, whose joint values have the probabilities ``cells``,
    an array with an axis for each of the J variables; from one state of ``rng`` the first of them
    are the cases for a smaller ``n``.
    """
    ends = np.cumsum(cells.ravel())
    codes = np.searchsorted(ends, rng.random(n) * ends[-1], side="right")
    return np.column_stack(np.unravel_index(codes, cells.shape))


def picks(
    truth: Mapping,
    draw: int,
    structures: Sequence[Structure],
    sizes: Sequence[int],
    methods: Sequence[str],
    seed: int,
    prior: Prior,
    replicates: int,
    settings: Mapping[str, int],
) -> list[dict]:
    """A list of rows, dicts, of the table `outside_picks`, one for each of ``sizes`` (numbers of
    cases) and ``methods``, of the draw number ``draw`` of a ``truth``: its `name`, its `hidden`
    cardinalities, the label of its `structure`, and perhaps a `link` as in `truth_cells`. All
    ``structures`` are scored under the ``prior``, with the ``settings`` of the methods' jobs, by
    name.

    A pick's loss is KL(truth || pick) at the pick's MAP estimate, in nats per case; the pick of the
    reference is tested by `fit` with as many ``replicates``.
    """
    observed = structures[0].family.observed
    structure = Structure.from_label(truth["structure"], Family(tuple(truth["hidden"]), observed))
    rng = generator(seed, "outside", truth["name"], draw)
    cells = truth_cells(structure, prior, rng, truth.get("link"))
    cases = cases_of_cells(cells, max(sizes), rng)
    rows = []
    for n in sizes:
        key = ("outside", truth["name"], draw)
        task = Task(structures, cases[:n], prior, seed, key)
        scores, _ = compute(task, methods, settings)
        lost = {}
        for method in methods:
            ranking = Ranking.of(
                (s for s in scores if s.method == method), [structures[0].family], "structures"
            )
            top = ranking.structures[0]
            if top not in lost:
                pick, parameters = estimate(
                    cases[:n], top, seed=seed, alpha=prior.alpha, alpha_hidden=prior.alpha_hidden
                )
                ratio = cells / cell_probabilities(pick, parameters)
                lost[top] = float((cells * np.log(ratio)).sum())
            row = {"truth": truth["name"], "draw": draw, "n": n, "method": method}
            row |= {"top": top.label, "n_links": top.n_links, "lost_by_top": lost[top]}
            row |= {"top_probability": ranking.probabilities[0], "p_value": nan}
            if method == EVIDENCE:
                row["p_value"] = fit(cases[:n], top, replicates=replicates, seed=seed).p_value
            rows.append(row)
    return rows


def outside(picks: pd.DataFrame) -> pd.DataFrame:
    """The table `outside`, a DataFrame, from ``picks``, the table `outside_picks` of all draws: by
    truth, size and score the commonest pick and its share of the draws, means over draws with their
    standard errors, and the share of the tested picks with p of at most `LEVEL`, with its 95 %
    interval.
    """
    rows = []
    for (truth, n, method), group in picks.groupby(["truth", "n", "method"], sort=False):
        commonest = group["top"].value_counts()
        row = {"truth": truth, "n": n, "method": method, "draws": len(group)}
        row |= {"top": commonest.index[0], "share": commonest.iloc[0] / len(group)}
        row |= means(group, MEANS)
        tested = group["p_value"].dropna()
        ends = share((tested <= LEVEL).sum(), len(tested))
        rows.append(row | dict(zip(("rejected", "low", "high"), ends, strict=True)))
    return pd.DataFrame(rows, columns=TABLES["outside"].columns)


def least_and_most_lost(table: pd.DataFrame) -> dict[str, tuple[pd.Series, pd.Series]]:
    """A dict by truth of two rows of ``table``, those of one size of the table `outside`: of the
    scores whose picks lose least, and most.
    """
    ordered = table.sort_values("lost_by_top", kind="stable").groupby("truth", sort=False)
    return {truth: (rows.iloc[0], rows.iloc[-1]) for truth, rows in ordered}
