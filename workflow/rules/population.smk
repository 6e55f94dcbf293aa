# Many draws, and what they say together. One draw at a time is read, so that memory does not grow
# with their number.
SHOWN_N = config["figure_n"]  # the size that figures show
CALIBRATED = study.is_calibrated(config)  # each draw has its own true structure


def parts_with(table):
    """The other parts of the population that have a table of all draws."""
    return [] if table == "scores" else config["parts"]


rule verdicts_of_draw:
    """The verdicts of the scores on one draw."""
    input:
        scores=gather.structures(
            "<results>/draws/{draw}/{job}.{scatteritem}.csv", job=SCORED, allow_missing=True
        ),
        truth="<results>/draws/{draw}/truth.csv",
        structures="<results>/structures.csv",
    output:
        **({"worths": "<results>/draws/{draw}/worths.parquet"} if REFERENCE else {}),
        scores="<results>/draws/{draw}/scores.parquet",
        verdicts="<results>/draws/{draw}/verdicts.parquet",
        reliability_counts="<results>/draws/{draw}/reliability_counts.parquet",
        claims="<results>/draws/{draw}/claims.csv",
    log:
        "<results>/logs/verdicts_of_draw.{draw}.log",
    benchmark:
        "<results>/benchmarks/verdicts_of_draw.{draw}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("verdicts_of_draw.py"),
        true_structure=truth,
        seed=config["seed"],
    message:
        "verdicts of draw {wildcards.draw}"
    script:
        "../scripts/verdicts_of_draw.py"


rule seconds:
    """How long the jobs of all draws took."""
    input:
        parts=gather.structures(
            "<results>/draws/{draw}/{job}.{scatteritem}.seconds.csv", draw=DRAWS, job=SCORED
        ),
    output:
        seconds="<results>/seconds.csv",
    log:
        "<results>/logs/seconds.log",
    benchmark:
        "<results>/benchmarks/seconds.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("gather.py"),
    message:
        "{output} of all draws"
    script:
        "../scripts/gather.py"


use rule seconds as claims with:
    """The paper's claims on each draw, and on those of other parts of the population."""
    input:
        parts=[
            *(f"{folder}/claims.csv" for folder in config["parts"]),
            *collect("<results>/draws/{draw}/claims.csv", draw=DRAWS),
        ],
    output:
        claims="<results>/claims.csv",
    log:
        "<results>/logs/claims.log",
    benchmark:
        "<results>/benchmarks/claims.tsv"


use rule seconds as of_all_draws with:
    """The verdicts of all draws, or what else there is of each; the scores without those of parts."""
    input:
        parts=lambda wildcards: [
            *(f"{folder}/{wildcards.table}.parquet" for folder in parts_with(wildcards.table)),
            *collect("<results>/draws/{draw}/{table}.parquet", draw=DRAWS, table=wildcards.table),
        ],
    output:
        table="<results>/{table}.parquet",
    log:
        "<results>/logs/of_all_draws.{table}.log",
    benchmark:
        "<results>/benchmarks/of_all_draws.{table}.tsv"
    wildcard_constraints:
        table="|".join(study.LARGE),


rule over_draws:
    """Statistics over all draws."""
    input:
        verdicts="<results>/verdicts.parquet",
        reliability_counts="<results>/reliability_counts.parquet",
        worths=branch(REFERENCE, "<results>/worths.parquet"),
        claims=branch(not CALIBRATED, "<results>/claims.csv"),
    output:
        **{name: TABLES[name] for name in study.tables_over_draws(config)},
    log:
        "<results>/logs/over_draws.log",
    benchmark:
        "<results>/benchmarks/over_draws.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("over_draws.py"),
        uniform=CALIBRATED,
    script:
        "../scripts/over_draws.py"


NOT_IN_SUMMARY = ("seconds", "scores", "reliability_counts", "claims", "worths")
OTHERS_IN_SUMMARY, NAMED = {}, []
