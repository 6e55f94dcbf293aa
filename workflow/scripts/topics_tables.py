"""Join the scores of all draws, and tabulate which K each score chooses and how far it is from the
evidence.
"""

import pandas as pd

from lib import topics
from lib.job import tabulate


def main(snakemake):
    scores = pd.concat(map(pd.read_csv, snakemake.input.scores), ignore_index=True)
    return {
        "scores": scores,
        "chosen": topics.chosen(scores, snakemake.params.true_topics),
        "errors": topics.errors(scores),
        "found": pd.read_csv(snakemake.input.found),
    }


tabulate(snakemake, main, topics.write)
