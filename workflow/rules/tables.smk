# What the jobs found, put together in one table per kind.

# rules of jobs have the names of the tables of which each makes a part
NAMES = {"prior": "priors", "climb": "climbs", "sandwich": "sandwiches"}

for table, parts in PLAN.gathered().items():
    step(
        NAMES.get(table, table),
        PLAN.files(table),
        sources.JOBS,
        inputs={"parts": parts},
        runs="gather",
    )

step(
    "datapackage",
    {"package": PLAN.datapackage},
    sources.JOBS,
    params={
        "tables": PLAN.packaged(),
        "title": PLAN.title,
        "of_own_data": PLAN.own_data,
        "variables": PLAN.variables,
    },
    message="data package of all tables",
)
