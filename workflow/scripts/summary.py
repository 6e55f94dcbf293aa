"""Write the summary: each claim of the paper beside what this run found."""

from latentdag import tables
from latentdag.summary import write_summary

from job import logged, write_text


def main(job):
    names = [name for name, _ in job.input.items() if name != "code"]
    write_text(job.output.text, write_summary(job.params.settings, **{n: tables.read(job.input[n], n) for n in names}))


with logged(snakemake.log[0]):
    main(snakemake)
