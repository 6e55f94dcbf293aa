"""The report of the smoke study in a browser: it opens without errors, and shows every figure; and
the page of a table.
"""

import base64
import json
import re
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browser import Browser
from studies import SMOKE, SMOKE_CONFIG, loaded, run_script, tool

from latentdag.study.schema.columns import TABLES, Kind

pytestmark = pytest.mark.weekly

RESULTS, FIGURES = (loaded(SMOKE_CONFIG)[name] for name in ("results", "figures"))
DRAWN = ("true_structure", "scores", "rank", "annealing", "tightness", "climb", "equal_modes")
LONGEST = 2 * 2**20  # letters of an address of which Chromium shows something
CELLS = (
    "[...document.querySelectorAll('#rows tbody tr:not(:has(.dt-empty))')]"
    ".map(row => [...row.cells].map(cell => cell.textContent))"
)
INFO = "document.querySelector('.dt-info').textContent"


@pytest.fixture(scope="module")
def report(smoke) -> Path:
    file = smoke.folder / RESULTS / "report.html"
    smoke.call(
        [tool("snakemake"), "report_pages", *SMOKE, "--report", str(file), "--report-after-run"]
    )
    return file


@pytest.fixture
def page(browser, report) -> Browser:
    browser.errors.clear()
    browser.open(report.as_uri())
    browser.wait("document.querySelector('nav a')")
    yield browser
    assert browser.errors == []


def click(page: Browser, selector: str, text: str = "") -> None:
    """Click the first element that has this text, as soon as it is there."""
    elements = f"[...document.querySelectorAll({json.dumps(selector)})]"
    element = f"{elements}.find(e => e.textContent.trim() === {json.dumps(text)})"
    page.wait(f"{element} !== undefined")
    page.value(f"{element}.click()")


def size_of(png: Path) -> list[int]:
    """Its width and height in pixels."""
    return list(struct.unpack(">II", png.read_bytes()[16:24]))


def in_frame(page: Browser, expression: str):
    return page.value(expression, frame=True)


def open_page(page: Browser, text: str) -> None:
    """Click the link to a figure, a table or a page in the text that the report begins with."""
    click(page, ".prose a", text)


def wait_for_table(page: Browser, name: str) -> None:
    page.wait(
        f"document.querySelector('h1').textContent === {name!r}"
        f" && {INFO} && document.querySelector('#unpacking') === null",
        frame=True,
    )


def test_the_first_page_says_and_shows_what_was_found(page, smoke):
    page.wait("document.querySelector('.prose img')")
    text = (smoke.folder / RESULTS / "summary.md").read_text(encoding="utf-8")
    lines = re.search(r"## In short\n\n((?:- .*\n)+)", text)[1].replace("*", "").splitlines()
    shown = page.value("[...document.querySelectorAll('.prose li')].map(e => e.textContent)")
    assert len(lines) > 5 and {line.removeprefix("- ") for line in lines} <= set(shown)
    width = page.value("document.querySelector('.prose img').naturalWidth")
    assert width == size_of(smoke.folder / FIGURES / "rank.png")[0]


@pytest.mark.parametrize("name", DRAWN)
def test_figures_show_with_their_captions_at_one_click(page, smoke, name):
    open_page(page, page.value(f"results['{FIGURES}/{name}.png'].labels.figure"))
    page.wait("document.querySelector('nav .prose')")
    caption = page.value("document.querySelector('nav .prose').textContent")
    assert caption.strip() and "System Message" not in caption  # of the reader of captions
    image = "document.querySelector('img[src^=\"data:image/png\"]')"
    page.wait(f"{image}?.complete")
    shown = page.value(f"(i => [i.naturalWidth, i.naturalHeight])({image})")
    assert shown == size_of(smoke.folder / FIGURES / f"{name}.png")


def test_every_figure_and_table_is_in_the_report(page, smoke):
    names = {Path(path).name for path in page.value("Object.keys(results)")}
    pages = {
        path.stem + ".html"
        for path in (smoke.folder / RESULTS).glob("*.*")
        if path.name not in ("report.html", "datapackage.json", "article.pdf")
    }
    assert names == pages | {f"{name}.png" for name in DRAWN}


def sort_by(page: Browser, at: int, order: str) -> list[list[str]]:
    """The rows shown after a click on a heading, which is to sort them in this order."""
    heading = f"document.querySelectorAll('#rows thead tr:first-child th')[{at}]"
    in_frame(page, f"{heading}.click()")
    page.wait(f"{heading}.ariaSort === {order!r}", frame=True)
    return in_frame(page, CELLS)


def page_of(folder: Path, name: str, rows: pd.DataFrame) -> Path:
    """The page of a table, as the rule writes it; numbers have 6 digits after the point."""
    rows.to_csv(folder / f"{name}.csv", index=False, float_format="%.6f")
    files = {"table": folder / f"{name}.csv"}, {"page": folder / "page.html"}
    run_script("table_page", folder / "log", *files, wildcards={"table": name})
    return folder / "page.html"


def open_in_frame(browser: Browser, file: Path, name: str) -> int:
    """Open a page as Snakemake's report does; the length of its address."""
    letters = base64.b64encode(file.read_bytes()).decode()
    address = f"data:text/html;charset=utf8;filename={file.name};base64,{letters}"
    frame = file.with_name("frame.html")
    frame.write_text(f"<iframe src='{address}'></iframe>", encoding="utf-8")
    browser.errors.clear()
    browser.open(frame.as_uri())
    wait_for_table(browser, name)
    assert browser.errors == []
    return len(address)


@pytest.fixture
def fitted(browser, tmp_path) -> Browser:
    """The page of a small table that has all that is hard to sort, to search and to show."""
    rows = {
        "structure": ["b", "", "C", "<i>a</i>"],
        "estimate": ["map", "ml", "map", "ml"],
        "variable": ["s1", "<script>throw 1</script>", "x & y", ""],
        "given": ["", "10", "9", "x"],
        "value": ["2", "10", "", "1e1"],
        "probability": ["-2", "", "1e-05", "10"],
    }
    rows |= dict.fromkeys(("low", "high", "effective_draws", "mean"), [""] * 4)
    open_in_frame(browser, page_of(tmp_path, "parameters", pd.DataFrame(rows)), "parameters")
    return browser


def test_empty_cells_come_last_in_either_order(fitted):
    """And text is shown as text."""
    cells = in_frame(fitted, CELLS)
    assert [row[2] for row in cells][:3] == ["s1", "<script>throw 1</script>", "x & y"]
    assert in_frame(fitted, "document.querySelectorAll('#rows i, #rows script').length") == 0
    for at, rising in (
        (TABLES["parameters"].columns.index("probability"), ["-2", "1e-05", "10", ""]),
        (0, ["<i>a</i>", "b", "C", ""]),
    ):
        assert [row[at] for row in sort_by(fitted, at, "ascending")] == rising
        falling = [*rising[-2::-1], ""]
        assert [row[at] for row in sort_by(fitted, at, "descending")] == falling
    assert fitted.errors == []


def test_the_longest_page_opens(browser, tmp_path):
    """Of a table with more rows than a browser would take, of numbers that pack badly."""
    name = "sandwich"
    n_rows = 120_000
    rng = np.random.default_rng(1)
    columns = [TABLES[name].column(column) for column in TABLES[name].columns]
    rows = {
        c.name: rng.normal(0, 1e4, n_rows) if c.kind is Kind.NUMBER else np.arange(n_rows) % 136
        for c in columns
    }
    length = open_in_frame(browser, page_of(tmp_path, name, pd.DataFrame(rows)), name)
    text = in_frame(browser, "document.body.innerText")
    (shown,) = re.findall(rf"Here are the first (\d+) of {n_rows} rows", text)
    assert f"of {int(shown):,} rows" in in_frame(browser, INFO)
    assert 0.7 * LONGEST < length < LONGEST
    assert 25_000 < int(shown) < 50_000
