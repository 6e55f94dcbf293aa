"""VBEM with point topics, and VB with a Dirichlet posterior of the topics (smoothed VB).

Both maximise a bound F over q(theta) q(z), the first at the best point phi, the second over q(phi).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, psi

from latentdag.engine.jit import compiled
from latentdag.topics.corpora import Corpus

TOLERANCE, ROUNDING = 1e-3, 1e-10  # nats of gain that end a fit; |F|'s share of loss by rounding
EMPTY = 1e-300  # tokens: fewer leave a point topic empty


@dataclass(frozen=True)
class Fit:
    """An end of VBEM or VB, for P pairs, V words and K topics."""

    bound: float  # F, nats
    topics: np.ndarray  # (V, K): phi, or the parameters of q(phi)
    q: np.ndarray  # (P, K): the probability of each topic for a token of each pair
    converged: bool


@compiled
def expected_counts(document, word, count, theta, phi, of_documents, of_words):
    """The sum over pairs of count times ln sum over k of ``theta`` (D, K) times ``phi`` (V, K).
    Adds the expected counts of each topic to ``of_documents`` (D, K) and ``of_words`` (V, K).
    """
    n_topics = theta.shape[1]
    q, total = np.empty(n_topics), 0.0
    for pair in range(len(count)):
        d, w, s = document[pair], word[pair], 0.0
        for k in range(n_topics):
            q[k] = theta[d, k] * phi[w, k]
            s += q[k]
        total += count[pair] * np.log(s)
        scale = count[pair] / s
        for k in range(n_topics):
            of_documents[d, k] += scale * q[k]
            of_words[w, k] += scale * q[k]
    return total


def divergence(parameters: np.ndarray, prior: float) -> tuple[float, np.ndarray]:
    """For Dirichlet variables x with ``parameters`` (rows, K): the sum over rows of their
    Kullback-Leibler divergence from Dirichlet(``prior``, ...), nats, and E ln x (rows, K).
    """
    n, k = parameters.shape
    total = parameters.sum(axis=1)
    logs = psi(parameters) - psi(total)[:, None]
    parts = (parameters - prior) * logs - gammaln(parameters)
    constant = n * (k * gammaln(prior) - gammaln(k * prior))
    return float(np.sum(parts) + np.sum(gammaln(total)) + constant), logs


def fit(
    corpus: Corpus, documents: np.ndarray, words: np.ndarray, alpha: float, beta: float | None,
    tolerance: float = TOLERANCE, limit: int = 1000,
) -> Fit:  # fmt: skip
    """VB (Blei, Ng & Jordan 2003, J. Mach. Learn. Res. 3, 993-1022, sec. 5.4) from expected counts
    ``documents`` (D, K) and ``words`` (V, K); with ``beta`` None, VBEM (slides eq. 29 to 31).

    Slides eq. 29, v proportional to phi (psi(gamma) - psi(sum of gamma)), leaves out the
    exponential of the digammas: in its derivation ln v is ln phi plus that difference. Here v is
    proportional to phi exp(psi(gamma) - psi(sum of gamma)). Raises ArithmeticError if F falls.
    """
    pairs, bound = (corpus.document, corpus.word, corpus.count), -np.inf
    for _ in range(limit):
        lost, logs = divergence(alpha + documents, alpha)
        theta = np.exp(logs)
        if beta is None:
            topics = phi = words / np.maximum(words.sum(axis=0), EMPTY)
        else:
            topics = beta + words
            more, logs = divergence(topics.T, beta)
            lost, phi = lost + more, np.exp(logs).T.copy()
        documents, words = np.zeros(theta.shape), np.zeros(phi.shape)
        before = bound
        bound = expected_counts(*pairs, theta, phi, documents, words) - lost
        if bound < before - ROUNDING * abs(bound):
            raise ArithmeticError(f"an iteration lowers F from {before} to {bound}")
        if bound - before < tolerance:
            break
    q = theta[corpus.document] * phi[corpus.word]
    q /= q.sum(axis=1, keepdims=True)
    return Fit(float(bound), topics, q, bool(bound - before < tolerance))
