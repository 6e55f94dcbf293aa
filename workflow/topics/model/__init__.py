"""How many topics? The study's question asked of latent Dirichlet allocation.

Each of D documents has shares theta of K topics, each topic a distribution phi over V words, both
with symmetric Dirichlet priors (alpha, beta). Each token has one topic z and one word w (slides eq.
22 to 25, with the prior of the topics as in Blei, Ng & Jordan 2003, sec. 5.4). All scores are of
the tokens in their order, in nats, and are computed from counts of (document, word) pairs.

This file has corpora, as counts of (document, word) pairs, and their simulation; `scores` computes
all scores of one corpus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

METHODS = {
    "vbem": "VBEM, point topics",
    "bic": "BIC, n = documents",
    "bic_tokens": "BIC, n = tokens",
    "vb": "VB",
    "vb_collapsed": "Collapsed VB",
    "evidence": "Evidence",
}
SIDE = 5  # words of the bars: the pixels of a picture of SIDE x SIDE


@dataclass(frozen=True)
class Corpus:
    """P pairs of a document and a word that occurs in it, sorted by document, then word."""

    document: np.ndarray  # (P,)
    word: np.ndarray  # (P,)
    count: np.ndarray  # (P,): how often the word occurs in the document, a float
    n_documents: int
    n_words: int

    @classmethod
    def of(cls, counts: np.ndarray) -> Corpus:
        """The corpus of ``counts`` (D, V), integers: no document is empty, and some has each word.

        >>> Corpus.of(np.array([[2, 0], [1, 3]])).count
        array([2., 1., 3.])
        """
        document, word = np.nonzero(counts)
        return cls(document, word, counts[document, word].astype(float), *counts.shape)

    def first(self, n_documents: int) -> Corpus:
        """The `Corpus` of the first ``n_documents``, with the vocabulary of all."""
        some = self.document < n_documents
        pairs = (self.document[some], self.word[some], self.count[some])
        return Corpus(*pairs, n_documents, self.n_words)


def bars() -> np.ndarray:
    """The topics of Griffiths & Steyvers (2004, PNAS 101, 5228-5235, figure 1), (10, 25): the rows
    and the columns of a picture of 5 x 5 words, each word of a bar with probability 1 / 5.
    """
    one = np.eye(SIDE) / SIDE
    return np.concatenate([np.repeat(one, SIDE, axis=1), np.tile(one, SIDE)])


def simulate(topics: np.ndarray, length: int, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """Counts (V,) of the words of a document of ``length`` tokens for ``topics`` (K, V), with topic
    shares drawn from Dirichlet(``alpha``) (slides eq. 22-24).
    """
    return rng.multinomial(length, rng.dirichlet(np.full(len(topics), alpha)) @ topics)
