"""AIS with one chain, whose updates move one row of the parameters at a time."""

from functools import partial

from latentdag.scores import ais
from latentdag.scores.base import Job, Setting, Side, Spec

JOB = Job(
    name="ais_rows",
    run=partial(ais.run, job="ais_rows", by_row=True),
    meaning="annealed importance sampling, row by row",
    settings=(
        Setting("steps", "ais_rows.steps", 16384, "temperatures of a chain", "the paper"),
        Setting("chains", "ais_rows.chains", 1, "independent chains per structure", "ours"),
    ),
    spans_sizes=ais.side_by_side,
    most_variables=ais.MOST_SAMPLED,
    sizes_key="ais_rows_sizes",
)

AIS_ROWS = Spec(
    name="ais_rows",
    label="AIS, by rows",
    title="AIS with moves of single rows",
    definition=(
        "ln importance weight of one chain as those of `ais`, whose Metropolis update at each "
        "temperature changes one row of the parameters, the rows in turn"
    ),
    source="Neal 2001, Stat. Comput. 11, 125-139; the paper does not state its proposal",
    job=JOB,
    read=ais.read,
    side=Side.ESTIMATE,
    monte_carlo=True,
    place=43,
)
