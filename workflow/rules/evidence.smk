# How far each score is from the evidence, and what follows from it, draw by draw.


rule errors:
    input:
        started=PLAN.started,
        scores=PLAN.table("scores"),
        structures=PLAN.table("structures"),
        code=sources.of("errors.py"),
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
