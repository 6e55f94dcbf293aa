"""The record of settings, versions and machine as a page of the report."""

import json
from pathlib import Path

from latentdag.report.markdown import flat
from lib import pages
from lib.job import logged

PARTS = {"Settings": "config", "Jobs": "jobs", "Packages": "packages", "Machine": "machine"}


def main(snakemake):
    record = json.loads(Path(snakemake.input.record).read_text(encoding="utf-8"))
    parts = {heading: flat(record.pop(key)) for heading, key in PARTS.items()}
    sections = {"Run": list(record.items()), **parts}
    title = "Settings and versions"
    pages.write(snakemake.output.page, "provenance.html", title=title, sections=sections)


with logged(snakemake.log[0]):
    main(snakemake)
