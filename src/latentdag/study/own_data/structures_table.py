"""The table of the structures, of one family or several, that a study of one's own data scores."""

from collections.abc import Iterable, Iterator

from latentdag.model.dimension import effective_dimension
from latentdag.model.structures import Structure
from latentdag.ranking.names import n_used, name, states
from latentdag.ranking.prior import class_of


def rows(structures: Iterable[Structure], several: bool) -> Iterator[dict]:
    """Rows of the table ``structures`` of own data, one for each of ``structures``; where
    ``several`` is true, they are of several families, and their names have the states of their
    causes.
    """
    for s in structures:
        yield {
            "structure": name(s, several),
            "n_links": s.n_links,
            "n_parameters": n_used(s),
            "dimension": effective_dimension(s),
            "class": name(class_of(s) if several else s.absorbed(), several),
            "hidden": states(s.family.hidden),
        }
