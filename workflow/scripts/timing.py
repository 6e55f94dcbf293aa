"""Running times of the scoring jobs, beside the paper's."""

import pandas as pd

from latentdag.study.paper.timing import timing
from latentdag.study.schema import tables
from lib.job import logged


def main(snakemake):
    parts = pd.concat([tables.read(path, "seconds") for path in snakemake.input.parts])
    total = parts.groupby(["job", "n"])["seconds"].sum().to_dict()
    tables.write(snakemake.output.table, "timing", timing(total, snakemake.params.draws))


with logged(snakemake.log[0]):
    main(snakemake)
