"""The evidence of every structure, with the method that gave it."""

from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence
from lib.job import logged


def main(snakemake):
    found = evidence(tables.read(snakemake.input.scores, "scores"))
    tables.write(snakemake.output.table, "evidence", found)
    print(f"{(found['method'] == 'bridge').sum()} of {len(found)} from the bridge")


with logged(snakemake.log[0]):
    main(snakemake)
