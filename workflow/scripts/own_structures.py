"""Write the table of the structures that a study of one's own data scores: all, or the best that a
search finds.
"""

from latentdag.study.own_data.structures_table import enumerated, rows
from latentdag.study.schema import tables
from lib.files import families_of, prior_of, read_cases
from lib.job import Tally, logged


def found(snakemake, families):
    """The best structures, after the table of their search is written."""
    # half a second to import: only where it is used
    from latentdag.study.own_data.searched import searched

    p, prior = snakemake.params, prior_of(snakemake.params.model)
    structures, table = searched(
        read_cases(snakemake.input.cases),
        families,
        p.equally_probable,
        alpha=prior.alpha,
        alpha_hidden=prior.alpha_hidden,
        seed=p.model["seed"],
        report=Tally("search").add,
        **p.search,
        **p.settings,
    )
    tables.write(snakemake.output.search, "search", table)
    for row in table:
        print(f"{row['hidden']}: {row['scored']} structures in {row['rounds']} rounds")
    return structures


def main(snakemake):
    families = families_of(snakemake.params.model)
    structures = found(snakemake, families) if snakemake.params.search else enumerated(families)
    tables.write(snakemake.output.table, "structures", rows(structures, len(families) > 1))
    print(f"{len(structures)} structures")


with logged(snakemake.log[0]):
    main(snakemake)
