# A rule for every job of the registry of scores, of the job's name: one run scores a block of
# structures at a group of sizes of one draw.

for job in JOBS.values():
    step(
        job.name,
        PLAN.outputs(job),
        sources.JOBS,
        inputs=PLAN.inputs(job) | {"cases": PLAN.per_group("cases.csv")},
        params={
            **PLAN.reach_of(job),
            **PLAN.kept_of(job),
            "job": job.name,
            "model": PLAN.model_of,
            "true_structure": (PLAN.truth_of if job.some or PLAN.reach_of(job) else None),
            "of_all": PLAN.scores_all(job),
            "settings": PLAN.settings(job),
            "sizes": PLAN.sizes_taken(job),
            "blocks": PLAN.n_blocks(job),
        },
        message=PLAN.message(job),
        runs="score",
        group="scores" if job.jobs is None else "evidence",
        threads=config["threads"],
    )
