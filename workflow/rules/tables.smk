# What the jobs found, gathered in one table per kind.


for name, (table, parts) in PLAN.gathered().items():

    rule:
        name:
            name
        input:
            started=PLAN.started,
            parts=parts,
            code=sources.JOBS,
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


rule datapackage:
    input:
        started=PLAN.started,
        code=sources.JOBS,
    output:
        package=PLAN.datapackage,
    log:
        PLAN.log("datapackage"),
    benchmark:
        PLAN.benchmark("datapackage")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        tables=PLAN.packaged(),
        title=PLAN.title,
        of_own_data=PLAN.own_data,
        variables=PLAN.variables,
    message:
        "data package of all tables"
    script:
        "../scripts/datapackage.py"
