"""Scores of structures of several families."""

from collections.abc import Callable, Sequence

import numpy as np

from latentdag.data.counts import Counts
from latentdag.model.structures import Structure
from latentdag.scores import score_codes
from latentdag.scores.base import Score

AT_ONCE = 64  # structures between two looks at whether to stop


def score_models(
    codes: np.ndarray | Counts,
    structures: Sequence[Structure],
    method: str,
    *,
    stop: Callable[[], bool] | None = None,
    **settings,
) -> list[Score]:
    """`latentdag.scores.score_codes` of ``structures`` of several families, in their order.
    ``stop`` is called after every `AT_ONCE` structures; once it is true, no further ones are
    scored.
    """
    at_once, scores = AT_ONCE if stop else len(structures), []
    for begin in range(0, len(structures), at_once or 1):
        if begin and stop and stop():
            break
        part = structures[begin : begin + at_once]
        scored: dict[Structure, Score] = {}
        for family in dict.fromkeys(s.family for s in part):
            members = [s for s in part if s.family == family]
            scores_of_family = score_codes(codes, members, method, **settings)
            scored |= zip(members, scores_of_family, strict=True)
        scores += [scored[s] for s in part]
    return scores
