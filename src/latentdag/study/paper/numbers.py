"""What Beal & Ghahramani (2003, sec. 4.2) found."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paper:
    """The paper's sizes, numbers of steps and seconds."""

    n: int = 480  # the size of their Figure 1 right and Figure 2 right
    vb_from: int = 480  # cases after which VB finds the true structure
    bic_from: int = 1120  # cases at which BIC finds it
    ais_first: int = 480  # cases after which AIS finds it
    steps: int = 16384  # temperatures of AIS in the main experiments
    steps_to_bic: int = 1000  # temperatures, "about"
    steps_to_vb: int = 5000
    longest_schedule: int = 260_000  # temperatures, "over"; at which all runs have converged
    seconds: Mapping[str, int] = field(  # 136 structures at 480 cases, on a 1 GHz Pentium III
        default_factory=lambda: {"bic": 200, "vb": 575, "ais": 55000}
    )


PAPER = Paper()
METHODS = ("map", "bic", "vb", "ais")  # of their figures
BEST_FIRST = ("ais", "vb", "bic")  # the scores that the paper compares, our order
