"""What all summaries share: Markdown from templates, and numbers as filters.

The words of a page are in a template of the folder ``templates``; a function for each section picks
the numbers, and its values are all that the template sees. A template's paragraphs are wrapped:
`written` puts each on one line.

Tables are not written by a library: tabulate (which pandas uses too) leaves a ``|`` in a cell as it
is, so that a variable's name can break a table; and it pads columns, so that one longer number
changes every line in a comparison of two runs.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from latentdag.study.one_draw import fits
from latentdag.study.paper.numbers import AIS_SCORES
from latentdag.study.schema import words
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.words import label, listing, number, place, plus_minus

# signs that mark up words; and, where they begin a line, an item of a list, or what `written` takes
# for punctuation
SPECIAL = re.compile(r"[\\`*\[\]~$]|(?<![^\W_])_|_(?![^\W_])|^-(?= )|^[.,:;)]")
ENTITY = re.compile(r"&(?=#?\w+;)")
ROW = re.compile(r"^\|(?= )")
View = dict[Any, Any] | None  # what a view gives its section; None: nothing to show
NAMES_LISTED = 8  # of a list, at most; the rest is counted
LARGE = 1e6  # from which a statistic is written as a power of ten
SMALLEST_P = 1e-4  # p below which only that is said
LONGEST_LABEL, END = 60, 25  # characters of a label; those shown of each end of a longer one


def by_name(tables: Mapping[str, pd.DataFrame]) -> SimpleNamespace:
    """A namespace with the ``tables``, by name, as its attributes; one that is absent has its
    columns and no rows. Raises TypeError for one that no study has.
    """
    if unknown := set(tables) - set(TABLES):
        raise TypeError(f"no study has the table {', '.join(sorted(unknown))}")
    empty = {name: pd.DataFrame(columns=table.columns) for name, table in TABLES.items()}
    return SimpleNamespace(**empty | dict(tables))


def written(template: str | Path, **values: Any) -> str:
    """The text of a page in Markdown: the ``template``, a name in this package or a path, filled
    with the ``values`` that it names. Paragraphs and items of lists stand on one line each, with
    one empty line between blocks.

    Raises jinja2.UndefinedError where the template asks for what is not among the values.
    """
    if isinstance(template, Path):
        page = TEMPLATES.from_string(template.read_text("utf-8"))
    else:
        page = TEMPLATES.get_template(template)
    text = page.render(**values).strip()
    text = re.sub(r" +\n", "\n", text)
    text = re.sub(r"\n\s*\n", "\n\n", text)
    text = re.sub(r"(?<!\n)\n *(?=[.,:;)])", "", text)
    text = re.sub(r"(?<!\n)\n(?! *(?:- |\| |\n)) *", " ", text)
    return text + "\n"


def by_ais(
    claims: Iterable[Any],
    text: Callable[[Any], str],
    shown: Callable[[Iterable[Any]], bool] = lambda rows: True,
) -> View:
    """The claims that several scores of AIS can play, from rows of a table of ``claims``. A dict, a
    table with ``header`` and ``rows``, of the claims for whose rows ``shown`` is true: each cell is
    ``text`` of the row of the claim and score. None where fewer than two scores play AIS.
    """
    of: dict[str, dict] = {}
    for claim in claims:
        if claim.ais:
            of.setdefault(claim.claim, {})[claim.ais] = claim
    scores = [m for m in AIS_SCORES if any(m in by_score for by_score in of.values())]
    if len(scores) < 2:
        return None
    rows = [
        [claim, *(text(by_score[m]) if m in by_score else "" for m in scores)]
        for claim, by_score in of.items()
        if shown(by_score.values())
    ]
    return {"header": ["claim", *map(label, scores)], "rows": rows}


def table(header: Sequence, rows: Iterable[Sequence] = ()) -> str:
    """A table in Markdown, of the cells of ``header`` and ``rows`` as ``str`` gives them; ``|`` and
    line breaks do no harm.
    """
    return "\n".join(row(line) for line in (header, ["---"] * len(header), *rows))


def table_by_score(
    methods: Iterable[str], columns: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """A table with a row for each score of ``methods``: ``columns`` have by heading the texts of
    the cells by score, empty for a score that has none. Returns the ``header`` and the ``rows``,
    without columns in which all cells are empty.
    """
    methods = list(methods)
    cells = {heading: [texts.get(m, "") for m in methods] for heading, texts in columns.items()}
    filled = {heading: column for heading, column in cells.items() if any(column)}
    rows = list(zip(map(label, methods), *filled.values(), strict=True))
    return {"header": ["score", *filled], "rows": rows}


def row(cells: Iterable) -> str:
    """A row of a table in Markdown, of ``cells`` as `cell` writes them."""
    return "| " + " | ".join(map(cell, cells)) + " |"


def cell(value: Any) -> str:
    """A value as ``str`` gives it, for a cell of a Markdown table: on one line, ``|`` escaped."""
    return " ".join(str(value).split("\n")).replace("|", "\\|")


def escaped(text: Any) -> Any:
    """A name or a value as Markdown that shows it as it is, also where it begins a line; what is no
    text is returned. A ``|`` within it is left to `cell`. An underscore within a word needs no
    escape.
    """
    if not isinstance(text, str):
        return text
    text = ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    text = ROW.sub("&#124;", text)
    return SPECIAL.sub(r"\\\g<0>", text)


def percent(share: float) -> str:
    """A share from 0 to 1 as text in per cent; nothing where it is nan."""
    return number(share, ".0%").replace("%", " %")


def share(value: float, low: float, high: float) -> str:
    """A share from 0 to 1 and the ends of its interval, as text in per cent, ``6 % (3 to 12)``;
    nothing where it is nan.
    """
    if pd.isna(value):
        return ""
    return f"{percent(value)} ({100 * low:.0f} to {100 * high:.0f})"


def with_error(row: Any, name: str, times: float = 1) -> str:
    """As text, ``times`` the mean ``name`` in ``row``, a named tuple of a table over draws, and its
    standard error, the attribute with ``_se`` added to the name.
    """
    return plus_minus(times * getattr(row, name), times * getattr(row, f"{name}_se"))


def holds_in(row: Any) -> str:
    """In how many draws a claim holds, in words, from its row of the table of claims held, a
    mapping or a named tuple: ``6 of 100: 6 % (3 to 12)``.
    """
    r = row if isinstance(row, Mapping) else row._asdict()
    if not r["draws"]:
        return "not testable"
    of_draws = share(r["share"], r["low"], r["high"])
    return f"{r['holds']} of {r['draws']}" + (
        f": {of_draws}" if of_draws else "; no draw can refute it"
    )


def place_between(rank: float, low: float, high: float) -> str:
    """A ``rank`` as text, and where Monte Carlo error leaves others their range: ``3 (2 to 5)``."""
    return place(rank) + (f" ({low:g} to {high:g})" if low < high else "")


def median_ratio(least: float, most: float, low: float, high: float) -> str:
    """As text, where the median of ratios of sizes lies, from ``least`` to ``most``, and its 95 %
    interval, from ``low`` to ``high``; ∞ for an end that is nan. Nothing where it may lie anywhere.

    >>> median_ratio(1.14, 4.0, 1.0, nan)
    '1.14 to 4 (1 to ∞)'
    >>> median_ratio(0.0, nan, 0.0, nan)
    ''
    """
    if least == 0 and pd.isna(most):
        return ""
    ends = [number(ratio, ".3g") or "∞" for ratio in (least, most, low, high)]
    return "{} to {} ({} to {})".format(*ends)


def large(count: int) -> str:
    """A count as text, as a power of ten from a thousand millions on.

    >>> large(65536), large(2**600)
    ('65,536', '4.1e+180')
    """
    return f"{count:,}" if abs(count) < 1e9 else f"{Decimal(int(count)):.1e}"


def statistic(value: float) -> str:
    """A statistic of fit as text, as a power of ten from a million on; nothing where it is nan."""
    return number(value, ".2f" if abs(value) < LARGE else ".1e")


def fits_of(scores: pd.DataFrame) -> View:
    """Which fits behind a table of ``scores`` failed, a dict: the ``number`` of fits; as text those
    that reached their limit of iterations by job, ``failed``; and the structures without a score,
    by score and reason, ``lost``; with the first names of each.
    """
    every = fits.fits(scores)
    failed, lost = fits.not_converged(every), fits.lost_by_reason(scores)
    return {
        "number": len(every),
        "failed": [
            f"{label(job)} {len(rows)} of {number} ({some(pairs(rows, scores))})"
            for job, (rows, number) in failed.items()
        ],
        "lost": [
            f"{label(m)} {len(rows)} ({cell(reason)}: {some(pairs(rows, scores))})"
            for (m, reason), rows in lost.items()
        ],
    }


def p_value(value: float) -> str:
    """A p-value as text, of two digits; of one below SMALLEST_P only that is said."""
    return f"below {SMALLEST_P:g}" if value < SMALLEST_P else f"{value:.2g}"


def some(names: Sequence[str]) -> str:
    """At most NAMES_LISTED of the ``names``, and how many more there are, as text."""
    more = len(names) - NAMES_LISTED
    return ", ".join(names[:NAMES_LISTED]) + (f" and {more} more" if more > 0 else "")


def shortened(structure: str) -> str:
    """The label of a ``structure``; of more than LONGEST_LABEL characters only its two ends."""
    if len(structure) <= LONGEST_LABEL:
        return structure
    return f"{structure[:END]}...{structure[-END:]}"


def listed(names: Sequence[str]) -> str:
    """The names after a colon as `some` writes them, "" where there are none."""
    return f": {some(names)}" if names else ""


def pairs(
    rows: pd.DataFrame, of: pd.DataFrame, text: Callable[[Any], str] = lambda r: ""
) -> list[str]:
    """For each of ``rows``, of a table with structure, n and draw, as text: its structure; its
    size, and its draw, if the table ``of`` has several; and ``text(row)``, of the named tuple of
    the row.
    """
    sizes, draws = (len(set(of[name])) > 1 for name in ("n", "draw"))
    lines = []
    for r in rows.itertuples():
        at = (f" at n = {r.n}" if sizes else "") + (f" of draw {r.draw}" if draws else "")
        lines.append(shortened(r.structure) + at + text(r))
    return lines


def causes(structure: str) -> str:
    """In words, which variables share a cause in the structure with this label."""
    return words.shared_causes_in_words(words.parents_of(structure))


TEMPLATES = Environment(
    loader=PackageLoader("latentdag.report"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
FILTERS = (
    *(causes, cell, label, large, listed, median_ratio, number, p_value),
    *(percent, row, share, some, statistic, table, with_error),
    *(words.counted, words.joined, listing),
)
TEMPLATES.filters |= {f.__name__: f for f in FILTERS}
