"""Collapsed variational Bayes: the parameters are integrated out, and q(s) alone is free.

With theta integrated out (Teh, Newman & Welling 2007, NIPS 19, for topic models) the bound is

    L(q) = E_q[ln p(s, y)] + entropy of q(s) <= ln p(y given m).

q(s) is a product over cases, joint over the hidden variables of a case, as variational Bayesian EM
has it. At the same q(s) the bound F of EM is lower, as ln B, B the multivariate beta function, is
convex in the counts and F takes it at their means (Jensen's inequality).

The files: `expectation` (L, exactly), `ascent` (its maximum, compiled) and `mixture` (the bound of
a mixture of several optima).
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, ["ascent", "mixture"], {"ascent": ["Optima"]})
