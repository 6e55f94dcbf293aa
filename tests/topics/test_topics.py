"""Scores of numbers of topics, against enumeration, scikit-learn, Gibbs sampling in plain loops and
closed forms.
"""

from itertools import product
from math import log

import numpy as np
import oracles
import pytest
from scipy.special import digamma, gammaln, logsumexp, xlogy
from sklearn.decomposition import LatentDirichletAllocation
from topics.model import METHODS, Corpus, evidence, scores, simulate, variational

pytestmark = pytest.mark.slow

ALPHA, BETA = 0.7, 0.4
COUNTS = np.array([[2, 1, 0, 0], [0, 1, 2, 1], [1, 0, 1, 0]])
SETTINGS = {
    "alpha": ALPHA, "beta": BETA, "seed": 3, "restarts": 3, "start_steps": 10, "ascents": 2,
    "chains": 16, "steps": 100, "uniform_steps": 300, "small": 1000,
}  # fmt: skip


def assignments(counts, n_topics):
    """Every z of the tokens, as the counts of topics in documents and in words."""
    tokens = [(d, w) for (d, w), n in np.ndenumerate(counts) for _ in range(n)]
    for z in product(range(n_topics), repeat=len(tokens)):
        documents = np.zeros((len(counts), n_topics))
        words = np.zeros((n_topics, counts.shape[1]))
        for (d, w), k in zip(tokens, z, strict=True):
            documents[d, k] += 1
            words[k, w] += 1
        yield tokens, z, documents, words


def plain_log_joint(documents, words, alpha, beta):
    """ln p(z, w), by the product of Polya urns."""
    total = 0.0
    for table, prior in ((documents, alpha), (words, beta)):
        each, every = prior + table, prior * table.shape[1]
        total += (gammaln(each) - gammaln(prior)).sum()
        total += (gammaln(every) - gammaln(each.sum(axis=1))).sum()
    return total


def plain_evidence(counts, n_topics, alpha=ALPHA, beta=BETA):
    """By all z of all tokens."""
    return logsumexp(
        [plain_log_joint(d, w, alpha, beta) for _, _, d, w in assignments(counts, n_topics)]
    )


def start(corpus, n_topics, rng):
    q = rng.dirichlet(np.ones(n_topics), len(corpus.count)) * corpus.count[:, None]
    documents = np.zeros((corpus.n_documents, n_topics))
    words = np.zeros((corpus.n_words, n_topics))
    np.add.at(documents, corpus.document, q)
    np.add.at(words, corpus.word, q)
    return documents, words


def simulated(n_documents, n_topics=3, n_words=8, length=30, seed=0):
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.3), n_topics)
    counts = np.array([simulate(topics, length, 0.5, rng) for _ in range(n_documents)])
    return counts[:, counts.sum(axis=0) > 0]


def test_evidence_of_one_topic():
    """In closed form. Words that are in none of the documents belong to the vocabulary."""
    counts = np.column_stack([simulated(21), np.arange(21) == 20])
    corpus = Corpus.of(counts).first(20)
    totals = counts[:20].sum(axis=0)
    assert totals[-1] == 0
    expected = oracles.log_dirichlet_multinomial(totals, BETA)
    rows, _ = scores.score(corpus, 1, SETTINGS)
    for method in ("vb", "vb_collapsed", "evidence"):
        assert rows[method]["score"] == pytest.approx(expected, abs=1e-6)
    assert rows["evidence"]["standard_error"] == pytest.approx(0, abs=1e-9)
    likelihood = xlogy(totals, totals / totals.sum()).sum()
    assert rows["vbem"]["score"] == pytest.approx(likelihood, abs=1e-6)
    parameters = len(totals) - 1
    assert rows["bic"]["score"] == pytest.approx(likelihood - parameters / 2 * log(20), abs=1e-6)
    assert rows["bic_tokens"]["score"] == pytest.approx(
        likelihood - parameters / 2 * log(totals.sum()), abs=1e-6
    )
    assert list(rows) == list(METHODS)


@pytest.mark.parametrize(("by_copy", "n_topics"), [(False, 2), (False, 3), (True, 2)])
def test_annealed_evidence(by_copy, n_topics):
    """Against enumeration, from a start that knows the topics and from one that does not."""
    counts = np.array([[3, 0, 1], [0, 3, 1], [3, 0, 0]])
    counts = counts[:2] if n_topics == 3 else counts
    corpus, exact = Corpus.of(counts), plain_evidence(counts, n_topics)
    q = np.full((len(corpus.count), n_topics), 1 / n_topics)
    if by_copy:
        q[:, 0] = np.where(corpus.word == 0, 0.8, 0.3)
        q[:, 1] = 1 - q[:, 0]
    rngs = [np.random.default_rng(i) for i in range(400)]
    value, error = evidence.annealed(corpus, q, (ALPHA, BETA), 20, rngs, by_copy)
    assert 0 < error < 0.1
    assert abs(value - exact) < 4 * error


def test_annealing_of_one_token():
    """Drawn afresh at every temperature: here the path from a far q to the posterior is exact."""
    rngs = [np.random.default_rng(i) for i in range(4000)]
    corpus, q = Corpus.of(np.array([[1]])), np.array([[0.9, 0.1]])
    value, error = evidence.annealed(corpus, q, (ALPHA, BETA), 2, rngs, by_copy=False)
    assert abs(value) < 3 * error < 0.05  # of one word the evidence is 1


def test_collapsed_bound_is_exact():
    """E_q[ln p(z, w)] + entropy by the sum over all z; q is the same for all tokens of a pair."""
    corpus, n_topics = Corpus.of(COUNTS), 2
    q = np.random.default_rng(0).dirichlet(np.ones(n_topics), len(corpus.count))
    pair = {(d, w): i for i, (d, w) in enumerate(zip(corpus.document, corpus.word, strict=True))}
    total = 0.0
    for tokens, z, documents, words in assignments(COUNTS, n_topics):
        p = np.prod([q[pair[token], k] for token, k in zip(tokens, z, strict=True)])
        total += p * (plain_log_joint(documents, words, ALPHA, BETA) - log(p))
    value = variational.CollapsedBound(corpus, n_topics, ALPHA, BETA)(q)
    assert value == pytest.approx(total, abs=1e-9)


def test_collapsed_bounds_ascend_from_the_best_of_vb(monkeypatch):
    """From three of nine ends, which differ by nats. The best of each kind counts."""
    fit, fits, begun = variational.fit, [], []

    def keep(*arguments):
        fits.append(fit(*arguments))
        return fits[-1]

    def begin(corpus, q, *prior):
        begun.append(q)
        return (-9.0, -7.0, -8.0)[len(begun) - 1], q

    monkeypatch.setattr(variational, "fit", keep)
    monkeypatch.setattr(variational, "ascend", begin)
    corpus = Corpus.of(simulated(12))
    rows, best = scores.score(corpus, 4, SETTINGS | {"restarts": 9, "ascents": 3, "steps": 10})
    of_vb = sorted(fits[9:], key=lambda end: end.bound)  # the first nine are VBEM's
    assert of_vb[0].bound < of_vb[-3].bound - 1
    assert all(np.array_equal(q, end.q) for q, end in zip(begun, of_vb[-3:], strict=True))
    assert best is of_vb[-1] and rows["vb"]["score"] == best.bound
    assert rows["vb_collapsed"]["score"] == -7.0
    point, parameters = max(end.bound for end in fits[:9]), 4 * (corpus.n_words - 1)
    assert rows["vbem"]["score"] == point
    assert rows["bic"]["score"] == pytest.approx(point - parameters / 2 * log(12))


@pytest.mark.parametrize("n_topics", [2, 3])
def test_order_of_the_bounds(n_topics):
    """VB, collapsed VB from its q, and its optimum, each no lower; none above the evidence."""
    counts = COUNTS[:2] if n_topics == 3 else COUNTS
    corpus, rng = Corpus.of(counts), np.random.default_rng(4)
    exact = plain_evidence(counts, n_topics)
    for _ in range(5):
        fit = variational.fit(corpus, *start(corpus, n_topics, rng), ALPHA, BETA)
        at_fit = variational.CollapsedBound(corpus, n_topics, ALPHA, BETA)(fit.q)
        best, q = variational.ascend(corpus, fit.q, ALPHA, BETA)
        assert fit.converged and fit.bound < at_fit <= best < exact
        assert variational.CollapsedBound(corpus, n_topics, ALPHA, BETA)(q) == best
        assert best > exact - 2


def test_bound_of_scikit_learn_at_its_own_parameters():
    """Its ``score`` is the bound at its q(phi), with the best q(theta) of each document."""
    counts, n_topics = simulated(15), 3
    priors = {"doc_topic_prior": ALPHA, "topic_word_prior": BETA, "random_state": 0}
    accurate = {"max_doc_update_iter": 5000, "mean_change_tol": 1e-12}
    model = LatentDirichletAllocation(n_topics, max_iter=4, **priors, **accurate).fit(counts)
    corpus = Corpus.of(counts)
    words = model.components_.T - BETA
    gamma = np.full((corpus.n_documents, n_topics), counts.sum() / counts.size)
    _, logs = variational.divergence(model.components_, BETA)
    phi = np.exp(logs).T.copy()
    pairs = (corpus.document, corpus.word, corpus.count)
    for _ in range(5000):
        lost, logs = variational.divergence(gamma, ALPHA)
        theta, documents = np.exp(logs), np.zeros_like(gamma)
        value = variational.expected_counts(*pairs, theta, phi, documents, np.zeros_like(words))
        gamma = ALPHA + documents
    value -= lost + variational.divergence(model.components_, BETA)[0]
    assert value == pytest.approx(model.score(counts), abs=1e-6)
    one_step = variational.fit(corpus, gamma - ALPHA, words, ALPHA, BETA, limit=1)
    assert one_step.bound == pytest.approx(value, abs=1e-6) and not one_step.converged


def test_a_lower_bound_is_an_error(monkeypatch):
    """Here because the digammas are not in the exponential, as slides eq. 29 is printed."""
    corpus, rng = Corpus.of(simulated(12)), np.random.default_rng(5)

    def printed(parameters, prior):
        total = digamma(parameters.sum(axis=1, keepdims=True))
        value, logs = exact(parameters, prior)
        return value, np.log(np.abs(digamma(parameters) - total)) if prior == ALPHA else logs

    exact = variational.divergence
    monkeypatch.setattr(variational, "divergence", printed)
    with pytest.raises(ArithmeticError, match="lowers F"):
        variational.fit(corpus, *start(corpus, 3, rng), ALPHA, None)


def test_score_is_the_same_whatever_was_scored_before():
    corpus = Corpus.of(simulated(8))
    alone, _ = scores.score(corpus, 2, SETTINGS, "a", 1)
    scores.score(corpus, 3, SETTINGS, "a", 1)
    again, _ = scores.score(corpus, 2, SETTINGS, "a", 1)
    assert [row["score"] for row in alone.values()] == [row["score"] for row in again.values()]
    other, _ = scores.score(corpus, 2, SETTINGS, "a", 2)
    assert other["evidence"]["score"] != alone["evidence"]["score"]


def test_more_topics_than_words():
    with pytest.raises(ValueError, match="^n_topics is 5, but the corpus has 4 words$"):
        scores.score(Corpus.of(COUNTS), 5, SETTINGS)
