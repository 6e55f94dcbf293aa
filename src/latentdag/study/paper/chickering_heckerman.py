"""The five findings of Chickering & Heckerman (1997, Machine Learning 29, 181-212), on this run.

They compared BIC, Cheeseman-Stutz, the Laplace approximation and one with the diagonal of its
Hessian alone, which is not here, with a Monte Carlo evidence of naive Bayes models. The verdicts
are on those of their scores that are here; the statistics are of all scores.
"""

from collections.abc import Iterable, Iterator
from math import log

import numpy as np
import pandas as pd

from latentdag.study.one_draw.at_one_size import gap
from latentdag.study.paper.claims import ALMOST, Claim, verdict
from latentdag.study.schema.frames import PAIR, by_method, correlation, present
from latentdag.study.schema.words import label

THEIRS = ("bic", "cs", "laplace")
AVERAGES = 0.1  # total variation distance of a posterior that may be averaged with
SELECTS = log(3)  # nats: Kass & Raftery (1995, JASA 90, 773-795) call less hardly worth mention

RULES = f"""The words of the findings mean, in this study:

- *Accurate enough for averaging*: the total variation distance between the score's posterior and
  the reference's is at most {AVERAGES:g}, at no less than {1 - ALMOST:.0%} of the sizes. The
  distance is the largest error of the probability of any statement about the structure.
- *Accurate enough for a choice*: the evidence of the structure that the score ranks first is within
  a factor 3 of the best, at as many sizes. Kass & Raftery (1995) call a factor below 3 (ln 3 =
  {SELECTS:.2f} nats) hardly worth mention.
- *Sensitive to the prior*: from the lowest to the highest alpha, the standard deviation over the
  structures of the change in the score is above ln 3 nats. A change that all structures have in
  common does not change the posterior.
- *Cheaper*: after the MAP fit, CS takes less processor time than Laplace at each measured size.
- *More accurate near a boundary*: CS has a smaller mean absolute error than Laplace over the pairs
  of structure and size whose share of MAP parameters near the boundary is above the median.

A finding on *all but BIC* agrees if it holds for each other score of theirs, and not for BIC."""


def total_variation(posterior: pd.DataFrame) -> pd.DataFrame:
    """Total variation distance between the posterior over structures that each score implies and
    the reference's, half the sum of absolute differences, of one draw: n by method.

    A structure without a score has no weight. Sizes with one structure alone are left out.
    """
    found = {}
    for n, group in posterior.groupby("n"):
        p = by_method(group, "probability", "structure").dropna(axis=1, how="all")
        if "reference" in p and len(p) > 1:
            p = p.fillna(0.0)
            others = p.drop(columns="reference")
            found[n] = others.sub(p["reference"], axis=0).abs().sum() / 2
    distances = pd.DataFrame.from_dict(found, orient="index", dtype=float)
    return distances[present(distances)]


def choices(ranks: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """What is lost by the structure that each score puts first, from the tables of one draw: by
    ``n`` and ``method`` the ``regret``, ln evidence of the best structure by the reference less
    that of the one chosen, in nats, and its Monte Carlo ``error``; nan where both are the same
    structure, with a regret of 0.

    Sizes with one structure alone are left out.
    """
    reference = scores[(scores["method"] == "reference") & scores["score"].notna()]
    rows = []
    for n, known in reference.groupby("n"):
        known = known.set_index("structure")[["score", "standard_error"]].astype(float)
        at_n = ranks[ranks["n"] == n].set_index("method")["best_structure"]
        if len(known) < 2 or "reference" not in at_n:
            continue
        best = at_n["reference"]
        for m in present(at_n.index):
            chosen = at_n[m]
            if m == "reference" or chosen not in known.index:
                continue
            rows.append((n, m, *gap(known.loc[[best, chosen]])))
    return pd.DataFrame(rows, columns=["n", "method", "regret", "error"])


def chosen(choices: pd.DataFrame) -> pd.DataFrame:
    """By method over the ``sizes``, from `choices`: at how many the ``best`` structure is chosen
    and at how many one ``within`` `SELECTS` nats of it; the ``mean`` regret and the ``largest``
    with its ``error`` and size ``at``.
    """
    rows = {}
    for m in present(choices["method"]):
        selected = choices[choices["method"] == m].sort_values("n")
        worst = selected.loc[selected["regret"].idxmax()]
        rows[m] = {
            "sizes": len(selected),
            "best": int((selected["regret"] == 0).sum()),
            "within": int((selected["regret"] <= SELECTS).sum()),
            "mean": selected["regret"].mean(),
            "largest": worst["regret"],
            "error": worst["error"],
            "at": int(worst["n"]),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def changes(prior: pd.DataFrame) -> pd.DataFrame:
    """By method, how the scores of one draw change from the lowest alpha to the highest.

    Over the ``structures`` that have both: ``mean`` and standard ``deviation`` of the change, in
    nats, and ``error``, the root of its mean squared Monte Carlo error; Spearman's rank
    ``correlation`` between the two; and ``apart``, the standard deviation of the change less the
    reference's. nan where it does not apply.
    """
    low, high = prior["alpha"].min(), prior["alpha"].max()
    if not low < high:
        return pd.DataFrame()
    before, after, error_before, error_after = (
        by_method(prior[prior["alpha"] == alpha], column, "structure").astype(float)
        for column in ("score", "standard_error")
        for alpha in (low, high)
    )
    change = after - before
    rows = {}
    for m in present(change):
        gaps = change[m].dropna()
        if len(gaps) < 2:
            continue
        errors = np.hypot(error_before[m], error_after[m])[gaps.index]
        apart = (gaps - change["reference"]).std() if "reference" in change else np.nan
        rows[m] = {
            "structures": len(gaps),
            "mean": gaps.mean(),
            "deviation": gaps.std(),
            "error": np.sqrt((errors**2).mean()),
            "correlation": correlation(before[m], after[m]),
            "apart": np.nan if m == "reference" else apart,
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def near_boundary(errors: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """CS and Laplace by how near the MAP estimate is to the boundary, from tables of one draw.

    The pairs of structure and size that have both errors, and of `map` the share of parameters near
    the boundary: those above the median share, row ``near``, and the others, row ``other``. Columns
    ``pairs``, their mean ``share``, the mean absolute errors ``cs`` and ``laplace`` in nats, and in
    how many pairs CS is ``nearer`` to the evidence. Empty where either half is.
    """
    selected = errors[errors["method"].isin(["cs", "laplace"])]
    wide = selected.pivot(index=PAIR, columns="method", values="error_nats").abs()
    wide = wide.reindex(columns=["cs", "laplace"]).dropna().astype(float)
    if wide.empty:
        return pd.DataFrame()
    fits = scores[scores["method"] == "map"].set_index(PAIR)["near_boundary"].astype(float)
    wide["share"] = fits.reindex(wide.index)
    wide = wide.dropna()
    near = wide["share"] > wide["share"].median()
    if near.all() or not near.any():
        return pd.DataFrame()
    rows = {
        name: {
            "pairs": len(half),
            **half[["share", "cs", "laplace"]].mean(),
            "nearer": int((half["cs"] < half["laplace"]).sum()),
        }
        for name, half in (("near", wide[near]), ("other", wide[~near]))
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def reading(cost: pd.DataFrame) -> pd.DataFrame:
    """Milliseconds per structure to read CS and Laplace off the MAP fit: n by method; empty unless
    both were measured.
    """
    rows = cost[cost["method"].isin(["cs", "laplace"])]
    wide = rows.pivot(index="n", columns="method", values="score_milliseconds")
    return wide.reindex(columns=["cs", "laplace"]).dropna().astype(float)


def within(distances: pd.DataFrame) -> pd.DataFrame:
    """By method at how many ``sizes`` the total variation distance is known, and at how many it is
    ``within`` `AVERAGES`.
    """
    return pd.DataFrame({"sizes": distances.notna().sum(), "within": (distances <= AVERAGES).sum()})


def accurate(found: pd.DataFrame) -> pd.Series:
    """For those of THEIRS that are here, whether the sizes ``within`` are almost all ``sizes``."""
    rows = found.reindex(columns=["sizes", "within"])
    rows = rows.loc[[m for m in THEIRS if m in rows.index]]
    return rows["sizes"] - rows["within"] <= ALMOST * rows["sizes"]


def of_none(holds: pd.Series) -> str:
    """The verdict on "for none of them", from whether it holds for each."""
    return verdict(not holds.any(), testable=len(holds) > 0)


def of_all_but_bic(holds: pd.Series) -> str:
    """The verdict on "for all but BIC", from whether it holds for each."""
    others = holds.drop("bic", errors="ignore")
    known = "bic" in holds.index and len(others) > 0
    return verdict(known and bool(others.all()) and not holds["bic"], testable=known)


def rows(
    distances: pd.DataFrame,
    chosen: pd.DataFrame,
    reading: pd.DataFrame,
    changes: pd.DataFrame,
    prior: pd.DataFrame,
    halves: pd.DataFrame,
) -> list[Claim]:
    """The findings that this run can tell about, from `total_variation`, `chosen`, `reading`,
    `changes`, the table of priors and `near_boundary`.
    """
    return [
        *_averaging(distances),
        *_choice(chosen),
        *_cost(reading),
        *_prior(changes, prior),
        *_boundary(halves),
    ]


def _averaging(distances: pd.DataFrame) -> Iterator[Claim]:
    found = within(distances)
    judged = accurate(found)
    if len(judged):
        yield Claim(
            "averaging over structures",
            "none is accurate enough",
            f"sizes with a total variation distance of at most {AVERAGES:g}: "
            + _of_sizes(found, judged.index),
            of_none(judged),
        )


def _choice(chosen: pd.DataFrame) -> Iterator[Claim]:
    judged = accurate(chosen)
    if {"bic"} < set(judged.index):
        yield Claim(
            "choice of a structure",
            "all but BIC are accurate",
            "sizes at which the evidence of the choice is within a factor 3 of the best: "
            + _of_sizes(chosen, judged.index),
            of_all_but_bic(judged),
        )


def _cost(reading: pd.DataFrame) -> Iterator[Claim]:
    if len(reading):
        words = "; ".join(
            f"CS {r.cs:.2f}, Laplace {r.laplace:.2f} at n = {r.Index}" for r in reading.itertuples()
        )
        yield Claim(
            "cost",
            "CS and diagonal Laplace are the most efficient",
            f"milliseconds per structure after the MAP fit (`make bench`): {words}",
            verdict(bool((reading["cs"] < reading["laplace"]).all())),
        )


def _prior(changes: pd.DataFrame, prior: pd.DataFrame) -> Iterator[Claim]:
    known = [m for m in THEIRS if m in changes.index]
    if {"bic"} < set(known):
        shown = [*known, *(m for m in ("reference",) if m in changes.index)]
        words = ", ".join(f"{label(m)} {changes.loc[m, 'deviation']:.2f}" for m in shown)
        yield Claim(
            "sensitivity to the prior",
            "all but BIC are sensitive",
            f"standard deviation over the structures of the change from {span(prior)}, in nats: "
            f"{words}",
            of_all_but_bic(changes.loc[known, "deviation"] > SELECTS),
        )


def _boundary(halves: pd.DataFrame) -> Iterator[Claim]:
    if len(halves):
        near, other = halves.loc["near"], halves.loc["other"]
        yield Claim(
            "MAP parameters near a boundary",
            "CS is more accurate than Laplace there",
            "mean absolute error in the pairs with more parameters near the boundary: CS "
            f"{near['cs']:.2f}, Laplace {near['laplace']:.2f} nats; in the others CS "
            f"{other['cs']:.2f}, Laplace {other['laplace']:.2f}",
            verdict(bool(near["cs"] < near["laplace"])),
        )


def _of_sizes(found: pd.DataFrame, methods: Iterable[str]) -> str:
    return ", ".join(
        f"{label(m)} {found.loc[m, 'within']} of {found.loc[m, 'sizes']}" for m in methods
    )


def span(prior: pd.DataFrame) -> str:
    """The lowest and the highest alpha of the table of priors."""
    return f"alpha = {prior['alpha'].min():g} to {prior['alpha'].max():g}"
