"""Set the article: the numbers of the study and of populations, its sources and figures."""

import json
from pathlib import Path

from latentdag.engine.files import atomic_write
from latentdag.report.article import numbers
from latentdag.study.schema import tables
from lib.article import typeset
from lib.job import logged


def read_json(path: str | Path) -> dict:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def main(snakemake):
    files, p = snakemake.input, snakemake.params
    study = {name: tables.read(files[name], name) for name in p.tables}
    populations, records = {}, {}
    for path in map(Path, files.populations):
        name = path.parent.name
        if path.suffix == ".json":
            records[name] = read_json(path)
        else:
            populations.setdefault(name, {})[path.stem] = tables.read(path, path.stem)
    found = numbers(read_json(files.record), study, populations, records)
    figures = dict(zip(p.figures, files.figures, strict=True))
    pdf = typeset(found, figures, files.sources)
    with atomic_write(snakemake.output.pdf) as partial:
        partial.write_bytes(pdf)


with logged(snakemake.log[0]):
    main(snakemake)
