# The structures, and what the jobs found, gathered in one table per kind.


rule structures:
    input:
        started=PLAN.started,
        code=sources.of("structures.py"),
    output:
        table=PLAN.table("structures"),
    log:
        PLAN.log("structures"),
    benchmark:
        PLAN.benchmark("structures")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model,
        true_structure=PLAN.only_truth,
    message:
        "table structures"
    script:
        "../scripts/structures.py"


for name, (table, parts) in PLAN.gathered().items():

    rule:
        name:
            name
        input:
            started=PLAN.started,
            parts=parts,
            code=PLAN.sources_of_gathered(table),
        output:
            table=PLAN.table(table),
        log:
            PLAN.log(name),
        benchmark:
            PLAN.benchmark(name)
        localrule: True
        conda:
            "../../environment.yml"
        threads: 1
        params:
            table=table,
        message:
            f"table {table}"
        script:
            "../scripts/gather.py"
