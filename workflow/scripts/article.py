"""Set the article: the numbers of the study and of populations, its sources and figures."""

from pathlib import Path

from latentdag.engine.files import atomic_write
from latentdag.report.article import numbers
from latentdag.study.design.files import read_json
from latentdag.study.schema import tables
from lib.article import typeset
from lib.job import logged

with logged(snakemake.log[0]):
    files = snakemake.input
    study = {name: tables.read(files[name], name) for name in snakemake.params.tables}
    populations, records = {}, {}
    for path in map(Path, files.populations):
        name = path.parent.name
        if path.suffix == ".json":
            records[name] = read_json(path)
        else:
            populations.setdefault(name, {})[path.stem] = tables.read(path, path.stem)
    experiments = {path.stem: tables.read(path, path.stem) for path in map(Path, files.experiments)}
    article = numbers(read_json(files.record), study, populations, records, experiments)
    figures = {path.stem: path for path in map(Path, files.figures)}
    quoted = map(Path, files.figures_quoted)
    figures |= {f"{path.parent.name}/{path.stem}": path for path in quoted}
    with atomic_write(snakemake.output.pdf) as partial:
        partial.write_bytes(typeset(article, figures, files.sources))
