"""Scores of the structures of discrete networks with hidden causes, after Beal & Ghahramani (2003)."""

from latentdag.model import Parameters, Prior, draw_parameters, simulate
from latentdag.scores import METHODS, Score, score
from latentdag.structures import Family, Structure, enumerate_structures

__all__ = [
    "METHODS",
    "Family",
    "Parameters",
    "Prior",
    "Score",
    "Structure",
    "draw_parameters",
    "enumerate_structures",
    "score",
    "simulate",
]
