# A rule for every job of the registry of scores, of the job's name: one run scores a block of
# structures, at one size of one draw or at all its sizes.

for job in JOBS.values():

    rule:
        name:
            job.name
        input:
            **{name: PLAN.part(JOBS[name], "npz") for name in job.needs},
            cases=PLAN.per_size(
                "cases.csv", max(PLAN.sizes) if job.spans_sizes else None
            ),
            code=PLAN.sources_of(job),
        output:
            **PLAN.outputs(job),
        log:
            PLAN.log(PLAN.name(job)),
        benchmark:
            PLAN.benchmark(PLAN.name(job))
        group:
            "evidence" if job.spans_sizes else "scores"
        conda:
            "../../environment.yml"
        threads: config["threads"]
        params:
            job=job.name,
            model=PLAN.model,
            settings=PLAN.settings(job),
            sizes=PLAN.sizes if job.spans_sizes else None,
            blocks=PLAN.n_blocks(job),
        message:
            PLAN.message(job)
        script:
            "../scripts/score.py"
