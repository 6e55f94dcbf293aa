"""When a claim of the paper agrees with this run, differs from it, or cannot be tested by it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

AGREES, DIFFERS, NOT_TESTABLE = "agrees", "differs", "not testable"
CONVERGED = 10.0  # nats between the highest and the lowest chain: "converged" in their Figure 2
FACTOR = 2.0  # the paper's numbers of steps are rough, ours are powers of two
ALMOST = 0.1  # share of the sizes that "almost always" leaves
SETTLED = 0.5  # nats per unit of ln n: what one parameter costs in BIC
UNDERFITS = 1.0  # nats
INACCURATE = 1.0  # nats
VB_BEFORE_BIC = "VB needs fewer cases than BIC to find the true structure"
BOUNDED = "VB minus BIC stays bounded as n grows (true structure)"
NOT_BELOW = "VB is at least as near to the evidence as CS"
EVENTUALLY = "it eventually"  # the end of a claim that begins with scores


def irrefutable(claim: str) -> bool:
    """Whether no draw can differ from the ``claim``, a text, so that the share in which it holds
    says nothing: a finite run cannot refute a limit; nor can any run refute `NOT_BELOW`, as VBEM
    also starts from EM's best estimate.
    """
    return claim in (BOUNDED, NOT_BELOW) or claim.endswith(EVENTUALLY)


class Claim(NamedTuple):
    """A row of the table: claim, what the source and this run say, verdict, and where it stands.
    ``ais`` is the score that plays AIS, where the claim names AIS; ``definitions`` say what the
    words of the claim mean in a study, and its verdict (`latentdag.study.paper.definitions`).
    """

    claim: str
    paper: str
    here: str
    verdict: str
    source: str
    definitions: tuple[str, ...] = ()
    ais: str = ""


def counts(claims: Iterable[Claim]) -> tuple[int, int, int]:
    """Three numbers: how many of ``claims``, `Claim` rows, agree, differ, and are not testable."""
    verdicts = [claim.verdict for claim in claims]
    agree = sum(v.startswith(AGREES) for v in verdicts)
    untested = verdicts.count(NOT_TESTABLE)
    return agree, len(verdicts) - agree - untested, untested


def verdict(agrees: bool, testable: bool = True) -> str:
    """A text: NOT_TESTABLE where a claim is not ``testable``, else AGREES where it ``agrees``, else
    DIFFERS.
    """
    return NOT_TESTABLE if not testable else AGREES if agrees else DIFFERS


def first_verdict(
    start: float | None,
    paper: float,
    tried: Iterable[float],
    factor: float = 1.0,
    direction: tuple[str, str] = ("earlier", "later"),
) -> str:
    """The verdict, a str, on ``start``, the smallest of the values ``tried`` (sizes, or numbers of
    steps) from which something holds for good, or None if there is none; the paper says ``paper``.

    What is true lies above the largest value below ``start``, and is ``start`` at most. It agrees
    when ``start`` is within ``factor`` of the paper's. It is not testable when the paper's value
    lies strictly between the two, when nothing smaller than ``start`` was tried to be sure that it
    is not less, or when nothing as large as the paper's was, to be sure that it is for good. Where
    it differs, the first word of ``direction`` says that ``start`` is below the paper's value, or
    the second that it is above.
    """
    tried = sorted(tried)
    upper = np.inf if start is None else start
    lower = max((value for value in tried if value < upper), default=0)
    close = start is not None and paper / factor <= start <= paper * factor
    if close and lower > 0:
        return AGREES
    if close or lower < paper < upper or tried[-1] < paper:
        return NOT_TESTABLE
    if start is None:
        return f"{DIFFERS}: not reached"
    return f"{DIFFERS}: {direction[0] if start < paper else direction[1]}"


def not_many_more_verdict(a: int | None, b: int | None, last: int) -> str:
    """The `verdict` on "a needs at most FACTOR times as many cases as b", from the sizes ``a`` and
    ``b`` at which each finds the structure, None for never, ``last`` the largest size of all. Not
    testable where b never finds the structure: the claim is about a better b.
    """
    if b is None:
        return NOT_TESTABLE
    if a is None:
        return verdict(False, testable=FACTOR * b <= last)
    return verdict(a <= FACTOR * b)


def fewer_verdict(a: int | None, b: int | None) -> str:
    """The `verdict` on "a needs fewer cases than b", from the sizes ``a`` and ``b`` at which each
    finds the structure, None for never. Each number lies between two sizes, so that the same size
    for both decides nothing.
    """
    fewer = a is not None and (b is None or a < b)
    return verdict(fewer, testable=a != b)


def noisy_verdict(ais: tuple[int, int] | None, others: Mapping[str, tuple[int, int] | None]) -> str:
    """The verdict on "the AIS rank is noisy after it was first", from `sizes.lost_again` of AIS and
    of scores whose rank has no such noise: AIS loses the first place at a larger share of the sizes
    than each of these, which lose it as the data grow. Not testable where AIS, or each of the
    others, is never first below the largest size.
    """
    base = [lost / later for lost, later in filter(None, others.values())]
    if ais is None or not base:
        return NOT_TESTABLE
    lost, later = ais
    return verdict(lost / later > max(base))


def almost_always_verdict(better: int, worse: int, equal: int) -> str:
    """The verdict on "almost always better", from the numbers of sizes at which it is better, worse
    and equal: it agrees where it is worse at a share of `ALMOST` at most. Not testable where all
    sizes are equal.
    """
    tested = better + worse + equal
    return verdict(worse <= ALMOST * tested, testable=better + worse > 0)


def mostly_verdict(better: int, worse: int, equal: int) -> str:
    """The verdict on "better", from the numbers of sizes at which it is better, worse and equal: it
    agrees where it is better at more than worse. Not testable where all sizes are equal.
    """
    return verdict(better > worse, testable=better + worse > 0)


def bounded_verdict(growth: float | None) -> str:
    """The verdict on "VB minus BIC is bounded as n grows", from its growth in nats per unit of ln n
    at the largest sizes, None if there are none: it agrees where the growth lies within `SETTLED`
    of 0, and is else not testable. A limit can be seen, but no finite run is against it.
    """
    return verdict(True, testable=growth is not None and abs(growth) < SETTLED)


def order_verdict(right: pd.Series) -> str:
    """The verdict on "in this order", from ``right``, a Series of whether it holds at each size: it
    agrees where it fails at a share of `ALMOST` at most.
    """
    return verdict((~right).sum() <= ALMOST * len(right))
