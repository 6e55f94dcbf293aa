"""Cases from a table of one's own: a CSV or a DataFrame with one column per observed variable, and
perhaps one of counts; and what the library's functions take for cases.
"""

import csv
import gzip
import io
import re
import unicodedata
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from latentdag.data.counts import MAX_COUNT, MISSING, Counts, check_cases, is_missing
from latentdag.model.structures import Family

MISSING_TEXT = ("", "NA", "NaN")  # values that mean that there is none
UNKNOWN = ("error", "missing")  # what a value that is no level may be taken for
OFTEN_MISSING = ("n/a", "n.a.", "na", "nan", "<na>", "#n/a", "null", "#null!", "none", "nil")
OFTEN_MISSING += ("nat", "#div/0!", "#ref!", "?", ".", "-", "--", "missing", "unknown")
# around a value, blanks and signs without width are no part of it
BLANKS = " \t\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff"
AROUND, WITHIN = re.compile(f"^[{BLANKS}]+|[{BLANKS}]+$"), re.compile(f"[{BLANKS}]+")
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
INTEGER = re.compile(r"[+-]?[0-9]+")
COUNT = re.compile(r"[0-9]+(\.0*)?")
MEASURED = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]+\.0*")
TWO_SIGNS = re.compile(r"[+-]{2,}[0-9]+")
COUNTS = ("count", "counts", "freq", "frequency", "n", "number", "weight")  # usual names
FEW = 8  # values; with fewer, nothing is said of an identifier or of measurements
ENOUGH = 30  # cases, of which some have the last value of some variable
SPREADSHEETS = (".xlsx", ".xls", ".ods")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how a file in it begins
# numbers that often stand for a missing value
CODES_OF_NONE = ("-9", "-98", "-99", "-999", "-9999", "98", "99", "999", "9999")
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def marked(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """The names of variables for columns beside those that are ``taken``: a variable with such a
    name is marked as one, and no two have the same name.
    """
    found: list[str] = []
    for name in names:
        own = name
        while own in taken or own in found or (own != name and own in names):
            own = f"{own} (variable)"
        found.append(own)
    return found


@dataclass(frozen=True)
class Table:
    """Observed variables by name, the values of each in the order of their codes, and how often
    each case occurs.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    counts: Counts
    remarks: tuple[str, ...] = ()  # what looks like a mistake in the data, and need not be one

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


def named_table(cases) -> Table | None:
    """The `Table` that ``cases`` are, or that `read_table` makes of a DataFrame; None for what has
    codes.
    """
    if isinstance(cases, Table):
        return cases
    return read_table(cases) if hasattr(cases, "columns") else None


def cases_of(cases, family: Family) -> "np.ndarray | Counts":
    """What the library's functions take for cases, as `check_cases` gives it: an array of codes,
    `Counts`, a `Table`, or a DataFrame, which is taken as `read_table` takes it.

    Raises ValueError as `check_cases` and `read_table` do, and where the variables of a table have
    other numbers of values than those of the ``family``. Warns where codes seem to be of another
    family: no variable of `ENOUGH` cases has its last value, or none its first.
    """
    table = named_table(cases)
    if table is not None:
        if table.cardinalities != family.observed:
            raise ValueError(
                f"the variables of the table have {_listed(table.cardinalities)} values, those of "
                f"the structure's family {_listed(family.observed)}: give the structure's label "
                "alone, or make it with Structure.from_label(label, table.family(hidden)); codes "
                "from 0 are an array"
            )
        return check_cases(table.counts, family)
    checked = check_cases(cases, family)
    is_counts = isinstance(checked, Counts)
    codes = checked.patterns if is_counts else checked
    if (checked.n if is_counts else len(checked)) >= ENOUGH:
        highest = codes.max(axis=0)
        if (highest + 1 < family.observed).all():
            warnings.warn(
                f"the cases have {_listed(highest + 1)} values of the variables, and the "
                f"structure's family {_listed(family.observed)}: are they of this family?",
                stacklevel=3,
            )
        elif ((codes > 0).any(axis=0) & (codes != 0).all(axis=0)).all():
            warnings.warn(
                "no variable has the code 0, its first value: are the cases coded from 1?",
                stacklevel=3,
            )
    return checked


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


@dataclass(frozen=True)
class _Origin:
    """Where a table comes from, for messages."""

    name: str
    is_file: bool

    def __str__(self) -> str:
        return self.name

    def row(self, index: int) -> str:
        """A row, counted from 1, and in a file its line, below the header."""
        return f"row {index + 1}" + (f" (line {index + 2} of the file)" if self.is_file else "")

    def place(self, values: Sequence[str], value: str, column: str) -> str:
        """Where ``value`` first stands among the ``values`` of a ``column``, and the value."""
        return f"{self}: {self.row(values.index(value))}, column {column!r}: {value!r}"


def read_table(
    source,
    count: str | None = None,
    levels: Mapping[str, Sequence | int] | None = None,
    missing: Sequence[str] = MISSING_TEXT,
    columns: Sequence[str] | None = None,
) -> Table:
    """Read cases from a CSV file with a header line, from the first sheet of a spreadsheet, or from
    a pandas DataFrame; values are strings or integers.

    ``source`` is the file's path, which may end with .gz, or the DataFrame. A column of whole
    numbers has integers, also where all are written as in 2.0: a DataFrame and its CSV give one
    table. ``count`` names the column that says how often a line stands for a case; without it each
    line is one case. ``levels`` may give the values of some columns in their order, or their number
    K for the integers 0 to K - 1; a categorical column of a DataFrame has its categories; those of
    the others are found in the data and sorted. An empty text, or one of ``missing``, that is no
    level given, is missing; in a DataFrame nan, None and pandas.NA are, too. Lines without any
    value say nothing, and are left out. ``columns`` names those of observed variables, which then
    stand in that order; None: all but the counts. Raises ValueError naming the file, and the row
    (from 1, below the header) and column at fault.

    >>> import pandas as pd
    >>> answers = pd.DataFrame({"first": ["yes", "no", "yes"], "second": ["a", "b", None]})
    >>> table = read_table(answers)
    >>> table.names, table.levels, table.counts.n
    (('first', 'second'), (('no', 'yes'), ('a', 'b')), 3)
    """
    if isinstance(missing, str):
        raise ValueError(f"missing must be a sequence of texts, got {missing!r}")
    if not isinstance(source, str | Path) and not hasattr(source, "columns"):
        raise ValueError(
            "read_table takes the path of a file or a DataFrame, which pandas.DataFrame makes of a "
            f"{type(source).__name__}"
        )
    if hasattr(source, "columns"):
        origin = _Origin("the DataFrame", is_file=False)
        found, categories = _frame_columns(origin, source)
    elif str(source).lower().endswith(SPREADSHEETS):
        origin = _Origin(str(source), is_file=True)
        found, categories = _frame_columns(origin, _spreadsheet(Path(source)))
        found = {k: ["" if v is None else v for v in values] for k, values in found.items()}
    else:
        origin, categories = _Origin(str(source), is_file=True), {}
        found = _columns(Path(source), columns is not None)
    index = found.pop("", None)
    numbers = _numbers(origin, found, count)
    observed = {name: found[name] for name in _observed(origin, list(found), count, columns)}
    given = {name: found for name, found in categories.items() if name in observed}
    for name in levels or {}:
        listed = () if isinstance(levels[name], int) else levels[name]
        if origin.is_file and any(isinstance(level, bool) for level in listed):
            raise ValueError(
                f"{origin}: the levels of {name!r} are true and false, as YAML reads yes and no: "
                "write them in quotes"
            )
        if name not in observed:
            raise ValueError(
                f"{origin}: levels are given for {name!r}, which is not a column; these are "
                f"{', '.join(observed)}"
            )
        given[name] = levels[name]
    absent = {None, "", *(_clean(str(text)) for text in missing)}
    known = {name: _given(origin, name, given.get(name)) for name in observed}
    for name in (name for name, own in known.items() if own is None):
        observed[name] = values = _whole(observed[name], absent)
        known[name] = _found(origin, name, [v for v in values if v not in absent])
    _check_constant(origin, known)
    codes = np.empty((len(numbers), len(observed)), dtype=np.int64)
    for j, (name, values) in enumerate(observed.items()):
        codes[:, j] = _coded(origin, name, values, known[name], absent)
    remarks = _remarks(codes, known, count)
    if index:
        remarks += ("the first column, which has no name, is left out as the names of the lines",)
    empty = (codes == MISSING).all(axis=1)
    if empty.any():
        remarks += (f"lines without any value, {empty.sum()} of {len(codes)}, are left out",)
    counts = Counts.of(codes[~empty], np.array(numbers, dtype=np.int64)[~empty])
    if not len(counts.numbers):
        raise ValueError(f"{origin}: all counts are 0: at least one case is needed")
    return Table(tuple(known), tuple(known.values()), counts, remarks)


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
            raise ValueError(
                f"{origin}: there is no column {name!r}; the columns are {', '.join(names)}"
            )
    if count in chosen:
        raise ValueError(f"{origin}: column {count!r} is that of the counts, and no variable")
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"{origin}: a column is named twice among {', '.join(chosen)}")
    return chosen


def _remarks(
    rows: np.ndarray, levels: Mapping[str, tuple[str, ...]], count: str | None
) -> tuple[str, ...]:
    """What looks like a mistake in the coded ``rows``, (lines, J), and need not be one."""
    found = []
    for j, (name, known) in enumerate(levels.items()):
        others = np.delete(rows, j, axis=1)
        is_count = (
            count is None
            and name.lower() in COUNTS
            and all(level.isdecimal() for level in known)
            and len(np.unique(others, axis=0)) == len(rows) > 1
        )
        if is_count:
            found.append(
                f"column {name!r} looks like counts of the lines: if so, name it as the count"
            )
        elif len(known) >= FEW and all(map(MEASURED.fullmatch, known)):
            found.append(f"column {name!r} looks like measurements: values are taken as names")
        elif len(known) >= max(FEW, 0.9 * len(rows)):
            found.append(
                f"column {name!r} has {len(known)} values in {len(rows)} lines, as an identifier "
                "has"
            )
        if doubtful := _often_missing(known):
            one = f"value {doubtful[0]!r}: if it means that there is none, name it"
            more = f"values {', '.join(map(repr, doubtful))}: if they mean that there is none, name"
            words = one if len(doubtful) == 1 else f"{more} them"
            found.append(f"column {name!r} has the {words} as missing")
        written: dict[str | float, int] = {}
        for code, level in enumerate(known):
            first = written.setdefault(_key(level), code)
            if first != code:
                alike = " and ".join(
                    f"{known[k]!r} ({np.count_nonzero(rows[:, j] == k)} of {len(rows)} lines)"
                    for k in (first, code)
                )
                found.append(f"column {name!r} has {alike}: if they are one, write them alike")
        for separator, word in SEPARATORS.items():
            if separator in name:
                found.append(f"the name of column {name!r} has {word} in it: is one the separator?")
    return tuple(found)


def _often_missing(known: tuple[str, ...]) -> list[str]:
    """The levels that may mean that there is no value: words and signs for that, and codes such as
    -9 and 99 that are below 0 or far above the other numbers.
    """
    words = [level for level in known if level.lower() in OFTEN_MISSING]
    others = [level for level in known if level not in (*words, *CODES_OF_NONE)]
    largest = max((abs(int(level)) for level in others if INTEGER.fullmatch(level)), default=0)
    codes = [c for c in CODES_OF_NONE if c in known and (int(c) < 0 or int(c) > 2 * largest)]
    return words + codes if others else words


def _key(level: str) -> str | float:
    """What is equal for two ways to write one value: of a number the number, else small letters
    with one blank between words.
    """
    try:
        return float(level)
    except ValueError:
        return WITHIN.sub(" ", level.casefold())


def _spreadsheet(path: Path):
    """The first sheet of a spreadsheet as a DataFrame."""
    import pandas as pd  # only where there is one

    try:
        return pd.read_excel(path, keep_default_na=False, na_values=[""])
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file") from None
    except ImportError as error:
        raise ValueError(f"{path}: {error}; or save it as CSV") from None
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{path}: cannot be read as a spreadsheet: {error}") from None


def _frame_columns(
    origin: _Origin, frame
) -> tuple[dict[str, list[str | None]], dict[str, list[str]]]:
    """The values of each column of a DataFrame as text, None where there is none, by its name; and
    the categories of those that have some.
    """
    names = [str(name) for name in frame.columns]
    _check_names(origin, names)
    if len(frame) == 0:
        raise ValueError(f"{origin} has no rows: at least one case is needed")
    columns, categories = {}, {}
    for i, name in enumerate(names):
        column = frame.iloc[:, i]
        columns[name] = list(map(_text, column.tolist()))
        if hasattr(column, "cat"):
            categories[name] = _whole(list(map(_text, column.cat.categories.tolist())), {None})
    return columns, categories


def _text(value) -> str | None:
    """A value as a CSV file would have it."""
    return None if is_missing(value) else _clean(str(value))


def _clean(text: str) -> str:
    """A text without the blanks around it, its letters with accents in one way of writing."""
    return AROUND.sub("", unicodedata.normalize("NFC", text))


def _columns(path: Path, chosen: bool) -> dict[str, list[str]]:
    """The values of each column of a file, without the blanks around them, by its name. The first
    may have none, where the columns of variables are ``chosen``, or where it counts the lines, as R
    and pandas write it.
    """
    origin = _Origin(str(path), is_file=True)
    names, *rows = _lines(path)
    names = list(map(_clean, names))
    for separator, word in SEPARATORS.items():
        if len(names) == 1 and separator in names[0]:
            raise ValueError(f"{path}: the columns are separated by {word}; commas are needed")
    first = [_clean(row[0]) for row in rows if row]
    counted = [list(map(str, range(begin, begin + len(rows)))) for begin in (0, 1)]
    is_index = len(names) > 1 and not names[0] and (chosen or first in counted)
    _check_names(origin, names[is_index:])
    for r, row in enumerate(rows):
        if len(row) != len(names):
            raise ValueError(
                f"{origin}: {origin.row(r)} has {len(row)} values for {len(names)} columns"
            )
    columns = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        kept = {value: _clean(value) for value in dict.fromkeys(values)}
        for value in kept:
            if UNPRINTABLE.search(value):
                where = origin.place(values, value, name)
                raise ValueError(f"{where} has {_unprintable(value)} in it")
        columns[name] = [kept[value] for value in values]
    return columns


def _check_names(origin: _Origin, names: list[str]) -> None:
    if "" in names or len(set(names)) < len(names):
        raise ValueError(
            f"{origin}: every column needs a name of its own, got {', '.join(map(repr, names))}"
        )
    for name in names:
        if UNPRINTABLE.search(name):
            raise ValueError(
                f"{origin}: the name of column {name!r} has {_unprintable(name)} in it"
            )


def _unprintable(text: str) -> str:
    """The first character of ``text`` that does not print, in words."""
    character = UNPRINTABLE.search(text)[0]
    return "a line break" if character in "\r\n" else f"the character U+{ord(character):04X}"


def _lines(path: Path) -> list[list[str]]:
    """The values of each line, the header's first."""
    lines, begin = [], 1  # the line of the file at which the next values begin
    try:
        content = path.read_bytes()
        if content.startswith(UTF_16):
            raise ValueError(f"{path}: is in UTF-16; save it as CSV in UTF-8")
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        for line in reader:
            lines.append(line)
            begin = reader.line_num + 1
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read as a CSV file in UTF-8: {error}") from None
    except csv.Error as error:
        words = "a quote that opens here is not closed" if "end of data" in str(error) else error
        raise ValueError(f"{path}: cannot be read as a CSV file, line {begin}: {words}") from None
    while lines and not any(map(_clean, lines[-1])):
        lines.pop()
    if len(lines) < 2:
        raise ValueError(f"{path}: a header line and at least one case are needed")
    return lines


def _numbers(origin: _Origin, columns: Mapping[str, list[str]], count: str | None) -> list[int]:
    """How often each row stands for a case."""
    if count is None:
        return [1] * len(next(iter(columns.values())))
    if count not in columns:
        raise ValueError(
            f"{origin}: there is no column {count!r} of counts; the columns are "
            f"{', '.join(columns)}"
        )
    if len(columns) < 2:
        raise ValueError(f"{origin}: there is no column beside the counts")
    values = columns[count]
    for value in dict.fromkeys(values):
        if value is None or not COUNT.fullmatch(value):
            where = origin.place(values, value, count)
            raise ValueError(f"{where} is not a count (an integer from 0)")
    numbers = [int(value.partition(".")[0]) for value in values]
    if sum(numbers) > MAX_COUNT:
        raise ValueError(
            f"{origin}: column {count!r} counts {sum(numbers):,} cases; at most {MAX_COUNT:,} are "
            "supported"
        )
    return numbers


def _given(origin: _Origin, name: str, levels: Sequence | int | None) -> tuple[str, ...] | None:
    """The levels of a column as they are given, if they are."""
    if levels is None:
        return None
    given = range(levels) if isinstance(levels, int) else levels
    known = tuple(_clean(str(level)) for level in given)
    if len(known) < 2 or len(set(known)) < len(known):
        raise ValueError(
            f"{origin}: the levels of {name!r} must be at least two different values, got "
            f"{', '.join(known)}"
        )
    return known


def _whole(values: list[str], absent: Collection[str | None]) -> list[str]:
    """The ``values`` without their points, where all are whole numbers with a point."""
    if not all(value in absent or WHOLE.fullmatch(value) for value in dict.fromkeys(values)):
        return values
    return [value if value in absent else value.partition(".")[0] for value in values]


def _check_constant(origin: _Origin, levels: Mapping[str, tuple[str, ...]]) -> None:
    """Raise ValueError that names all columns with fewer than two values."""
    constant = {name: known for name, known in levels.items() if len(known) < 2}
    if constant:
        words = (
            f"column {name!r} has " + (f"the one value {known[0]!r}" if known else "no value")
            for name, known in constant.items()
        )
        it, its = ("it", "its") if len(constant) == 1 else ("them", "their")
        raise ValueError(f"{origin}: {', '.join(words)}: leave {it} out, or give {its} levels")


def _found(origin: _Origin, name: str, values: list[str]) -> tuple[str, ...]:
    """The levels of a column from its ``values``, those missing left out, in order: as numbers
    where all are integers, else as text.
    """
    found, written = list(dict.fromkeys(values)), {}
    for value in found:
        if INTEGER.fullmatch(value):
            same = written.setdefault(int(value), value)
            if same != value:
                raise ValueError(
                    f"{origin.place(values, value, name)} and {same!r} are the same number: write "
                    "them alike, or give the column's levels"
                )
        elif TWO_SIGNS.fullmatch(value):
            raise ValueError(
                f"{origin.place(values, value, name)} is not an integer; if it is a name, give the "
                "column's levels"
            )
    return tuple(sorted(found, key=int if len(written) == len(found) else str))


def codes_of(
    frame, table: Table, missing: Sequence[str] = MISSING_TEXT, unknown: str = "error"
) -> np.ndarray:
    """The rows of a DataFrame as codes (n, J) of the variables and levels of a ``table``, MISSING
    where there is no value; columns are taken in their order.

    A value that is no level raises ValueError naming its row, or is missing, as ``unknown`` says.

    >>> import pandas as pd
    >>> table = read_table(pd.DataFrame({"answer": ["yes", "no"], "often": [1, 2]}))
    >>> codes_of(pd.DataFrame({"answer": ["no", None], "often": [2, 1]}), table).tolist()
    [[0, 1], [-1, 0]]
    """
    if unknown not in UNKNOWN:
        raise ValueError(f"unknown must be one of {', '.join(UNKNOWN)}, got {unknown!r}")
    origin = _Origin("the DataFrame", is_file=False)
    columns, _ = _frame_columns(origin, frame)
    absent = {None, "", *(_clean(str(text)) for text in missing)}
    coded = [
        _coded(origin, name, values, levels, absent, unknown)
        for values, name, levels in zip(columns.values(), table.names, table.levels, strict=True)
    ]
    return np.array(coded, dtype=np.int64).T


def _coded(
    origin: _Origin,
    name: str,
    values: list[str],
    levels: tuple[str, ...],
    absent: Collection[str | None],
    unknown: str = "",
) -> list[int]:
    """The codes of the ``values`` of a column; those of whole numbers may have points."""
    code = dict.fromkeys(absent, MISSING) | {level: k for k, level in enumerate(levels)}
    others = [value for value in dict.fromkeys(values) if value not in code]
    if others and (whole := _whole(values, absent)) is not values:
        return _coded(origin, name, whole, levels, absent, unknown)
    if others and unknown != "missing":
        hint = ": give it among these, or take it for missing with unknown='missing'"
        where = origin.place(values, others[0], name)
        raise ValueError(
            f"{where} is none of the levels {', '.join(levels)}{hint if unknown else ''}"
        )
    return [code.get(value, MISSING) for value in values]
