"""Cases from a table of one's own: a CSV or a DataFrame with one column per observed variable, and
perhaps one of counts; and what the library's functions take for cases.
"""

from __future__ import annotations

import csv
import gzip
import inspect
import io
import re
import unicodedata
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from latentdag.data.counts import MAX_COUNT, MISSING, Counts, check_cases, is_missing
from latentdag.data.remarks import BLANKS, INTEGER, SEPARATORS, WHOLE, doubtful_columns, remarks_on
from latentdag.model.structures import Family

MISSING_TEXT = ("", "NA", "NaN")  # values that mean that there is none
UNKNOWN = ("error", "missing")  # what a value that is no level may be taken for
# signs without width, of direction, of how to draw an emoji, and where a word may break are no part
# of a value
INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
COUNT = re.compile(r"[0-9]{1,999}(\.0*)?")
ENOUGH = 30  # cases, of which some have the last value of some variable
SPREADSHEETS = (".xlsx", ".xls", ".ods")
GZIP = b"\x1f\x8b"  # how its files begin
WEAK_SEPARATORS = {":": "colons", " ": "blanks"}  # which single values have, too


def marked(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """The ``names`` of variables, in their order, with " (variable)" after a name that is ``taken``
    by a column beside the variables, or that came before; no two are equal.
    """
    marked_names: list[str] = []
    for name in names:
        new = name
        while new in taken or new in marked_names or (new != name and new in names):
            new = f"{new} (variable)"
        marked_names.append(new)
    return marked_names


@dataclass(frozen=True)
class Table:
    """Observed variables by name, the values of each by code, and how often each case occurs."""

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    counts: Counts
    remarks: tuple[str, ...] = ()  # what looks like a mistake in the data, and need not be one
    # columns that are hardly variables, though not named as such: "count" or "identifier" by name
    doubtful: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def n(self) -> int:
        """The number of cases."""
        return self.counts.n

    @property
    def cases(self) -> np.ndarray:
        """The coded cases one by one, (n, J), in a random order, the same in every run; nan where a
        value is missing. Raises ValueError for more than MAX_CASES of `latentdag.data.counts`.
        """
        codes = self.counts.one_by_one()
        return np.where(codes == MISSING, np.nan, codes) if self.counts.has_missing else codes

    @property
    def cardinalities(self) -> tuple[int, ...]:
        return tuple(map(len, self.levels))

    def family(self, hidden: Sequence[int]) -> Family:
        """The family of these observed variables and hidden ones of the given cardinalities."""
        return Family(tuple(hidden), self.cardinalities)


def named_table(cases):
    """A DataFrame as a `Table`, with its remarks as warnings; other ``cases`` as they are."""
    if isinstance(cases, Table) or not hasattr(cases, "columns"):
        return cases
    table = read_table(cases)
    for remark in table.remarks:
        _warn(remark)
    return table


def cases_of(cases, family: Family) -> np.ndarray | Counts:
    """What the library's functions take for cases, as `check_cases` gives it: an array of codes,
    `Counts`, a `Table`, or a DataFrame, which is taken as `read_table` takes it.

    Raises ValueError as `check_cases` and `read_table` do, and where the variables of a table have
    other numbers of values than those of the ``family``. Warns where a user's codes seem to be of
    another family: no variable has its first value, or of `ENOUGH` cases none its last. In a table
    values are declared, which need not occur.
    """
    cases = named_table(cases)
    if isinstance(cases, Table):
        if cases.cardinalities != family.observed:
            raise ValueError(
                f"the variables of the table have {_listed(cases.cardinalities)} values, those of "
                f"the structure's family {_listed(family.observed)}: give the structure's label "
                "alone, or make it with Structure.from_label(label, table.family(hidden)); codes "
                "from 0 are an array"
            )
        cases = cases.counts
        return cases if cases.cardinalities == family.observed else check_cases(cases, family)
    if isinstance(cases, Counts) and cases.cardinalities == family.observed:
        return cases
    checked = check_cases(cases, family)
    is_counts = isinstance(checked, Counts)
    codes = checked.patterns if is_counts else checked
    n, highest = checked.n if is_counts else len(checked), codes.max(axis=0)
    if ((highest > 0) & (codes != 0).all(axis=0)).all():
        _warn("no variable has the code 0, its first value: are the cases coded from 1?")
    elif n >= ENOUGH and (highest + 1 < family.observed).all():
        _warn(
            f"the cases have {_listed(highest + 1)} values of the variables, and the structure's "
            f"family {_listed(family.observed)}: are they of this family?"
        )
    return checked


def _warn(words: str) -> None:
    """Warn, at the line that called the package."""
    frame, level = inspect.currentframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("latentdag."):
        frame, level = frame.f_back, level + 1
    warnings.warn(words, stacklevel=level)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


@dataclass(frozen=True)
class _Origin:
    """Where a table comes from, for messages."""

    name: str
    is_file: bool

    def error(self, words: str) -> ValueError:
        return ValueError(f"{self.name}: {words}")

    def row(self, index: int) -> str:
        """A row, counted from 1, and in a file its line, below the header."""
        return f"row {index + 1}" + (f" (line {index + 2} of the file)" if self.is_file else "")


@dataclass(frozen=True)
class _Column:
    """The values of a column as text, None where a DataFrame has none."""

    origin: _Origin
    name: str
    values: list[str | None]
    categories: Sequence | None = None  # of a DataFrame's column that has some
    rows: Sequence[int] | None = None  # where the values stand, from 0; None: in all rows

    def error(self, value: str | None, words: str) -> ValueError:
        """A ValueError, not raised, that says ``words`` of ``value``, after the row and column of
        its first place.
        """
        place = self.values.index(value)
        row = self.origin.row(place if self.rows is None else self.rows[place])
        shown = repr(value if value is None or len(value) < 100 else f"{value[:99]}…")
        return self.origin.error(f"{row}, column {self.name!r}: {shown} {words}")

    def counted(self, rows: np.ndarray) -> _Column:
        """The values in these ``rows`` alone."""
        return replace(self, values=[self.values[r] for r in rows], rows=rows.tolist())

    def whole(self, absent: Collection) -> _Column:
        """The column with its values as whole numbers and dates, where all but ``absent`` ones are
        whole numbers with a point, as 2.0, or dates with the time of midnight; else the column
        itself.
        """
        if not all(v in absent or WHOLE.fullmatch(v) for v in dict.fromkeys(self.values)):
            return self
        values = [v if v in absent else WHOLE.sub(r"\1\2", v) for v in self.values]
        return replace(self, values=values)

    def levels(self, declared: Sequence | int | None, absent: Collection) -> tuple[str, ...]:
        """The levels as text: the ``declared`` ones, 0 to K - 1 where a number K is declared; or
        else the column's categories; or else its sorted values but for ``absent`` ones. Raises
        ValueError where declared levels or categories are not two or more different values.
        """
        declared = self.categories if declared is None else declared
        if declared is None:
            occurring = {value for value in self.whole(absent).values if value not in absent}
            is_integer = all(map(INTEGER.fullmatch, occurring))
            return tuple(sorted(occurring, key=lambda v: (int(v), v) if is_integer else v))
        declared = range(declared) if isinstance(declared, int) else declared
        if self.origin.is_file and any(isinstance(level, bool) for level in declared):
            raise self.origin.error(
                f"the levels of {self.name!r} are true and false, as YAML reads yes and no: write "
                "them in quotes"
            )
        levels = tuple(_clean(str(level)) for level in declared)
        if len(levels) < 2 or len(set(levels)) < len(levels):
            raise self.origin.error(
                f"the levels of {self.name!r} must be at least two different values, got "
                f"{', '.join(levels)}"
            )
        return levels

    def codes(self, levels: Sequence[str], absent: Collection, unknown: str = "") -> np.ndarray:
        """The codes of the values, (n,): indices among ``levels``, MISSING for ``absent`` ones;
        whole numbers may have points. A value that is no level is MISSING where ``unknown`` is
        "missing", and raises ValueError otherwise.
        """
        code = dict.fromkeys(absent, MISSING) | {level: k for k, level in enumerate(levels)}
        others = [value for value in dict.fromkeys(self.values) if value not in code]
        if others and (whole := self.whole(absent)) is not self:
            return whole.codes(levels, absent, unknown)
        if others and unknown != "missing":
            hint = ": give it among these, or take it for missing with unknown='missing'"
            words = f"is none of the levels {', '.join(levels)}{hint if unknown else ''}"
            raise self.error(others[0], words)
        return np.array([code.get(value, MISSING) for value in self.values], dtype=np.int64)


def read_table(
    source,
    count: str | None = None,
    levels: Mapping[str, Sequence | int] | None = None,
    missing: Sequence[str] = MISSING_TEXT,
    columns: Sequence[str] | None = None,
) -> Table:
    """Read cases into a `Table`: from a CSV file with a header line, from the first sheet of a
    spreadsheet, or from a pandas DataFrame; values are taken as integers, or else as names.

    ``source`` is the file's path, which gzip may have compressed, or the DataFrame, or one of
    another library, such as polars, which has ``to_pandas``. A column of whole numbers has
    integers, also where all are written as in 2.0, and one of dates none with a time of day where
    all are midnight: a DataFrame and its CSV give one table. ``count`` names the column that says
    how often a line stands for a case; without it each line is one case. ``levels`` may give the
    values of some columns in their order, or their number K for the integers 0 to K - 1; a
    categorical column of a DataFrame has its categories; those of the others are found in the data
    and sorted. An empty text, or one of ``missing``, that is no level given, is missing; in a
    DataFrame nan, None and pandas.NA are, too. Lines without any value say nothing, and are left
    out. ``columns`` names those of observed variables, which then stand in that order; None: all
    but the counts. Lines of count 0 are left out: a value that occurs in these alone is a level
    only where the levels are given. Raises ValueError naming the file, and the row (from 1, below
    the header) and column at fault.

    >>> import pandas as pd
    >>> answers = pd.DataFrame({"first": ["yes", "no", "yes"], "second": ["a", "b", None]})
    >>> table = read_table(answers)
    >>> table.names, table.levels, table.counts.n
    (('first', 'second'), (('no', 'yes'), ('a', 'b')), 3)
    """
    if isinstance(missing, str):
        raise ValueError(f"missing must be a sequence of texts, got {missing!r}")
    origin, by_name = _source(source, columns is not None)
    index = by_name.pop("", None)
    numbers = _numbers(origin, by_name, count)
    levels, absent = levels or {}, _absent(missing)
    names = _observed(origin, list(by_name), count, columns)
    if others := [name for name in levels if name not in names]:
        words = f"levels are given for {others[0]!r}, which is not a column; these are "
        raise origin.error(words + ", ".join(names))
    every = {name: by_name[name] for name in names}
    counted = np.flatnonzero(numbers)
    if not len(counted):
        raise origin.error("all counts are 0: at least one case is needed")
    if len(counted) < len(numbers):
        by_name = {name: column.counted(counted) for name, column in every.items()}
        numbers = numbers[counted]
    levels_by_name = {name: by_name[name].levels(levels.get(name), absent) for name in names}
    _check_constant(origin, levels_by_name, len(counted) < len(every[names[0]].values))
    codes = np.column_stack([by_name[name].codes(levels_by_name[name], absent) for name in names])
    remarks = [*remarks_on(codes, levels_by_name, count)]
    doubtful = {} if columns else doubtful_columns(codes, levels_by_name, count)
    if origin.is_file and all(name in values for name, values in levels_by_name.items()):
        words = "the name of each column is one of its values"
        remarks.append(f"{words}: is the header line missing, or there twice?")
    if index:
        remarks.append("the first column, which has no name, is left out as the names of the lines")
    empty = (codes == MISSING).all(axis=1)
    if empty.any():
        remarks.append(f"lines without any value, {empty.sum()} of {len(codes)}, are left out")
    cardinalities = tuple(map(len, levels_by_name.values()))
    for name, column in every.items():
        kept = {*levels_by_name[name], *by_name[name].values, *absent}
        if left_out := [value for value in dict.fromkeys(column.values) if value not in kept]:
            listed = ", ".join(map(repr, left_out))
            one, more = ("occurs", "it as a level"), ("occur", "them as levels")
            occur, them = one if len(left_out) == 1 else more
            remarks.append(
                f"column {name!r}: {listed} {occur} only in lines of count 0, which are left out: "
                f"to keep {them}, give the levels"
            )
    counts = Counts.of(codes[~empty], numbers[~empty], cardinalities)
    if not len(counts.numbers):
        raise origin.error("all counts are 0: at least one case is needed")
    return Table(
        tuple(levels_by_name), tuple(levels_by_name.values()), counts, tuple(remarks), doubtful
    )


def codes_of(
    frame, table: Table, missing: Sequence[str] = MISSING_TEXT, unknown: str = "error"
) -> np.ndarray:
    """The rows of a DataFrame, whose columns stand in the order of the ``table``'s variables, as
    codes (n, J) of its levels, MISSING where there is no value, or a text of ``missing``. A value
    that is no level raises ValueError naming its row where ``unknown`` is "error", and is missing
    where that is "missing"; another ``unknown`` raises ValueError.
    """
    if unknown not in UNKNOWN:
        raise ValueError(f"unknown must be one of {', '.join(UNKNOWN)}, got {unknown!r}")
    _, columns = _source(frame.set_axis(table.names, axis=1))
    pairs = zip(columns.values(), table.levels, strict=True)
    absent = _absent(missing)
    return np.column_stack([column.codes(levels, absent, unknown) for column, levels in pairs])


def _source(source, chosen: bool = False) -> tuple[_Origin, dict[str, _Column]]:
    """Origin and columns by name; where variables are ``chosen`` others may have no name."""
    source = source.to_pandas() if hasattr(source, "to_pandas") else source
    if hasattr(source, "columns"):
        origin = _Origin("the DataFrame", is_file=False)
        return origin, _frame_columns(origin, source)
    if not isinstance(source, str | Path):
        raise ValueError(
            "read_table takes the path of a file or a DataFrame, which pandas.DataFrame makes of a "
            f"{type(source).__name__}"
        )
    origin = _Origin(str(source), is_file=True)
    if origin.name.lower().endswith(SPREADSHEETS):
        return origin, _frame_columns(origin, _spreadsheet(origin))
    return origin, _file_columns(origin, chosen)


def _frame_columns(origin: _Origin, frame) -> dict[str, _Column]:
    names = [str(name) for name in frame.columns]
    _check_names(origin, names)
    for noun, number in (("case", len(frame)), ("column", len(names))):
        if number == 0:
            raise ValueError(f"{origin.name} has no {noun}s: at least one is needed")
    columns = {}
    for name, values in frame.set_axis(names, axis=1).items():
        if values.dtype == np.float32:  # as they are written, not their nearest doubles
            values = values.astype(str).astype(float)
        column = _Column(origin, name, list(map(_text, values.tolist())))
        if hasattr(values, "cat"):
            categories = replace(column, values=list(map(_text, values.cat.categories.tolist())))
            column = replace(column, categories=categories.whole({None}).values)
        columns[name] = column
    return columns


def _spreadsheet(origin: _Origin):
    """The first sheet of a spreadsheet as a DataFrame, with empty texts as in a CSV file."""
    import pandas as pd  # only where there is one

    try:
        sheet = pd.read_excel(origin.name, keep_default_na=False, na_values=[""])
    except FileNotFoundError:
        raise origin.error("there is no such file") from None
    except ImportError as error:
        raise origin.error(f"{error}; or save it as CSV") from None
    except (OSError, ValueError, KeyError) as error:
        raise origin.error(f"cannot be read as a spreadsheet: {error}") from None
    return sheet.astype(object).where(sheet.notna(), "")


def _file_columns(origin: _Origin, chosen: bool) -> dict[str, _Column]:
    """The first column may have no name if variables are ``chosen``, or if it counts the lines."""
    names, *rows = _lines(origin)
    names = list(map(_clean, names))
    if len(names) == 1 and (word := _separator(names[0], rows)):
        raise origin.error(f"the columns are separated by {word}; commas are needed")
    line, is_other = ",".join(names), len(names) != len(rows[0])
    is_title = line.startswith("#") or len(names) == 1 < len(rows[0]) - 1
    if line.lower().startswith("sep=") or (is_other and is_title):
        raise origin.error(f"the first line, {line!r}, seems to be no header: leave it out")
    first = [_clean(row[0]) for row in rows if row]
    counted = [list(map(str, range(begin, begin + len(rows)))) for begin in (0, 1)]
    if first in counted and all(len(row) == len(names) + 1 for row in rows):  # as R writes them
        names = ["", *names]
    while len(names) > 1 and not any(  # each line ends in a comma
        len(row) != len(names) or _clean(row[-1]) for row in (names, *rows)
    ):
        names, *rows = (row[:-1] for row in (names, *rows))
    is_index = len(names) > 1 and not names[0] and (chosen or first in counted)
    _check_names(origin, names[is_index:])
    for r, row in enumerate(rows):
        if len(row) != len(names):
            raise origin.error(f"{origin.row(r)} has {len(row)} values for {len(names)} columns")
    columns = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        column = _Column(origin, name, values)
        kept = {value: _clean(value) for value in dict.fromkeys(values)}
        for value in kept:
            if words := _unprintable(value):
                raise column.error(value, f"has {words} in it")
        columns[name] = replace(column, values=[kept[value] for value in values])
    return columns


def _separator(name: str, rows: Sequence[Sequence[str]]) -> str:
    """What separates the values of lines without commas, in words; nothing if nothing does."""
    texts = [_clean(text) for text in (name, *(row[0] for row in rows if row))]
    for separator, word in (SEPARATORS | WEAK_SEPARATORS).items():
        if separator in name:
            of_header, *of_rows = (len(re.split(f"[{separator}]+", text)) for text in texts)
            # R writes no name of the first column, which has those of the lines
            if separator in SEPARATORS or set(of_rows) in ({of_header}, {of_header + 1}):
                return word
    return ""


def _lines(origin: _Origin) -> list[list[str]]:
    """The values of each line, the header's first."""
    lines, begin = [], 1  # the line of the file at which the next values begin
    try:
        content = Path(origin.name).read_bytes()
        content = gzip.decompress(content) if content.startswith(GZIP) else content
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        reader = csv.reader(text, strict=True)
        for line in reader:
            lines.append(line)
            begin = reader.line_num + 1
    except FileNotFoundError:
        raise origin.error("there is no such file") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise origin.error(f"cannot be read as a CSV file in UTF-8: {error}") from None
    except csv.Error as error:
        separators = SEPARATORS | WEAK_SEPARATORS
        text.seek(0)
        if other := re.match(f'"[^"]*"([{"".join(separators)}])"', text.readlines()[begin - 1]):
            words = f"the columns are separated by {separators[other[1]]}; commas are needed"
            raise origin.error(words) from None
        raise origin.error(f"cannot be read as a CSV file, line {begin}: {error}") from None
    while lines and not any(map(_clean, lines[-1])):
        lines.pop()
    if len(lines) < 2:
        raise origin.error("a header line and at least one case are needed")
    return lines


def _check_names(origin: _Origin, names: list[str]) -> None:
    if "" in names or len(set(names)) < len(names):
        listed = ", ".join(map(repr, names))
        raise origin.error(f"every column needs a name of its own, got {listed}")
    for name in names:
        if words := _unprintable(name):
            raise origin.error(f"the name of column {name!r} has {words} in it")


def _unprintable(text: str) -> str:
    """The first character of ``text`` that does not print, in words, or nothing."""
    if not (match := UNPRINTABLE.search(text)):
        return ""
    return "a line break" if match[0] in "\r\n" else f"the character U+{ord(match[0]):04X}"


def _text(value) -> str | None:
    """A value as a CSV file would have it."""
    return None if is_missing(value) else _clean(str(value))


def _clean(text: str) -> str:
    """Without invisible signs and blanks around it; accents in one way of writing."""
    return unicodedata.normalize("NFC", INVISIBLE.sub("", text)).strip(BLANKS)


def _absent(missing: Sequence[str]) -> set[str | None]:
    """All that means that there is no value."""
    return {None, "", *(_clean(str(text)) for text in missing)}


def _numbers(origin: _Origin, columns: Mapping[str, _Column], count: str | None) -> np.ndarray:
    """How often each row stands for a case."""
    if count is None:
        return np.ones(len(next(iter(columns.values())).values), dtype=np.int64)
    if count not in columns:
        listed = ", ".join(columns)
        raise origin.error(f"there is no column {count!r} of counts; the columns are {listed}")
    if len(columns) < 2:
        raise origin.error("there is no column beside the counts")
    values = columns[count].values
    for value in dict.fromkeys(values):
        if value is None or not COUNT.fullmatch(value):
            raise columns[count].error(value, "is not a count (an integer from 0)")
    numbers = [int(value.partition(".")[0]) for value in values]
    if sum(numbers) > MAX_COUNT:
        raise origin.error(
            f"column {count!r} counts {sum(numbers):,} cases; at most {MAX_COUNT:,} are supported"
        )
    return np.array(numbers, dtype=np.int64)


def _observed(
    origin: _Origin, names: list[str], count: str | None, columns: Sequence[str] | None
) -> list[str]:
    """The columns of observed variables."""
    if columns is None:
        return [name for name in names if name != count]
    if isinstance(columns, str) or not len(columns):
        raise ValueError(f"columns must be a sequence of at least one name, got {columns!r}")
    chosen = list(map(str, columns))
    for name in chosen:
        if name not in names:
            raise origin.error(f"there is no column {name!r}; the columns are {', '.join(names)}")
    if count in chosen:
        raise origin.error(f"column {count!r} is that of the counts, and no variable")
    if len(set(chosen)) < len(chosen):
        raise origin.error(f"a column is named twice among {', '.join(chosen)}")
    return chosen


def _check_constant(origin: _Origin, levels: Mapping[str, tuple[str, ...]], partly: bool) -> None:
    """Raise ValueError that names all columns with fewer than two values; ``partly``: there are
    lines of count 0.
    """
    within = " in lines of a count above 0" if partly else ""
    few = {name: values for name, values in levels.items() if len(values) < 2}
    if few:
        listed = ", ".join(
            f"column {name!r} has {f'the one value {v[0]!r}' if v else 'no value'}{within}"
            for name, v in few.items()
        )
        raise origin.error(f"{listed}: leave out what does not vary, or give its levels")
