"""How many topics? The study's question asked of latent Dirichlet allocation.

Each of D documents has shares theta of K topics, each topic a distribution phi over V words, both
with symmetric Dirichlet priors (alpha, beta). Each token has one topic z and one word w (slides eq.
22 to 25, with the prior of the topics as in Blei, Ng & Jordan 2003, sec. 5.4). All scores are of
the tokens in their order, in nats, and are computed from counts of (document, word) pairs.

`scores` computes all of them for one corpus.
"""

METHODS = {
    "vbem": "VBEM, point topics",
    "bic": "BIC, n = documents",
    "bic_tokens": "BIC, n = tokens",
    "vb": "VB",
    "vb_collapsed": "Collapsed VB",
    "evidence": "Evidence",
}
