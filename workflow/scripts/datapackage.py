"""The data package of all tables in CSV, those of `make bench` among them if they are there."""

import json

from latentdag.study.design.files import write_text
from latentdag.study.schema.datapackage import datapackage
from lib.job import logged

with logged(snakemake.log[0]):
    params = snakemake.params
    package = datapackage(
        params.tables, params.title, params.of_own_data, params.variables, params.optional
    )
    text = json.dumps(package, indent=1, ensure_ascii=False) + "\n"
    write_text(snakemake.output.package, text)
