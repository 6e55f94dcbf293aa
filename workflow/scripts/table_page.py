"""A table as a page of the report: what its columns mean, and its rows to sort and to search."""

import base64
import csv
import gzip
import json
from pathlib import Path

import itables

from latentdag.ranking.trust import trust
from latentdag.study.schema.columns import TABLES, Column, Kind
from lib import pages
from lib.job import logged

DATATABLES = Path(itables.options.dt_bundle)
BEST_FIRST = ("posterior", "classes", "causes", "links")
ROWS_AT_MOST = 50_000  # opened in some 3 s
# The report hands a page to the browser as an address in base64, four letters for three bytes.
# Chromium shows nothing of an address beyond 2 MiB. Some 50 kB are left for the words.
PACKED_AT_MOST = 2 * 2**20 * 3 // 4 - 50_000


def packed(content: bytes) -> str:
    """The ``content`` compressed by gzip, in letters that may stand in a page (base64)."""
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def packed_table(columns: list[Column], rows: list[dict[str, str]]) -> str:
    """The cells of ``rows``, by ``columns``, as `packed` JSON: what is alike stands together, and
    packs to two thirds of the size.
    """
    cells = [
        {
            "isNumber": column.kind in (Kind.INTEGER, Kind.COUNT, Kind.NUMBER),
            "cells": [row[column.name] for row in rows],
        }
        for column in columns
    ]
    return packed(json.dumps(cells).encode())


def best_first(table: str, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The ``rows`` of the table of this name as the page opens: of posterior probabilities by the
    most trusted method first, and the most probable of each first; of other tables as they are.
    """
    if table not in BEST_FIRST:
        return rows

    def key(row: dict[str, str]) -> tuple:
        probability = float(row["probability"] or "-inf")
        return *(-part for part in trust(row["method"])), -probability

    return sorted(rows, key=key)


with logged(snakemake.log[0]):
    table = TABLES[snakemake.wildcards.table]
    with Path(snakemake.input.table).open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    columns = [table.column(name) for name in reader.fieldnames]
    library = packed(DATATABLES.read_bytes())
    style = packed(DATATABLES.with_suffix(".css").read_bytes())
    shown = best_first(table.name, rows)[:ROWS_AT_MOST]
    while len(data := packed_table(columns, shown)) > PACKED_AT_MOST - len(library) - len(style):
        shown = shown[: len(shown) * 3 // 4]
    pages.write(
        snakemake.output.page,
        "table.html",
        title=table.name,
        content=table.description,
        n_rows=len(rows),
        n_shown=len(shown),
        columns=[(c.name, c.unit, pages.MARKDOWN.renderInline(c.meaning)) for c in columns],
        library=library,
        style=style,
        data=data,
    )
