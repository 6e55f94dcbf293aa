"""Search among structures that are too many to be enumerated.

A beam search: of all structures scored so far the best few are kept, and their neighbours scored,
until the best have no neighbour that is not scored. Neighbours differ by a link (added, removed, or
led to another cause), by two causes joined into one, or by a new cause of two observed variables,
which may keep their other causes or leave one: with a single child a cause says nothing new. Every
structure is scored once, whatever its hidden variables are called; a score's restarts draw from
streams of the structure's own, so that the result does not depend on the way there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from latentdag.checks import whole
from latentdag.ranking import Ranking, check_prior
from latentdag.scores import score_structures
from latentdag.scores.base import Score
from latentdag.streams import generator
from latentdag.structures import Family, Structure


@dataclass(frozen=True)
class SearchResult:
    """What a search has seen."""

    ranking: Ranking  # of every structure scored, best first
    rounds: int  # in which neighbours were scored

    @property
    def best(self) -> Score:
        return self.ranking.scores[0]


def search(
    cases,
    family: Family,
    method: str = "laplace",
    *,
    width: int = 3,
    starts: int = 2,
    prior: str = "structures",
    seed: int = 0,
    **settings,
) -> SearchResult:
    """Look for the best structures of ``family`` for ``cases`` (n, J), by any score.

    ``width`` structures are kept. The search starts from the structure without links, that with one
    cause of all, and ``starts`` at random. ``settings`` are those of `score_structures`. The
    posterior of the result is over the structures that were scored. Raises ValueError as
    `rank_structures` does.
    """
    check_prior(prior)
    width, starts = whole("width", width, 1), whole("starts", starts, 0)
    scored: dict[Structure, Score] = {}
    expanded: set[Structure] = set()
    new = _once(_starts(family, starts, generator(whole("seed", seed, 0), "search")))
    rounds = 0
    while new:
        found = score_structures(cases, new, method, seed=seed, **settings)
        scored.update(zip(new, found, strict=True))
        rounds += 1
        ranked = sorted(scored, key=lambda s: _worth(scored[s]), reverse=True)
        frontier = [s for s in ranked[:width] if s not in expanded]
        expanded.update(frontier)
        near = _once(n for s in frontier for n in neighbours(s))
        new = [s for s in near if s not in scored]
    best_first = sorted(scored.values(), key=_worth, reverse=True)
    return SearchResult(Ranking(tuple(best_first), prior), rounds)


def _worth(score: Score) -> float:
    """The score; none is worth less than any."""
    return -np.inf if np.isnan(score.score) else score.score


def _starts(family: Family, n_random: int, rng: np.random.Generator) -> Iterator[Structure]:
    everyone = len(family.observed)
    yield Structure(((),) * everyone, family)
    if family.hidden:
        yield Structure(((0,),) * everyone, family)
    for links in rng.random((n_random, everyone, len(family.hidden))) < 0.5:
        yield Structure(tuple(tuple(np.flatnonzero(row).tolist()) for row in links), family)


def _once(structures: Iterable[Structure]) -> list[Structure]:
    """Each exchange class once, in its canonical form, in the order of the first of it."""
    first: dict[tuple, Structure] = {}
    for s in structures:
        first.setdefault(_without_names(s), s)
    return [s.canonical() for s in first.values()]


def _without_names(structure: Structure) -> tuple:
    """The same for all names of the hidden variables: their cardinalities and children, sorted.
    Cheaper than the canonical form, which tries all names.
    """
    children = [
        (k, tuple(i in parents for parents in structure.parents))
        for i, k in enumerate(structure.family.hidden)
    ]
    return tuple(sorted(children))


def neighbours(structure: Structure) -> Iterator[Structure]:
    """Structures one move away; some of them may be the same but for names."""
    links = [set(parents) for parents in structure.parents]
    causes = range(len(structure.family.hidden))
    active = sorted(set().union(*links))
    for j, own in enumerate(links):
        for i in causes:
            yield _with(structure, {j: own ^ {i}})  # added or removed
            if i in own:
                yield from (_with(structure, {j: own - {i} | {k}}) for k in causes if k not in own)
    for i, k in combinations(active, 2):  # joined
        yield _with(structure, {j: own - {k} | {i} for j, own in enumerate(links) if k in own})
    # of idle causes with as many states one is as good as another
    idle = {structure.family.hidden[k]: k for k in causes if k not in active}
    for k in idle.values():
        for pair in combinations(range(len(links)), 2):
            # a new cause beside the others, or in place of one
            yield _with(structure, {j: links[j] | {k} for j in pair})
            for i in links[pair[0]] & links[pair[1]]:
                yield _with(structure, {j: links[j] - {i} | {k} for j in pair})


def _with(structure: Structure, parents: dict[int, Sequence[int] | set[int]]) -> Structure:
    """The structure with other parents of some observed variables."""
    changed = tuple(tuple(parents.get(j, own)) for j, own in enumerate(structure.parents))
    return Structure(changed, structure.family)
