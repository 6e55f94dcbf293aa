"""The numbers of the findings that no table states as such: shares of draws at one size, draws in
which the truth is not found, and numbers of cases by the sizes of two runs together.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import nan

import pandas as pd

from latentdag.engine.significance import CLAIMED
from latentdag.scores import present
from latentdag.study.many_draws import recovery
from latentdag.study.many_draws.population import counts, population
from latentdag.study.paper.claims_held import shares_of_claims
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import FINE_GRID, PAPERS

# the tables found_share and comparisons of grids of sizes, the finest first, the population's last
Grids = Sequence[Mapping[str, pd.DataFrame]]


def grids(runs: Mapping[str, Mapping[str, pd.DataFrame]]) -> Grids:
    """A list of mappings from table name to DataFrame, the finest grid of sizes first, for the
    draws of the paper's structure, from ``runs``, such mappings by the runs' folders: the tables of
    the run with a finer grid, if it is there, with those of `over_all_sizes` in place of its shares
    and comparisons; and those of the population. Empty without these draws.
    """
    if PAPERS not in runs:
        return []
    if FINE_GRID not in runs:
        return [runs[PAPERS]]
    finest = over_all_sizes(runs[PAPERS]["verdicts"], runs[FINE_GRID]["verdicts"])
    return [{**runs[FINE_GRID], **finest}, runs[PAPERS]]


def over_all_sizes(verdicts: pd.DataFrame, finer: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """A dict of the tables `found_share` and `comparisons`, by name, over the sizes of two runs
    together, of the draws and scores that both have, from their tables ``verdicts`` and ``finer``.
    Of a size that both have the rows of ``finer`` count.
    """
    of = ["draw", "by", "method"]
    in_both = verdicts[of].drop_duplicates().merge(finer[of].drop_duplicates())
    together = pd.concat([finer, verdicts]).drop_duplicates([*of, "n"]).merge(in_both)
    recovered = recovery.recovery_table(together)
    return {
        "found_share": recovery.recovery_shares(recovered, together["n"].unique()),
        "comparisons": recovery.comparisons(recovered),
    }


def of_structure(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a ``table`` over many draws whose column ``by`` is "structure", not "class"."""
    return table[table["by"] == "structure"]


def recovered_by(found_share: pd.DataFrame, n: int) -> dict[str, pd.Series]:
    """A dict by method of its row, a Series, at ``n`` cases by structure in the table
    ``found_share``, with a further entry `number`: in how many draws the true structure is first
    from ``n`` or fewer cases on.
    """
    rows = of_structure(found_share.assign(number=counts(found_share)))
    return {row["method"]: row for _, row in rows[rows["n"] == n].iterrows()}


def not_recovered(found_share: pd.DataFrame) -> dict[str, int]:
    """A dict by method of the number of draws in which the true structure is not first at the
    largest size, from the table ``found_share``.
    """
    rows = recovered_by(found_share, found_share["n"].max())
    return {m: int(rows[m]["draws"]) - rows[m]["number"] for m in present(rows)}


def compared(comparisons: pd.DataFrame, method: str, other: str) -> pd.Series | None:
    """The row by structure, a Series, of the table ``comparisons`` for the score ``method`` against
    the score ``other``; None if there is none.
    """
    rows = of_structure(comparisons)
    rows = rows[(rows["method"] == method) & (rows["other"] == other)]
    return None if rows.empty else rows.iloc[0]


def where_they_differ(pair: pd.Series) -> dict:
    """A dict on the draws in which two scores need different numbers of cases, from ``pair``, a row
    of the table `comparisons`: whether the first needs "fewer" or "more" `cases` in most of them,
    by the 95 % interval of the share, "" where that holds one half; their number `draws`; and the
    `number` of those in which it needs more (fewer where `cases` is not "more"), as a `share` with
    the ends `low` and `high`, which are nan without such draws.
    """
    draws = int(pair["earlier"] + pair["later"])
    more = bool(pair["high"] < 0.5)
    low, high = (1 - pair["high"], 1 - pair["low"]) if more else (pair["low"], pair["high"])
    number = int(pair["later"] if more else pair["earlier"])
    return {
        "cases": "more" if more else "fewer" if pair["low"] > 0.5 else "",
        "draws": draws,
        "number": number,
        "share": number / draws if draws else nan,
        "low": low,
        "high": high,
    }


def nearer_to_the_evidence(verdicts: pd.DataFrame, method: str, other: str) -> dict:
    """A dict that says where ``method`` is nearer to the evidence than ``other`` by its mean
    absolute error over the structures, from the rows by structure of the table ``verdicts`` of all
    draws: `gap`, a DataFrame by n with the `mean` over the draws of ``method``'s error less
    ``other``'s in nats and its `standard_error`; and the lists of sizes at which it is `nearer`,
    and `farther`, by more than `CLAIMED` standard errors.
    """
    error = of_structure(verdicts).pivot(
        index=["n", "draw"], columns="method", values="mean_absolute_error"
    )
    by_draw = (error[method] - error[other]).dropna().groupby("n")
    gap = by_draw.agg(mean="mean", standard_error="sem")
    far = CLAIMED * gap["standard_error"]
    return {
        "gap": gap,
        "nearer": gap.index[gap["mean"] < -far].tolist(),
        "farther": gap.index[gap["mean"] > far].tolist(),
    }


def compared_pairs(
    pairs: Iterable[tuple[str, str]], grids: Grids
) -> list[tuple[pd.Series, dict, int]]:
    """A list with a tuple for each of ``pairs``, names of two scores, that some of ``grids``
    compares: the row of its table `comparisons`, the dict of `where_they_differ`, and the largest
    size of its table `found_share`. ``grids`` are mappings from table name to DataFrame; the first
    with the pair counts.
    """
    shown = []
    for names in pairs:
        for grid in grids:
            if (row := compared(grid["comparisons"], *names)) is not None:
                shown.append((row, where_they_differ(row), int(grid["found_share"]["n"].max())))
                break
    return shown


# by kind of AIS the tables of its run by name, and the method that is AIS there
Kinds = Mapping[str | int, tuple[Mapping[str, pd.DataFrame], str]]


def recovered_on_the_same_draws(runs: Kinds, n: int) -> dict[str | int, pd.Series]:
    """A dict by kind of AIS of the row of `recovered_by` at ``n`` cases, over the draws that all
    ``runs`` have: by kind a pair, the tables `claims` and `verdicts` by name, and the method that
    is AIS there.
    """
    draws = _same_draws(runs)
    rows = {}
    for kind, (of, method) in runs.items():
        of_method = of["verdicts"][of["verdicts"]["method"] == method]
        recovered = recovery.recovery_table(of_method[of_method["draw"].isin(draws)])
        rows[kind] = recovered_by(recovery.recovery_shares(recovered, [n]), n)[method]
    return rows


def _same_draws(runs: Kinds) -> set[int]:
    return set.intersection(*({*of["claims"]["draw"]} for of, _ in runs.values()))


def on_the_same_draws(
    runs: Kinds,
) -> tuple[dict[str | int, pd.DataFrame], dict[str, dict[str | int, dict]]]:
    """Two dicts over the draws that all ``runs`` have (by kind of AIS a pair, the tables `claims`
    and `verdicts` by name, and the method that is AIS there): by kind the rows of the table
    `population` on its method by structure; and by claim that names AIS, then by kind, the row of
    the table `claims_held`, a dict.
    """
    draws = _same_draws(runs)
    populations, held = {}, {}
    for kind, (of, method) in runs.items():
        claims, verdicts = (t[t["draw"].isin(draws)] for t in (of["claims"], of["verdicts"]))
        populations[kind] = population(of_structure(verdicts[verdicts["method"] == method]))
        for row in shares_of_claims(claims[claims["ais"] == method], {*verdicts["n"]}):
            held.setdefault(row["claim"], {})[kind] = row
    return populations, held


def sensitivity(found_share: pd.DataFrame, comparisons: pd.DataFrame) -> list[int] | None:
    """A list, from the tables ``found_share`` and ``comparisons``, of seven numbers of draws: in
    which VB, and BIC, find the true structure by the paper's size for each; VB needs fewer cases
    than BIC, and more; and VB, BIC and Laplace do not find it. None where the tables lack one.
    """
    at_vb, at_bic = (recovered_by(found_share, n) for n in (PAPER.vb_from, PAPER.bic_from))
    missed, pair = not_recovered(found_share), compared(comparisons, "vb", "bic")
    if "vb" not in at_vb or "bic" not in at_bic or pair is None:
        return None
    if not {"vb", "bic", "laplace"} <= set(missed):
        return None
    first = [at_vb["vb"]["number"], at_bic["bic"]["number"], int(pair["earlier"])]
    return [*first, int(pair["later"]), *(missed[m] for m in ("vb", "bic", "laplace"))]
