"""Join the scores of all draws, and tabulate which K each score chooses and how far it is from the
evidence.
"""

import pandas as pd

from lib import topics
from lib.job import logged


def main(snakemake):
    scores = pd.concat(map(pd.read_csv, snakemake.input.scores), ignore_index=True)
    output = snakemake.output
    topics.write(output.scores, "scores", scores)
    topics.write(output.chosen, "chosen", topics.chosen(scores, snakemake.params.true_topics))
    topics.write(output.errors, "errors", topics.errors(scores))
    topics.write(output.found, "found", pd.read_csv(snakemake.input.found))


with logged(snakemake.log[0]):
    main(snakemake)
