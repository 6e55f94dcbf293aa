"""Running times of the jobs whose times the paper states, with the paper's."""

import pandas as pd

from latentdag.study.paper.timing import timing
from latentdag.study.schema import tables
from lib.job import step


@step
def main(seconds):
    every = pd.concat([tables.read(path, "seconds") for path in seconds])
    return {"timing": timing(every.groupby(["job", "n"])["seconds"].sum().to_dict())}
