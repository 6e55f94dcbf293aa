"""The table of the structures, of one family or several, that a study of one's own data scores."""

from collections.abc import Iterable, Iterator, Sequence

from latentdag.model.dimension import effective_dimension
from latentdag.model.structures import Family, Structure, enumerate_structures
from latentdag.search.ranking import class_of, distinct_structures, model_of
from latentdag.study.schema.candidates import name, states


def enumerated(families: Sequence[Family]) -> list[Structure]:
    """All structures of the families, sorted by number of parameters, then name: of one family as
    they are, of several the models that they are, each once.
    """
    if len(families) == 1:
        return in_order(enumerate_structures(families[0]), False)
    return in_order((model_of(s) for new in distinct_structures(families) for s in new), True)


def n_used(structure: Structure) -> int:
    """The number of free parameters, without those of hidden variables that have no children."""
    return structure.without_childless().n_parameters


def in_order(structures: Iterable[Structure], several: bool) -> list[Structure]:
    """Structures, of one family or of ``several``, in the order of their table."""
    return sorted(structures, key=lambda s: (n_used(s), name(s, several)))


def rows(structures: Iterable[Structure], several: bool) -> Iterator[dict]:
    """The table of ``structures``, of one family or of ``several``."""
    for s in structures:
        yield {
            "structure": name(s, several),
            "n_links": s.n_links,
            "n_parameters": n_used(s),
            "dimension": effective_dimension(s),
            "class": name(class_of(s) if several else s.absorbed(), several),
            "hidden": states(s.family.hidden),
        }
