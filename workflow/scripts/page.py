"""Turn a table, the summary or the record of versions into a page of the report that needs no other
file.
"""

import base64
import csv
import gzip
import json
import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt

from lib.files import write_text
from lib.job import logged

# The report hands a page to the browser as an address. Beyond 2 MiB Chromium shows nothing: tables
# are packed, and bounded.
ROWS_AT_MOST = 50_000
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def meanings(readme: str) -> dict[str, str]:
    """What each column means, from the table of columns in the settings' README."""
    text = Path(readme).read_text(encoding="utf-8").partition("## Columns of the tables")[2]
    lines = re.findall(r"^\| (`.+?`) \| (.+) \|$", text, re.MULTILINE)
    return {
        name: MARKDOWN.renderInline(words)
        for names, words in lines
        for name in re.findall(r"`(\w+)`", names)
    }


def table(job) -> dict:
    with Path(job.input.table).open(newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file)
    shown = rows[:ROWS_AT_MOST]
    by_column = {
        name: [row[i] for row in shown] for i, name in enumerate(columns)
    }  # cells that are alike side by side
    packed = gzip.compress(json.dumps(by_column).encode(), mtime=0)
    known = meanings(job.input.columns)
    return {
        "title": job.wildcards.table,
        "content": job.params.content,
        "n_rows": len(rows),
        "n_shown": len(shown),
        "columns": [(name, known[name]) for name in columns],
        "data": base64.b64encode(packed).decode(),
    }


def summary(job) -> dict:
    text = Path(job.input.text).read_text(encoding="utf-8")
    return {"title": "Summary", "body": MARKDOWN.render(text)}


def flat(settings: dict, prefix: str = "") -> dict:
    """Nested keys joined by dots, lists by commas."""
    entries = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            entries |= flat(value, f"{prefix}{key}.")
        else:
            entries[prefix + key] = ", ".join(map(str, value)) if isinstance(value, list) else value
    return entries


def provenance(job) -> dict:
    record = json.loads(Path(job.input.record).read_text(encoding="utf-8"))
    sections = {"Settings": "config", "Packages": "packages", "Machine": "machine"}
    sections = {heading: flat(record.pop(key)) for heading, key in sections.items()}
    return {"title": "Settings and versions", "sections": {"Run": flat(record)} | sections}


def main(job):
    template = Path(job.input.templates[0])
    pages = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found = {"table.html": table, "page.html": summary, "provenance.html": provenance}[
        template.name
    ](job)
    write_text(job.output.page, pages.get_template(template.name).render(found))


with logged(snakemake.log[0]):
    main(snakemake)
