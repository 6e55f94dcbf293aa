"""What Beal & Ghahramani (2003, sec. 4.2) found."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paper:
    """The paper's sizes, numbers of steps and seconds."""

    n: int = 480  # the size of their Figure 1 right and Figure 2 right
    vb_from: int = 480  # cases from which the true structure is first for good
    bic_from: int = 1120
    ais_first: int = 480  # cases at which it is first for the first time
    steps_to_bic: int = 1000  # temperatures, "about"
    steps_to_vb: int = 5000
    steps_to_converge: int = 260_000  # "over"
    seconds: Mapping[str, int] = field(  # 136 structures at 480 cases, on a 1 GHz Pentium III
        default_factory=lambda: {"bic": 200, "vb": 575, "ais": 55000}
    )


PAPER = Paper()
METHODS = ("map", "bic", "vb", "ais")  # of their figures
BEST_FIRST = ("ais", "vb", "bic")  # the order in which the paper ranks them
