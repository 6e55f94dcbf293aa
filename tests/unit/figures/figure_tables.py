"""What the tables of the figures' tests have in common."""

import pandas as pd

from latentdag.model.structures import enumerate_structures

TRUE = "1-12-12-2"
SIZES = (10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280, 2560)
SIZES += (5120, 10240)
METHODS = ("map", "bic", "cs", "ml", "vb", "ais", "exact", "reference")
LABELS = [s.label for s in enumerate_structures()]


def shuffled(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


def with_copies(table, names, column, by=1.0, of="vb"):
    """The table with rows for more scores: those of one, with ``column`` more by ``by``."""
    own = table[table["method"] == of]
    more = [
        own.assign(method=name, **{column: own[column] + by * (i + 1)})
        for i, name in enumerate(names)
    ]
    return shuffled(pd.concat([table, *more]))
