"""The rank of the true structure, and of its class, by every score."""

from latentdag.study.one_draw.ranks import ranks
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import read_with_evidence
from lib.job import logged

with logged(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    scores = read_with_evidence(files.scores, files.evidence or None)
    structures = tables.read(files.structures, "structures")
    rows = ranks(scores, params.true_structure, params.seed, structures)
    tables.write(snakemake.output.ranks, "ranks", rows)
