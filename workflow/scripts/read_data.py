"""Read a table of one's own: its cases as codes, in random order, and what the codes mean."""

import numpy as np

from latentdag import read_table
from latentdag.study import tables
from lib.files import write_codes
from lib.job import logged


def main(snakemake):
    data = snakemake.params.data
    table = read_table(data["file"], data["count"], data["levels"])
    write_codes(snakemake.output.cases, "y", table.cases)
    rows = [
        {
            "variable": j + 1,
            "name": name,
            "code": code,
            "value": value,
            "cases": int(np.sum(table.cases[:, j] == code)),
        }
        for j, (name, levels) in enumerate(zip(table.names, table.levels, strict=True))
        for code, value in enumerate(levels)
    ]
    tables.write(snakemake.output.variables, "variables", rows)
    print(f"{len(table.cases)} cases of {', '.join(table.names)}")


with logged(snakemake.log[0]):
    main(snakemake)
