"""Hold the tables of a run against the published ones, and say by how much they differ."""

import csv
import sys
from pathlib import Path

from latentdag.study.schema.comparison import HEADER, Verdict, compare, in_words, sentence

results, published = snakemake.params.results, snakemake.params.published
if not Path(published).is_dir():
    sys.exit(f"Nothing is compared: {published} is not there.")
comparisons = compare(results, published)
with Path(snakemake.log[0]).open("w", newline="", encoding="utf-8") as file:
    csv.writer(file, lineterminator="\n").writerows([HEADER, *(c.row() for c in comparisons)])
print(f"{results} next to {published}\n\n{in_words(comparisons)}\n\n{sentence(comparisons)}")
if max(c.verdict for c in comparisons) is Verdict.NOT_REPRODUCED:
    sys.exit(1)
