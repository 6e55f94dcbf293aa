"""All mutants: mistakes that a careless hand might make, which the tests must see."""

from library import LIBRARY
from numerics import NUMERICS

MUTANTS = (*LIBRARY, *NUMERICS)
