"""Markdown tables, and numbers in words."""

from math import inf, nan

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from latentdag.report import markdown
from latentdag.study.schema import words


def test_a_table_keeps_its_cells_whatever_they_hold():
    cells = [["a|b", "1"], ["two\nlines", ""], ["\\|", "-0.5 ± 0.1"]]
    text = markdown.table(["name|", ""], cells)
    assert text.splitlines()[1] == "| --- | --- |"
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    shown = [t.content for t in tokens if t.type == "inline"]
    assert shown[:4] == ["name|", "", "a|b", "1"]
    assert shown[4:6] == ["two lines", ""] and len(shown) == 8
    assert shown[7] == "-0.5 ± 0.1"


def test_a_table_of_a_frame_has_a_row_for_each_of_its_rows():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=["first", "second"])
    columns = {"name": lambda r: r.Index, "twice": lambda r: 2 * r.a, "b": lambda r: r.b}
    expected = [["first", 2, "x"], ["second", 4, "y"]]
    assert markdown.table_of(frame, columns) == markdown.table(list(columns), expected)


def test_a_table_of_scores_by_size():
    found = markdown.score_table(
        ["vb", "bic"], [80, 10], lambda m, n: f"{m}{n}", ("last", {"bic": 7}), [["more", 1, 2, 3]]
    )
    rows = [["VB", "vb80", "vb10", ""], ["BIC", "bic80", "bic10", 7], ["more", 1, 2, 3]]
    assert found == markdown.table(["score", "n = 80", "n = 10", "last"], rows)
    assert [markdown.start(n) for n in (None, 480)] == ["never", "480"]


def test_one_is_singular():
    assert [markdown.counted(k, "size") for k in (0, 1, 2)] == ["0 sizes", "1 size", "2 sizes"]


def test_numbers_that_are_not_there_are_left_out():
    assert markdown.number(nan, ".2f") == "" and markdown.number(1.25, ".1f") == "1.2"
    assert markdown.plus_minus(1.234, nan) == "1.23"
    assert markdown.plus_minus(-1.0, 0.5, "+") == "-1.00 ± 0.50"
    assert markdown.plus_minus(2.0, 0.5, "+") == "+2.00 ± 0.50"
    assert markdown.plus_minus(-0.001, nan) == "0.00"
    assert markdown.plus_minus(nan, 0.5) == ""


def test_a_rank_and_its_range():
    assert markdown.place_between(5.0, 5.0, 5.0) == "5"
    assert markdown.place_between(5.0, 4.0, 7.0) == "5 (4 to 7)"
    assert markdown.place_between(nan, nan, nan) == ""
    assert markdown.place_between(inf, inf, inf) == "none"


def test_long_lists_are_cut_and_counted():
    names = [f"s{i}" for i in range(53)]
    assert markdown.some(names) == ", ".join(names[:50]) + " and 3 more"
    assert markdown.some(names[:50]) == ", ".join(names[:50])
    assert markdown.listed([]) == "" and markdown.listed(["a", "b"]) == ": a, b"


def test_sizes_in_words():
    assert words.at_size(None) == "never" and words.at_size(480) == "n = 480"
    assert markdown.joined([10.0, 480]) == "10, 480"


def test_settings_are_flat_and_those_without_a_value_left_out():
    config = {"a": {"b": 1, "c": {"d": [2, 3]}}, "e": None, "f": "x"}
    assert markdown.flat(config) == [("a.b", "1"), ("a.c.d", "2, 3"), ("f", "x")]
    assert markdown.settings(config) == "Settings: a.b = 1; a.c.d = 2, 3; f = x."


@pytest.mark.parametrize(("name", "label"), [("bic_ml", "BIC at ML"), ("a job", "a job")])
def test_labels_are_those_of_the_registry(name, label):
    assert markdown.label(name) == label
