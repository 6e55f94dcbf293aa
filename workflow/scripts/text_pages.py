"""The summary, and the record of settings, versions and machine, as pages of the report, and what
the report's first page shows of the summary.
"""

import base64
import json
from pathlib import Path

from latentdag.report.markdown import flat
from lib import pages
from lib.job import logged

PARTS = {"Settings": "config", "Jobs": "jobs", "Packages": "packages", "Machine": "machine"}


def main(snakemake):
    given, output = snakemake.input, snakemake.output
    text = Path(given.text).read_text(encoding="utf-8")
    body = pages.MARKDOWN.render(text)
    pages.write(output.summary, "page.html", title="Summary", body=body)
    _, in_short = text.split("## In short\n\n", 1)
    lines = pages.MARKDOWN.render(in_short.split("\n\n", 1)[0])
    images = [base64.b64encode(Path(p).read_bytes()).decode() for p in given.figure]
    pages.write(output.first, "first_page.html", lines=lines, images=images)
    record = json.loads(Path(given.record).read_text(encoding="utf-8"))
    parts = {heading: flat(record.pop(key)) for heading, key in PARTS.items()}
    sections = {"Run": list(record.items()), **parts}
    title = "Settings and versions"
    pages.write(output.provenance, "provenance.html", title=title, sections=sections)


with logged(snakemake.log[0]):
    main(snakemake)
