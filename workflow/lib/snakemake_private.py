"""The one use of a part of Snakemake that is not documented.

`pyproject.toml` and `environment.yml` have an upper bound of Snakemake's version for it, and
`tests/workflow/test_snakemake_private.py` says what broke.
"""


def lift_rate_limit(workflow) -> None:
    """Lift the default limit of 100 jobs per second of ``workflow``, Snakemake's, in place, unless
    the user has set another.

    As long as there is a limit, the scheduler looks at all open jobs and their inputs once a second
    for each job that has ended: for thousands of jobs that takes longer than the jobs. No option
    turns it off, and with a long time span Snakemake waits for its end before it exits.
    """
    limit = workflow.scheduler.job_rate_limiter
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
