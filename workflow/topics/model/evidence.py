"""The ln evidence of a number of topics: theta, phi and z are integrated out.

`annealed` averages the importance weights of chains (Neal 2001, Stat. Comput. 11, 125-139) from a
q(z) of independent tokens, whose density is known, to the posterior. Two starts serve:

- the uniform q. It treats all K! relabellings of the topics alike.
- the q of collapsed VB, from which the way is short. Its chains stay near one of K! relabelled
  copies of the posterior. So only chains count that end there, K! times: those of whose topics no
  relabelling is nearer to the topics of q, a property of 1 / K! of the posterior by symmetry. If
  fewer than half of the chains end there, all count once.

Each of these three means is unbiased. The logarithm of an unbiased estimate is more than c nats too
high with a probability of at most exp(-c), by Markov's inequality, and may be far too low. So if
both starts are tried the larger estimate counts: it is too high by c with at most 3 exp(-c).
"""

from math import lgamma, log

import numpy as np
import scipy  # loads scipy.optimize when it is first used: that takes half a second

from latentdag.engine.jit import compiled
from latentdag.engine.log_mean import log_mean_exp
from topics.model import Corpus

LEAST_SHARE = 0.5  # of chains that end near the copy in which they start


@compiled
def power_of(table, base, n, exponent):
    """(``base`` + ``n``)^``exponent``, kept in ``table[n]``, an array in which 0 stands for what
    was not computed yet.
    """
    if table[n] == 0.0:
        table[n] = (base + n) ** exponent
    return table[n]


@compiled
def chain(document, word, pair, q, alpha, beta, steps, rng, documents, words):
    """One chain from ``q`` (P, K) to the posterior: its ln importance weight, nats. The counts of
    tokens by topic at its end go to ``documents`` (D, K) and ``words`` (V, K), which are 0 before.

    ``document``, ``word`` and ``pair`` (N,) are of tokens: the numbers of their document, word and
    pair. At ``steps`` + 1 inverse temperatures t from 0 to 1, each token's topic is drawn from
    q^(1 - t) p(z, w)^t given all others; at t = 0 this is a draw from q, at t = 1 eq. 5 of
    Griffiths & Steyvers (2004, PNAS 101, 5228-5235).
    """
    n_tokens, (n_documents, n_topics), n_words = len(word), documents.shape, len(words)
    z = np.zeros(n_tokens, np.int64)
    totals = np.zeros(n_topics, np.int64)
    for i in range(n_tokens):
        documents[document[i], 0] += 1
        words[word[i], 0] += 1
    totals[0] = n_tokens
    # ln Gamma(a + n) - ln Gamma(a), and (a + n)^t
    prior = np.array([alpha, beta, n_words * beta, n_topics * alpha])
    rising, power = np.zeros((4, n_tokens + 1)), np.empty((3, n_tokens + 1))
    for n in range(n_tokens):
        rising[:, n + 1] = rising[:, n] + np.log(n + prior)
    constant = -rising[3][documents[:, 0]].sum()
    log_q = np.log(q)
    tempered, step = q.copy(), np.exp(-log_q / steps)  # q^(1 - t), and from one t to the next
    of_documents, of_words = np.empty(documents.shape), np.empty(words.shape)
    of_totals, cumulated, log_weight = np.empty(n_topics), np.empty(n_topics), 0.0
    for number in range(steps + 1):
        t, energy = number / steps, constant  # ln p(z, w) - ln q(z)
        power[:] = 0.0
        for k in range(n_topics):
            energy -= rising[2, totals[k]]
            of_totals[k] = power_of(power[2], n_words * beta, totals[k], -t)
            for d in range(n_documents):
                energy += rising[0, documents[d, k]]
                of_documents[d, k] = power_of(power[0], alpha, documents[d, k], t)
            for w in range(n_words):
                energy += rising[1, words[w, k]]
                of_words[w, k] = power_of(power[1], beta, words[w, k], t)
        if number > 0:
            tempered *= step
            for i in range(n_tokens):
                energy -= log_q[pair[i], z[i]]
            log_weight += energy / steps
        for i in range(n_tokens):
            k, s, d, w, p = z[i], 0.0, document[i], word[i], pair[i]
            for change in (-1, 1):
                documents[d, k] += change
                words[w, k] += change
                totals[k] += change
                of_documents[d, k] = power_of(power[0], alpha, documents[d, k], t)
                of_words[w, k] = power_of(power[1], beta, words[w, k], t)
                of_totals[k] = power_of(power[2], n_words * beta, totals[k], -t)
                if change == 1:
                    break
                for j in range(n_topics):
                    s += of_documents[d, j] * of_words[w, j] * of_totals[j] * tempered[p, j]
                    cumulated[j] = s
                uniform, k = rng.random() * s, 0
                while k < n_topics - 1 and cumulated[k] <= uniform:
                    k += 1
            z[i] = k
    return log_weight


def run_chain(
    corpus: Corpus, q: np.ndarray, prior: tuple[float, float], steps: int, rng: np.random.Generator
) -> tuple[float, np.ndarray, np.ndarray]:
    """One chain of ``steps`` changes of temperature from ``q`` (P, K) to the posterior of the
    tokens' topics, for the ``prior`` (alpha, beta): its ln importance weight, in nats, and the
    counts of tokens by topic at its end, of documents (D, K) and of words (V, K).
    """
    pair = np.repeat(np.arange(len(corpus.count)), corpus.count.astype(int))
    tokens = (corpus.document[pair], corpus.word[pair], pair)
    documents, words = (
        np.zeros((n, q.shape[1]), dtype=int) for n in (corpus.n_documents, corpus.n_words)
    )
    return chain(*tokens, q, *prior, steps, rng, documents, words), documents, words


def annealed(
    corpus: Corpus, q: np.ndarray, prior: tuple[float, float], steps: int, rngs: list, by_copy: bool
) -> tuple[float, float]:
    """The ln evidence and its standard error, nats, from a chain of ``steps`` changes of
    temperature from ``q`` (P, K) for each of ``rngs``, for the ``prior`` (alpha, beta). With
    ``by_copy`` only chains that end in their copy count, K! times, if these are at least half.
    """
    n_topics, at_home, beta = q.shape[1], [], prior[1]
    near = np.full((corpus.n_words, n_topics), beta)
    np.add.at(near, corpus.word, q * corpus.count[:, None])
    log_near = np.log(near / near.sum(axis=0))
    weights = np.empty(len(rngs))
    for i, rng in enumerate(rngs):
        weights[i], _, words = run_chain(corpus, q, prior, steps, rng)
        drawn = np.array([rng.dirichlet(beta + counts) for counts in words.T])  # no two alike
        _, nearest = scipy.optimize.linear_sum_assignment(drawn @ log_near, maximize=True)
        at_home.append(np.all(nearest == np.arange(n_topics)))
    share = np.mean(at_home)
    if not by_copy or share < LEAST_SHARE:
        return log_mean_exp(weights)
    value, error = log_mean_exp(weights[at_home])
    error = float(np.hypot(error, np.sqrt((1 / share - 1) / len(rngs))))
    return value + log(share) + lgamma(n_topics + 1), error
