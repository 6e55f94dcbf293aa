"""What each score says of one draw: the rank of the true structure, the structure that it picks and
what that costs, what share of its probabilities came true; and which claims of the paper hold.
"""

import pandas as pd

from latentdag.study.one_draw.reliability_counts import reliability_counts
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.paper.beal_ghahramani import claims_of_draw
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence, with_evidence
from latentdag.study.schema.frames import in_order
from lib.job import logged


def main(snakemake):
    found, output = snakemake.input, snakemake.output
    scores = in_order(pd.concat([tables.read(path, "scores") for path in found.scores]))
    truth = pd.concat([tables.read(path, "truth") for path in found.truth])
    structures = tables.read(found.structures, "structures")
    true = snakemake.params.true_structure
    tables.write(output.scores, "scores", scores)
    scores = with_evidence(scores, evidence(scores))
    seed = snakemake.params.seed
    tables.write(output.verdicts, "verdicts", verdicts(scores, structures, true, truth, seed))
    counts = reliability_counts(scores, structures, true)
    tables.write(output.reliability_counts, "reliability_counts", counts)
    claims = claims_of_draw(scores, structures, true, seed)
    tables.write(output.claims, "claims", claims)


with logged(snakemake.log[0]):
    main(snakemake)
