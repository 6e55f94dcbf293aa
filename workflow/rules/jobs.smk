# A rule for every job of the registry of scores, of the job's name: one run scores a block of
# structures at a group of sizes of one draw.

for job in JOBS.values():
    step(
        job.name,
        PLAN.outputs(job),
        sources.JOBS,
        inputs=PLAN.inputs(job) | {"cases": PLAN.per_group("cases.csv")},
        params=PLAN.parameters_of(job),
        message=PLAN.message(job),
        runs="score",
        group="scores" if job.jobs is None else "evidence",
        threads=config["threads"],
    )
