"""AIS with one chain: as long as the 16 of `ais` together, or with moves of one row at a time."""

from functools import partial

from latentdag.scores import ais
from latentdag.scores.base import Job, Setting, Side, Spec


def job_of(name: str, meaning: str, steps: int, source: str, by_row: bool = False) -> Job:
    """The job of one kind of AIS, of one chain by default, whose settings, sizes and random streams
    have its name; ``meaning`` ends its description to the user. Its ``steps``, the temperatures of
    a chain, have a ``source``. Moves change all parameters or, ``by_row``, one row after another.
    """
    return Job(
        name=name,
        run=partial(ais.run, job=name, by_row=by_row, by_shape=True),
        meaning=f"annealed importance sampling, {meaning}",
        settings=(
            Setting("steps", f"{name}.steps", steps, "temperatures of a chain", source),
            Setting("chains", f"{name}.chains", 1, "independent chains per structure", "ours"),
        ),
        spans_sizes=ais.side_by_side,
        most_variables=ais.MOST_SAMPLED,
        sizes_key=f"{name}_sizes",
    )


AIS_LONG = Spec(
    name="ais_long",
    label="AIS, long chain",
    title="AIS with a long chain",
    definition="as `ais`, with one chain that has as many temperatures as its 16 together",
    source="Neal 2001, Stat. Comput. 11, 125-139",
    job=job_of("ais_long", "long chains", 262144, "ours: 16 x 16384"),
    read=ais.read,
    side=Side.ESTIMATE,
    monte_carlo=True,
    place=42,
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
    job=job_of("ais_rows", "row by row", 16384, "the paper", by_row=True),
    read=ais.read,
    side=Side.ESTIMATE,
    monte_carlo=True,
    place=43,
)
