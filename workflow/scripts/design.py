"""Write the design: a row per draw, those of other parts of the population among them."""

import pandas as pd

from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    frames = [tables.read(path, "design") for path in snakemake.input.parts]
    rows = pd.concat([*frames, pd.DataFrame(snakemake.params.rows)])
    rows = rows.sort_values("draw", ignore_index=True)
    tables.write(snakemake.output.design, "design", rows)
