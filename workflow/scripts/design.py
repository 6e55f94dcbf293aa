"""Write the design: a row per draw, those of other parts of the population among them."""

import pandas as pd

from latentdag.study.schema import tables
from lib.job import tabulate


def main(snakemake):
    own = pd.DataFrame(snakemake.params.rows)
    parts = [tables.read(path, "design") for path in snakemake.input.parts]
    rows = pd.concat([*parts, own]).sort_values("draw", ignore_index=True)
    return {"design": rows}


tabulate(snakemake, main)
