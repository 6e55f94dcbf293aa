"""What is fixed before a run: the order of its cases and its times."""

import numpy as np

GROWTH = 1.2  # ratio of successive rejuvenation times
GOLDEN = (5**0.5 - 1) / 2


def order(cases: np.ndarray) -> np.ndarray:
    """Which of the ``cases`` (n, J) to add when: indices (n,).

    Every stretch of the order resembles the whole of the cases. They are exchangeable, and where
    their order has no trend no mode of the posterior seems dead before its time. Equal cases are
    interchangeable: the ordered cases do not depend on the order in which they come.
    """
    similar = np.lexsort(cases.T[::-1])
    place = np.arange(len(cases)) * GOLDEN % 1.0  # spreads neighbours evenly
    return similar[np.argsort(place)]


def rejuvenation_times(n: int) -> list[int]:
    """The numbers of cases, below ``n``, after which the particles are rejuvenated: 1, 2, 3, ...
    and then growing geometrically.
    """
    times, t = [], 1
    while t < n:
        times.append(t)
        t = max(t + 1, int(t * GROWTH))
    return times
