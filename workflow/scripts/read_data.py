"""Read a table of one's own: its cases as codes and counts, and what the codes mean."""

from latentdag.study.design.files import write_codes
from latentdag.study.design.user_table import user_table
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    table = user_table(snakemake.params.data)
    write_codes(snakemake.output.cases, "y", table.counts)
    columns = table.names, table.levels, table.counts.margins(table.cardinalities)
    rows = [
        {"variable": j, "name": name, "code": code, "value": value, "cases": int(number)}
        for j, (name, levels, margin) in enumerate(zip(*columns, strict=True), start=1)
        for code, (value, number) in enumerate(zip(levels, margin, strict=True))
    ]
    tables.write(snakemake.output.variables, "variables", rows)
    print(f"{table.n} cases of {', '.join(table.names)}")
