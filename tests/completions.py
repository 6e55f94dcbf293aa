"""Every way to complete a few cases by hidden states, and its probability: the sequential Monte
Carlo is held against these enumerations.
"""

from itertools import product

import numpy as np
from scipy.special import gammaln, logsumexp

from latentdag.model.parameters import parent_configuration


def completions(family, n):
    """All hidden states of ``n`` cases, (R, n, H): the last case's change fastest."""
    return np.array(list(product(np.ndindex(*family.hidden), repeat=n)))


def log_joint(structure, prior, states, cases):
    """ln p(states, cases) for every row of ``states`` (R, n, H), by the Dirichlet-multinomial
    formula.
    """

    def table(index, k, rows, alpha):
        counts = (index[:, :, None] == np.arange(rows * k)).sum(axis=1).reshape(len(index), rows, k)
        by_row = gammaln(k * alpha) - gammaln(k * alpha + counts.sum(axis=2))
        return (by_row + (gammaln(alpha + counts) - gammaln(alpha)).sum(axis=2)).sum(axis=1)

    family = structure.family
    total = np.zeros(len(states))
    for h, k in enumerate(family.hidden):
        total += table(states[:, :, h], k, 1, prior.alpha_hidden)
    for j, k in enumerate(family.observed):
        rows = int(np.prod([family.hidden[i] for i in structure.parents[j]]))
        index = parent_configuration(structure, j, states) * k + cases[:, j]
        total += table(index, k, rows, prior.alpha)
    return total


def posterior(structure, prior, cases):
    """p(states | cases) of all `completions`, (R,), and ln p(cases)."""
    logs = log_joint(structure, prior, completions(structure.family, len(cases)), cases)
    return np.exp(logs - logsumexp(logs)), logsumexp(logs)
