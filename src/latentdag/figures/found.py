"""In how many draws a score has found the truth for good by n cases, and the paper's sizes."""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures import band
from latentdag.scores import SPECS
from latentdag.study.many_draws.recovery import recovery_shares
from latentdag.study.paper.claims_held import SIZES

DRAWN = ("reference", "laplace", "vb", "bic", "ais")
WITH_BAND = "vb"  # the score of the paper's title; more bands than one would hide each other
HEIGHT = 3.5  # inches, of the plot with its labels
MARK = {"color": style.TRUTH, "lw": 1.0, "ls": (0, (1, 1.5)), "zorder": 1.2}


@style.styled
def found(
    found_share: pd.DataFrame,
    design: pd.DataFrame,
    chains: int,
    one_chain: pd.DataFrame | None = None,
) -> Figure:
    """A figure, from the table ``found_share``: the share of draws in which a score puts the true
    structure first at n cases and at all larger sizes, against n.

    Rows by structure are read; ``chains`` are those of AIS. VB has its interval. Where all draws
    are of one structure, as the paper's is, the paper's sizes for VB and BIC are marked.
    ``one_chain`` is the table of sizes found of a run whose AIS has one chain: its curve, too, is
    over the draws of ``design``. Raises ValueError where it lacks one of these.
    """
    by_structure = found_share[found_share["by"] == "structure"]
    methods = [name for name in DRAWN if name in set(by_structure["method"])]
    if not methods:
        raise ValueError("no score of this figure in the found_share table")
    figure = layout.page(HEIGHT)
    axes = figure.add_subplot()
    layout.log_ticks(axes, by_structure["n"])
    layout.shares(axes)
    axes.set_xlabel("number of cases n")
    draws = band.draws_of(by_structure)
    axes.set_ylabel(f"share of {draws} with the\ntrue structure found by n cases")
    for name in methods:
        of_score = by_structure[by_structure["method"] == name]
        ends = ("share", "low", "high") if name == WITH_BAND else ("share",) * 3
        look, label = SPECS[name].look, ""
        if name == "ais":
            look, label = replace(look, hollow=one_chain is None), _label_of_ais(chains)
        band.draw(axes, name, of_score, ends, label, look=look)
    if one_chain is not None:
        shares = _shares_of_ais(one_chain, design["draw"], by_structure["n"].unique())
        look, label = SPECS["ais"].look, _label_of_ais(1)
        band.draw(axes, "ais_one_chain", shares, ("share",) * 3, label, look=look)
    if WITH_BAND in methods:
        axes.fill_between([], [], fc=SPECS[WITH_BAND].look.colour, alpha=0.13,
                          label=f"{SPECS[WITH_BAND].label}: {band.INTERVAL}")  # fmt: skip
    if len(set(design["true_structure"])) == 1:
        _mark_papers_sizes(axes, by_structure[by_structure["method"].isin(methods)])
    layout.add_legend(figure)
    return figure


def _mark_papers_sizes(axes: Axes, shares: pd.DataFrame) -> None:
    """Mark the paper's sizes for the scores that have shares, where they are on the axis."""
    for name, n in SIZES.items():
        if name in set(shares["method"]) and shares["n"].min() <= n <= shares["n"].max():
            axes.axvline(n, **MARK, gid=f"paper-{n}")
            axes.annotate(f"paper:\n{SPECS[name].label} {n}", (n, 1), (-3, -3), ha="right",
                          va="top", xycoords=("data", "axes fraction"), fontsize=style.SMALL,
                          textcoords="offset points", color=style.TRUTH)  # fmt: skip


def _label_of_ais(chains: int) -> str:
    """What the legend calls AIS with so many chains."""
    return f"{SPECS['ais'].label}, " + ("one chain" if chains == 1 else f"{chains} chains")


def _shares_of_ais(found: pd.DataFrame, draws: pd.Series, sizes: np.ndarray) -> pd.DataFrame:
    """Shares of these draws at ``sizes`` by structure, from a table of sizes found."""
    of_ais = found[(found["method"] == "ais") & (found["by"] == "structure")]
    if missing := sorted(set(draws) - set(of_ais["draw"])):
        raise ValueError(f"AIS with one chain lacks draw {missing[0]}")
    return recovery_shares(of_ais[of_ais["draw"].isin(draws)], sizes)
