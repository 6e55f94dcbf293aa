"""Read a table of one's own: its cases as codes and counts, and what the codes mean."""

from lib.files import own_table, write_counts
from lib.job import tabulate


def main(snakemake):
    table = own_table(snakemake.params.data)
    write_counts(snakemake.output.cases, "y", table.counts)
    rows = [
        {"variable": j + 1, "name": name, "code": code, "value": value, "cases": int(number)}
        for j, (name, levels, own) in enumerate(
            zip(table.names, table.levels, table.counts.margins(table.cardinalities), strict=True)
        )
        for code, (value, number) in enumerate(zip(levels, own, strict=True))
    ]
    print(f"{table.n} cases of {', '.join(table.names)}")
    return {"variables": rows}


tabulate(snakemake, main)
