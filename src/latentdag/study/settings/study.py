"""What a configuration makes of a study: the jobs that run and their sizes, the scores and
tables that it has.
"""

from latentdag.ranking.trust import most_trusted
from latentdag.scores import JOBS, SPECS, jobs_needed, scores_of
from latentdag.scores.base import Job, Spec
from latentdag.study.design.draws import UNIFORM
from latentdag.study.design.model import alphas, main_alpha, value_at

# the tables that the page for a class reads of another run, and of a population
TABLES_OF_DRAW = ("scores", "evidence", "structures", "design")
TABLES_OF_SHARES = ("found_share", "structures", "design")
UNDER_PRIORS = ("map", "vb", "reference")  # jobs of a simulated study under several priors
CHEAP = ("laplace", "vb")  # scores with a posterior that cost seconds, the most trusted first
# tables of a population that have up to millions of rows
LARGE = ("reliability_counts", "scores", "verdicts", "worths")


def jobs(config: dict) -> list[Job]:
    """A list of the jobs that run in a study with ``config``, in the registry's order."""
    return [job for job in JOBS.values() if job.name in config["methods"]]


def scores(config: dict) -> list[Spec]:
    """A list of the `Spec` of each score that tables have with ``config``, in registry order."""
    named = config["scores"] or SPECS
    return [s for s in SPECS.values() if s.job.name in config["methods"] and s.name in named]


def has_reference(config: dict) -> bool:
    """Whether a study with ``config`` has an evidence to hold the scores against."""
    return "reference" in config["methods"]


def settings_of(config: dict, job: Job) -> dict[str, int]:
    """A dict of the settings of ``job`` in ``config``, by the names that its code has for them."""
    return {setting.name: value_at(config, setting.key) for setting in job.settings}


def kept_of(config: dict, job: Job) -> list[str] | None:
    """A list of the names of the scores of ``job`` that tables have with ``config``; None where
    they have all of them, or none.
    """
    kept = [spec.name for spec in scores(config) if spec.job.name == job.name]
    return kept if 0 < len(kept) < len(scores_of(job)) else None


def scores_all(config: dict, job: Job) -> bool:
    """Whether ``job`` scores all structures with ``config``, and not some to hold against the
    reference. With a user's data and without a reference every job scores all.
    """
    return job.some is None or bool(config["data"] and not has_reference(config))


def sizes_of(config: dict, job: Job, sizes: list[int]) -> list[int]:
    """A list of those of the study's ``sizes`` at which ``job`` gives scores with ``config``."""
    if job.sizes_key is None or (job.some and scores_all(config, job)):
        return sizes
    return [n for n in sizes if n in value_at(config, job.sizes_key)]


def judges_of(config: dict, job: Job) -> list[str]:
    """A list of the names of the jobs that run with ``config`` whose scores of all structures say
    which structures are within the reach of ``job``, by the scores in its `reach_by`. Empty where
    the study has no `reach` or the job no `reach_by`.
    """
    if config["reach"] is None:
        return []
    names = [SPECS[name].job.name for name in job.reach_by]
    return [name for name in names if name in config["methods"]]


def most_trusted_of(config: dict, sizes: list[int]) -> str:
    """The name of the most trusted score, of those that imply a posterior and that all structures
    have, at some of the study's ``sizes``, with ``config``. Raises ValueError without such a score.
    """
    specs = [s for s in scores(config) if s.posterior and scores_all(config, s.job)]
    return most_trusted(s.name for s in specs if sizes_of(config, s.job, sizes))


def jobs_under_priors(config: dict) -> list[Job]:
    """A list of the jobs that with ``config`` also run under priors of other strengths, and before
    each those that it needs.
    """
    if config["data"]:
        return jobs_needed([SPECS[name].job.name for name in scores_under_priors(config)])
    return jobs_needed([job.name for job in jobs(config) if job.name in UNDER_PRIORS])


def scores_under_priors(config: dict) -> list[str]:
    """A list of the names of the scores that a user's data have under each strength of the prior
    with ``config``: the first of `CHEAP` that there is, and the reference, if there is one.
    """
    cheap = [name for name in CHEAP if SPECS[name] in scores(config)][:1]
    return cheap + (["reference"] if has_reference(config) else [])


def other_alphas(config: dict) -> list[float]:
    """A list of the strengths of the prior in ``config`` other than that of all other tables."""
    if config["data"]:
        return [alpha for alpha in alphas(config) if alpha != main_alpha(config)]
    return config["prior"]["alphas"] if jobs_under_priors(config) else []


def tables_of_jobs(config: dict) -> list[str]:
    """A list of the names of the tables that the jobs of ``config`` write in addition to scores."""
    return [table for job in jobs(config) for table in job.tables]


def tables(config: dict) -> list[str]:
    """A list of the names of all tables that the study with the configuration ``config`` leaves."""
    judged, other_priors = has_reference(config), bool(other_alphas(config))
    if config["data"]:
        return [
            *("structures", "scores", *tables_of_jobs(config)),
            *(["evidence"] if judged else []),
            *("errors", "posterior", "classes", *(["search"] if config["search"] else [])),
            *("causes", "links", *(["alpha"] if other_priors else [])),
            *("variables", "parameters", "membership", "fit", "residuals"),
            *(["beside"] if config["data"]["beside"] else []),
        ]
    if config["population"]:
        return [
            *("design", "structures", "seconds"),
            *([] if is_calibrated(config) else ["claims"]),
            *(table for table in LARGE if table != "worths" or judged),
            *tables_over_draws(config),
        ]
    compared = ["evidence", "errors", "posterior", "classes", "equal_modes"]
    return [
        *("design", "structures", "scores", *tables_of_jobs(config), "annealing"),
        *(["prior"] if other_priors else []),
        *(["climb", "sandwich", *compared] if judged else []),
        *("ranks", "timing"),
    ]


def is_calibrated(config: dict) -> bool:
    """Whether with ``config`` the true structure of each draw is drawn uniformly from all: then
    posteriors must be calibrated. The paper's claims are about one structure.
    """
    return config["true_structure"] == UNIFORM


def tables_over_draws(config: dict) -> list[str]:
    """A list of the names of the tables of statistics over all draws of a population with
    ``config``.
    """
    return [
        *("population", "found", "found_share", "comparisons", "reliability"),
        *(["cases_needed", "worth"] if has_reference(config) else []),
        "calibration" if is_calibrated(config) else "claims_held",
    ]
