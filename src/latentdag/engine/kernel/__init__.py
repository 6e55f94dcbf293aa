"""The compiled kernel that EM, variational Bayes and every sampler share.

The files: `slots` (where the parameters of a structure stand), `cells` (the E-step), `functions`
(exp, ln and the like), `vector` (numbers side by side in one register). Importing any but `slots`
imports numba, which takes a second: this file imports nothing.
"""
