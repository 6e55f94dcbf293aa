"""Relabellings of a structure: renamings of hidden states and of exchangeable hidden variables.

A relabelling permutes the states of each hidden variable, and exchanges hidden variables of equal
cardinality that have the same children. It changes neither the prior nor the likelihood.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
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


def relabellings(structure: Structure) -> Iterator[tuple[tuple[int, ...], tuple]]:
    """Each as the order of the hidden variables and the order of the states of each: the variable
    that takes place i, and its states that take the places of its states.
    """
    of_variables = kinds(structure)
    for variables in permutations(range(len(of_variables))):
        if [of_variables[i] for i in variables] == of_variables:
            for orders in product(*(permutations(range(k)) for k in structure.family.hidden)):
                yield variables, orders
