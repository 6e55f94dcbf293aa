"""Write the summary: each claim of the paper beside what this run found, or what the scores say of
one's own data.
"""

import pandas as pd

from latentdag.report.data_summary import write_data_summary
from latentdag.report.summary import write_summary
from latentdag.study import tables

from job import family_of, logged, write_text


def main(job):
    settings = job.params.settings
    names = [name for name, _ in job.input.items() if name not in ("code", "cases")]
    found = {name: tables.read(job.input[name], name) for name in names}
    if "data" not in settings:
        text = write_summary(settings, **found)
    else:
        cases = pd.read_csv(job.input.cases)
        text = write_data_summary(
            settings, family_of({"family": job.params.family}), cases=cases, **found
        )
    write_text(job.output.text, text)


with logged(snakemake.log[0]):
    main(snakemake)
