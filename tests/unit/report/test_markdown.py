"""Markdown: what is missing, cells, numbers, lists, and names of a user's variables."""

from html.parser import HTMLParser
from math import nan

import pandas as pd
import pytest
from cases import own_data
from jinja2 import DictLoader, UndefinedError
from markdown_it import MarkdownIt

from latentdag.report import markdown
from latentdag.study.schema.columns import TABLES as COLUMNS


def test_what_no_view_has_is_an_error(monkeypatch):
    monkeypatch.setattr(markdown.TEMPLATES, "loader", DictLoader({"page": "{{ nothing }}"}))
    with pytest.raises(UndefinedError, match="'nothing' is undefined"):
        markdown.written("page")


def test_a_table_keeps_its_cells_whatever_they_hold():
    cells = [["a|b", "1"], ["two\nlines", ""], ["\\|", "-0.5 ± 0.1"]]
    text = markdown.table(["name|", ""], cells)
    assert text.splitlines()[1] == "| --- | --- |"
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    shown = [t.content for t in tokens if t.type == "inline"]
    assert shown[:4] == ["name|", "", "a|b", "1"]
    assert shown[4:6] == ["two lines", ""] and len(shown) == 8
    assert shown[7] == "-0.5 ± 0.1"


def test_shares_p_values_and_large_numbers():
    assert markdown.share(0.254, 0.1, 0.333) == "25 % (10 to 33)"
    assert markdown.share(nan, nan, nan) == ""
    assert [markdown.p_value(p) for p in (0.0123, 1e-4, 9.9e-5)] == [
        "0.012", "0.0001", "below 0.0001",
    ]  # fmt: skip
    assert [markdown.large(k) for k in (1234567, 2 * 10**9)] == ["1,234,567", "2.0e+9"]
    assert [markdown.statistic(x) for x in (999999.994, 1e6, 1.5e160, nan)] == [
        "999999.99", "1.0e+06", "1.5e+160", "",
    ]  # fmt: skip


def test_long_lists_are_cut_and_counted():
    names = [f"s{i}" for i in range(markdown.NAMES_LISTED + 3)]
    assert markdown.some(names) == ", ".join(names[: markdown.NAMES_LISTED]) + " and 3 more"
    assert markdown.some(names[: markdown.NAMES_LISTED]) == ", ".join(
        names[: markdown.NAMES_LISTED]
    )
    assert markdown.listed([]) == "" and markdown.listed(["a", "b"]) == ": a, b"
    assert [markdown.start(n) for n in (None, 480)] == ["never", "480"]


def test_a_long_label_shows_both_ends():
    labels = ["-".join(states) for states in ("1" * 99, "1" * 98 + "0", "0" + "1" * 98)]
    shown = [markdown.shortened(structure) for structure in labels]
    assert len(set(shown)) == 3 and {len(text) for text in shown} == {2 * markdown.END + 3}
    short = labels[0][: markdown.LONGEST_LABEL]
    assert markdown.shortened(short) == short


AS_THEY_ARE = ["a*b*c", "<age>", "__x__", "`p`|q", "[u](v)", "~~w~~ &amp; &", "a_b _c_", r"\*\|"]
AS_THEY_ARE += ["- a", ".b", "| c", r"$x_1$ \alpha 100%", "<script>"]


class Reader(HTMLParser):
    """The text of a page, and the names of its elements."""

    def __init__(self, page: str):
        super().__init__()
        self.text, self.elements = "", set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)

    def handle_data(self, data):
        self.text += data


def read(text: str) -> Reader:
    """Markdown as GitHub shows it."""
    return Reader(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_a_name_is_shown_as_it_is(name):
    page = read(f"It is {markdown.escaped(name)} here.\n\n" + markdown.table([
        "name", "next"], [[markdown.escaped(name), "end"]]))  # fmt: skip
    assert page.text.split("\n")[0] == f"It is {name} here."
    assert [line for line in page.text.split("\n") if line][-2:] == [name, "end"]
    assert page.elements == {"p", "table", "thead", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize("first", [0, 3, 5, 8, 10])
def test_a_summary_of_own_data_shows_names_and_values_as_they_are(first):
    """It reads as the page of plain names does, wherever they stand."""

    def page(names: list[str]) -> Reader:
        beside = pd.DataFrame(
            [("1-1-1", names[0], value, state, 3, 0.5) for value in names for state in ("1", "2")],
            columns=COLUMNS["beside"].columns,
        )
        return read(own_data(names=names, beside=beside))

    names, plain = AS_THEY_ARE[first : first + 3], ["\ue000", "\ue001", "\ue002"]
    signed, expected = page(names), page(plain)
    assert signed.elements == expected.elements
    for name, other in zip(names, plain, strict=True):
        assert expected.text.count(other) >= 5
        expected.text = expected.text.replace(other, name)
    assert signed.text == expected.text
