"""The verdicts of the scores on one draw: the rank of the true structure by each, the structure
that it picks, and how often its probabilities came true; which claims of the paper hold; and
with a reference, what each score is worth.
"""

import pandas as pd

from latentdag.study.one_draw.reliability_counts import reliability_counts
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.one_draw.worth import worths
from latentdag.study.paper.beal_ghahramani import claims_of_draw
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence, join_evidence
from latentdag.study.schema.frames import in_order
from lib.job import step


@step
def main(scores, truth, structures, true_structure, seed):
    scores = in_order(
        pd.concat([tables.read(path, "scores") for path in scores], ignore_index=True)
    )
    judged = join_evidence(scores, evidence(scores))
    structures, truth = tables.read(structures, "structures"), tables.read(truth, "truth")
    return {
        "scores": scores,
        "worths": worths(judged, structures, true_structure, seed),
        "verdicts": verdicts(judged, structures, true_structure, truth, seed),
        "reliability_counts": reliability_counts(judged, structures, true_structure),
        "claims": claims_of_draw(judged, structures, true_structure, seed),
    }
