# One draw's or own data's tables: all scores, the evidence, how far each score is from it, and what
# follows from it.


rule scores:
    """The scores of all structures, of all jobs."""
    input:
        parts=gather.structures(
            "<results>/draws/{draw}/{job}.{scatteritem}.csv", draw=DRAWS, job=SCORED
        ),
    output:
        scores="<results>/scores.csv",
    log:
        "<results>/logs/scores.log",
    benchmark:
        "<results>/benchmarks/scores.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("gather.py"),
    script:
        "../scripts/gather.py"


use rule scores as table_of_job with:
    """A table that a job leaves beside its scores."""
    input:
        parts=gather.structures(
            "<results>/draws/{draw}/{table}.{scatteritem}.csv", draw=DRAWS, allow_missing=True
        ),
    output:
        table="<results>/{table}.csv",
    log:
        "<results>/logs/table_of_job.{table}.log",
    benchmark:
        "<results>/benchmarks/table_of_job.{table}.tsv"
    wildcard_constraints:
        table="|".join(study.tables_of_jobs(config) or ["-"]),


rule evidence:
    """The evidence of every structure, with the method that gave it."""
    input:
        scores="<results>/scores.csv",
    output:
        evidence="<results>/evidence.csv",
    log:
        "<results>/logs/evidence.log",
    benchmark:
        "<results>/benchmarks/evidence.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("evidence.py"),
    script:
        "../scripts/evidence.py"


rule errors:
    """How far each score is from the evidence, and the posterior that it implies."""
    input:
        scores="<results>/scores.csv",
        evidence=branch(REFERENCE, "<results>/evidence.csv"),
        structures="<results>/structures.csv",
    output:
        errors="<results>/errors.csv",
        posterior="<results>/posterior.csv",
        classes="<results>/classes.csv",
    log:
        "<results>/logs/errors.log",
    benchmark:
        "<results>/benchmarks/errors.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("errors.py"),
        model=MODEL,
        equally_probable=config["equally_probable"] if config["data"] else None,
    script:
        "../scripts/errors.py"


rule prior:
    """Cheap scores and the reference, at one size, under a prior of another strength."""
    input:
        cases="<results>/draws/{draw}/cases.csv",
        structures=branch(config["data"], "<results>/structures.csv"),
    output:
        prior="<results>/draws/{draw}/prior/{alpha}.csv",
    log:
        "<results>/logs/prior.{draw}.{alpha}.log",
    benchmark:
        "<results>/benchmarks/prior.{draw}.{alpha}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("prior.py"),
        model=model,
        n=SIZES[0] if config["data"] else config["prior"]["n"],
        alpha_hidden=config["alpha_hidden"] if config["data"] else None,
        settings={
            job.name: study.settings_of(config, job) for job in study.jobs_under_priors(config)
        },
    message:
        "scores under another prior, alpha {wildcards.alpha}"
    script:
        "../scripts/prior.py"
