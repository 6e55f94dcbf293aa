"""Write the table of the structures that a study of one's own data scores: all, or the best that a
search finds.
"""

from latentdag.study.own_data.structures_table import enumerated, rows
from lib.files import families_of, prior_of, read_cases
from lib.job import Progress, tabulate


def searched_tables(snakemake, families):
    """The best structures, and the table of their search."""
    # half a second to import: only where it is used
    from latentdag.study.own_data.searched import searched

    p, prior = snakemake.params, prior_of(snakemake.params.model)
    return searched(
        read_cases(snakemake.input.cases),
        families,
        p.equally_probable,
        alpha=prior.alpha,
        alpha_hidden=prior.alpha_hidden,
        seed=p.model["seed"],
        report=Progress("search").add,
        **p.search,
        **p.settings,
    )


def main(snakemake):
    families = families_of(snakemake.params.model)
    if snakemake.params.search:
        structures, search = searched_tables(snakemake, families)
    else:
        structures, search = enumerated(families), []
    for row in search:
        print(f"{row['hidden']}: {row['scored']} structures in {row['rounds']} rounds")
    return {"structures": list(rows(structures, len(families) > 1)), "search": search}


tabulate(snakemake, main)
