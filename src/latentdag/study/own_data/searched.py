"""The structures that a search finds, for a study of one's own data that has too many for all."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from latentdag.data.counts import Counts
from latentdag.model.structures import Family, Structure
from latentdag.ranking.beam import search_families
from latentdag.ranking.names import in_order, states
from latentdag.ranking.ranking import Ranking

SHARE = 0.999  # of the posterior probability among the structures scored, which those kept hold


def searched(
    codes: np.ndarray | Counts,
    families: Sequence[Family],
    prior: str,
    method: str,
    keep: int,
    **settings,
) -> tuple[list[Structure], list[dict]]:
    """A list of the best structures that searches of the ``families`` reach for the cases
    ``codes``, (n, J) or `Counts`, in the order of their table: as many as hold `SHARE` of the
    posterior probability, ``keep`` at most; and the rows, dicts, of the table `search`. ``method``
    and ``settings`` are those of `latentdag.ranking.beam.search_families`; the ``prior``, one of
    `latentdag.ranking.prior.PRIORS`, is over all structures, scored or not.
    """
    reached = search_families(codes, families, method, only_used=True, **settings)
    ranking = Ranking.of((s for of in reached for s in of.scores), families, prior)
    probability = np.nan_to_num(ranking.probabilities)
    enough = 1 + int(np.searchsorted(np.cumsum(probability), SHARE))
    kept = dict(zip(ranking.structures[: min(enough, keep)], probability.tolist(), strict=False))
    table = []
    for family, scores, rounds in reached:
        kept_of_family = [s.structure for s in scores if s.structure in kept]
        table.append(
            {
                "hidden": states(family.hidden),
                "method": method,
                "rounds": rounds,
                "scored": len(scores),
                "kept": len(kept_of_family),
                "probability": float(sum(kept[s] for s in kept_of_family)),
            }
        )
    return in_order(kept, len(families) > 1), table


def totals(search: pd.DataFrame) -> tuple[int, int, float]:
    """From the table ``search``, over all searches: how many structures were scored, how many were
    kept, and the posterior probability of those kept.
    """
    return search["scored"].sum(), search["kept"].sum(), search["probability"].sum()
