"""Tables of one's own: what is read, and one clear message for what cannot be."""

import gzip
import re
import warnings
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import latentdag
from latentdag import Family, Structure, read_table, score, score_structures
from latentdag.data.counts import MISSING, Counts
from latentdag.engine.streams import generator


def written(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


PLAIN = "colour,size\nred,10\nblue,9\nred,9\n"
M = MISSING


def as_codes(text):
    """Codes from "0 1|1 0", of two lines."""
    return [list(map(int, line.split())) for line in text.split("|")]


def as_levels(*texts):
    """Levels from "no|yes", of each column."""
    return tuple(tuple(text.split("|")) for text in texts)


COUNT = {"count": "n"}
READ = [  # text, settings, levels, codes in order, -1 where a value is missing
    (PLAIN, {}, ("blue|red", "9|10"), "0 0|1 0|1 1"),
    # integers by value, not as text
    ("a,b\n2.0,x\n10.,y\n2.0,y\n", {}, ("2|10", "x|y"), "0 0|0 1|1 1"),
    ("a,b\n10,9\n-9,x\n2,10\n", {}, ("-9|2|10", "10|9|x"), "0 2|1 0|2 1"),
    ("a,b\n+,-1\n-,+2\n", {}, ("+|-", "-1|+2"), "0 0|1 1"),
    ('a,b\n"x, ""y""",1\nz,2\n', {}, ('x, "y"|z', "1|2"), "0 0|1 1"),
    # counts, also with a point
    ("a,n,b\nx,2,0\ny,0,1\ny,2,0\nx,1,1\n", COUNT, ("x|y", "0|1"), "0 0|0 0|0 1|1 0|1 0"),
    ("a,b,n\nx,1,1.0\ny,2,2.\nx,2,0.00\n", COUNT, ("x|y", "1|2"), "0 0|1 1|1 1"),
    # levels in any order, and in number
    ("a\n1\n01\n--5\n", {"levels": {"a": ["--5", "01", "1"]}}, ("--5|01|1",), "0|1|2"),
    (
        PLAIN,
        {"levels": {"colour": ["red", "green", "blue"], "size": 12}},
        ("red|green|blue", "|".join(map(str, range(12)))),
        "0 9|0 10|2 9",
    ),
    # blanks and signs without width, accents in two ways, an emoji in colour or not
    ("a,b\nyes\u2009,e\u0301\n\ufeffyes,\u00e9\nno,e\n", {}, ("no|yes", "e|\u00e9"), "0 0|1 1|1 1"),
    ("a\nye\u200bs\ny\u00ades\n\u200fyes\nyes\u2069\nno\n", {}, ("no|yes",), "0|1|1|1|1"),
    ("a\n\u2764\ufe0f\n\u2764\n\u2639\n", {}, ("\u2639|\u2764",), "0|1|1"),
    # blanks, a byte order mark, ends of lines in three ways, and lines at the end
    ('\ufeff"a", b\n red,10\nblue, 9\nred,9\n\n\n', {}, ("blue|red", "9|10"), "0 0|1 0|1 1"),
    ("a,b\r\nx,1\ry,2\n", {}, ("x|y", "1|2"), "0 0|1 1"),
    # an empty cell, NA and NaN are missing, no other text; or what is said to be, and an empty cell
    ("a,b\nNone,x\nsome,\nsome,NA\nNaN,y\n", {}, ("None|some", "x|y"), "-1 1|0 0|1 -1|1 -1"),
    (
        "a,b\nNA,x\n?,y\nsome,-9\n,x\n",
        {"missing": ["?", -9]},
        ("NA|some", "x|y"),
        "-1 0|-1 1|0 0|1 -1",
    ),
    # a level is not missing
    (
        "a,b\nNA,x\n?,y\n,x\n",
        {"levels": {"a": ["", "NA", "?"]}, "missing": ["?"]},
        ("|NA|?", "x|y"),
        "0 0|1 0|2 1",
    ),
    ("a,b\nx,\ny,NA\n", {"levels": {"b": 2}}, ("x|y", "0|1"), "0 -1|1 -1"),
    # lines without a value are left out
    ("a,b\nx,1\n,\ny,2\nNA,\n", {}, ("x|y", "1|2"), "0 0|1 1"),
    ("a,b,,\nx,1,,\ny,2, ,\n", {}, ("x|y", "1|2"), "0 0|1 1"),
    # numbers of the lines below no name, as R writes them
    ('a,b\n"1",x,1\n"2",y,2\n', {}, ("x|y", "1|2"), "0 0|1 1"),
]


@pytest.mark.parametrize(("text", "settings", "levels", "codes"), READ)
def test_values_become_codes_in_the_order_of_the_levels(tmp_path, text, settings, levels, codes):
    table = read_table(written(tmp_path, text), **settings)
    assert table.levels == as_levels(*levels)
    header = text.partition("\n")[0].strip("\ufeff").split(",")
    names = (n.strip(' "\r') for n in header if n not in ("", settings.get("count")))
    assert table.names == tuple(names)
    assert table.family((3,)) == Family((3,), tuple(map(len, table.levels)))
    assert not (table.cases < 0).any()  # nan where a value is missing
    assert sorted(np.nan_to_num(table.cases, nan=M).tolist()) == as_codes(codes)


def test_cases_are_in_an_order_of_their_own_the_same_every_time(tmp_path):
    cases = read_table(written(tmp_path, "a,n\nx,50\ny,50\n"), count="n").cases[:, 0]
    expected = generator(0, "order of the cases").permutation(np.repeat([0, 1], 50))
    assert np.array_equal(cases, expected)


def test_counts_are_never_expanded(tmp_path):
    """As many as there may be."""
    numbers = [10**12, 7, 2**53 - 10**12 - 7]
    path = written(tmp_path, "a,b,n\nx,1,{}\ny,1,{}\ny,2,{}\n".format(*numbers))
    table = read_table(path, count="n")
    assert table.n == 2**53
    assert table.counts.numbers.tolist() == numbers
    with pytest.raises(ValueError, match="cases cannot be taken one by one; at most 10,000,000"):
        _ = table.cases


FRAMES = [  # columns, levels, codes
    # integers as floats, booleans
    (
        {"a": [10.0, 9.0, 9.0], "b": ["None", "some", "None"], "c": [True, False, False]},
        ("9|10", "None|some", "False|True"),
        "0 0 0|0 1 0|1 0 1",
    ),
    # missing values, and not an array of codes
    (
        {"a": [1, 2, 5, 2], "b": [3.0, np.nan, 4.0, 3.0], "c": pd.array([0, pd.NA, 1, 1], "Int64")},
        ("1|2|5", "3|4", "0|1"),
        "0 0 0|1 -1 -1|1 0 1|2 1 1",
    ),
    # numbers that are not all whole, large, categories, or in single precision
    (
        {
            "a": [0.5, 1.0, -0.0],
            "b": [1e17, 2.0, 2.0],
            "c": pd.Categorical([2.0, 1.0, 1.0]),
            "d": np.array([0.1, np.nan, 1e17], np.float32),
        },
        ("-0.0|0.5|1.0", "1e+17|2.0", "1|2", "0.1|1e+17"),
        "0 1 0 1|1 0 1 0|2 1 0 -1",
    ),
    # dates, numbers of days, and times
    (
        {
            "a": pd.to_datetime(["2020-01-01", None, "2020-02-01"]),
            "b": pd.to_timedelta(["1 days", "-2 days", None]),
            "c": pd.Categorical(pd.to_datetime(["2020-02-01", "2020-01-01", "2020-01-01"])),
            "d": pd.to_datetime(["2020-01-01 01:00", "2020-01-01 00:00", None]),
            "e": pd.to_timedelta(["1 days 01:00:00", None, "1 days"]),
        },
        (
            *("2020-01-01|2020-02-01", "-2 days|1 days", "2020-01-01|2020-02-01"),
            *("2020-01-01 00:00:00|2020-01-01 01:00:00", "1 days 00:00:00|1 days 01:00:00"),
        ),
        "-1 0 0 0 -1|0 1 1 1 1|1 -1 0 -1 0",
    ),
]


@pytest.mark.parametrize(("columns", "levels", "codes"), FRAMES)
def test_a_frame_is_its_csv(tmp_path, columns, levels, codes):
    frame = pd.DataFrame(columns).set_index(pd.Index([7] * len(columns["a"])))
    frame.to_csv(tmp_path / "frame.csv", index=False)
    for table in (read_table(frame), read_table(tmp_path / "frame.csv")):
        assert (table.names, table.levels) == (tuple(columns), as_levels(*levels))
        assert table.counts.patterns.tolist() == as_codes(codes) and table.n == len(frame)


def test_categories_are_levels_unless_others_are_given():
    frame = pd.DataFrame({"a": pd.Categorical(["no", "yes"], ["yes", "no", "unasked"])})
    assert read_table(frame).levels == (("yes", "no", "unasked"),)
    assert read_table(frame, levels={"a": ["no", "yes"]}).levels == (("no", "yes"),)
    booleans = pd.DataFrame({"a": [True, False]})
    assert read_table(booleans, levels={"a": [True, False]}).levels == (("True", "False"),)


LETTERS = "abcdefgh"


def with_second(values) -> str:
    """A table of a column of these values, and another of two values."""
    return "a,b\n" + "".join(f"{value},{i % 2}\n" for i, value in enumerate(values))


IDENTIFY = "lines: if they identify the lines, leave the column out"
REMARKS = [
    ("a,n\nx,3\ny,40\n", "column 'n' looks like counts of the lines"),
    ("a,Freq\nx,3\ny,40\n", "column 'Freq' looks like counts of the lines"),
    (with_second(LETTERS), f"column 'a' has 8 values in 8 {IDENTIFY}"),
    (with_second(max(i, 2) for i in range(20)), f"column 'a' has 18 values in 20 {IDENTIFY}"),
    ("a\n1.5\n.5\n3.\n1e3\n-2.25\n+4.5e-2\n6.0E+1\n-.75\n", "'a' looks like measurements: values"),
    ("a;b,c\nx;y,1\nz;y,2\n", "'a;b' has semicolons in it: is one the separator"),
    ("a,b\nx,1\n,\ny,2\nNA,\n", "lines without any value, 2 of 4, are left out"),
    ("a,b\nx,1\ny,2\nTotal,60\n", "'a' has 'Total' in the last line alone: if a total"),
    ("a,b\nx,1\n" + "x,1\ny,2\n" * 3 + "By hand,\n", "'By hand' in the last line alone"),
    ("a,b\nWhich?,How many?\nx,1\n" + "x,1\ny,2\n" * 3, "row 1 has a value of its own in every"),
    ("a,b\nx,1\ny,2\nn = 60,\n", "'a' has 'n = 60' in the last line alone"),
    ("x,1\nx,2\ny,1\n", "one of its values: is the header line missing, or the"),
    ("a\nx  y\nx y\nx y\n", "'x  y' (1 of 3 lines) and 'x y' (2 of 3 lines): if"),
    ("a\nNone\nsome\n", "the value 'None': if it means that there is none, name it as"),
    ("a\n0\n1\n-1\n", "the value '-1': if it means that there is none"),
    ("a\n0\n1\n-9\n", "the value '-9': if it means that there is none"),
    ("a\n0\n5\n-88\n-7\n-8\n-77\n", "the values '-88', '-77', '-8', '-7': if they mean that"),
    ("a\n1\n2\n9\n77\n88\n97\n98\n", "the values '9', '77', '88', '97', '98': if they mean"),
    (
        "a\n#VALUE!\n\\N\nRefused\nDon't know\n(blank)\n*\n" + "yes\n" * 10,
        "the values '#VALUE!', '(blank)', '*', \"Don't know\", 'Refused', '\\\\N': if they mean",
    ),
    ("a\n1\n49\n99\n", "the value '99': if it means that there is none"),
    (
        "a\nno\n#N/A\n<NA>\n--\nn.a.\n#NULL!\n-99\n999\n" + "yes\n" * 10,
        "the values '#N/A', '#NULL!', '--', '<NA>', 'n.a.', '-99', '999': if they mean",
    ),
]


ALIKE = [  # the first two may be one value
    ("1", "1.0", "2"), ("+1", "1", "2"), ("3", "３", "2"), ("ｙes", "yes", "no"),
    ("Yes", "yes", "no"), ("x  y", "x y", "y"), ("x_y", "x\u2009y", "y"),
]  # fmt: skip


@pytest.mark.parametrize("values", ALIKE)
def test_two_ways_to_write_a_value_are_remarked(values):
    (remark,) = read_table(pd.DataFrame({"a": values})).remarks
    assert all(f"{value!r} (1 of 3 lines)" in remark for value in values[:2])
    assert "if they are one, write them alike" in remark


@pytest.mark.parametrize(("text", "words"), REMARKS)
def test_what_looks_like_a_mistake_is_remarked(tmp_path, text, words):
    (remark,) = read_table(written(tmp_path, text)).remarks
    assert words in remark


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "a,n\nx,1\ny,1\nx,2\n",  # values that lines share
        with_second(2 * LETTERS),
        with_second(max(i, 3) for i in range(20)),
        "a,b\n" + "".join(f"{c},{i + 0.5}\n" for i, c in enumerate(LETTERS[:7])),
        "a,b\n" + "x,1\ny,2\n" * 3 + "z,\n",  # a note, if there were more lines
        "a\nQ0\nQ\nv1.05\nv1.5\nv100\nv10\n",  # zeros that count
        "a,b\n49,-2\n98,-1\n98,-1\n",  # twice the largest of the others
        "a\n-9\n-5\n8\n",  # another is below 0
        "a,b\nall,1\nsome,2\nall,\n",  # a value of other lines, too
        'a\n"1,5"\n15\n',  # a comma that separates no thousands
        f"a\n{10**20}\n{10**20 + 1}\n{'9' * 9999}\n{'8' * 9999}\n",
        "a b\nred wine\nbeer\n",  # a blank that separates no columns
    ],
)
def test_nothing_is_remarked_of_what_is_usual(tmp_path, text):
    assert read_table(written(tmp_path, text)).remarks == ()
    # nor of what is said to be the counts
    assert read_table(written(tmp_path, "a,n\nx,3\ny,40\n"), count="n").remarks == ()


ROW_2 = "row 2 (line 3 of the file)"
WRONG = [
    ("", "a header line and at least one case"),
    ("a,b\nx,1\ny,\n", "column 'b' has the one value '1'"),
    ("a,b\nx,1\ny\n", f"{ROW_2} has 1 values for 2 columns"),
    ("a,b\nx,1\n\ny,2\n", f"{ROW_2} has 0 values for 2 columns"),
    (
        "a,b,c,d\nx,1,,NA\nx,2,y,\n",
        "column 'a' has the one value 'x', column 'c' has the one value 'y', column 'd' has no "
        "value: leave out what does not vary, or give its levels",
    ),
    ("a,a\nx,1\ny,2\n", "every column needs a name of its own"),
    ("\na,b\nx,1\n", "row 1 (line 2 of the file) has 2 values for 0"),
    ("# of May, 2024\na,b,c\nx,1,2\ny,2,1\n", "the first line, '# of May,2024', seems to be no"),
    ("sep=,\na,b\nx,1\ny,2\n", "the first line, 'sep=,', seems"),
    ("Of May\na,b,c\nx,1,2\n", "the first line, 'Of May', seems"),
    ("a;b\nx;1\ny;2\n", "separated by semicolons"),
    ('"";"a"\n"1";"x"\n', "separated by semicolons"),
    ("a  b\nx 1\ny 2\n", "separated by blanks"),
    ("a b\n1 x 1\n2 y 2\n", "separated by blanks"),
    ('"a" "b"\n"1" "x" 1\n"2" "y" 2\n', "separated by blanks"),  # as R writes them
    ("a:b\nx:1\ny:2\n", "separated by colons"),
    ("a\tb\nx\t1\ny\t2\n", "separated by tabs"),
    ("a,b\nx,1\ny\0,2\n", f"{ROW_2}, column 'a': 'y\\x00' has the character U+0000 in it"),
    ('a,b\nx,1\n"y\nz",2\n', f"{ROW_2}, column 'a': 'y\\nz' has a line break"),
    ("a,b\nx,1\ny,2\f\n", "column 'b': '2\\x0c' has the character U+000C"),
    ('a,"b\nc"\nx,1\ny,2\n', "the name of column 'b\\nc' has a line break"),
    ('a,b\nx,1\n"y,2\nz,3\n', "line 3: unexpected end of data"),
    ('a,b\nx,1\n"5" pipe",2\n', "line 3: ',' expected after '\"'"),
    ("a,b\nx," + "y" * 200_000, "cannot be read"),
]
WRONG_TABLES = [(text, {}, message) for text, message in WRONG]
PARTY = "party,a,b,n\nx,1,2,3\ny,2,,1\nx,?,1,0\n"
PARTLY = {"count": "n", "missing": ["?"]}
WRONG_SETTINGS = [
    ("a,b\nx,1\nz,2\n", {"levels": {"a": ["x", "y"]}}, f"{ROW_2}, column 'a': 'z' is none of"),
    (PLAIN, {"levels": {"color": 2}}, "'color', which is not a column; these are colour, size"),
    (PLAIN, {"levels": {"size": ["9", "9"]}}, "at least two different values"),
    ("a\nyes\nno\n", {"levels": {"a": [True, False]}}, "'a' are true and false, as YAML reads"),
    (PLAIN, {"count": "n"}, "there is no column 'n' of counts; the columns are colour, size"),
    ("n\n3\n", {"count": "n"}, "no column beside the counts"),
    ("a,n\nx,0\ny,0\n", {"count": "n"}, "all counts are 0"),
    *(
        (f"a,n\nx,3\ny,{count}\n", {"count": "n"}, f"{ROW_2}, column 'n': '{count}' is not a count")
        for count in ("-1", "2.5", "2.05", "1e3", "+2", "2 3", "2x", "x2", ".0", "２")
    ),
    (f"a,n\nx,{'9' * 5000}\ny,1\n", {"count": "n"}, f"'n': '{'9' * 99}…' is not a count"),
    (
        f"a,n\nx,{2**53}\ny,1\n",
        {"count": "n"},
        "column 'n' counts 9,007,199,254,740,993 cases; at most 9,007,199,254,740,992 are",
    ),
    *(
        (PARTY, PARTLY | {"columns": columns}, message)
        for columns, message in (
            (["a", "c"], "there is no column 'c'; the columns are party, a, b, n"),
            (["a", "n"], "column 'n' is that of the counts, and no"),
            (["a", "b", "a"], "a column is named twice among a, b, a"),
        )
    ),
    (PARTY, PARTLY | {"columns": ["party"], "levels": {"a": 2}}, "levels are given for 'a'"),
]


@pytest.mark.parametrize(("text", "settings", "message"), WRONG_TABLES + WRONG_SETTINGS)
def test_wrong_data(tmp_path, text, settings, message):
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_table(path, **settings)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


COUNTED = pd.DataFrame({"a": ["x", "y"], "n": [3, None]})
TWICE = pd.DataFrame([["x", "y"]], columns=["a", "a"])
NUMBERED = pd.DataFrame({0: ["x", "y"], 1: [2, 3]})


@pytest.mark.parametrize(
    ("source", "settings", "message"),
    [
        (b"\xff\xfe\x00a\x00,", {}, "cannot be read as a CSV file in UTF-8"),
        (b"a,b\nx,\xe9\n", {}, "cannot be read as a CSV file in UTF-8"),
        (Path("nothing.csv"), {}, "nothing.csv: there is no such file"),
        (None, {}, "cannot be read"),  # a folder
        (pd.DataFrame({"a": []}), {}, "the DataFrame has no cases"),
        (pd.DataFrame(index=[0]), {}, "the DataFrame has no columns"),
        (COUNTED, {"count": "n"}, "the DataFrame: row 2, column 'n': None is not a count"),
        (TWICE, {}, "the DataFrame: every column needs a name of its own"),
        (pd.Series(["x", "y"]), {}, "read_table takes the path of a file or a DataFrame"),
        (np.array([[0, 1]]), {}, "read_table takes the path of a file or a DataFrame"),
        (b"a\nx\ny\n", {"missing": "NA"}, "missing must be a sequence of texts, got 'NA'"),
        (b"a\nx\ny\n", {"columns": "a"}, "columns must be a sequence of at least one name"),
        # names are texts, as in a file
        (NUMBERED, {"columns": [0, 1], "count": "1"}, "column '1' is that of the counts"),
        (b"a\nx\ny\n", {"columns": []}, "columns must be a sequence of at least one name, got"),
    ],
)
def test_what_is_no_table(tmp_path, source, settings, message):
    if isinstance(source, bytes):
        (tmp_path / "data.csv").write_bytes(source)
        source = tmp_path / "data.csv"
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path if source is None else source, **settings)


ANSWERS = pd.DataFrame(
    {"a": ["x", "y", "x", "y", None, "y"], "b": ["no", "no", "yes", "no", "yes", "yes"]}
)
TABLE = read_table(ANSWERS)


def test_tables_and_frames_are_cases():
    """For every function that takes them; a label has the table's variables."""
    s = Structure.from_label("1-1", TABLE.family((2, 2)))
    of_polars = SimpleNamespace(columns=["a", "b"], to_pandas=lambda: ANSWERS)
    expected = score(TABLE.counts, s, "map")
    for cases in (TABLE, ANSWERS, ANSWERS.astype("category"), of_polars):
        assert score(cases, s, "map") == score(cases, "1-1", "map") == expected
    assert score_structures(ANSWERS, ["1-1", "0-12"], "map")[0] == expected
    fits = [latentdag.fit(*of, "map") for of in ((ANSWERS, "1-1"), (TABLE.counts, s))]
    assert fits[0].log_likelihood == fits[1].log_likelihood
    assert latentdag.estimate(TABLE, "1-1")[0] == latentdag.estimate(TABLE.counts, s)[0]
    family = TABLE.family((2,))
    ranked = [latentdag.rank_structures(of, [family], "cs") for of in (ANSWERS, TABLE.counts)]
    assert ranked[0].scores == ranked[1].scores and ranked[0].variables == TABLE.names


@pytest.mark.parametrize(
    "use",
    [
        lambda frame, s: score(frame, s, "bic"),
        lambda frame, s: score_structures(frame, ["1-1", "0-0"], "bic"),
        lambda frame, s: latentdag.fit(frame, s, draws=20),
        lambda frame, s: latentdag.estimate(frame, s),
        lambda frame, s: latentdag.rank_structures(frame, [s.family], "bic", stop=lambda: False),
        lambda frame, s: latentdag.rank_structures(frame, [s.family], "bic", search=1),
    ],
)
def test_remarks_on_a_frame_are_warnings_once_per_call(use):
    frame = pd.DataFrame({"a": ["Yes", "no", "yes", "no"] * 5, "b": ["x", "y"] * 10})
    with pytest.warns(UserWarning, match="column") as caught:
        use(frame, Structure.from_label("1-1", Family((2,), (3, 2))))
    words = "column 'a' has 'Yes' (5 of 20 lines) and 'yes' (5 of 20 lines): if they are one, "
    assert [str(w.message) for w in caught] == [words + "write them alike"]
    assert caught[0].filename == __file__  # the line that calls the library


def test_a_table_of_other_variables_than_the_structures_is_refused():
    other = Structure.from_label("1-1", Family((2, 2), (2, 3)))
    words = "the variables of the table have 2, 2 values, those of the structure's family 2, 3"
    for use, cases in product((score, latentdag.fit, latentdag.estimate), (TABLE, ANSWERS)):
        with pytest.raises(ValueError, match=words):
            use(cases, other)


def test_codes_that_seem_to_be_of_another_family_are_warned_of():
    """No variable has its first value, or of more than 29 cases none its last."""
    s = Structure.from_label("1-1", Family((2,), (4, 3)))
    codes = np.array([[0, 1], [1, 0]] * 15)
    with pytest.warns(UserWarning, match="the cases have 2, 2 values .* family 4, 3: are they"):
        score(codes, s, "bic")
    with pytest.warns(UserWarning, match="the cases have 2, 2 values"):
        score(Counts.of(codes), s, "bic")
    from_1 = np.vstack([codes + 1, [3, 2]])
    for few in (from_1, from_1[:30], from_1[:2], Counts.of(from_1[:20])):
        with pytest.warns(UserWarning, match="no variable has the code 0, its first value"):
            score(few, s, "bic")
    for how in ({"stop": lambda: False}, {"search": 1}):
        with pytest.warns(UserWarning, match="the cases have 2, 2 values") as caught:
            latentdag.rank_structures(codes, [s.family, Family((3,), (4, 3))], "bic", **how)
        assert len(caught) == 1
    with warnings.catch_warnings(action="error"):
        score(codes[:29], s, "bic")
        score(np.vstack([codes, [0, 2]]), s, "bic")
        score(np.vstack([from_1, [0, 2]]), s, "bic")


ZERO = "a,b,n\nx,u,10\nz,u,0\nx,v,4\ny,u,3\ny,v,12\n"


def test_a_value_of_lines_of_count_0_alone_is_no_level(tmp_path):
    """As if the line were not there, for every way in; unless the levels are given. Rows of errors
    count it.
    """
    path = written(tmp_path, ZERO)
    frame = pd.read_csv(path)
    remark = "column 'a': 'z' occurs only in lines of count 0, which are left out: to keep it as a "
    remark += "level, give the levels"
    for source in (path, frame):
        table = read_table(source, "n")
        assert table.levels == (("x", "y"), ("u", "v")) and remark in table.remarks
    expected = score(read_table(frame[frame["n"] > 0], "n"), "1-1", "laplace").score
    model = latentdag.LatentCauses(hidden=(2, 2), structure="1", method="laplace", draws=0)
    with pytest.warns(UserWarning, match=re.escape(remark)):
        model.fit(frame[["a", "b"]], sample_weight=frame["n"])
    assert model.structures_["score"].item() == expected
    levels = {"a": ["x", "y", "z"]}
    categories = frame.astype({"a": pd.CategoricalDtype(levels["a"])})
    for table in (read_table(path, "n", levels), read_table(categories, "n")):
        assert table.cardinalities == (3, 2)
        assert not any("count 0" in words for words in table.remarks)
    with pytest.raises(ValueError, match="row 4, column 'a': 'y' is none of the levels x, q"):
        read_table(frame, "n", {"a": ["x", "q"]})


def test_a_users_codes_are_looked_at_once():
    """Not again in the fits, draws and simulated tables that one call makes of them; and not at
    all where values are declared.
    """
    codes = np.random.default_rng(0).integers(2, size=(40, 3))
    s = Structure.from_label("1-1-1", Family((2,), (3, 3, 3)))
    how = {"replicates": 2, "draws": 20, "restarts": 2}
    with warnings.catch_warnings(record=True, action="always") as caught:
        latentdag.fit(codes, s, **how)
    assert [w.filename for w in caught] == [__file__]
    answers = pd.DataFrame(codes, columns=list("abc")).apply(
        pd.Categorical.from_codes, categories=["no", "yes", "never"]
    )
    with warnings.catch_warnings(action="error"):
        for cases in (read_table(answers), answers):
            latentdag.fit(cases, s, **how)


@pytest.mark.parametrize("begin", [0, 1])
def test_a_column_that_counts_the_lines_is_no_variable(tmp_path, begin):
    """As R and pandas write it: without a name, in the first place."""
    lines = [f"{begin + k},{a},{b}" for k, (a, b) in enumerate(["xu", "yu", "xv"])]
    table = read_table(written(tmp_path, "\n".join([",a,b", *lines])))
    assert table.names == ("a", "b") and table.n == 3
    assert table.remarks == (
        "the first column, which has no name, is left out as the names of the lines",
    )
    path = written(tmp_path, "\n".join([",a,b", *lines[::-1]]))
    assert read_table(path, columns=["b", "a"]).names == ("b", "a")
    second = written(tmp_path, "a,,b\nx,0,u\ny,1,v", name="second.csv")
    for other in (path, second):
        with pytest.raises(ValueError, match="every column needs a name of its own"):
            read_table(other)


def test_other_columns_are_left_out(tmp_path):
    """They may hold anything; those that are named stand in the order given."""
    path, columns = written(tmp_path, PARTY), ["b", "a"]
    with pytest.raises(ValueError, match="'b' has the one value '2' in lines of a count above 0: "):
        read_table(path, **PARTLY, columns=columns)
    table = read_table(path, **PARTLY, columns=columns, levels={"b": ["1", "2"]})
    assert table.names == ("b", "a")
    assert table.levels == (("1", "2"), ("1", "2"))
    assert table.counts.patterns.tolist() == [[MISSING, 1], [1, 0]]
    assert table.counts.numbers.tolist() == [1, 3]
    frame = pd.DataFrame({"a": [1, 2, 2], "id": [7.5, None, 9.5], "b": list("xyx")})
    assert read_table(frame, columns=["a", "b"]).names == ("a", "b")


def test_compressed_tables_are_read(tmp_path):
    path = tmp_path / "table.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("a,b\nyes,1\nno,2\nno,1\n")
    table = read_table(path)
    assert (table.names, table.levels, table.n) == (("a", "b"), (("no", "yes"), ("1", "2")), 3)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="cannot be read as a CSV file"):
        read_table(path)


def test_a_spreadsheet_is_read_as_a_frame(tmp_path, monkeypatch):
    frame = pd.DataFrame({"a": ["yes", "no", None], "count": [2, 3, 4]})
    monkeypatch.setattr(pd, "read_excel", lambda path, **_: frame)
    table = read_table(tmp_path / "table.xlsx", count="count")
    assert table.levels == (("no", "yes"),) and table.n == 5  # a line without a value is left out

    def lacks(path, **_):
        raise ImportError("openpyxl is needed")

    monkeypatch.setattr(pd, "read_excel", lacks)
    with pytest.raises(ValueError, match=r"table.xlsx: openpyxl is needed; or save it as CSV"):
        read_table(tmp_path / "table.xlsx")
