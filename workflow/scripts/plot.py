"""Draw one figure from tables."""

from latentdag import Structure
from latentdag import figures as plots
from latentdag.report.data_summary import judge
from latentdag.study import tables

from job import family_of, logged


def main(job):
    p = job.params
    table = {name: tables.read(path, name) for name, path in job.input.items() if name != "code"}
    if p.figure == "true_structure":
        figure = plots.true_structure(
            Structure.from_label(p.true_structure, family_of({"family": p.family}))
        )
    elif p.figure == "scores":
        figure = plots.scores(table["scores"], table["structures"], p.n)
    elif p.figure == "rank":
        figure = plots.ranks(table["ranks"], n_structures=len(table["structures"]))
    elif p.figure == "best_structures":
        names = table["variables"].drop_duplicates("variable")["name"].tolist()
        posterior = table["posterior"]
        figure = plots.best_structures(
            posterior, family_of({"family": p.family}), names, judge(posterior)
        )
    elif p.figure == "tightness":
        figure = plots.tightness(table["errors"], table["structures"])
    else:
        figure = plots.annealing(table["annealing"], table["scores"], p.n)
    plots.save(figure, job.output.png, job.output.pdf)


with logged(snakemake.log[0]):
    main(snakemake)
