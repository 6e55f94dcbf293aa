# A rule for every job of the registry (src/latentdag/scores), of the job's name: it scores its
# share of the structures at all sizes of one draw.

for job in JOBS.values():
    # others may start from what it fits
    is_start = any(job.name in other.needs for other in JOBS.values())

    rule:
        """The scores of this name, and those that come with them."""
        name:
            job.name
        input:
            **{name: f"<results>/draws/{{draw}}/{name}.{{scatteritem}}.npz" for name in job.needs},
            cases="<results>/draws/{draw}/cases.csv",
            structures=branch(config["data"], "<results>/structures.csv"),
            # the scores of all structures that say which are within reach
            reach=gather.structures(
                "<results>/draws/{draw}/{judge}.{scatteritem}.csv",
                judge=study.judges_of(config, job),
                allow_missing=True,
            ),
        output:
            **(
                {"estimates": f"<results>/draws/{{draw}}/{job.name}.{{scatteritem}}.npz"}
                if is_start
                else {}
            ),
            **{
                table: f"<results>/draws/{{draw}}/{table}.{{scatteritem}}.csv"
                for table in job.tables
            },
            scores=f"<results>/draws/{{draw}}/{job.name}.{{scatteritem}}.csv",
            seconds=f"<results>/draws/{{draw}}/{job.name}.{{scatteritem}}.seconds.csv",
        log:
            f"<results>/logs/{job.name}.{{draw}}.{{scatteritem}}.log",
        benchmark:
            f"<results>/benchmarks/{job.name}.{{draw}}.{{scatteritem}}.tsv"
        conda:
            "../../environment.yml"
        threads: config["threads"]
        # the longest jobs start first, so that no core waits for the last of them
        priority: int(job.name in ("reference", "ais"))
        params:
            code=code("score.py"),
            job=job.name,
            model=model,
            true_structure=truth if job.some or study.judges_of(config, job) else None,
            of_all=study.scores_all(config, job),
            reach=config["reach"] if job.reach_by else None,
            scores=study.kept_of(config, job),
            settings=study.settings_of(config, job),
            sizes=study.sizes_of(config, job, SIZES),
        message:
            "{rule}, draw {wildcards.draw}, {wildcards.scatteritem}"
        script:
            "../scripts/score.py"


# the jobs that have a size in this study
SCORED = [job.name for job in study.jobs(config) if study.sizes_of(config, job, SIZES)]
