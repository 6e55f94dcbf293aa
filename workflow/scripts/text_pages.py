"""The summary, and the record of settings, versions and machine, as pages of the report, and what
the report's first page shows of the summary.
"""

import base64
from pathlib import Path

from latentdag.study.design.files import read_json
from lib import pages
from lib.job import logged

PARTS = {"Settings": "config", "Jobs": "jobs", "Packages": "packages", "Machine": "machine"}


with logged(snakemake.log[0]):
    files, output = snakemake.input, snakemake.output
    text, record = Path(files.text).read_text(encoding="utf-8"), read_json(files.record)
    pages.write(output.summary, "page.html", title="Summary", body=pages.MARKDOWN.render(text))
    _, in_short = text.split("## In short\n\n", 1)
    lines = pages.MARKDOWN.render(in_short.split("\n\n", 1)[0])
    images = [base64.b64encode(Path(path).read_bytes()).decode() for path in files.figure]
    pages.write(output.first, "first_page.html", lines=lines, images=images)
    parts = {heading: pages.flat(record.pop(key)) for heading, key in PARTS.items()}
    sections = {"Run": list(record.items()), **parts}
    title = "Settings and versions"
    pages.write(output.provenance, "provenance.html", title=title, sections=sections)
