"""Markdown from templates, and numbers in words."""

import sys
from math import inf, nan

import pytest
from jinja2 import DictLoader, UndefinedError
from markdown_it import MarkdownIt

from latentdag.report import markdown


def test_what_no_view_has_is_an_error(monkeypatch):
    monkeypatch.setattr(markdown.TEMPLATES, "loader", DictLoader({"page": "{{ nothing }}"}))
    with pytest.raises(UndefinedError, match="'nothing' is undefined"):
        markdown.written("page", sys.modules[__name__])


def test_a_table_keeps_its_cells_whatever_they_hold():
    cells = [["a|b", "1"], ["two\nlines", ""], ["\\|", "-0.5 ± 0.1"]]
    text = markdown.table(["name|", ""], cells)
    assert text.splitlines()[1] == "| --- | --- |"
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    shown = [t.content for t in tokens if t.type == "inline"]
    assert shown[:4] == ["name|", "", "a|b", "1"]
    assert shown[4:6] == ["two lines", ""] and len(shown) == 8
    assert shown[7] == "-0.5 ± 0.1"


def test_shares_and_quantiles():
    assert markdown.share(0.254, 0.1, 0.333) == "25 % (10 to 33)"
    assert markdown.share(nan, nan, nan) == ""
    assert markdown.median_and_ends([80.0, 480.0, inf], "never") == "480 (80, never)"
    assert markdown.median_and_ends([nan, nan, nan], "never") == ""
    assert [markdown.deviation(z, "+.1f") for z in (1.25, inf, -inf, nan)] == [
        "+1.2", "+∞", "-∞", "none",
    ]  # fmt: skip
    assert [markdown.p_value(p) for p in (0.0123, 1e-4, 9.9e-5)] == [
        "0.012", "0.0001", "below 0.0001",
    ]  # fmt: skip
    assert [markdown.large(k) for k in (1234567, 2 * 10**9)] == ["1,234,567", "2.0e+09"]


def test_settings_that_are_nought_or_false_are_told():
    found = markdown.flat({"a": {"b": 0, "c": False, "d": None}, "e": [0, 1], "f": ""})
    assert found == [("a.b", "0"), ("a.c", "False"), ("e", "0, 1"), ("f", "")]


def test_long_lists_are_cut_and_counted():
    names = [f"s{i}" for i in range(53)]
    assert markdown.some(names) == ", ".join(names[:50]) + " and 3 more"
    assert markdown.some(names[:50]) == ", ".join(names[:50])
    assert markdown.listed([]) == "" and markdown.listed(["a", "b"]) == ": a, b"
    assert [markdown.start(n) for n in (None, 480)] == ["never", "480"]
