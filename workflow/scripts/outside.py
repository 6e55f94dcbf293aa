"""Join the picks of all draws; their statistics, and the page that shows these."""

import pandas as pd

from latentdag.report.markdown import written
from latentdag.study.many_draws import outside
from latentdag.study.schema import tables
from lib.files import write_text
from lib.job import tabulate


def main(snakemake):
    parts = [tables.read(path, "outside_picks") for path in snakemake.input.picks]
    picks = pd.concat(parts, ignore_index=True)
    table, config = outside.outside(picks), snakemake.params.config
    text = written("outside.md.j2", outside, config=config, table=table)
    write_text(snakemake.output.page, text)
    return {"outside_picks": picks, "outside": table}


tabulate(snakemake, main)
