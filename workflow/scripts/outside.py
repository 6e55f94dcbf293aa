"""Join the picks of all draws; their statistics, and the page that shows these."""

import pandas as pd

from latentdag.report.outside_summary import write_outside_summary
from latentdag.study.design.files import write_text
from latentdag.study.many_draws import outside
from latentdag.study.schema import tables
from lib.job import step


@step
def main(output, picks, config):
    every = pd.concat([tables.read(path, "outside_picks") for path in picks], ignore_index=True)
    table = outside.outside(every)
    write_text(output.page, write_outside_summary(config, table))
    return {"outside_picks": every, "outside": table}
