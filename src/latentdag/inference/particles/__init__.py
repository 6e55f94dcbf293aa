"""Sequential Monte Carlo over the cases: the reference evidence, and an upper bound on it.

The parameters are integrated out (Dirichlet-multinomial). A particle holds the hidden states of the
cases seen so far, and their counts. A run adds the cases one by one. Case i multiplies the weight
of a particle by p(y_i | its past), the sum over joint hidden states of

    product over hidden variables h of     (n_h + alpha_hidden) / (n + K_h alpha_hidden)
    times that over observed variables j   (n_jry + alpha) / (n_jr + K_j alpha),

and its hidden states are drawn from their exact conditional (Liu & Chen 1998, J. Am. Stat. Assoc.
93, 1032-1044). n counts the earlier cases, n_h those with the same state of h, n_jr those whose
parents of j are in the same joint state r, n_jry those that share the value of j too.

At rejuvenation times the particles are resampled, if their effective sample size is low, and each
is moved by a sweep of collapsed Gibbs sampling, which leaves p(hidden states | cases so far) as it
is (Chopin 2002, Biometrika 89, 539-552). The product of the mean weights is an unbiased estimate of
the evidence, for any number of particles (Del Moral 2004, Feynman-Kac Formulae), because times and
moves are fixed in advance and whether to resample depends on the past of the run only.

The files: `evidence` (runs side by side, estimates as exact as is asked for, and the upper bound),
`model` (what the compiled loops read), `loops` (compiled).
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__, ["evidence", "model"], {"evidence": ["LogEvidence"]}
)
