"""Structures ranked by their posterior probability, and what follows for causes and variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy  # loads scipy.optimize when it is first used

from latentdag.model.dimension import effective_dimension
from latentdag.model.structures import Family, Structure
from latentdag.ranking.names import causes_in_words, n_used, name, states
from latentdag.ranking.prior import PRIOR, causes_of, class_of, log_prior
from latentdag.ranking.probabilities import normalise, sum_by, sum_of_pairs
from latentdag.scores import SPECS
from latentdag.scores.base import Score

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 8  # structures in the text of a ranking, with these columns
FORMATS = {"probability": "{:.3g}", "score": "{:.2f}", "standard_error": "{:.2g}"}
FORMATS |= {"n_parameters": "{}"}
ENOUGH = 0.99  # of the posterior probability: what lies beyond it is not shown


@dataclass(frozen=True, repr=False)
class Ranking:
    """Scores of S structures, the most probable first; their prior, and their posterior.

    The prior is over all structures of the ``families``, scored or not, and the posterior over
    those that are scored. By a method without a posterior, such as ``map``, the best score comes
    first. Structures without a score come last.

    >>> from latentdag import Prior, Structure, draw_study, rank_structures
    >>> family = Family((2, 2), (2, 3, 2))
    >>> cases = draw_study(Structure.from_label("1-12-2", family), Prior(), n=400, seed=1).cases
    >>> ranking = rank_structures(cases, [family], "laplace")
    >>> ranking.causes().round(2)
       n_causes states  probability
    0         2    2,2         0.54
    1         1      2         0.33
    2         0   none         0.12
    """

    scores: tuple[Score, ...]
    families: tuple[Family, ...]
    prior: str  # one of `latentdag.ranking.prior.PRIORS`
    log_prior: np.ndarray = field(compare=False)  # ln p(structure) before the data, (S,)
    variables: tuple[str, ...]  # the names of the observed variables

    @classmethod
    def of(
        cls,
        scores: Iterable[Score],
        families: Sequence[Family],
        prior: str = PRIOR,
        variables: Sequence[str] | None = None,
    ) -> Ranking:
        """The ranking of ``scores`` by one method, of structures of the ``families``, under a
        ``prior`` of PRIORS; of equally good scores the first stays first. ``variables`` are the
        names of the observed variables, y1 to yJ for None. Raises ValueError for an unknown prior.
        """
        scores = list(scores)
        before = log_prior([s.structure for s in scores], families, prior)
        weights = np.array([s.score for s in scores])
        if scores and SPECS[scores[0].method].posterior:
            weights = weights + before
        order = np.argsort(-weights, kind="stable")  # nan last
        names = variables or [f"y{j + 1}" for j in range(len(families[0].observed))]
        in_order = tuple(scores[i] for i in order)
        return cls(in_order, tuple(families), prior, before[order], tuple(names))

    @property
    def method(self) -> str:
        return self.scores[0].method

    @property
    def structures(self) -> list[Structure]:
        return [s.structure for s in self.scores]

    @property
    def has_posterior(self) -> bool:
        """Whether exp(score) is a weight of the structure, up to a factor."""
        return SPECS[self.method].posterior

    @property
    def weights(self) -> np.ndarray:
        """The values by which the structures are ordered, (S,), in nats: the score with ln
        p(structure) added, or the score alone by a method without a posterior; nan without a score.
        """
        scores = np.array([s.score for s in self.scores])
        return scores + self.log_prior if self.has_posterior else scores

    @cached_property
    def probabilities(self) -> np.ndarray:
        """p(structure given the cases), (S,): nan without a score, or where the method has none."""
        return normalise(self.weights if self.has_posterior else np.full(len(self.scores), np.nan))

    @property
    def names(self) -> list[str]:
        """The names of the structures: `latentdag.ranking.names.name`."""
        return [name(s, len(self.families) > 1) for s in self.structures]

    def rows(self) -> Iterator[dict]:
        """Yields a dict by column for each structure, the best first: its name, causes in words,
        probability, score and standard error in nats, number of free parameters, dimension, class,
        prior probability, states of the hidden variables and number of links.
        """
        columns = self.scores, self.probabilities.tolist(), self.log_prior.tolist()
        for scored, probability, before in zip(*columns, strict=True):
            about = described(scored.structure, len(self.families) > 1)
            yield {
                "structure": about["structure"],
                "causes": causes_in_words(scored.structure, self.variables),
                "probability": probability,
                "score": scored.score,
                "standard_error": scored.standard_error,
                **about,
                "prior": float(np.exp(before)),
            }

    def to_frame(self) -> pd.DataFrame:
        """A DataFrame with a row for each structure, the most probable first, and the columns of
        `rows`.
        """
        import pandas as pd

        return pd.DataFrame(self.rows())

    def cause_rows(self) -> list[dict]:
        """The rows of the DataFrame `causes` as a list of dicts by column."""
        groups = (causes_of(s.absorbed()) for s in self.structures)
        sums = sum_by(groups, self.probabilities)
        return [
            {"n_causes": len(causes), "states": states(causes), "probability": float(p)}
            for causes, p in _most_probable_first(sums)
        ]

    def causes(self) -> pd.DataFrame:
        """A DataFrame with a row for each choice of numbers of states of the causes, the most
        probable first: the columns ``n_causes``, ``states`` (of each cause, as text) and
        ``probability``, nan without a posterior. A cause of one variable is absorbed in that
        variable's table, and does not count.
        """
        import pandas as pd

        return pd.DataFrame(self.cause_rows())

    def classes(self) -> pd.DataFrame:
        """A DataFrame of p(class of structures with equal distributions), the most probable first:
        the columns ``class``, a name, ``members``, how many structures of the class are scored, and
        ``probability``, nan without a posterior.
        """
        import pandas as pd

        groups = [class_name(s, len(self.families) > 1) for s in self.structures]
        sums, members = sum_by(groups, self.probabilities), Counter(groups)
        rows = [
            {"class": group, "members": members[group], "probability": float(p)}
            for group, p in _most_probable_first(sums)
        ]
        return pd.DataFrame(rows)

    def pair_rows(self) -> list[dict]:
        """The rows of the DataFrame `pairs` as a list of dicts by column."""
        p = sum_of_pairs([s.parents for s in self.structures], self.probabilities)
        sums = zip(combinations(self.variables, 2), p.tolist(), strict=True)
        return [
            {"first": first, "second": second, "probability": share}
            for (first, second), share in _most_probable_first(dict(sums))
        ]

    def pairs(self) -> pd.DataFrame:
        """A DataFrame of p(two observed variables share a cause), the most probable first: the
        columns ``first`` and ``second``, names of variables, and ``probability``, nan without a
        posterior.
        """
        import pandas as pd

        return pd.DataFrame(self.pair_rows(), columns=["first", "second", "probability"])

    def links(self) -> pd.DataFrame:
        """A DataFrame of p(link from a cause to a variable, given the causes), by the causes of
        classes, the most probable first, as in `probable_links`: the columns ``states`` (of all
        causes, as text), ``cause`` (s1, s2, ...), ``variable`` (a name) and ``probability``. No
        rows without a posterior.
        """
        import pandas as pd

        rows = [
            {
                "states": states(of.causes),
                "cause": f"s{i + 1}",
                "variable": self.variables[j],
                "probability": share,
            }
            for of in self.probable_links()
            for (i, j), share in sorted(of.shares.items())
        ]
        return pd.DataFrame(rows, columns=["states", "cause", "variable", "probability"])

    def probable_links(self) -> list[ProbableLinks]:
        """A list of `ProbableLinks`, one for each set of causes, the most probable first: the links
        that they have and how probable each is given these causes; as many sets as make up 99 % of
        the probability, none without a posterior.
        """
        structures = dict(zip(self.names, self.structures, strict=True))
        probabilities = dict(zip(structures, self.probabilities.tolist(), strict=True))
        return probable_links(probabilities, structures)

    @property
    def title(self) -> str:
        """A line of text: how many structures are ranked, by which method and prior, in which
        order.
        """
        words = f"{len(self.scores)} structures by {self.method}, "
        if not self.has_posterior:
            return words + "the best score first"
        return words + f"the most probable first (prior: uniform over {self.prior})"

    def _first(self) -> pd.DataFrame:
        """The first structures, as text, with the columns that fit on a line."""
        import pandas as pd

        first = pd.DataFrame(islice(self.rows(), SHOWN))
        text = {name: first[name].map(form.format) for name, form in FORMATS.items()}
        text = {name: values for name, values in text.items() if first[name].notna().any()}
        return first[["structure"]].assign(**text)

    def __repr__(self) -> str:
        return f"{self.title}\n{self._first().to_string(index=False)}"

    def _repr_html_(self) -> str:
        return f"<p>{self.title}</p>{self._first().to_html(index=False)}"


def described(structure: Structure, several: bool) -> dict:
    """A dict by column: what the table ``structures`` of own data says of ``structure``. Where
    structures of ``several`` families are compared, its name and its class have the states of their
    causes.
    """
    return {
        "structure": name(structure, several),
        "n_parameters": n_used(structure),
        "dimension": effective_dimension(structure),
        "class": class_name(structure, several),
        "hidden": states(structure.family.hidden),
        "n_links": structure.n_links,
    }


def class_name(structure: Structure, several: bool) -> str:
    """The name of the class of the structures with the distributions of ``structure``; where
    structures of ``several`` families are compared, with the states of its causes.
    """
    return name(class_of(structure) if several else structure.absorbed(), several)


def _most_probable_first(sums: Mapping) -> list[tuple]:
    """The items in descending order of their values, of which none or all are nan."""
    return sorted(sums.items(), key=lambda item: -np.nan_to_num(item[1]))


class ProbableLinks(NamedTuple):
    """What the structures with the same causes, once absorbed, have in common."""

    causes: tuple[int, ...]  # the numbers of states
    probability: float  # of these causes
    links: Structure  # all links of any of these structures
    shares: dict[tuple[int, int], float]  # p(link from i to j given these causes)
    best: str  # the name of the most probable of these structures
    best_probability: float
    best_parameters: int  # its free parameters, without those of childless hidden variables


def most_probable(probabilities: Sequence[float]) -> int:
    """The smallest number of the first ``probabilities``, which are in descending order, whose sum
    is at least 0.99.
    """
    before = np.concatenate([[0.0], np.cumsum(probabilities)[:-1]])
    return int((before < ENOUGH).sum())


def probable_links(
    probabilities: Mapping[str, float], structures: Mapping[str, Structure]
) -> list[ProbableLinks]:
    """A list of `ProbableLinks` by the causes of classes of equal distributions, the most probable
    first: which links they have, from the ``probabilities`` and the ``structures``, both by name;
    as many sets of causes as make up 99 % of the probability. Hidden variables of every structure
    are matched to those of the most probable one, with as many links in common as possible.
    """
    likely = [(p, n) for n, p in probabilities.items() if p > 0]
    by_causes: dict[tuple[int, ...], list[tuple[float, str, Structure]]] = {}
    for p, n in sorted(likely, key=lambda item: -item[0]):
        reduced = class_of(structures[n])
        by_causes.setdefault(reduced.family.hidden, []).append((p, n, reduced))
    ranked = []
    for causes, members in by_causes.items():
        best_probability, best, first = members[0]
        total, shares = float(np.sum([p for p, *_ in members])), {}
        for p, _, reduced in members:
            for link in _matched(reduced, first):
                shares[link] = shares.get(link, 0.0) + float(p) / total
        parents = tuple(
            tuple(i for i in range(len(causes)) if (i, j) in shares)
            for j in range(len(first.parents))
        )
        links = Structure(parents, first.family)
        of_best = best, float(best_probability), n_used(structures[best])
        ranked.append(ProbableLinks(causes, total, links, shares, *of_best))
    ranked.sort(key=lambda links: -links.probability)
    return ranked[: most_probable([links.probability for links in ranked])]


def _matched(structure: Structure, first: Structure) -> set[tuple[int, int]]:
    """The links (i, j) of a structure, its hidden variables named as those of the ``first``."""
    hidden = np.array(structure.family.hidden)
    has_link, of_first = (
        np.array([[i in parents for parents in s.parents] for i in range(len(hidden))], dtype=int)
        for s in (structure, first)
    )
    in_common = has_link @ of_first.T if len(hidden) else np.zeros((0, 0))
    # never those of another number of states
    in_common[hidden[:, None] != hidden] = -len(structure.parents) - 1
    _, renamed = scipy.optimize.linear_sum_assignment(in_common, maximize=True)
    return {(int(renamed[i]), j) for j, parents in enumerate(structure.parents) for i in parents}
