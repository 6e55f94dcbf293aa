# A rule for every job of the registry of scores, of the job's name: one run scores a block of
# structures at a group of sizes of one draw.

for job in JOBS.values():

    rule:
        name:
            job.name
        input:
            **PLAN.inputs(job),
            cases=PLAN.per_group("cases.csv"),
            code=sources.JOBS,
        output:
            **PLAN.outputs(job),
        log:
            PLAN.log(f"{job.name}.{{draw}}.{{sizes}}.{{block}}"),
        benchmark:
            PLAN.benchmark(f"{job.name}.{{draw}}.{{sizes}}.{{block}}")
        group:
            "scores" if job.jobs is None else "evidence"
        conda:
            "../../environment.yml"
        threads: config["threads"]
        params:
            **PLAN.reach_of(job),
            **PLAN.kept_of(job),
            job=job.name,
            model=PLAN.model_of,
            true_structure=PLAN.truth_of if job.some or PLAN.reach_of(job) else None,
            of_all=PLAN.scores_all(job),
            settings=PLAN.settings(job),
            sizes=PLAN.sizes_taken(job),
            blocks=PLAN.n_blocks(job),
        message:
            PLAN.message(job)
        script:
            "../scripts/score.py"
