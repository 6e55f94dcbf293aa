"""What looks like a mistake in a table of one's own, and need not be one."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import isfinite

import numpy as np

from latentdag.data.counts import MISSING

OFTEN_MISSING = ("n/a", "n.a.", "na", "nan", "<na>", "#n/a", "null", "#null!", "none", "nil")
OFTEN_MISSING += ("nat", "#div/0!", "#ref!", "#value!", "#name?", "#num!", "\\n", "(blank)", "?")
OFTEN_MISSING += (".", "-", "--", "*", "inf", "-inf", "missing", "unknown", "refused")
OFTEN_MISSING += ("don't know", "don’t know")
BLANKS = " \t\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
INTEGER = re.compile(r"[+-]?[0-9]{1,999}")  # of more digits it is a name
MEASURED = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][+-]?[0-9]+)?")
# a whole number, date or number of days, and what says that it is whole
WHOLE = re.compile(r"([+-]?[0-9]+)\.0*|([0-9]{4}-[0-9]{2}-[0-9]{2}|-?[0-9]+ days) \+?00:00:00")
COUNTS = ("count", "counts", "freq", "frequency", "n", "number", "weight")  # usual names
FEW = 8  # values; with fewer, nothing is said of an identifier or of measurements
TOTAL = re.compile(r"(grand )?(totals?|sum|all)( ?[:=] ?[0-9]*)?|n ?[:=] ?[0-9]+", re.IGNORECASE)
CODE_OF_NONE = re.compile(r"-1|-?(?:([7-9])\1{,9}|9{1,9}[78])")  # often for a missing value
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def doubtful_columns(
    rows: np.ndarray, levels: Mapping[str, tuple[str, ...]], count: str | None
) -> dict[str, str]:
    """The columns that are hardly observed variables, of the coded ``rows`` (lines, J): by name
    ``"count"``, for numbers of cases of the lines, or ``"identifier"``, for names of the lines.
    ``levels`` has the values of each column by name; ``count`` is the name of a column of counts
    beside them, None where there is none.
    """
    n, doubtful = len(rows), {}
    for j, (name, values) in enumerate(levels.items()):
        if (
            count is None
            and name.lower() in COUNTS
            and all(level.isdecimal() for level in values)
            and len(np.unique(np.delete(rows, j, axis=1), axis=0)) == n > 1
        ):
            doubtful[name] = "count"
        elif len(values) >= FEW and all(map(MEASURED.fullmatch, values)):
            continue
        elif len(values) >= max(FEW, 0.9 * n):
            doubtful[name] = "identifier"
    return doubtful


def remarks_on(
    rows: np.ndarray, levels: Mapping[str, tuple[str, ...]], count: str | None
) -> Iterator[str]:
    """Sentences on what looks like a mistake in the coded ``rows``, (lines, J), and need not be
    one. ``levels`` has the values of each column by name; ``count`` is the name of a column of
    counts beside them, None where there is none.
    """
    n = len(rows)
    is_single = np.transpose([np.bincount(codes + 1)[codes + 1] == 1 for codes in rows.T])
    if n >= FEW and len(levels) > 1 and is_single[0].all() and (rows[0] != MISSING).all():
        yield "row 1 has a value of its own in every column: if a second header, leave it out"
    doubtful = doubtful_columns(rows, levels, count)
    for j, (name, values) in enumerate(levels.items()):
        column, codes = f"column {name!r}", rows[:, j]
        if doubtful.get(name) == "count":
            yield f"{column} looks like counts of the lines: if so, name it as the count"
        elif len(values) >= FEW and all(map(MEASURED.fullmatch, values)):
            yield f"{column} looks like measurements: values are taken as names"
        elif doubtful.get(name) == "identifier":
            words = "if they identify the lines, leave the column out"
            yield f"{column} has {len(values)} values in {n} lines: {words}"
        if absent := _often_missing(values):
            one, more = ("value", "it means", "it"), ("values", "they mean", "them")
            noun, means, them = one if len(absent) == 1 else more
            yield (
                f"{column} has the {noun} {', '.join(map(repr, absent))}: if {means} that there "
                f"is none, name {them} as missing"
            )
        last = "" if codes[-1] == MISSING else values[codes[-1]]
        is_note = n >= FEW and (rows[-1] != MISSING).sum() == 1 < len(levels)
        if (is_note or TOTAL.fullmatch(last)) and last and is_single[-1, j]:
            words = "if a total or a note, leave that line out"
            yield f"{column} has {last!r} in the last line alone: {words}"
        written: dict[str | float, int] = {}
        for code, level in enumerate(values):
            first = written.setdefault(_key(level), code)
            if first != code:
                both = [f"{values[k]!r} ({(codes == k).sum()} of {n} lines)" for k in (first, code)]
                yield f"{column} has {' and '.join(both)}: if they are one, write them alike"
        for separator, word in SEPARATORS.items():
            if separator in name:
                yield f"the name of {column} has {word} in it: is one the separator?"


def _often_missing(levels: tuple[str, ...]) -> list[str]:
    """Levels that may mean no value: words, signs, and codes such as -9 and 99 far off others."""
    words = [level for level in levels if level.lower() in OFTEN_MISSING]
    codes = [level for level in levels if CODE_OF_NONE.fullmatch(level)]
    others = [level for level in levels if level not in (*words, *codes)]
    numbers = [0, *(int(level) for level in others if INTEGER.fullmatch(level))]
    lowest, limit = min(numbers), 2 * max(map(abs, numbers))
    codes = [code for code in codes if int(code) < 0 == lowest or int(code) > limit]
    if all(_key(level) in (-1, 1) for level in others):  # opposites
        codes = [code for code in codes if code != "-1"]
    return words + codes if others else words


def _key(level: str) -> str | float:
    """Equal for ways to write one value: a number, or words whatever their case and blanks."""
    plain = " ".join(unicodedata.normalize("NFKC", level).casefold().replace("_", " ").split())
    with suppress(ValueError):
        if INTEGER.fullmatch(plain):
            return int(plain)
        if isfinite(value := float(plain)):
            return value
    return plain
