# What the jobs found, put together in one table per kind.

# rules of jobs have the names of the tables of which each makes a part
NAMES = {"prior": "priors", "climb": "climbs", "sandwich": "sandwiches"}

for table, parts in PLAN.gathered().items():

    rule:
        name:
            NAMES.get(table, table)
        input:
            started=PLAN.started,
            parts=parts,
            code=sources.JOBS,
        output:
            table=PLAN.table(table),
        log:
            PLAN.log(NAMES.get(table, table)),
        benchmark:
            PLAN.benchmark(NAMES.get(table, table))
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
