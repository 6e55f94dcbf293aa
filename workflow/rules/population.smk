# What all draws of a simulated study say together. One draw at a time is read, so that memory does
# not grow with their number.


rule verdicts_of_draw:
    input:
        started=PLAN.started,
        scores=lambda w: PLAN.parts_of_draw(w.draw),
        truth=lambda w: PLAN.truths_of_draw(w.draw),
        structures=PLAN.table("structures"),
        code=sources.STATISTICS,
    output:
        **PLAN.worths(PLAN.per_draw("worths.parquet")),
        scores=PLAN.per_draw("scores.parquet"),
        verdicts=PLAN.per_draw("verdicts.parquet"),
        reliability_counts=PLAN.per_draw("reliability_counts.parquet"),
        claims=PLAN.per_draw("claims.csv"),
    log:
        PLAN.log("verdicts_of_draw.{draw}"),
    benchmark:
        PLAN.benchmark("verdicts_of_draw.{draw}")
    group:
        "verdicts"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        true_structure=PLAN.truth_of,
        seed=config["seed"],
    message:
        "verdicts of the scores, draw {wildcards.draw}"
    script:
        "../scripts/table.py"


rule over_draws:
    input:
        **PLAN.worths(PLAN.table("worths")),
        started=PLAN.started,
        verdicts=PLAN.table("verdicts"),
        reliability_counts=PLAN.table("reliability_counts"),
        claims=[] if PLAN.is_uniform else PLAN.table("claims"),
        code=sources.OVER_DRAWS,
    output:
        **{table: PLAN.table(table) for table in PLAN.over_draws()},
    log:
        PLAN.log("over_draws"),
    benchmark:
        PLAN.benchmark("over_draws")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        uniform=PLAN.is_uniform,
    message:
        "statistics over all draws"
    script:
        "../scripts/over_draws.py"
