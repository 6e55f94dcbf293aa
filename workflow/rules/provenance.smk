# How everything was made: the record comes last.


rule provenance:
    input:
        started=PLAN.started,
        tables=PLAN.tables_but().values(),
        summary=PLAN.summary,
        figures=rules.figures.input,
        code=sources.TEXTS,
    output:
        record=f"{PLAN.results}/provenance.json",
    log:
        PLAN.log("provenance"),
    benchmark:
        PLAN.benchmark("provenance")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        config=config,
        benchmarks=f"{PLAN.results}/benchmarks",
    message:
        "record of settings, versions and machine"
    script:
        "../scripts/provenance.py"
