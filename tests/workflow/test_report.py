"""The report of the smoke study in a browser: it opens without errors, and shows every figure,
table and page.
"""

import json
import runpy
import struct
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from browser import Browser, chromium
from snakemake.report.common import data_uri_from_file
from studies import ROOT, SMOKE, SMOKE_CONFIG, tool

from latentdag.study import tables

SETTINGS = yaml.safe_load((ROOT / SMOKE_CONFIG).read_text(encoding="utf-8"))
RESULTS, FIGURES = SETTINGS["results"], SETTINGS["figures"]
TABLES = sorted(
    set(tables.COLUMNS) - {"benchmark", "variables", "parameters"}
)  # by make bench, and of own data
PAPER = {
    "true_structure": "Figure 1 (left)",
    "scores": "Figure 1 (right)",
    "rank": "Figure 2 (left)",
    "annealing": "Figure 2 (right)",
    "tightness": "no such figure",
}
ROWS_SHOWN = 100
CELLS = "[...document.querySelectorAll('#rows tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"


@pytest.fixture(scope="module")
def report(smoke) -> Path:
    file = smoke.folder / RESULTS / "report.html"
    smoke.call(
        [tool("snakemake"), "report_pages", *SMOKE, "--report", str(file), "--report-after-run"]
    )
    return file


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if (executable := chromium()) is None:
        pytest.skip("no chromium: apt-get install chromium")
    with Browser(executable, tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def page(browser, report) -> Browser:
    """The report, just opened."""
    browser.errors.clear()
    browser.open(report.as_uri())
    browser.wait("document.querySelector('nav a')")
    return browser


def click(page: Browser, selector: str, text: str = "") -> None:
    """Click the first element that has this text, as soon as it is there."""
    element = f"[...document.querySelectorAll({json.dumps(selector)})].find(e => e.textContent.trim() === {json.dumps(text)})"
    page.wait(f"{element} !== undefined")
    page.value(f"{element}.click()")


def open_result(page: Browser, category: str, label: str) -> None:
    """Click through the menu to a result, and on the eye beside it."""
    click(page, "nav a", category)
    cell = f"[...document.querySelectorAll('nav td')].find(cell => cell.textContent === {json.dumps(label)})"
    page.wait(f"{cell} !== undefined")
    page.value(f"{cell}.parentElement.querySelector('a').click()")


def in_frame(page: Browser, expression: str):
    return page.value(expression, frame=True)


def open_table(page: Browser, name: str) -> None:
    open_result(page, "Tables", name)
    page.wait(
        f"document.querySelector('h1').textContent === {name!r} && document.querySelector('#rows td')",
        frame=True,
    )


def test_starts_with_the_study_in_words_and_the_rule_graph(page):
    page.wait("document.querySelector('.prose')")
    assert "Beal & Ghahramani (2003)" in page.value("document.querySelector('.prose').textContent")
    page.wait("document.querySelector('#rulegraph canvas, #rulegraph svg')")
    assert page.errors == []


def test_is_one_file_of_bearable_size(report):
    assert 1e6 < report.stat().st_size < 1e7


@pytest.mark.parametrize("name", PAPER)
def test_figures_show_with_their_captions(page, smoke, name):
    click(page, ".prose a", page.value(f"results['{FIGURES}/{name}.png'].labels.figure"))
    page.wait("document.querySelector('nav .prose')")
    assert PAPER[name] in page.value("document.querySelector('nav .prose').textContent")
    page.value("document.querySelector('nav td a').click()")
    page.wait("document.querySelector('img[src^=\"data:image/png\"]')?.complete")
    shown = page.value(
        "(i => [i.naturalWidth, i.naturalHeight])(document.querySelector('img[src^=\"data:image/png\"]'))"
    )
    assert shown == list(
        struct.unpack(">II", (smoke.folder / FIGURES / f"{name}.png").read_bytes()[16:24])
    )
    assert page.errors == []


def test_every_figure_and_table_is_in_the_report(page, smoke):
    names = {Path(path).name for path in page.value("Object.keys(results)")}
    figures = {path.name for path in (smoke.folder / FIGURES).glob("*.png")}
    pages = {
        path.stem + ".html"
        for path in (smoke.folder / RESULTS).glob("*.*")
        if path.name != "report.html"
    }
    assert names == figures | pages
    assert figures == {f"{name}.png" for name in PAPER}


@pytest.mark.parametrize("name", TABLES)
def test_tables_open_with_all_rows_and_every_column_explained(page, smoke, name):
    open_table(page, name)
    rows = [list(row.values()) for row in smoke.table(f"{RESULTS}/{name}.csv")]
    seen = in_frame(page, CELLS)
    while not in_frame(page, "document.querySelector('#next').disabled"):
        in_frame(page, "document.querySelector('#next').click()")
        more = in_frame(page, CELLS)
        assert len(more) <= ROWS_SHOWN
        seen += more
    assert seen == rows
    terms = in_frame(
        page,
        "[...document.querySelectorAll('dt')].map(e => [e.textContent, e.nextElementSibling.textContent])",
    )
    assert tuple(name for name, _ in terms) == tables.COLUMNS[name]
    assert all(len(meaning) > 10 for _, meaning in terms)
    assert page.errors == []


def sort_by(page: Browser, column: str) -> list[list[str]]:
    button = (
        f"[...document.querySelectorAll('#rows button')].find(b => b.textContent === {column!r})"
    )
    in_frame(page, f"{button}.click()")
    return in_frame(page, CELLS)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("scores", "score"),
        ("scores", "standard_error"),
        ("posterior", "probability"),
        ("ranks", "rank"),
    ],
)
def test_tables_sort_by_value(page, smoke, name, column):
    rows = smoke.table(f"{RESULTS}/{name}.csv")
    numbers = sorted(float(row[column]) for row in rows if row[column])
    texts = sorted(row[column] for row in rows if row[column])
    assert [float(text) for text in texts] != numbers, "sorting by text would do"
    at = tables.COLUMNS[name].index(column)
    open_table(page, name)
    rising = sort_by(page, column)
    assert [float(row[at]) for row in rising] == numbers[:ROWS_SHOWN]
    assert len({tuple(row) for row in rising}) == min(ROWS_SHOWN, len(rows))
    falling = sort_by(page, column)
    assert [float(row[at]) for row in falling] == numbers[::-1][:ROWS_SHOWN]


def find(page: Browser, **typed: str) -> list[list[str]]:
    """What a table shows after something was typed under its headings."""
    for column, text in typed.items():
        box = f"document.querySelector(\"input[aria-label='find in {column}']\")"
        in_frame(page, f"{box}.value = {json.dumps(text)}; {box}.dispatchEvent(new Event('input'))")
    return in_frame(page, CELLS)


def test_tables_are_searched_column_by_column(page, smoke):
    rows = smoke.table(f"{RESULTS}/scores.csv")
    open_table(page, "scores")

    def expected(holds):
        return [list(row.values()) for row in rows if holds(row)][:ROWS_SHOWN]

    assert find(page, n="80", method="=ml") == expected(
        lambda row: row["n"] == "80" and row["method"] == "ml"
    )
    both = expected(
        lambda row: row["n"] == "80" and "ml" in row["method"] and row["structure"] == "1-12-12-2"
    )
    assert find(page, method="ml", structure="1-12-12-2") == both
    assert len(both) == 2
    assert find(page, method="=ml") == [row for row in both if "ml" in row]
    some = expected(lambda row: row["standard_error"] and float(row["standard_error"]) > 0.5)
    assert find(page, n="", method="", structure="", standard_error="> 0.5") == some
    assert some
    assert find(page, standard_error="no number") == []
    assert "No rows" in in_frame(page, "document.querySelector('#shown').textContent")


def test_the_longest_page_opens(browser, tmp_path):
    """Of a table with more rows than a browser would take: written as the rule does, put into a
    frame as Snakemake does.
    """
    columns, n_rows = tables.COLUMNS["scores"], 120_000
    rng = np.random.default_rng(1)
    scores, errors, priors = (
        rng.normal(-5000, 1000, n_rows),
        rng.gamma(1, 1, n_rows),
        rng.normal(-50, 10, n_rows),
    )
    table = pd.DataFrame({name: np.arange(n_rows) % 136 for name in columns}, columns=columns)
    table = table.assign(score=scores, standard_error=errors, log_prior=priors)
    table.to_csv(tmp_path / "scores.csv", index=False, float_format="%.6f")
    job = SimpleNamespace(
        input=SimpleNamespace(
            table=tmp_path / "scores.csv",
            columns=ROOT / "workflow/config/README.md",
            templates=[ROOT / "workflow/report/table.html"],
        ),
        output=SimpleNamespace(page=tmp_path / "page.html"),
        params=SimpleNamespace(content=""),
        wildcards=SimpleNamespace(table="scores"),
        log=[tmp_path / "log"],
    )
    runpy.run_path(str(ROOT / "workflow/scripts/page.py"), {"snakemake": job})
    frame = tmp_path / "frame.html"
    frame.write_text(
        f"<iframe src='{data_uri_from_file(tmp_path / 'page.html')}'></iframe>", encoding="utf-8"
    )
    browser.open(frame.as_uri())
    browser.wait("document.querySelector('#rows td')", frame=True)
    assert f"of {n_rows} rows" in in_frame(browser, "document.body.textContent")


def test_summary_shows_its_headings_and_tables(page, smoke):
    open_result(page, "Summary and settings", "Summary")
    page.wait("document.querySelector('h1') !== null", frame=True)
    text = (smoke.folder / RESULTS / "summary.md").read_text(encoding="utf-8")
    headings = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
    assert (
        in_frame(page, "[...document.querySelectorAll('h1, h2')].map(e => e.textContent)")
        == headings
    )
    assert in_frame(page, "document.querySelectorAll('table').length") == text.count("\n| ---")
    claims = in_frame(
        page, "[...document.querySelector('table').rows].map(row => row.cells.length)"
    )
    assert len(claims) > 10
    assert set(claims) == {4}
    assert page.errors == []


def test_settings_and_versions_are_there(page, smoke):
    open_result(page, "Summary and settings", "Settings and versions")
    page.wait("document.querySelector('table') !== null", frame=True)
    entries = dict(
        in_frame(
            page,
            "[...document.querySelectorAll('tr')].map(row => [...row.cells].map(c => c.textContent))",
        )
    )
    record = json.loads((smoke.folder / RESULTS / "provenance.json").read_text(encoding="utf-8"))
    assert entries["python"] == record["python"]
    assert {name: entries[name] for name in record["packages"]} == record["packages"]
    assert entries["ais.steps"] == str(SETTINGS["ais"]["steps"])
    assert entries["sizes"] == ", ".join(map(str, SETTINGS["sizes"]))
    assert entries["processor"] == record["machine"]["processor"]
    assert page.errors == []


def test_running_times_of_the_rules_show(page, smoke):
    click(page, "nav a", "Statistics")
    page.wait("document.querySelector('#runtimes canvas, #runtimes svg')")
    timed = page.value("runtimes_spec.data.values")
    assert {"draw", "map", "ais", "reference", "scores", "plot_rank", "summary", "table_page"} <= {
        row["rule"] for row in timed
    }
    assert all(row["runtime"] > 0 for row in timed)
    assert page.errors == []
