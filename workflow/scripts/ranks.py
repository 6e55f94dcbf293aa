"""The rank of the true structure, and of its class, by every score."""

from latentdag.study.one_draw.ranks import ranks
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import read_with_evidence
from lib.job import step


@step
def main(scores, evidence, structures, true_structure, seed):
    structures = tables.read(structures, "structures")
    return {
        "ranks": ranks(
            read_with_evidence(scores, evidence or None), true_structure, seed, structures
        )
    }
