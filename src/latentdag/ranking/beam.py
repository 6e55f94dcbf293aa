"""Beam search over structures that are too many to enumerate.

From each start the search keeps the best structures reached so far and scores their neighbours,
until every neighbour of the best is scored. A neighbour differs by one link (added, removed, or
moved to another cause) or by one cause (two merged, one split, a new one of two observed variables,
or two with different numbers of states exchanged). Each structure is scored once, up to
relabelling, and all new ones of a round together; its score does not depend on the path of the
search and equals that of `latentdag.score`.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, takewhile
from typing import NamedTuple

import numpy as np

from latentdag.data.counts import Counts
from latentdag.engine.checks import integer
from latentdag.engine.streams import generator
from latentdag.model.structures import Family, Structure
from latentdag.ranking.prior import model_of
from latentdag.scores import score_codes
from latentdag.scores.base import Score

WIDTH, STARTS = 5, 0
# a cause with at most so many children is split in every way, 56 at most; from one with more
# children only pairs are split off
MOST_DIVIDED = 6
AT_ONCE = 64  # structures between two looks at whether to stop


class Reached(NamedTuple):
    """The structures of a family that a search scored, and the work that it took."""

    family: Family
    scores: list[Score]
    rounds: int  # of scoring


def search_families(
    codes: np.ndarray | Counts,
    families: Sequence[Family],
    method: str,
    *,
    width: int = WIDTH,
    starts: int = STARTS,
    seed: int = 0,
    stop: Callable[[], bool] | None = None,
    **settings,
) -> list[Reached]:
    """Search each of the ``families`` for the structures with the highest scores by ``method`` on
    ``codes`` (n, J). Returns a list, a `Reached` for each; of several families each model is scored
    once, and belongs to the first family that reaches it.

    From each start ``width`` structures are kept. Starts are the structure without links, the one
    with one cause of all, and ``starts`` at random, in which every observed variable has one cause.
    Once ``stop`` is true, no further structures are scored. ``settings`` are those of
    `latentdag.scores.score_codes`. Raises ValueError as that function does, and for a ``width`` or
    ``starts`` too small.
    """
    width, starts = integer("width", width, 1), integer("starts", starts, 0)
    several = len(families) > 1
    scored: dict[Structure, Score] = {}

    def score(structures: list[Structure]) -> list[Score]:
        models = [model_of(s) for s in structures] if several else structures
        new = [s for s in dict.fromkeys(models) if s not in scored]
        of_new = score_models(codes, new, method, seed=seed, stop=stop, **settings)
        scored.update(zip(new, of_new, strict=stop is None))
        return [scored[s] for s in takewhile(scored.__contains__, models)]

    reached, before = [], 0
    for family in families:
        rng = generator(integer("seed", seed, 0), "search")
        _, rounds = climb(score, beginnings(family, starts, rng), width, stop)
        reached.append(Reached(family, list(scored.values())[before:], rounds))
        before = len(scored)
    return reached


def climb(
    score: Callable[[list[Structure]], list[Score]],
    starts: Sequence[Structure],
    width: int,
    stop: Callable[[], bool] | None = None,
) -> tuple[list[Score], int]:
    """The list of scores of all structures that beams of ``width`` from ``starts`` reach, and the
    number of rounds of scoring; none follows once ``stop()`` is true, and the last may then lack
    scores at its end. ``score`` gives the scores of a list of structures in their order. Beams
    share their scores alone.
    """
    scored: dict[Structure, Score] = {}
    near: dict[Structure, dict[Structure, None]] = {}  # neighbours by structure
    # by start the structures reached, in that order, and those whose neighbours are among them
    beams = [(dict.fromkeys([s.canonical()]), set()) for s in starts]
    rounds, moved = 0, True
    while moved:
        new = list(dict.fromkeys(s for seen, _ in beams for s in seen if s not in scored))
        if new:
            scored.update(zip(new, score(new), strict=stop is None))
            rounds += 1
        if stop and stop():
            break
        moved = False
        for seen, expanded in beams:
            best = sorted(seen, key=lambda s: _worth(scored[s]), reverse=True)[:width]
            for s in (s for s in best if s not in expanded):
                if s not in near:
                    near[s] = {}
                    for n in neighbours(s):  # of many variables they are many
                        if stop and stop():
                            return list(scored.values()), rounds
                        near[s][n.canonical()] = None
                seen.update(near[s])
                expanded.add(s)
                moved = True
    return list(scored.values()), rounds


def _worth(score: Score) -> float:
    """The score as a key for sorting: a structure without one comes last."""
    return -np.inf if np.isnan(score.score) else score.score


def beginnings(family: Family, n_random: int, rng: np.random.Generator) -> list[Structure]:
    """Starts of a search in ``family``: no links, one cause of all, and ``n_random`` structures in
    which each observed variable has one random cause; without hidden variables the first alone.
    """
    observed, causes = range(len(family.observed)), len(family.hidden)
    parents = [[() for _ in observed]]
    if causes:
        parents.append([(0,) for _ in observed])
        drawn = rng.integers(causes, size=(n_random, len(observed))).tolist()
        parents += [[(i,) for i in row] for row in drawn]
    return [Structure(tuple(p), family) for p in parents]


def neighbours(structure: Structure) -> Iterator[Structure]:
    """Yields the structures of the same family that differ from ``structure`` by one link (added,
    removed, moved to another cause) or by one cause (two merged, one split, a new one of two
    variables, two exchanged). Some of them may be equal up to relabelling.
    """
    hidden, links = structure.family.hidden, [set(parents) for parents in structure.parents]
    active = sorted(set().union(*links))
    # childless causes with the same number of states are interchangeable
    idle = list({k: i for i, k in enumerate(hidden) if i not in active}.values())
    for j, causes in enumerate(links):
        for i in (*active, *idle):
            yield _replaced(structure, {j: causes ^ {i}})  # added or removed
            if i not in causes:
                yield from (_replaced(structure, {j: causes - {k} | {i}}) for k in causes)  # moved
    for i, k in combinations(active, 2):
        merged = {j: causes - {k} | {i} for j, causes in enumerate(links) if k in causes}
        yield _replaced(structure, merged)
    for i, k in combinations((*active, *idle), 2):
        if hidden[i] != hidden[k]:
            places = {i: k, k: i}
            exchanged = {j: {places.get(h, h) for h in causes} for j, causes in enumerate(links)}
            yield _replaced(structure, exchanged)
    for k in idle:
        for pair in combinations(range(len(links)), 2):  # a new cause
            yield _replaced(structure, {j: links[j] | {k} for j in pair})
        for i in active:  # split
            children = [j for j, causes in enumerate(links) if i in causes]
            most = len(children) if len(children) <= MOST_DIVIDED else 3
            for size in range(2, most):
                for part in combinations(children, size):
                    yield _replaced(structure, {j: links[j] - {i} | {k} for j in part})


def _replaced(structure: Structure, parents: dict[int, Sequence[int] | set[int]]) -> Structure:
    """The structure with these parents for some of its observed variables."""
    changed = tuple(tuple(parents.get(j, before)) for j, before in enumerate(structure.parents))
    return Structure(changed, structure.family)


def score_models(
    codes: np.ndarray | Counts,
    structures: Sequence[Structure],
    method: str,
    *,
    stop: Callable[[], bool] | None = None,
    **settings,
) -> list[Score]:
    """The scores by ``method`` of ``structures`` of several families on ``codes`` (n, J), in their
    order: those of `latentdag.scores.score_codes` with its ``settings``. ``stop`` is called after
    every `AT_ONCE` structures; once it is true, no further ones are scored, and the list is
    shorter.
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
