"""Scores of the structures of discrete networks with hidden causes, after Beal & Ghahramani
(2003).

Names are loaded when they are first used (`__init__.pyi` has them): to import the package takes no
time.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
