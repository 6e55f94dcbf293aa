"""Read a table of one's own: its cases as codes and counts, and what the codes mean."""

from latentdag.study.design.files import write_codes
from latentdag.study.design.own_table import own_table
from lib.job import step


@step
def main(output, data):
    table = own_table(data)
    write_codes(output.cases, "y", table.counts)
    print(f"{table.n} cases of {', '.join(table.names)}")
    columns = table.names, table.levels, table.counts.margins(table.cardinalities)
    rows = [
        {"variable": j, "name": name, "code": code, "value": value, "cases": int(number)}
        for j, (name, levels, own) in enumerate(zip(*columns, strict=True), start=1)
        for code, (value, number) in enumerate(zip(levels, own, strict=True))
    ]
    return {"variables": rows}
