"""The data package of all tables in CSV, those of `make bench` among them if they are there."""

import json

from latentdag.study.schema.datapackage import datapackage
from lib.files import write_text
from lib.job import logged


def main(snakemake):
    p = snakemake.params
    package = datapackage(p.tables, p.title, p.of_own_data, p.variables)
    write_text(snakemake.output.package, json.dumps(package, indent=1, ensure_ascii=False) + "\n")


with logged(snakemake.log[0]):
    main(snakemake)
