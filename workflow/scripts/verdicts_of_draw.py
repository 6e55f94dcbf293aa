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
from lib.job import logged

with logged(snakemake.log[0]):
    files, true, seed = snakemake.input, snakemake.params.true_structure, snakemake.params.seed
    scores = in_order(
        pd.concat([tables.read(path, "scores") for path in files.scores], ignore_index=True)
    )
    judged = join_evidence(scores, evidence(scores))
    structures = tables.read(files.structures, "structures")
    truth = tables.read(files.truth, "truth")
    results = {
        "scores": scores,
        "verdicts": verdicts(judged, structures, true, truth, seed),
        "reliability_counts": reliability_counts(judged, structures, true),
        "claims": claims_of_draw(judged, structures, true, seed),
    }
    if snakemake.output.get("worths"):
        results["worths"] = worths(judged, structures, true, seed)
    for name, path in snakemake.output.items():
        tables.write(path, name, results[name])
