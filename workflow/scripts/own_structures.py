"""Write the table of the structures that a study of one's own data scores: all, or the best that a
search finds.
"""

from latentdag.ranking.rank import all_structures
from latentdag.study.design.files import read_cases
from latentdag.study.design.model import families_of
from latentdag.study.own_data.structures_table import rows
from lib.job import Progress, step


@step
def main(cases, model, search, settings=None, equally_probable=None):
    families, found = families_of(model), []
    if search:
        # half a second to import: only where it is used
        from latentdag.study.own_data.searched import searched

        how = {key: model[key] for key in ("alpha", "alpha_hidden", "seed")} | settings | search
        how["report"] = Progress("search").add
        structures, found = searched(read_cases(cases), families, equally_probable, **how)
    else:
        structures = all_structures(families)
    for row in found:
        print(f"{row['hidden']}: {row['scored']} structures in {row['rounds']} rounds")
    return {"structures": list(rows(structures, len(families) > 1)), "search": found}
