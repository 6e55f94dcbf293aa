"""Read a table of one's own: its cases as codes, in random order, and what the codes mean."""

import numpy as np

from latentdag import read_table
from latentdag.study import tables

from job import csv_text, logged, write_text


def main(job):
    data = job.params.data
    table = read_table(data["file"], data["count"], data["levels"])
    write_text(job.output.cases, csv_text("y", table.cases))
    rows = [
        (j + 1, name, code, value, int(np.sum(table.cases[:, j] == code)))
        for j, (name, levels) in enumerate(zip(table.names, table.levels, strict=True))
        for code, value in enumerate(levels)
    ]
    tables.write(job.output.variables, "variables", rows)
    print(f"{len(table.cases)} cases of {', '.join(table.names)}")


with logged(snakemake.log[0]):
    main(snakemake)
