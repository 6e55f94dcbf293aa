"""What is used of Snakemake without being documented is still there, and does what it should."""

import inspect
from types import SimpleNamespace

from snakemake.scheduling.job_scheduler import JobRateLimiter, JobScheduler
from snakemake.settings.types import MaxJobsPerTimespan

from lib.snakemake_private import lift_rate_limit


def workflow_with(limit: str) -> SimpleNamespace:
    limiter = JobRateLimiter(MaxJobsPerTimespan.parse_choice(limit))
    return SimpleNamespace(scheduler=SimpleNamespace(job_rate_limiter=limiter))


def test_snakemakes_default_limit_is_lifted():
    workflow = workflow_with("100/1s")
    lift_rate_limit(workflow)
    assert workflow.scheduler.job_rate_limiter is None
    lift_rate_limit(workflow)  # where there is none


def test_the_users_limit_stays():
    for limit in ("50/1s", "100/1m"):
        workflow = workflow_with(limit)
        lift_rate_limit(workflow)
        assert workflow.scheduler.job_rate_limiter is not None


def test_the_scheduler_knows_the_limit_by_this_name():
    said = inspect.getsource(JobScheduler)
    assert "self.job_rate_limiter is None" in said and "self.job_rate_limiter = (" in said
