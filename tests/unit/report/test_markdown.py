"""Markdown: what is missing, cells, numbers, lists, and names of a user's variables."""

import html
import re
from math import nan

import pandas as pd
import pytest
from cases import own_data
from markdown_it import MarkdownIt

from latentdag.report import markdown
from latentdag.study.schema.columns import TABLES as COLUMNS


def test_a_table_keeps_its_cells_whatever_they_hold():
    text = markdown.table(["name|", ""], [["a|b", "1"], ["two\nlines", ""], ["c", "-0.5 ± 0.1"]])
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    cells = [t.content for t in tokens if t.type == "inline"]
    assert cells == ["name|", "", "a|b", "1", "two lines", "", "c", "-0.5 ± 0.1"]


def test_shares_p_values_and_large_numbers():
    assert markdown.share(0.254, 0.1, 0.333) == "25 % (10 to 33)"
    assert markdown.share(nan, nan, nan) == ""
    p_values = {0.0123: "0.012", 1e-4: "0.0001", 9.9e-5: "below 0.0001"}
    assert {p: markdown.p_value(p) for p in p_values} == p_values
    statistics = {999999.994: "999999.99", 1e6: "1.0e+06", 1.5e160: "1.5e+160", nan: ""}
    assert {x: markdown.statistic(x) for x in statistics} == statistics


def test_long_lists_are_cut_and_counted():
    names = [f"s{i}" for i in range(markdown.NAMES_LISTED + 3)]
    listed = ", ".join(names[: markdown.NAMES_LISTED])
    assert markdown.some(names) == f"{listed} and 3 more"
    assert markdown.some(names[: markdown.NAMES_LISTED]) == listed
    assert markdown.listed([]) == "" and markdown.listed(["a", "b"]) == ": a, b"


def test_a_long_label_shows_both_ends():
    labels = ["-".join(states) for states in ("1" * 99, "1" * 98 + "0", "0" + "1" * 98)]
    shown = [markdown.shortened(structure) for structure in labels]
    assert len(set(shown)) == 3 and {len(text) for text in shown} == {2 * markdown.END + 3}
    short = labels[0][: markdown.LONGEST_LABEL]
    assert markdown.shortened(short) == short


AS_THEY_ARE = ["a*b*c", "<age>", "__x__", "`p`|q", "[u](v)", "~~w~~ &amp; &", "a_b _c_", r"\*\|"]
AS_THEY_ARE += ["- a", ".b", "| c", r"$x_1$ \alpha 100%", "<script>"]


def read(text: str) -> tuple[str, set[str]]:
    """The text that GitHub shows of Markdown, and the names of its elements."""
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    return html.unescape(re.sub("<.*?>", "", page)), set(re.findall(r"<(\w+)", page))


@pytest.mark.parametrize("first", [0, 3, 5, 8, 10])
def test_a_summary_of_own_data_shows_names_and_values_as_they_are(first):
    """It reads as the page of plain names does, wherever they stand."""

    def page(names: list[str]) -> tuple[str, set[str]]:
        rows = [("1-1-1", names[0], name, state, 3, 0.5) for name in names for state in "12"]
        beside = pd.DataFrame(rows, columns=COLUMNS["beside"].columns)
        return read(own_data(names=names, beside=beside))

    names, plain = AS_THEY_ARE[first : first + 3], ["\ue000", "\ue001", "\ue002"]
    (text, elements), (expected, expected_elements) = page(names), page(plain)
    assert elements == expected_elements
    for name, other in zip(names, plain, strict=True):
        assert expected.count(other) >= 5
        expected = expected.replace(other, name)
    assert text == expected
