"""Tables are written by the names of their columns, read back checked, and appear whole or not at
all.
"""

import os
from contextlib import nullcontext
from math import inf, log, nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from latentdag.scores import METHODS
from latentdag.study.schema import columns, tables
from latentdag.study.schema.columns import COLUMNS, TABLES, Kind

NAMES = ("structure", "n_links", "n_parameters", "is_true", "dimension", "class")
ROWS = [
    dict(zip(NAMES, ("1-1", 2, 13, True, 7, "1-1"), strict=True)),
    dict(zip(NAMES[::-1], ("0-0", 6, False, 9, 1, "0-1"), strict=True)),
]
TEXT = ",".join(NAMES) + "\n1-1,2,13,true,7,1-1\n0-1,1,9,false,6,0-0\n"
SCORE = {"draw": 1, "n": 480, "structure": "1-1", "method": "vb", "score": -1.23456789}
SCORE |= {"standard_error": nan, "n_parameters": 13, "iterations": 12.0, "converged": True}
SCORE |= {"restarts": 128, "restarts_at_best": np.int64(7), "log_prior": None, "reason": ""}
SCORE |= {"log_copies": log(8), "near_boundary": 1 / 16, "alpha": nan, "alpha_hidden": 1234567.89}


def test_a_row_is_written_by_names_each_value_in_its_format(tmp_path):
    path = tmp_path / "t.csv"
    unknown = {"score": -inf, "converged": nan, "iterations": nan, "reason": 'not "positive", so'}
    tables.write(path, "scores", [SCORE, SCORE | unknown | {"standard_error": 0.25}])
    header, first, second = path.read_text().splitlines()
    assert header.split(",") == list(TABLES["scores"].columns)
    assert first == "1,480,1-1,vb,-1.234568,,13,12,true,128,7,,,2.079442,0.0625,,1.23457e+06"
    assert second.startswith('1,480,1-1,vb,-inf,0.250000,13,,,128,7,,"not ""positive"", so",2.07')
    frame = tables.read(path, "scores")
    assert frame["reason"].tolist() == ["", unknown["reason"]]
    assert frame["converged"].tolist() == [True, pd.NA]
    again = tmp_path / "again.csv"
    tables.write(again, "scores", frame)
    assert again.read_bytes() == path.read_bytes()


def test_columns_come_back_as_what_they_are(tmp_path):
    """Text stays text where it looks like a number, or like one that is missing."""
    path = tmp_path / "t.csv"
    tables.write(path, "scores", [SCORE])
    dtypes = {name: str(dtype) for name, dtype in tables.read(path, "scores").dtypes.items()}
    of_kind = {Kind.INTEGER: "int64", Kind.COUNT: "float64", Kind.NUMBER: "float64"}
    of_kind |= {Kind.FLAG: "boolean", Kind.TEXT: "str"}
    assert dtypes == {name: of_kind[COLUMNS[name].kind] for name in TABLES["scores"].columns}
    rows = [
        {"variable": 10, "name": "NA", "code": 0, "value": "01", "cases": 3},
        {"variable": 9, "name": "nan", "code": 1, "value": "1e3", "cases": 0},
    ]
    tables.write(path, "variables", rows)
    assert tables.read(path, "variables").to_dict("records") == rows


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_links": 1.5}, "column n_links: 1.5 is no integer"),
        ({"n_links": None}, "column n_links: None is no integer"),
        ({"n_links": "2"}, "column n_links: '2' is no integer"),
        ({"structure": 1}, "column structure: 1 is no text"),
        ({"is_true": "yes"}, "column is_true: 'yes' is no true or false"),
        ({"links": 2}, "a row of the table structures has the unknown column links"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_by_name(tmp_path, change, words):
    path = tmp_path / "t.csv"
    with pytest.raises(ValueError, match=f"^{path}: {words}$"):
        tables.write(path, "structures", [ROWS[0] | change])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("n_links", "links"), "lacks the column n_links and has the unknown column "),
        (TEXT.replace("n_links,n_p", "n_p,n_links_"), "lacks the column n_links"),
        ("structure," + TEXT, "is no structures table"),
        (TEXT.replace("13", "many"), "row 1, column n_parameters: 'many' is no integer"),
        (TEXT.replace(",9", ","), "row 2, column n_parameters: '' is no integer"),
        (TEXT.replace("true,7", "yes,7"), "row 1, column is_true: 'yes' is no true or false"),
        (TEXT + "1-2,3\n1,2,3,4,5,6,7\n", "is not a table"),
        ("", "is empty"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused_by_name(tmp_path, text, words):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{path}.*{words}"):
        tables.read(path, "structures")


def test_parts_of_one_kind_are_joined_sorted_by_number(tmp_path):
    row = {"draw": 0, "n": 80, "structure": "1-1", "method": "vb", "score": 1}
    parts = [tmp_path / f"{alpha}.csv" for alpha in (10.0, 2.0, 0.5)]
    for part in parts:
        tables.write(part, "prior", [row | {"standard_error": nan, "alpha": float(part.stem)}])
    tables.join(tmp_path / "all.csv", "prior", parts, METHODS)
    assert tables.read(tmp_path / "all.csv", "prior")["alpha"].tolist() == [0.5, 2.0, 10.0]
    with pytest.raises(ValueError, match=f"^{parts[0]} is no ais_chains table: it lacks"):
        tables.join(tmp_path / "joined.csv", "ais_chains", parts)


def test_no_column_or_table_is_declared_twice():
    """Of two entries of one mapping YAML keeps the last, and says nothing."""
    nodes = [yaml.compose(Path(columns.__file__).with_name("tables.yaml").read_text("utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value]
            assert len(keys) == len(set(keys)), (node.start_mark, keys)
            nodes += [value for _, value in node.value]


def test_every_column_is_used_and_every_order_is_of_columns():
    used = set()
    for table in TABLES.values():
        used |= {*table.columns, *table.own_data, *table.optional}
        assert {*table.order, *(column.name for column in table.redefined)} <= {*table.columns}
    assert used == set(COLUMNS)


def test_a_table_may_have_a_column_for_each_variable(tmp_path):
    """Whatever it is called, and whatever is in it."""
    table = TABLES["membership"]
    names = ["vote", "cases", "cases (variable)"]
    twice = "cases (variable) (variable)"  # as the first is the name of another
    assert table.variable_columns(names) == ["vote", twice, "cases (variable)"]
    row = {"structure": "1-1", "pattern": 1, "values": "no, 3", "cases": 4, "states": "s1 = 1"}
    row |= {"probability": 0.25, "modal": False, "entropy": 0.5, "vote": "no", "date": "3"}
    tables.write(tmp_path / "m.csv", "membership", [row, row | {"vote": "", "date": "12"}])
    frame = tables.read(tmp_path / "m.csv", "membership")
    assert list(frame.columns) == [*table.columns, "vote", "date"]
    assert frame["date"].tolist() == ["3", "12"] and frame["vote"].tolist() == ["no", ""]
    short = {name: value for name, value in row.items() if name != "date"}
    with pytest.raises(ValueError, match="lacks the column date"):
        tables.write(tmp_path / "m.csv", "membership", [row, short])


def test_columns_of_own_data_are_there_or_not(tmp_path):
    """In every row, at the end."""
    path = tmp_path / "t.csv"
    rows = [{k: v for k, v in row.items() if k != "is_true"} | {"hidden": "2,3"} for row in ROWS]
    tables.write(path, "structures", rows)
    header = TEXT.splitlines()[0].replace(",is_true", "") + ",hidden"
    assert path.read_text().splitlines()[0] == header
    assert set(tables.read(path, "structures")["hidden"]) == {"2,3"}
    with pytest.raises(ValueError, match="lacks the column hidden"):
        tables.write(path, "structures", [rows[0], ROWS[1]])
    path.write_text(path.read_text().replace("class,hidden", "hidden,class"))
    with pytest.raises(ValueError, match="its columns are .* and must be .* class, hidden"):
        tables.read(path, "structures")


def test_optional_columns_are_there_or_not(tmp_path):
    """All of them, in every row, at the end."""
    path = tmp_path / "design.csv"
    row = {"draw": 0, "true_structure": "1-1", "alpha": 1.0, "alpha_hidden": 2.0}
    both = {"true_alpha": 0.5, "true_alpha_hidden": 4.0}
    tables.write(path, "design", [row])
    assert path.read_text() == "draw,true_structure,alpha,alpha_hidden\n0,1-1,1,2\n"
    assert list(tables.read(path, "design")) == list(row)
    tables.write(path, "design", [row | both])
    assert tables.read(path, "design").to_dict("records") == [row | both]
    with pytest.raises(ValueError, match="lacks the column true_alpha_hidden"):
        tables.write(path, "design", [row | {"true_alpha": 0.5}])
    with pytest.raises(ValueError, match="lacks the column true_alpha"):
        tables.write(path, "design", [row | both, row])


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_a_table_is_there_whole_or_what_was_there_before(tmp_path, error):
    """What a killed run left is replaced."""
    path = tmp_path / "t.csv"
    path.write_text("old")
    Path(f"{path}.partial").write_text("half a line, which the table must not hold" * 9)

    def rows():
        yield ROWS[0]
        assert path.read_text() == "old"
        if error is not None:
            raise error
        yield ROWS[1]

    with nullcontext() if error is None else pytest.raises(error):
        tables.write(path, "structures", rows())
    assert path.read_text() == (TEXT if error is None else "old")
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_full_disk_and_a_missing_folder_are_named_with_the_file(tmp_path):
    path, nowhere = tmp_path / "t.csv", tmp_path / "nowhere" / "t.csv"
    Path(f"{path}.partial").symlink_to("/dev/full")
    with pytest.raises(OSError, match=f"^cannot write {path}: No space left on device$"):
        tables.write(path, "structures", ROWS * 10_000)
    with pytest.raises(OSError, match=f"^cannot write {nowhere}: No such file or directory$"):
        tables.write(nowhere, "structures", ROWS)
    assert os.listdir(tmp_path) == []


def test_a_large_table_is_the_same_in_parquet(tmp_path):
    """With the kinds that a CSV reads back as, and numbers as they are, not rounded."""
    tables.write(tmp_path / "a.csv", "scores", [SCORE])
    tables.write(tmp_path / "a.parquet", "scores", iter([SCORE]))
    text, frame = (tables.read(tmp_path / f"a.{kind}", "scores") for kind in ("csv", "parquet"))
    pd.testing.assert_frame_equal(frame, text, rtol=1e-5, check_dtype=False)
    assert frame["score"].item() == SCORE["score"] != text["score"].item()
    plain = pd.read_parquet(tmp_path / "a.parquet")  # as a user reads it
    assert plain["structure"].tolist() == ["1-1"]
    assert str(plain["draw"].dtype) == "int64" and str(plain["iterations"].dtype) == "float64"
    with pytest.raises(ValueError, match="lacks the column score"):
        tables.write(tmp_path / "b.parquet", "scores", [{"draw": 1}])
    with pytest.raises(ValueError, match=r"a\.parquet is no ranks table"):
        tables.read(tmp_path / "a.parquet", "ranks")


def test_large_tables_are_put_under_each_other(tmp_path):
    """In the order of the parts, whatever their kind."""
    parts = [tmp_path / "b.parquet", tmp_path / "a.csv", tmp_path / "c.parquet"]
    for k, part in enumerate(parts):
        rows = [SCORE | {"draw": k, "structure": f"{k}-{i}", "score": i / 3} for i in range(k + 2)]
        tables.write(part, "scores", rows)
    assert tables.stack(tmp_path / "all.parquet", "scores", parts) == 9
    frame, rows = tables.read(tmp_path / "all.parquet", "scores"), [(0, 2), (1, 3), (2, 4)]
    assert frame["structure"].tolist() == [f"{k}-{i}" for k, most in rows for i in range(most)]
    scores = [i / 3 for _, most in rows for i in range(most)]
    assert frame["score"].tolist() == pytest.approx(scores, abs=1e-6)
