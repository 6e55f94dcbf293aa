"""Join the scores of all draws, and tabulate which K each score chooses and how far it is from the
evidence.
"""

import pandas as pd
from topics import study


@study.step
def main(scores, found, true_topics):
    scores = pd.concat(map(pd.read_csv, scores), ignore_index=True)
    return {
        "scores": scores,
        "chosen": study.chosen(scores, true_topics),
        "errors": study.errors(scores),
        "found": pd.read_csv(found),
    }
