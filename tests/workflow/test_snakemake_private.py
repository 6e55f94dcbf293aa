"""What is used of Snakemake without being documented is still there, and does what it should."""

from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobRateLimiter
from snakemake.settings.types import MaxJobsPerTimespan

from lib.snakemake_private import lift_rate_limit


@pytest.mark.parametrize(("limit", "stays"), [("100/1s", False), ("50/1s", True), ("100/1m", True)])
def test_snakemakes_default_limit_is_lifted_and_no_other(limit, stays):
    limiter = JobRateLimiter(MaxJobsPerTimespan.parse_choice(limit))
    scheduler = SimpleNamespace(job_rate_limiter=limiter)
    for _ in range(2):  # also where there is none
        lift_rate_limit(SimpleNamespace(scheduler=scheduler))
        assert scheduler.job_rate_limiter is (limiter if stays else None)
