"""Which score to trust: one order for the library, the command and all tables, and the choice of a
method by the size of the work.

`ORDER` is that of the mean absolute error and of the Brier score over the draws of `make draws`
(`draws-of-the-paper/population.csv` in `results/published`); other scores stand by their distance
from the evidence on draw 0 (`study/posterior.csv`). AIS stands below the corrected scores, as its
chains are too short for many cases; VB with empirical Bayes is last, as it scores under another
prior; the reference stands before the exact evidence, which is known of a few cases alone.
"""

from collections.abc import Iterable, Sequence
from math import log, prod

from latentdag.data.counts import Counts
from latentdag.engine.checks import integer
from latentdag.inference import tempered
from latentdag.inference.relabellings import n_relabellings
from latentdag.model.structures import Family, Structure
from latentdag.ranking.prior import number_of_structures
from latentdag.scores import SPECS, refuse
from latentdag.scores.base import Side, Task

ORDER = (
    *("reference", "exact", "tempered_smc", "cs_lr", "laplace", "vb_lr", "ais"),
    *("ais_long", "ais_rows", "ais_single"),
    *("vb_mix", "vb_collapsed", "vb", "vb_mf", "vb_online", "cs_dim", "cs"),
    *("bic_dim", "bic_ml", "bic", "vb_eb"),
)
# what is chosen unasked: the evidence where the work allows it, else the most trusted approximation
# that the literature has; BIC never
AUTOMATIC = ("exact", "reference", "tempered_smc", "laplace", "vb")
FEW_COMPLETIONS = 2**20  # of the hidden states of all cases, which `exact` enumerates
MUCH = 1_000_000  # units of work: about a minute on one core
# units of tempered SMC for each pattern and joint state of the causes, and for each structure
OF_PATTERN, OF_TEMPERED = 8, 20_000


def trust(method: str) -> tuple[int, int, int]:
    """A key for sorting methods, three integers, of the ``method`` of this name: the most trusted
    comes last, ones that `ORDER` lacks stand first.
    """
    if method in ORDER:
        return 1, -ORDER.index(method), 0
    spec = SPECS[method]
    return 0, list(Side).index(spec.side), spec.place


def most_trusted(methods: Iterable[str]) -> str:
    """The name of the most trusted of some ``methods``, names of scores.

    >>> most_trusted(["bic", "cs", "vb", "laplace"])
    'laplace'
    """
    return max(methods, key=trust)


def choose(
    counts: Counts, families: Sequence[Family], n_structures: int
) -> tuple[str, dict[str, str]]:
    """The most trusted method of `AUTOMATIC` whose work is not too large for ``n_structures`` of
    the ``families``, counted alike on every machine: cases, or patterns of them, times joint states
    of the causes times observed variables, times structures; and in words, by method, why each more
    trusted one was not chosen.
    """
    largest = max(families, key=lambda family: prod(family.hidden))
    states = prod(largest.hidden)
    each = states * len(largest.observed) * n_structures
    everyone = Structure((tuple(range(len(largest.hidden))),) * len(largest.observed), largest)
    is_too_much = {
        "exact": counts.n * log(states) > log(FEW_COMPLETIONS),
        "reference": counts.n * each > MUCH,
        "tempered_smc": len(counts.patterns) * each * OF_PATTERN + n_structures * OF_TEMPERED > MUCH
        or n_relabellings(everyone) > tempered.estimates.MOST_RELABELLINGS,
    }
    why_not = {}
    for method in AUTOMATIC:
        if counts.n > SPECS[method].job.most_cases:
            why_not[method] = "is not done for as many cases"
        elif is_too_much.get(method):
            why_not[method] = "is too much work"
        else:
            try:
                refuse(Task([everyone], counts), [method])
                break
            except ValueError:
                why_not[method] = "is not done for as many variables"
    return method, why_not


def likely_scored(families: Sequence[Family], search: int | None) -> int:
    """How many structures the ``families`` have if ``search`` is None; else about how many of them
    beam searches of the width ``search`` score (`results/published/experiments/searches.csv`).
    Raises ValueError for a width below 1.
    """
    if search is None:
        return number_of_structures(families)
    width = integer("width", search, 1)
    return sum(
        min(width * len(f.hidden) * len(f.observed) ** 3 // 4 + 1, number_of_structures([f]))
        for f in families
    )
