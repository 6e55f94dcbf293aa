"""The evidence by tempered sequential Monte Carlo with Hamiltonian moves, from a distribution with
a normaliser in closed form to the posterior. It shares no code with
`latentdag.inference.particles`.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__, ["estimates"], {"estimates": ["TemperedModel"]}
)
