"""Join the picks of all draws; their statistics, and the page that shows these."""

import pandas as pd

from latentdag.report.outside_summary import write_outside_summary
from latentdag.study.design.files import write_text
from latentdag.study.many_draws import outside
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    output, picks = snakemake.output, snakemake.input.picks
    every = pd.concat([tables.read(path, "outside_picks") for path in picks], ignore_index=True)
    table = outside.outside(every)
    tables.write(output.outside_picks, "outside_picks", every)
    tables.write(output.outside, "outside", table)
    write_text(output.page, write_outside_summary(snakemake.params.config, table))
