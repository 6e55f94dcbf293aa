"""Set the article: the numbers of the study and of populations, its sources and figures."""

from pathlib import Path

from latentdag.engine.files import atomic_write
from latentdag.report.article import numbers
from latentdag.study.design.files import read_json
from latentdag.study.schema import tables
from lib.article import typeset
from lib.job import step


@step
def main(given, output, params):
    study = {name: tables.read(given[name], name) for name in params.tables}
    populations, records = {}, {}
    for path in map(Path, given.populations):
        name = path.parent.name
        if path.suffix == ".json":
            records[name] = read_json(path)
        else:
            populations.setdefault(name, {})[path.stem] = tables.read(path, path.stem)
    found = numbers(read_json(given.record), study, populations, records)
    figures = dict(zip(params.figures, given.figures, strict=True))
    with atomic_write(output.pdf) as partial:
        partial.write_bytes(typeset(found, figures, given.sources))
