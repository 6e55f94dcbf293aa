"""Fits, bounds and samplers of the evidence of a structure.

`em` has EM and variational Bayesian EM, `ais` annealed importance sampling, `particles` sequential
Monte Carlo over the cases, `tempered` sequential Monte Carlo over temperatures. `slots` lays the
parameters out for all of them, `relabellings` counts the symmetries of a structure and of a mode.

Modules are loaded when they are first used, here and in the folders: numba takes long to load.
"""

import lazy_loader as lazy

MOST_FACTORS = 64  # weights of a cell whose product is formed as it is; that of more is scaled
__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    ["ais", "tempered", "collapsed", "em", "particles", "relabellings", "slots"],
    {"slots": ["Batch", "Kernel"]},
)
