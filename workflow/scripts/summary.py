"""Write the summary of a simulated study: each claim of the paper beside what this run found."""

from latentdag.report.summary import write_summary
from latentdag.study.schema import tables
from lib.files import write_text
from lib.job import logged


def main(snakemake):
    files = {k: path for k, path in snakemake.input.items() if k not in ("code", "started")}
    found = {name: tables.read(path, name) for name, path in files.items()}
    write_text(snakemake.output.text, write_summary(snakemake.params.settings, **found))


with logged(snakemake.log[0]):
    main(snakemake)
