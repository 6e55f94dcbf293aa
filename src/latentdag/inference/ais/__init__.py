"""Annealed importance sampling: `annealing` tunes and runs chains, `walk` is their step."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__, ["annealing"], {"annealing": ["Chains", "Tuning"]}
)
