"""Search among structures that are too many to be enumerated.

A beam search: of all structures that a start has led to the best few are kept, and their neighbours
scored, until the best have no neighbour that is not scored. Neighbours differ by a link (added,
removed, or led to another cause) or by a cause (two joined into one, one split in two, a new one of
two observed variables, or two of different numbers of states that change places). Every structure
is scored once, whatever its hidden variables are called, and all of a round together; a score's
restarts draw from streams of the structure's own, so that the result does not depend on the way
there, and is what `latentdag.score` gives.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from latentdag.engine.checks import integer
from latentdag.engine.streams import generator
from latentdag.model.structures import Family, Structure
from latentdag.scores import score_structures
from latentdag.scores.base import Score
from latentdag.search.ranking import Ranking, check_prior

WIDTH, STARTS = 5, 0
# children of a cause that is split in all ways, 56 at most; of one with more, two are split off
MOST_DIVIDED = 6


@dataclass(frozen=True)
class SearchResult:
    """What a search has seen."""

    ranking: Ranking  # of every structure scored, best first
    rounds: int  # in which neighbours were scored; of structural EM the longest way, in steps
    fits: int = 0  # beside those of the scores

    @property
    def best(self) -> Score:
        return self.ranking.scores[0]


def search(
    cases,
    family: Family,
    method: str = "laplace",
    *,
    width: int = WIDTH,
    starts: int = STARTS,
    prior: str = "structures",
    seed: int = 0,
    **settings,
) -> SearchResult:
    """Look for the best structures of ``family`` for ``cases`` (n, J), by any score.

    ``width`` structures are kept of each start. Starts are the structure without links, that with
    one cause of all, and ``starts`` at random, in which every observed variable has one cause.
    ``settings`` are those of `score_structures`. The posterior of the result is over the structures
    that were scored. Raises ValueError as `rank_structures` does.
    """
    check_prior(prior)
    width, starts = integer("width", width, 1), integer("starts", starts, 0)
    rng = generator(integer("seed", seed, 0), "search")

    def score(new: list[Structure]) -> list[Score]:
        return score_structures(cases, new, method, seed=seed, **settings)

    scored, rounds = climb(score, beginnings(family, starts, rng), width)
    return SearchResult(Ranking(tuple(sorted(scored, key=worth, reverse=True)), prior), rounds)


def climb(
    score: Callable[[list[Structure]], list[Score]], starts: Sequence[Structure], width: int
) -> tuple[list[Score], int]:
    """The scores of all structures that a beam of ``width`` from each of ``starts`` leads to, and
    in how many rounds they were scored.

    Beams know nothing of each other but what is scored already: with one start more none is worse.
    """
    scored: dict[Structure, Score] = {}
    near: dict[Structure, list[Structure]] = {}  # the neighbours of those expanded
    beams = [_Beam({s.canonical(): None}) for s in starts]
    rounds, moved = 0, True
    while moved:
        new = [s for s in dict.fromkeys(s for beam in beams for s in beam.seen) if s not in scored]
        if new:
            scored.update(zip(new, score(new), strict=True))
            rounds += 1
        moved = False
        for beam in beams:
            best = sorted(beam.seen, key=lambda s: worth(scored[s]), reverse=True)[:width]
            for s in (s for s in best if s not in beam.expanded):
                if s not in near:
                    near[s] = list(dict.fromkeys(n.canonical() for n in neighbours(s)))
                beam.seen.update(dict.fromkeys(near[s]))
                beam.expanded.add(s)
                moved = True
    return list(scored.values()), rounds


@dataclass
class _Beam:
    """What a start has led to."""

    seen: dict[Structure, None]  # in their order
    expanded: set[Structure] = field(default_factory=set)  # those whose neighbours are seen


def worth(score: Score) -> float:
    """The score; none is worth less than any."""
    return -np.inf if np.isnan(score.score) else score.score


def beginnings(family: Family, n_random: int, rng: np.random.Generator) -> list[Structure]:
    """The structure without links, that with one cause of all, and some with one cause of each
    observed variable, at random.
    """
    observed, causes = range(len(family.observed)), len(family.hidden)
    parents = [[() for _ in observed]]
    if causes:
        parents.append([(0,) for _ in observed])
        parents += [
            [(i,) for i in row]
            for row in rng.integers(causes, size=(n_random, len(observed))).tolist()
        ]
    return [Structure(tuple(p), family) for p in parents]


def neighbours(structure: Structure) -> Iterator[Structure]:
    """Structures one move away; some of them may be the same but for names."""
    hidden, links = structure.family.hidden, [set(parents) for parents in structure.parents]
    active = sorted(set().union(*links))
    # of idle causes with as many states one is as good as another
    idle = list({k: i for i, k in enumerate(hidden) if i not in active}.values())
    for j, own in enumerate(links):
        for i in (*active, *idle):
            yield _with(structure, {j: own ^ {i}})  # added or removed
            if i not in own:
                yield from (_with(structure, {j: own - {k} | {i}}) for k in own)  # led elsewhere
    for i, k in combinations(active, 2):
        yield _with(
            structure, {j: own - {k} | {i} for j, own in enumerate(links) if k in own}
        )  # joined
    for i, k in combinations((*active, *idle), 2):
        if hidden[i] != hidden[k]:  # change places
            places = {i: k, k: i}
            yield _with(
                structure, {j: {places.get(h, h) for h in own} for j, own in enumerate(links)}
            )
    for k in idle:
        for pair in combinations(range(len(links)), 2):  # a new cause
            yield _with(structure, {j: links[j] | {k} for j in pair})
        for i in active:  # split
            children = [j for j, own in enumerate(links) if i in own]
            most = len(children) if len(children) <= MOST_DIVIDED else 3
            for size in range(2, most):
                for part in combinations(children, size):
                    yield _with(structure, {j: links[j] - {i} | {k} for j in part})


def _with(structure: Structure, parents: dict[int, Sequence[int] | set[int]]) -> Structure:
    """The structure with other parents of some observed variables."""
    changed = tuple(tuple(parents.get(j, own)) for j, own in enumerate(structure.parents))
    return Structure(changed, structure.family)
