"""The compiled kernel that EM, variational Bayes and every sampler share: `cells` has the E-step,
`functions` the exponential, the logarithm and the gamma function of vectors.
"""
