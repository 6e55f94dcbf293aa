"""The evidence of every structure, with the method that gave it."""

from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence
from lib.job import step


@step
def main(scores):
    found = evidence(tables.read(scores, "scores"))
    print(f"{(found['method'] == 'tempered_smc').sum()} of {len(found)} from tempered SMC")
    return {"evidence": found}
