"""Scores of the structures of discrete networks with hidden causes, after Beal & Ghahramani
(2003).
"""

from latentdag.counts import Counts
from latentdag.data import Table, read_table
from latentdag.dimension import effective_dimension
from latentdag.estimates import estimate
from latentdag.goodness import Fit, fit
from latentdag.model import Draw, Parameters, Prior, draw_parameters, draw_study, simulate
from latentdag.ranking import Ranking, rank_structures
from latentdag.scores import METHODS, score, score_structures
from latentdag.scores.base import Score
from latentdag.structure_em import structural_em
from latentdag.structure_search import SearchResult, search
from latentdag.structures import Family, Structure, enumerate_structures

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
