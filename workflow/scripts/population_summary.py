"""Write the summary of a population of draws."""

from latentdag.report.population_summary import write_population_summary
from latentdag.study.schema import tables
from lib.files import write_text
from lib.job import logged


def main(snakemake):
    files = {k: path for k, path in snakemake.input.items() if k not in ("code", "started")}
    found = {name: tables.read(path, name) for name, path in files.items()}
    text = write_population_summary(snakemake.params.settings, **found)
    write_text(snakemake.output.text, text)


with logged(snakemake.log[0]):
    main(snakemake)
