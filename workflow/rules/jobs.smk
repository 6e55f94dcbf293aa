# A rule for every job of the registry of scores, of the job's name: one run scores a block of
# structures at a group of sizes of one draw.

for job in JOBS.values():
    step(
        job.name,
        f"Scores of all structures for one draw: {job.meaning}.",
        PLAN.outputs(job),
        inputs=PLAN.inputs(job) | {"cases": PLAN.per_group("cases.csv")},
        params=PLAN.parameters_of(job),
        message=PLAN.message(job.name, PLAN.n_blocks(job)),
        runs="score",
        group="scores" if job.jobs is None else "evidence",
        threads=config["threads"],
    )

# What the jobs found, put together in one table per kind; rules of jobs have the names of the
# tables of which each makes a part.
NAMES = {"prior": "priors", "climb": "climbs", "sandwich": "sandwiches"}

for table, parts in PLAN.gathered().items():
    step(
        NAMES.get(table, table),
        f"The table {table}, from its parts by draw and job.",
        PLAN.files(table),
        inputs={"parts": parts},
        runs="gather",
    )

step(
    "datapackage",
    "The data package of all tables.",
    {"package": PLAN.datapackage},
    params={
        "tables": PLAN.packaged(),
        "title": PLAN.title,
        "of_own_data": PLAN.own_data,
        "variables": PLAN.variables,
        "optional": PLAN.optional,
    },
)
