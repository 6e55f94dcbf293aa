"""Write the summary of one's own data: what the scores say of its structures."""

from latentdag.report.data_summary import write_data_summary
from latentdag.study.schema import tables
from lib.files import observed_of, write_text
from lib.job import logged


def main(snakemake):
    p, no_tables = snakemake.params, ("code", "started")
    files = {name: path for name, path in snakemake.input.items() if name not in no_tables}
    found = {name: tables.read(path, name) for name, path in files.items()}
    main_alpha = p.model["alpha"]
    text = write_data_summary(
        p.settings, observed_of(p.model), main_alpha=main_alpha, asked=p.asked, **found
    )
    write_text(snakemake.output.text, text)


with logged(snakemake.log[0]):
    main(snakemake)
