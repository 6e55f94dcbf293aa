"""The data package of all tables in CSV, those of `make bench` among them if they are there."""

import json

from latentdag.study.design.files import write_text
from latentdag.study.schema.datapackage import datapackage
from lib.job import step


@step
def main(output, tables, title, of_own_data, variables, optional):
    package = datapackage(tables, title, of_own_data, variables, optional)
    write_text(output.package, json.dumps(package, indent=1, ensure_ascii=False) + "\n")
