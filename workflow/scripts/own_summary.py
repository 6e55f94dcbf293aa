"""Write the summary of one's own data: what the scores say of its structures."""

import pandas as pd

from latentdag.report.data_summary import write_data_summary
from latentdag.study import tables

from lib.files import family_of, write_text
from lib.job import logged


def main(snakemake):
    others = ("code", "started", "cases")
    names = [name for name in snakemake.input.keys() if name not in others]
    found = {name: tables.read(snakemake.input[name], name) for name in names}
    found["cases"] = pd.read_csv(snakemake.input.cases)
    p = snakemake.params
    family = family_of({"family": p.family})
    write_text(snakemake.output.text, write_data_summary(p.settings, family, **found))


with logged(snakemake.log[0]):
    main(snakemake)
