"""What Beal & Ghahramani (2003, sec. 4.2) found."""

from types import SimpleNamespace

PAPER = SimpleNamespace(
    n=480,  # the size of their Figure 1 right and Figure 2 right
    vb_from=480,  # cases after which VB finds the true structure
    bic_from=1120,  # cases at which BIC finds it
    ais_first=480,  # cases after which AIS finds it
    steps=16384,  # temperatures of AIS in the main experiments
    steps_to_bic=1000,  # temperatures, "about"
    steps_to_vb=5000,
    longest_schedule=260_000,  # temperatures, "over"; at which all runs have converged
    # 136 structures at 480 cases, on a 1 GHz Pentium III
    seconds={"bic": 200, "vb": 575, "ais": 55000},
)
METHODS = ("map", "bic", "vb", "ais")  # of their figures
STEADY = ("reference", "vb", "bic")  # scores whose rank has no noise of sampling, or little
AIS_SCORES = ("ais_single", "ais", "ais_long", "ais_rows")  # that play AIS in the claims
BEST_FIRST = ("ais", "vb", "bic")  # the scores that the paper compares, our order
