"""A file appears whole or not at all, whatever happens while it is written."""

import os
from pathlib import Path

import pytest

from latentdag.study import tables

ROWS = [("1-1", 2, 13, True), ("0-1", 1, 9, False)]
TEXT = "structure,n_links,n_parameters,is_true\n1-1,2,13,true\n0-1,1,9,false\n"


def full_disk(path: Path) -> None:
    """Let the next write of ``path`` find no space."""
    Path(f"{path}.partial").symlink_to("/dev/full")


def test_a_table_is_not_there_before_it_is_whole(tmp_path):
    path = tmp_path / "t.csv"

    def rows():
        yield ROWS[0]
        assert not path.exists()
        yield ROWS[1]

    tables.write(path, "structures", rows())
    assert path.read_text() == TEXT
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_was_there_stays_when_writing_fails(tmp_path, error):
    path = tmp_path / "t.csv"
    path.write_text("old")

    def rows():
        yield ROWS[0]
        raise error

    with pytest.raises(error):
        tables.write(path, "structures", rows())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_what_a_killed_run_left_is_replaced(tmp_path):
    path = tmp_path / "t.csv"
    (tmp_path / "t.csv.partial").write_text(
        "half a line, and so long that the table does not cover it " * 9
    )
    tables.write(path, "structures", ROWS)
    assert path.read_text() == TEXT
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_full_disk_is_named_with_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("old")
    full_disk(path)
    with pytest.raises(OSError, match=f"^cannot write {path}: No space left on device$"):
        tables.write(path, "structures", ROWS * 10_000)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_missing_folder_is_named_with_the_file(tmp_path):
    path = tmp_path / "nowhere" / "t.csv"
    with pytest.raises(OSError, match=f"^cannot write {path}: No such file or directory$"):
        tables.write(path, "structures", ROWS)
