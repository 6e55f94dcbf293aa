"""Hold the tables of a run against the published ones, and say by how much they differ."""

import sys
from pathlib import Path

from latentdag.study.schema.comparison import Verdict, compare, frame, sentence

results, published = snakemake.params.results, snakemake.params.published
if not Path(published).is_dir():
    sys.exit(f"Nothing is compared: {published} is not there.")
comparisons = compare(results, published)
table = frame(comparisons)
table.to_csv(snakemake.log[0], index=False, lineterminator="\n")
shown = table.drop(columns="first_place").to_string(index=False)
print(f"{results} next to {published}\n\n{shown}\n\n{sentence(comparisons)}")
if max(c.verdict for c in comparisons) is Verdict.NOT_REPRODUCED:
    sys.exit(1)
