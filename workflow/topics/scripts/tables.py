"""Join the scores of all draws, and tabulate which K each score chooses and how far it is from the
evidence.
"""

import pandas as pd
from topics import study

from lib.job import logged

with logged(snakemake.log[0]):
    output, true_topics = snakemake.output, snakemake.params.true_topics
    scores = pd.concat(map(pd.read_csv, snakemake.input.scores), ignore_index=True)
    study.write(output.scores, "scores", scores)
    study.write(output.chosen, "chosen", study.chosen(scores, true_topics))
    study.write(output.errors, "errors", study.errors(scores))
    study.write(output.found, "found", pd.read_csv(snakemake.input.found))
