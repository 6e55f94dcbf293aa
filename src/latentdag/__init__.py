"""Scores of the structures of discrete networks with hidden causes, after Beal & Ghahramani
(2003).

Names are loaded when they are first used (`__init__.pyi` has them): to import the package takes no
time.
"""

import lazy_loader as lazy

from latentdag.engine.interrupts import uninterrupted

_load, __dir__, __all__ = lazy.attach_stub(__name__, __file__)


def __getattr__(name: str):
    with uninterrupted:
        return _load(name)
