"""The compiled kernel that EM, variational Bayes and every sampler share.

`cells` has the E-step, `gradient` the same without the likelihood, `functions` the exponential, the
logarithm and the gamma function of vectors.
"""
