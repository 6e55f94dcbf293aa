"""Which structures the evidence of a draw is worth the effort for."""

from collections.abc import Mapping
from math import inf, isnan, log

from latentdag.scores.base import Reach

MATTERS = 1e-5  # posterior probability below which an error of the evidence changes no figure


def find_reach(
    scores: Mapping[str, float],
    true: str,
    nats: float,
    target: float,
    most_cases: int,
    evidence: Mapping[str, tuple[float, float]] | None = None,
) -> Reach:
    """The structures within reach of one data set, by name: those at most ``nats`` below the best
    score, those without one (nan), and the ``true`` one. With the ``evidence`` and its errors,
    those above the ``target`` that are true or may have more than `MATTERS` of the posterior.
    """
    best = max((s for s in scores.values() if not isnan(s)), default=-inf)
    near = (name for name, s in scores.items() if isnan(s) or s >= best - nats)
    labels = frozenset(near) | {true}
    if not evidence:
        return Reach(labels, target, most_cases)
    least = max(value for value, _ in evidence.values()) + log(MATTERS)
    found = Reach(labels, target, most_cases, least)
    settled = {
        name
        for name, (value, error) in evidence.items()
        if error <= target or (name != true and not found.may_matter(value, error))
    }
    return found._replace(labels=labels - settled)
