"""What is fixed before a run: the order of its cases, its times, its numbers of particles."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

# sizes at which a path may report: part of the method, since the order of the cases follows from
# them
GRID = (10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280, 2560)
GROWTH = 1.1  # ratio of successive rejuvenation times
FULL = 640  # cases up to which all particles are kept
GOLDEN = (5**0.5 - 1) / 2


def order(cases: np.ndarray, stops: Sequence[int]) -> np.ndarray:
    """Which of the ``cases`` (n, J) to add when: indices, as many as the last of ``stops``.

    ``stops`` ascend; the cases before each of them are the first ones of ``cases``, in an order in
    which every stretch between two stops resembles the whole of it. The cases are exchangeable, and
    where their order has no trend no mode of the posterior seems dead before its time.
    """
    parts = []
    for start, stop in pairwise([0, *stops]):
        similar = np.lexsort(cases[start:stop].T[::-1])
        place = np.arange(stop - start) * GOLDEN % 1.0  # spreads neighbours evenly
        parts.append(start + similar[np.argsort(place)])
    return np.concatenate(parts)


def rejuvenation_times(n: int) -> list[int]:
    """The numbers of cases, below ``n``, after which the particles are rejuvenated: 1, 2, 3, ...
    and then growing geometrically.
    """
    times, t = [], 1
    while t < n:
        times.append(t)
        t = max(t + 1, int(t * GROWTH))
    return times


def lanes(particles: int, n: int) -> int:
    """How many particles go on from ``n`` cases: all ``particles`` up to FULL cases, half of them
    up to 4 FULL, a quarter up to 16 FULL, and so on, but never fewer than 2.
    """
    halvings = (((n - 1) // FULL).bit_length() + 1) // 2
    return min(particles, max(2, particles >> halvings))
