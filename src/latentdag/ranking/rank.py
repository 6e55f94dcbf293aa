"""All structures of some families, or those that a search reaches, scored and ranked."""

from collections.abc import Callable, Sequence

from latentdag.data.tables import Table, cases_of, named_table
from latentdag.model.structures import Family, Structure, enumerate_structures
from latentdag.ranking.beam import score_models, search_families
from latentdag.ranking.names import in_order
from latentdag.ranking.prior import PRIOR, check_prior, model_of
from latentdag.ranking.ranking import Ranking
from latentdag.scores import METHOD


def all_structures(families: Sequence[Family]) -> list[Structure]:
    """A list of all structures of the ``families``, by number of parameters, then name: of one
    family as they are, of several the models that they are (`latentdag.ranking.prior.model_of`),
    each once.
    """
    if len(families) == 1:
        return in_order(enumerate_structures(families[0]), False)
    models = dict.fromkeys(model_of(s) for f in families for s in enumerate_structures(f))
    return in_order(models, True)


def rank_structures(
    cases,
    families: Sequence[Family],
    method: str = METHOD,
    *,
    prior: str = PRIOR,
    search: int | None = None,
    stop: Callable[[], bool] | None = None,
    **settings,
) -> Ranking:
    """The `Ranking` of the structures of the ``families`` together, by their scores on ``cases``
    (n, J).

    All structures are scored, or with ``search`` those that beams of this width reach from the
    starts of `latentdag.ranking.beam.search_families`, ``starts`` of them at random. ``prior`` is
    one of PRIORS: equally probable are structures, or families (the hidden variables that have
    children, by their numbers of states), or classes of structures that describe the same
    distributions; within a family or class its structures are. The prior is over all structures of
    the families, whichever are scored. ``stop`` is called between parts of the work; once it is
    true, no further structures are scored. ``settings`` are those of `score_structures`. Raises
    ValueError for families that differ in their observed variables, for an unknown prior, and as
    `score_structures` does.

    >>> from latentdag import Prior, Structure, draw_study
    >>> family = Family((2, 2), (2, 3, 2))
    >>> truth = Structure.from_label("1-12-2", family)
    >>> cases = draw_study(truth, Prior(), n=400, seed=1).cases
    >>> ranking = rank_structures(cases, [family], "laplace")
    >>> len(ranking.scores), ranking.scores[0].structure.label
    (36, '12-0-12')
    >>> len(rank_structures(cases, [family], "laplace", search=1).scores)
    24
    """
    check_prior(prior)
    if isinstance(families, Family):
        raise ValueError(f"families must be a sequence of Family, got {families}")
    families = list(dict.fromkeys(families))
    if len({family.observed for family in families}) != 1:
        raise ValueError("families must be one or more with the same observed variables")
    cases = named_table(cases)
    codes = cases_of(cases, families[0])
    only_used = isinstance(cases, Table)
    if search is None:
        scores = score_models(
            codes, all_structures(families), method, stop=stop, only_used=only_used, **settings
        )
    else:
        reached = search_families(
            codes, families, method, width=search, stop=stop, only_used=only_used, **settings
        )
        scores = [score for of_family in reached for score in of_family.scores]
    return Ranking.of(scores, families, prior, getattr(cases, "names", None))
