"""All scores of some numbers of topics for one corpus."""

from collections.abc import Mapping
from math import log, nan

import numpy as np

from latentdag.engine.checks import integer
from latentdag.engine.streams import generator
from topics.model import Corpus, evidence, variational

MIXED = 1e-2  # of the uniform q, so that no topic of a token is out of a chain's reach


def score(
    corpus: Corpus, n_topics: int, settings: Mapping, *key
) -> tuple[dict[str, dict], variational.Fit]:
    """A pair. First the scores of ``n_topics`` topics, K, for a corpus, by method: the ``score``
    and its ``standard_error`` (nats, nan if it has none), and whether its fits ``converged``; then
    the best `Fit` of VB.

    ``settings`` has alpha, beta, the seed, and `work` as ``workflow/topics/settings.yaml`` explains
    it; ``key`` names the random streams. Raises ValueError if K is above V. BIC takes the bound of
    VBEM for the maximum of the ln likelihood, which cannot be computed, and K (V - 1) parameters;
    its number of cases is that of the documents, or that of the tokens.
    """
    alpha, beta, k = settings["alpha"], settings["beta"], integer("n_topics", n_topics, 1)
    if k > corpus.n_words:
        raise ValueError(f"n_topics is {k}, but the corpus has {corpus.n_words} words")
    prior, uniform = (alpha, beta), np.full((len(corpus.count), k), 1 / k)

    def streams(purpose: str, number: int) -> list[np.random.Generator]:
        return [generator(settings["seed"], purpose, *key, k, i) for i in range(number)]

    starts = [
        evidence.run_chain(corpus, uniform, prior, settings["start_steps"], rng)[1:]
        for rng in streams("start", settings["restarts"])
    ]
    points = [variational.fit(corpus, d, beta + w, alpha, None) for d, w in starts]
    fits = [variational.fit(corpus, *start, *prior) for start in starts]
    fits.sort(key=lambda fit: fit.bound)
    ascents = [variational.ascend(corpus, fit.q, *prior) for fit in fits[-settings["ascents"] :]]
    bound, q = max(ascents, key=lambda end: end[0])

    n_tokens, point = corpus.count.sum(), max(fit.bound for fit in points)
    penalty = k * (corpus.n_words - 1) / 2
    rows = {
        "vbem": _row(point, points),
        "bic": _row(point - penalty * log(corpus.n_documents), points),
        "bic_tokens": _row(point - penalty * log(n_tokens), points),
        "vb": _row(fits[-1].bound, fits),
        "vb_collapsed": _row(bound, fits),
    }
    if k == 1:  # q(z) is the posterior, and the collapsed bound the evidence
        rows["evidence"] = _row(bound, [], 0.0)
        return rows, fits[-1]
    chains = [(q, "from the bound", settings["steps"], True)]
    if n_tokens <= settings["small"]:
        chains += [(uniform, "from uniform", settings["uniform_steps"], False)]
    estimates = []
    for start, purpose, steps, by_copy in chains:
        rngs, reach = streams(purpose, settings["chains"]), (1 - MIXED) * start + MIXED / k
        estimates.append(evidence.annealed(corpus, reach, prior, steps, rngs, by_copy))
    rows["evidence"] = _row(max(estimates)[0], [], max(estimates)[1])
    return rows, fits[-1]


def _row(value: float, fits: list[variational.Fit], error: float = nan) -> dict:
    converged = all(fit.converged for fit in fits) if fits else None
    return {"score": value, "standard_error": error, "converged": converged}
