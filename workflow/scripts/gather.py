"""Join the tables of several jobs, sorted by draw, n, structure (as listed) and method."""

import csv
from pathlib import Path

from latentdag.scores import METHODS
from latentdag.study.tables import COLUMNS

from job import logged, write_text


def order(row: dict) -> tuple:
    method = METHODS.index(row["method"]) if "method" in row else 0
    structure = (int(row["n_parameters"]) if "n_parameters" in row else 0, row["structure"])
    rest = (int(row.get(c, 0)) for c in ("steps", "chain", "part"))
    return int(row["draw"]), int(row["n"]), method, *structure, row.get("start", ""), *rest


def main(job):
    rows = []
    for part in job.input.parts:
        with Path(part).open(newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    columns = COLUMNS[job.params.table]
    rows.sort(key=order)
    write_text(
        job.output.table,
        "\n".join([",".join(columns), *(",".join(r[c] for c in columns) for r in rows)]) + "\n",
    )
    print(f"{len(rows)} rows from {len(job.input.parts)} files")


with logged(snakemake.log[0]):
    main(snakemake)
