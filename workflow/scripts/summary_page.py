"""The summary as a page of the report, and what the report's first page shows of it."""

import base64
from pathlib import Path

from lib import pages
from lib.job import logged


def main(snakemake):
    text = Path(snakemake.input.text).read_text(encoding="utf-8")
    body = pages.MARKDOWN.render(text)
    pages.write(snakemake.output.page, "page.html", title="Summary", body=body)
    _, in_short = text.split("## In short\n\n", 1)
    lines = pages.MARKDOWN.render(in_short.split("\n\n", 1)[0])
    images = [base64.b64encode(Path(p).read_bytes()).decode() for p in snakemake.input.figure]
    pages.write(snakemake.output.first, "first_page.html", lines=lines, images=images)


with logged(snakemake.log[0]):
    main(snakemake)
