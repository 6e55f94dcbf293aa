"""Write the table of the structures that a study of one's own data scores: all, or the best that a
search finds.
"""

from latentdag.ranking.rank import all_structures
from latentdag.ranking.ranking import described
from latentdag.study.design.files import read_cases
from latentdag.study.design.model import families_of
from latentdag.study.schema import tables
from lib.job import Progress, logged

with logged(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    families = families_of(params.model)
    if params.search:
        # half a second to import: only where it is used
        from latentdag.study.own_data.searched import searched

        how = {key: params.model[key] for key in ("alpha", "alpha_hidden", "seed")}
        how |= params.settings | params.search | {"report": Progress("search").add}
        cases = read_cases(snakemake.input.cases)
        structures, rounds = searched(cases, families, params.equally_probable, **how)
        tables.write(output.search, "search", rounds)
        for row in rounds:
            print(f"{row['hidden']}: {row['scored']} structures in {row['rounds']} rounds")
    else:
        structures = all_structures(families)
    rows = (described(s, len(families) > 1) for s in structures)
    tables.write(output.structures, "structures", rows)
