"""Running times of the jobs whose times the paper states, with the paper's."""

import pandas as pd

from latentdag.study.paper.timing import timing
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    every = pd.concat([tables.read(path, "seconds") for path in snakemake.input.seconds])
    seconds = every.groupby(["job", "n"])["seconds"].sum().to_dict()
    tables.write(snakemake.output.timing, "timing", timing(seconds))
