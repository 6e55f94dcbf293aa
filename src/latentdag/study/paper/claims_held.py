"""In what share of the draws each of the paper's claims holds, and where the paper's sizes lie.

The claims about ranks, sizes and errors are judged on every draw alone. The length of annealing
is known for one draw and one size, and times depend on the machine: these claims have no share of
draws.
"""

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pandas as pd

from latentdag.scores import SPECS
from latentdag.study.many_draws.population import share
from latentdag.study.one_draw.sizes import lost_again
from latentdag.study.paper import sources
from latentdag.study.paper.claims import AGREES, NOT_TESTABLE, irrefutable
from latentdag.study.paper.numbers import AIS_SCORES, PAPER, STEADY
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.words import label

INTERVAL = ("share", "low", "high")
SIZES = {"vb": PAPER.vb_from, "bic": PAPER.bic_from}  # cases at which they find it in the paper


def claims_held(
    claims: pd.DataFrame, recovery: pd.DataFrame, verdicts: pd.DataFrame
) -> pd.DataFrame:
    """The table `claims_held`, a DataFrame, from tables of all draws: ``claims``, ``recovery`` (the
    table `found`) and ``verdicts``.

    Shares are of the draws by which a claim can be tested; a claim that no draw can refute has no
    share. After the claims come rows of our own: in how many draws VB and BIC rank the truth first
    at the paper's sizes and every larger one, and how far apart the two are, where the draws have
    the paper's sizes (each number of cases is known as an interval, and a draw whose ratio may lie
    on either side of the paper's decides nothing); in how many VB, BIC and AIS all find it by the
    largest size; and in how many a score that ranks it first does not at some larger size, the base
    rate of a noisy rank.
    """
    recovery, ranks = (table[table["by"] == "structure"] for table in (recovery, verdicts))
    sizes = set(ranks["n"])
    rows = [*shares_of_claims(claims, sizes), *_papers_figures(recovery, sizes)]
    rows += [*_recovered_by_all(recovery, ranks["n"].max()), *_lost_again(ranks)]
    return pd.DataFrame(rows, columns=TABLES["claims_held"].columns)


def shares_of_claims(claims: pd.DataFrame, sizes: Collection[int]) -> Iterator[dict]:
    """Yields the rows, dicts, of the table `claims_held`, without those of our own, from the table
    ``claims`` of all draws.

    A claim that something holds from one size on, as "n = 480", cannot be tested where that is not
    among the ``sizes`` that were tried: draws could differ from it, and none agree.
    """
    for (claim, ais), group in _in_order(claims):
        agrees = group["verdict"].str.startswith(AGREES)
        says = group["paper"].iloc[0]
        size = says.removeprefix("n = ")
        is_tried = size == says or not size.isdigit() or int(size) in sizes
        testable = (group["verdict"] != NOT_TESTABLE) & is_tried
        row = _share(claim, says, agrees & testable, testable, group["source"].iloc[0], ais)
        yield row | dict.fromkeys(INTERVAL, np.nan) if irrefutable(claim) else row


def over_draws(row: Mapping) -> str:
    """Whether a claim holds in most draws by which it can be tested, as text, from its ``row`` of
    the table `claims_held`: "yes" where the interval of the share lies above one half, "no" below,
    "open" where it holds it; "" without an interval.
    """
    if np.isnan(row["low"]):
        return ""
    return "yes" if row["low"] > 0.5 else "no" if row["high"] < 0.5 else "open"


def _in_order(claims: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """The rows of each claim, by the score that plays AIS, in the order of the draw with most
    claims: one may lack some.
    """
    if claims.empty:
        return
    keys = pd.Series([*zip(claims["claim"], claims["ais"].fillna(""), strict=True)], claims.index)
    of_draw = keys.groupby(claims["draw"]).agg(list)
    for key in dict.fromkeys([*of_draw[of_draw.map(len).idxmax()], *keys]):
        yield key, claims[keys == key]


def _papers_figures(recovery: pd.DataFrame, sizes: set[int]) -> Iterator[dict]:
    """Rows of the table on the paper's sizes, from the sizes found by structure."""
    ends = recovery.set_index(["method", "draw"])[["above", "n_found"]].astype(float).fillna(np.inf)
    # in units of the paper's sizes
    of_vb, of_bic = (ends.query("method == @m").droplevel(0) / n for m, n in SIZES.items())
    of_vb, of_bic = of_vb.align(of_bic, join="inner", axis=0)
    if of_vb.empty or not set(SIZES.values()) <= sizes:
        return
    (vb, n_vb), (bic, n_bic) = ((SPECS[m].label, n) for m, n in SIZES.items())
    a, b = of_vb["n_found"], of_bic["n_found"]
    decided = (of_bic["above"] >= a) | (b <= of_vb["above"])
    every = pd.Series(True, a.index)
    for name, word, n, holds in ((vb, "after", n_vb, a <= 1), (bic, "at", n_bic, b <= 1)):
        claim = f"{name} ranks the true structure first at {n} cases and at every larger size"
        yield _share(claim, f"{word} {n} cases", holds, every, sources.OURS)
    claim = f"{vb} finds the true structure by {n_vb} cases, and {bic} by {n_bic}"
    yield _share(claim, "yes", (a <= 1) & (b <= 1), every, sources.OURS)
    claim = f"{bic} needs at least {n_bic / n_vb:.1f} times as many cases as {vb}"
    yield _share(claim, f"n = {n_bic} against {n_vb}", of_bic["above"] >= a, decided, sources.OURS)


def _recovered_by_all(recovery: pd.DataFrame, last: int) -> Iterator[dict]:
    """Rows of the table on VB, BIC and each score of AIS, from the sizes found by structure."""
    wide = recovery.pivot(index="draw", columns="method", values="n_found")
    for ais in [m for m in AIS_SCORES if {m, *SIZES} <= set(wide)]:
        ran = recovery.groupby("method")["draw"].agg(set)
        draws = sorted(ran[ais] & ran["vb"] & ran["bic"])
        holds = wide.loc[draws, [ais, *SIZES]].notna().all(axis=1)
        claim = f"{label('ais')}, VB and BIC find the true structure by {last} cases"
        yield _share(claim, "eventually", holds, pd.Series(True, holds.index), sources.OURS, ais)


def _lost_again(ranks: pd.DataFrame) -> Iterator[dict]:
    """Rows of the table on AIS and scores without its noise, from the ranks by structure."""
    ranks = ranks.assign(rank=ranks["rank"].fillna(np.inf))
    for method in [m for m in (*AIS_SCORES, *STEADY) if m in set(ranks["method"])]:
        of_draw = ranks[ranks["method"] == method].set_index("n").groupby("draw")["rank"]
        lost = pd.DataFrame([lost_again(r) or (0, 0) for _, r in of_draw], columns=["lost", "of"])
        is_ais = method in AIS_SCORES
        claim = f"{label('ais' if is_ais else method)} ranks it first, and not at some larger size"
        paper, ais = ("noisy", method) if is_ais else ("", "")
        yield _share(claim, paper, lost["lost"] > 0, lost["of"] > 0, sources.OURS, ais)


def _share(
    claim: str, paper: str, holds: pd.Series, testable: pd.Series, source: str, ais: str = ""
) -> dict:
    """A row of the table, from the draws in which a claim holds, and by which it can be tested."""
    draws, count = int(testable.sum()), int(holds.sum())
    row = {"claim": claim, "paper": paper, "draws": draws, "holds": count}
    row |= dict(zip(INTERVAL, share(count, draws), strict=True))
    return row | {"undecided": len(testable) - draws, "source": source, "ais": ais}
