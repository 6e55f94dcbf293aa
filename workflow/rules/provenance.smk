# How everything was made: the record comes last.

step(
    "provenance",
    {"record": PLAN.record},
    sources.TEXTS,
    inputs={
        "tables": PLAN.tables_but().values(),
        "summary": PLAN.summary,
        "figures": rules.figures.input,
    },
    params={"config": config, "benchmarks": f"{PLAN.results}/benchmarks"},
    message="record of settings, versions and machine",
)
