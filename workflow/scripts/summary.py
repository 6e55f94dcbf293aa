"""Write the summary, of a study of one draw with the findings of this run and of those over many
draws.
"""

from pathlib import Path

from latentdag.report.data_summary import write_data_summary
from latentdag.report.findings import write_findings
from latentdag.report.population_summary import write_population_summary
from latentdag.report.summary import write_summary
from latentdag.study.schema import tables
from lib.files import observed_of, write_text
from lib.findings import read_runs
from lib.job import logged

NO_TABLES = ("of_findings", "code", "started")


def main(snakemake):
    p, output = snakemake.params, snakemake.output
    files = {k: path for k, path in snakemake.input.items() if k not in NO_TABLES}
    found = {name: tables.read(path, name) for name, path in files.items()}
    if p.settings.get("data"):
        about = {"main_alpha": p.model["alpha"], "asked": p.asked}
        text = write_data_summary(p.settings, observed_of(p.model), **about, **found)
    elif p.settings["population"]:
        text = write_population_summary(p.settings, **found)
    else:
        text = write_summary(p.settings, **found)
        runs = read_runs(snakemake.input.of_findings, Path(output.findings).parent)
        write_text(output.findings, write_findings(runs))
    write_text(output.text, text)


with logged(snakemake.log[0]):
    main(snakemake)
