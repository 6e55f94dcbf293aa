"""VBEM with point topics, VB with a Dirichlet posterior of the topics (smoothed VB), collapsed VB.

The first two maximise a bound F over q(theta) q(z), VBEM at the best point phi, VB over q(phi).

For collapsed VB theta and phi are integrated out, and q(z) alone is free (slides eq. 48). q(z) is
the same for all tokens of a pair. Its bound is the exact one of
`latentdag.inference.collapsed.expectation`: a pair is a cell there, its topic a hidden state, which
picks a parameter from a table of its document's topics and one from a table of its topic's words.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, psi

from latentdag.engine.jit import compiled
from latentdag.engine.special import log_gamma_ratio
from latentdag.inference.collapsed.expectation import Bound, CompletedCells
from topics.model import Corpus

TOLERANCE, ROUNDING = 1e-3, 1e-10  # nats of gain that end a fit; |F|'s share of loss by rounding
EMPTY = 1e-300  # tokens: fewer leave a point topic empty
SWEEPS, ROUNDS, GAIN = 10, 30, 1e-2  # a round of sweeps that gains fewer nats is the last
LEAST = 1e-300  # a smaller probability counts as this in the entropy: its part is 0 either way


@dataclass(frozen=True)
class Fit:
    """An end of VBEM or VB, for P pairs, V words and K topics."""

    bound: float  # F, nats
    topics: np.ndarray  # (V, K): phi, or the parameters of q(phi)
    q: np.ndarray  # (P, K): the probability of each topic for a token of each pair
    converged: bool


@compiled
def expected_counts(document, word, count, theta, phi, of_documents, of_words):
    """The sum over pairs of ``count`` times ln sum over k of ``theta`` (D, K) times ``phi`` (V, K),
    in nats; ``document``, ``word`` and ``count`` (P,) are those of a `Corpus`. Adds the expected
    counts of each topic to ``of_documents`` (D, K) and ``of_words`` (V, K).
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
    """The `Fit` by VB (Blei, Ng & Jordan 2003, J. Mach. Learn. Res. 3, 993-1022, sec. 5.4) from
    expected counts ``documents`` (D, K) and ``words`` (V, K); with ``beta`` None, by VBEM (slides
    eq. 29 to 31). It ends with a gain below ``tolerance`` nats, or after ``limit`` iterations.

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


class CollapsedBound:
    """L(q) = E_q[ln p(z, w)] + entropy of q(z), exactly, in nats."""

    def __init__(self, corpus: Corpus, n_topics: int, alpha: float, beta: float):
        states, v, k, self.count = np.arange(n_topics), corpus.n_words, n_topics, corpus.count
        cells = CompletedCells(
            counts=corpus.count,
            offset=np.stack([corpus.word, k * corpus.document], axis=1),
            group=np.stack([states, states]),
            groups=np.array([k, k]),
            first=np.stack([v * states, v * k + states]),
            hidden=np.array([False, True]),
            row_first=v * np.arange(k + 1),
        )
        prior = np.append(np.full(v * k, beta), np.full(k * corpus.n_documents, alpha))
        self._bound = Bound(cells, prior)
        # `Bound` takes the second table for one row over all tokens; here each document has its own
        totals = np.append(np.bincount(corpus.document, corpus.count), corpus.count.sum())
        one = log_gamma_ratio(np.full(len(totals), k * alpha), totals)
        self._constant = float(one[-1] - one[:-1].sum())

    def __call__(self, q: np.ndarray) -> float:
        """L in nats for ``q`` (P, K), the probability of each topic for a token of each pair."""
        entropy = -np.sum(self.count[:, None] * q * np.log(np.maximum(q, LEAST)))
        return self._bound.expected_log_joint(q) + self._constant + float(entropy)


@compiled
def factor(a, mean, variance):
    """About E ln(a + N) - ln(a + ``mean``) for a sum N of independent Bernoullis with this ``mean``
    and ``variance``: right to first order in the mean where that is small (N is about Poisson),
    else in the variance.
    """
    x = a + mean
    return variance * (np.log1p(1.0 / x) - 1.0 / x)


@compiled
def sweep(document, word, count, q, alpha, beta, n_documents, n_words, sweeps):
    """Update ``q`` (P, K) in place, pair by pair, ``sweeps`` times; ``document``, ``word`` and
    ``count`` (P,) are those of a `Corpus`. ln q(k) is E ln(alpha + N_dk) + E ln(beta + N_kw)
    - E ln(V beta + N_k) without the token itself (Teh, Newman & Welling 2007, NIPS 19, eq. 15).
    """
    n_topics, last = q.shape[1], n_documents + n_words
    mean, variance = np.zeros((2, last + 1, n_topics))  # of N_dk, N_kw and N_k
    for pair in range(len(count)):
        for row in (document[pair], n_documents + word[pair], last):
            mean[row] += count[pair] * q[pair]
            variance[row] += count[pair] * (q[pair] - q[pair] * q[pair])
    new = np.empty(n_topics)
    for _ in range(sweeps):
        for pair in range(len(count)):
            d, w, total = document[pair], n_documents + word[pair], 0.0
            for k in range(n_topics):
                p = q[pair, k]
                v = p - p * p
                md, mw, mk = mean[d, k] - p, mean[w, k] - p, mean[last, k] - p
                exponent = factor(alpha, md, variance[d, k] - v)
                exponent += factor(beta, mw, variance[w, k] - v)
                exponent -= factor(n_words * beta, mk, variance[last, k] - v)
                new[k] = (alpha + md) * (beta + mw) / (n_words * beta + mk) * np.exp(exponent)
                total += new[k]
            for k in range(n_topics):
                p, r = q[pair, k], new[k] / total
                by, more = count[pair] * (r - p), count[pair] * (r - r * r - p + p * p)
                for row in (d, w, last):
                    mean[row, k] += by
                    variance[row, k] += more
                q[pair, k] = r


def ascend(corpus: Corpus, q: np.ndarray, alpha: float, beta: float) -> tuple[float, np.ndarray]:
    """The bound L, in nats, and q (P, K) at the end of an ascent from ``q`` (P, K): a round of
    sweeps is kept only if L, which is computed exactly, is higher after it.
    """
    bound = CollapsedBound(corpus, q.shape[1], alpha, beta)
    pairs, best, kept = (corpus.document, corpus.word, corpus.count), bound(q), q
    for _ in range(ROUNDS):
        tried = kept.copy()
        sweep(*pairs, tried, alpha, beta, corpus.n_documents, corpus.n_words, SWEEPS)
        value = bound(tried)
        gain = value - best
        if gain > 0:
            best, kept = value, tried
        if gain < GAIN:
            break
    return best, kept
