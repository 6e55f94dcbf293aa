"""Relabellings of a structure: renamings of hidden states and of exchangeable hidden variables.

A relabelling permutes the states of each hidden variable, and exchanges hidden variables of equal
cardinality that have the same children. It changes neither the prior nor the likelihood.
"""

from collections import Counter
from math import factorial, prod

from latentdag.model.structures import Structure

# cardinality of a hidden variable, and for each observed variable whether it is its child
Kind = tuple[int, tuple[bool, ...]]


def kinds(structure: Structure) -> list[Kind]:
    """The kind of each hidden variable: variables of one kind can be exchanged."""
    return [
        (cardinality, tuple(i in parents for parents in structure.parents))
        for i, cardinality in enumerate(structure.family.hidden)
    ]


def n_relabellings(structure: Structure) -> int:
    """The number of relabellings: state permutations times exchanges of hidden variables."""
    orders = prod(factorial(cardinality) for cardinality in structure.family.hidden)
    return orders * prod(factorial(number) for number in Counter(kinds(structure)).values())
