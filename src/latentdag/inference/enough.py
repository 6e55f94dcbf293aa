"""How many particles lead to an error that was asked for."""

import math

from latentdag.engine.simd import WIDE

SHARE = 0.75  # of the target: the standard error that the spread of first runs is to lead to


def enough_particles(particles: int, variance: float, runs: int, target: float) -> int:
    """How many particles, never fewer than ``particles``, lead in ``runs`` runs to a standard error
    of SHARE times ``target``, in nats, if with these ln of an estimate has this ``variance``.

    It falls as one over their number (Del Moral 2004). The mean of as many log-normal estimates has
    a relative variance of (exp(variance) - 1) / runs.
    """
    wanted = math.log1p(runs * (SHARE * target) ** 2)
    vectors = math.ceil(particles * max(variance / wanted, 1.0) / WIDE)
    return vectors * WIDE  # a vector that is not full costs as much
