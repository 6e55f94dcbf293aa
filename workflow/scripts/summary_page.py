"""The summary as a page of the report."""

from pathlib import Path

from lib import pages
from lib.job import logged


def main(snakemake):
    text = Path(snakemake.input.text).read_text(encoding="utf-8")
    body = pages.MARKDOWN.render(text)
    pages.write(snakemake.output.page, "page.html", title="Summary", body=body)


with logged(snakemake.log[0]):
    main(snakemake)
