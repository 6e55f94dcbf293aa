"""Scores of the structures of discrete networks with hidden causes, after Beal & Ghahramani
(2003).
"""

from latentdag.analysis.estimates import estimate
from latentdag.analysis.fit import Fit, fit
from latentdag.data.counts import Counts
from latentdag.data.tables import Table, read_table
from latentdag.model.dimension import effective_dimension
from latentdag.model.parameters import (
    Draw,
    Parameters,
    Prior,
    draw_parameters,
    draw_study,
    simulate,
)
from latentdag.model.structures import Family, Structure, enumerate_structures
from latentdag.scores import METHODS, score, score_structures
from latentdag.scores.base import Score
from latentdag.search.beam import SearchResult, search
from latentdag.search.ranking import Ranking, rank_structures
from latentdag.search.structural_em import structural_em

__all__ = [
    "METHODS",
    "Counts",
    "Draw",
    "Family",
    "Fit",
    "Parameters",
    "Prior",
    "Ranking",
    "Score",
    "SearchResult",
    "Structure",
    "Table",
    "draw_parameters",
    "draw_study",
    "effective_dimension",
    "enumerate_structures",
    "estimate",
    "fit",
    "rank_structures",
    "read_table",
    "score",
    "score_structures",
    "search",
    "simulate",
    "structural_em",
]
