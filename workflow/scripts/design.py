"""Write the design: a row per draw, those of other parts of the population among them."""

import pandas as pd

from latentdag.study.schema import tables
from lib.job import step


@step
def main(parts, rows):
    frames = [*(tables.read(path, "design") for path in parts), pd.DataFrame(rows)]
    return {"design": pd.concat(frames).sort_values("draw", ignore_index=True)}
