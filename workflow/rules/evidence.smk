# The evidence, how far each score is from it, and what follows from it, for one draw or one's own
# data.


if PLAN.evidence_table():

    rule evidence:
        input:
            started=PLAN.started,
            scores=PLAN.table("scores"),
            code=sources.JOBS,
        output:
            table=PLAN.table("evidence"),
        log:
            PLAN.log("evidence"),
        benchmark:
            PLAN.benchmark("evidence")
        localrule: True
        conda:
            "../../environment.yml"
        threads: 1
        message:
            "table evidence"
        script:
            "../scripts/evidence.py"


rule errors:
    input:
        **PLAN.evidence_table(),
        started=PLAN.started,
        scores=PLAN.table("scores"),
        structures=PLAN.table("structures"),
        code=sources.STATISTICS,
    output:
        errors=PLAN.table("errors"),
        posterior=PLAN.table("posterior"),
        classes=PLAN.table("classes"),
    log:
        PLAN.log("errors"),
    benchmark:
        PLAN.benchmark("errors")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model,
        equally_probable=PLAN.equally_probable,
    message:
        "tables errors, posterior and classes"
    script:
        "../scripts/table.py"


# The cheap scores and the reference of all structures at one size, under a prior of another
# strength.


rule prior:
    input:
        **PLAN.structures_of_jobs(),
        started=PLAN.started,
        cases=PLAN.per_group("cases.csv", PLAN.prior_n),
        code=sources.JOBS,
    output:
        table=PLAN.per_draw("prior/{alpha}.csv"),
    log:
        PLAN.log("prior.{draw}.{alpha}"),
    benchmark:
        PLAN.benchmark("prior.{draw}.{alpha}")
    group:
        "evidence"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model,
        n=PLAN.prior_n,
        alpha_hidden=PLAN.prior_hidden,
        settings={job.name: PLAN.settings(job) for job in PLAN.prior_jobs},
    message:
        "scores under another prior, draw {wildcards.draw}, alpha {wildcards.alpha}"
    script:
        "../scripts/prior.py"
