"""The numbers of the article, from made-up tables in no order; of the findings that come first a
verdict follows its interval; no section and no figure computes a statistic; and Markdown.
"""

import ast
import json
from html.parser import HTMLParser
from itertools import chain
from math import nan
from pathlib import Path

import pandas as pd
import pytest
from cases import own_data
from fingerprints import gather
from jinja2 import DictLoader, UndefinedError
from made_up_article import RECORD, populations, records, study
from markdown_it import MarkdownIt

from latentdag import figures, report
from latentdag.report import markdown
from latentdag.report.article import numbers
from latentdag.report.findings import headlines
from latentdag.study.schema import words
from latentdag.study.schema.columns import TABLES as COLUMNS


def test_all_numbers_are_as_they_were(golden):
    """A line for each statistic of the study and of a population, by its last key."""
    tables = {name: populations()[name] for name in ("alpha-0.5", "every-structure")}
    found = numbers(RECORD, study(), tables, records(tables))
    columns: dict[tuple[str, str], list] = {}
    for part, statistics in chain([("study", found["study"])], found["populations"].items()):
        for statistic, values in statistics.items():
            leaves: dict[str, list] = {}
            gather(values, statistic, leaves)
            for key, of_key in leaves.items():
                name = f"{statistic}: {key.rpartition('.')[2]}"
                columns.setdefault((part, name), []).extend(of_key)
    golden("article.csv", ((*key, values) for key, values in columns.items()))


def test_all_is_ready_for_json():
    """No nan, no infinite number, no number of NumPy."""
    found = numbers(RECORD, study(), populations(), records(populations()))
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_evidence_is_that_of_its_table():
    """Also where it is not the reference's."""
    table = study()["evidence"].copy()
    own = (table["draw"] == 0) & (table["n"] == 480) & (table["structure"] == "1-1-0")
    table.loc[own, ["log_evidence", "method"]] = (-3.0, "tempered_smc")
    best = numbers(RECORD, study() | {"evidence": table}, {}, {})["study"]["best"]["reference"]
    assert (best["best"], best["score"]) == ("1-1-0", -3.0)


# ---- findings


def shares(**counts):
    rows = [
        (n, "structure", m, 50, k / 50, 0.041, 0.214)
        for m, of in counts.items()
        for n, k in of.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS["found_share"].columns)


def pair(method, other, least, most, low, high):
    row = {"by": "structure", "method": method, "other": other, "draws": 50, "earlier": 41}
    row |= {"later": 2, "same": 4, "undecided": 3}
    row |= {"ratio_least": least, "ratio_most": most}
    return row | {"ratio_low": low, "ratio_high": high}


def table(*rows):
    return pd.DataFrame(rows).reindex(columns=COLUMNS["comparisons"].columns)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [((5, 2, 2), "fewer"), ((5, 3, 2), "as many"), ((2, 5, 2), "as many"), ((2, 1, 4), "more")],
)
def test_who_needs_fewer_cases_in_the_median_draw(counts, verdict):
    row = pair("vb", "bic", 0.0, nan, 0.0, nan)
    row |= dict(zip(("earlier", "same", "later"), counts, strict=True))
    (line,) = headlines(shares(), table(row))
    assert line.startswith(f"In the median draw VB needs {verdict} cases ")


def test_a_median_ratio_is_an_interval():
    (line,) = headlines(shares(), table(pair("vb", "bic", 1.14, 4.0, 1.0, nan)))
    assert "BIC to VB, lies in 1.14 to 4 (1 to ∞)." in line


def test_a_ratio_is_that_of_the_fine_grid_where_it_has_both_scores():
    pairs = [("vb", "bic", 1.0, 4.0, 0.5, 8.0), ("laplace", "reference", 0.5, 1.0, 0.4, 2.0)]
    coarse, fine = (table(*(pair(*p) for p in own)) for own in (pairs, pairs[:1]))
    fine = fine.assign(ratio_least=1.7, ratio_most=2.0, draws=40)
    sizes = shares(vb={320: 4, 163840: 20})
    bic, reference = headlines(shares(), coarse, {"found_share": sizes, "comparisons": fine})
    assert "lies in 1.7 to 2 (0.5 to 8), from 40 draws at 2 sizes up to 163840." in bic
    assert "lies in 0.5 to 1 (0.4 to 2)." in reference
    assert markdown.ratio_between(2.0, nan, nan) == "2"
    assert markdown.ratio_between(nan, nan, nan) == "never"
    assert markdown.ratio_between(nan, 44.52, nan) == "never (44.5 to never)"
    assert (
        words.plus_minus(0.0, 0.0) == "0.00" and words.plus_minus(1.0, 0.0004) == "1.0000 ± 0.0004"
    )


@pytest.mark.parametrize(("high", "most"), [(0.49, True), (0.51, False)])
def test_most_draws_need_more_where_the_interval_says_so(high, most):
    (line,) = headlines(shares(vb={480: 20}).assign(high=high), table())
    assert ("most draws" in line) == most


def test_headlines_without_their_numbers():
    assert headlines(shares(bic={480: 5}), table()) == []
    assert headlines(shares(), table()) == []


COMPUTED = {"agg", "aggregate", "corr", "cumsum", "groupby", "idxmax", "idxmin", "mean", "median"}
COMPUTED |= {"merge", "nlargest", "nsmallest", "nunique", "quantile", "rank", "sem", "sort_values"}
COMPUTED |= {"std", "sum", "transform", "value_counts", "var"}
SOURCES = [f for of in (report, figures) for f in sorted(Path(of.__file__).parent.rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_section_and_no_figure_computes_a_statistic(path):
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert not {f.attr for f in calls if isinstance(f, ast.Attribute)} & COMPUTED


# ---- Markdown


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


def test_settings_that_are_nought_or_false_are_told():
    found = markdown.flat({"a": {"b": 0, "c": False, "d": None}, "e": [0, 1], "f": ""})
    assert found == [("a.b", "0"), ("a.c", "False"), ("e", "0, 1"), ("f", "")]


def test_long_lists_are_cut_and_counted():
    names = [f"s{i}" for i in range(markdown.NAMED + 3)]
    assert markdown.some(names) == ", ".join(names[: markdown.NAMED]) + " and 3 more"
    assert markdown.some(names[: markdown.NAMED]) == ", ".join(names[: markdown.NAMED])
    assert markdown.listed([]) == "" and markdown.listed(["a", "b"]) == ": a, b"
    assert [markdown.start(n) for n in (None, 480)] == ["never", "480"]


AS_THEY_ARE = ["a*b*c", "<age>", "__x__", "`p`|q", "[u](v)", "~~w~~ &amp; &", "a_b _c_", r"\*\|"]


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


@pytest.mark.parametrize("names", [AS_THEY_ARE[:3], AS_THEY_ARE[3:6], AS_THEY_ARE[5:]])
def test_a_summary_of_own_data_shows_names_and_values_as_they_are(names):
    """Variables, their values, pairs, residuals, parameters and patterns."""
    beside = pd.DataFrame(
        [("1-1-1", names[0], value, state, 3, 0.5) for value in names for state in ("1", "2")],
        columns=COLUMNS["beside"].columns,
    )
    text = own_data(names=names, beside=beside)
    page = read(text)
    for name in names:
        assert page.text.count(name) >= 5, name
    assert page.elements.isdisjoint({"em", "strong", "s", "del", "a", "age"})
