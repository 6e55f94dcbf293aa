"""AIS that spends the work of `ais` on one chain in place of 16."""

from functools import partial

from latentdag.scores import ais
from latentdag.scores.base import Job, Setting, Side, Spec

JOB = Job(
    name="ais_long",
    run=partial(ais.run, job="ais_long"),
    meaning="annealed importance sampling, long chains",
    settings=(
        Setting("steps", "ais_long.steps", 262144, "temperatures of a chain", "ours: 16 x 16384"),
        Setting("chains", "ais_long.chains", 1, "independent chains per structure", "ours"),
    ),
    spans_sizes=ais.side_by_side,
    most_variables=ais.MOST_SAMPLED,
    sizes_key="ais_long_sizes",
)

AIS_LONG = Spec(
    name="ais_long",
    label="AIS, long chain",
    title="AIS with a long chain",
    definition="as `ais`, with one chain that has as many temperatures as its 16 together",
    source="Neal 2001, Stat. Comput. 11, 125-139",
    job=JOB,
    read=ais.read,
    side=Side.ESTIMATE,
    monte_carlo=True,
    place=42,
)
