# The evidence, how far each score is from it, and what follows from it, draw by draw.


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
        "../scripts/errors.py"
