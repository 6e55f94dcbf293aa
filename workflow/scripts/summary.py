"""Write the summary of a simulated study, each claim of the paper next to the numbers of this run,
and the findings of this run and of the runs over many draws.
"""

from pathlib import Path

from latentdag.report.findings import write_findings
from latentdag.report.summary import write_summary
from latentdag.study.schema import tables
from lib.files import write_text
from lib.findings import read_runs
from lib.job import logged

NO_TABLES = ("of_findings", "code", "started")


def main(snakemake):
    files = {k: path for k, path in snakemake.input.items() if k not in NO_TABLES}
    found = {name: tables.read(path, name) for name, path in files.items()}
    write_text(snakemake.output.text, write_summary(snakemake.params.settings, **found))
    results = Path(snakemake.output.findings).parent
    runs = read_runs(snakemake.input.of_findings, results)
    write_text(snakemake.output.findings, write_findings(runs))


with logged(snakemake.log[0]):
    main(snakemake)
