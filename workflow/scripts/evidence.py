"""The evidence of every structure, with the method that gave it."""

from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence
from lib.job import logged

with logged(snakemake.log[0]):
    log_evidence = evidence(tables.read(snakemake.input.scores, "scores"))
    tables.write(snakemake.output.evidence, "evidence", log_evidence)
    n_tempered = (log_evidence["method"] == "tempered_smc").sum()
    print(f"{n_tempered} of {len(log_evidence)} from tempered SMC")
