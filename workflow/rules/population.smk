# What all draws of a simulated study say together. One draw at a time is read, so that memory does
# not grow with their number.

step(
    "verdicts_of_draw",
    "The verdicts of the scores on one draw.",
    {
        **PLAN.worths(PLAN.per_draw("worths.parquet")),
        "scores": PLAN.per_draw("scores.parquet"),
        "verdicts": PLAN.per_draw("verdicts.parquet"),
        "reliability_counts": PLAN.per_draw("reliability_counts.parquet"),
        "claims": PLAN.per_draw("claims.csv"),
    },
    inputs={
        "scores": lambda w: PLAN.all_parts(PLAN.jobs, draws=[w.draw]),
        "truth": lambda w: expand(PLAN.per_group("truth.csv"), draw=w.draw, sizes=PLAN.groups_of()),
        "structures": PLAN.table("structures"),
    },
    params={"true_structure": PLAN.truth_of, "seed": config["seed"]},
    message="verdicts, draw {wildcards.draw}",
    runs="table",
    group="verdicts",
)

step(
    "over_draws",
    "Statistics pooled over all draws.",
    PLAN.files(*PLAN.over_draws()),
    inputs={
        **PLAN.worths(PLAN.table("worths")),
        **PLAN.files("verdicts", "reliability_counts"),
        "claims": [] if PLAN.is_uniform else PLAN.table("claims"),
    },
    params={"uniform": PLAN.is_uniform},
)
