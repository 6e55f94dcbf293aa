"""The scores of a structure (natural logarithms, higher is better), one file each, and the one way
to compute them.

Every module of this folder is looked through for a `Spec`: a score is added by adding its file. A
result depends on the structure, the data, the settings, the seed and the key of its random streams,
and not on what else is scored.
"""

import difflib
import pkgutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from types import MappingProxyType

import numpy as np

from latentdag.data.counts import Counts
from latentdag.data.tables import Table, cases_of, named_table
from latentdag.engine.checks import integer, number
from latentdag.engine.parallel import check_cores, spread
from latentdag.model.parameters import Prior
from latentdag.model.structures import Family, Structure
from latentdag.scores.base import Job, Score, Setting, Spec, Task


def _declared() -> list[Spec]:
    """Every `Spec` of the modules beside this one, in order of place."""
    specs: dict[str, Spec] = {}
    for module in pkgutil.iter_modules(__path__):
        for spec in vars(import_module(f"{__name__}.{module.name}")).values():
            if type(spec) is not Spec:  # to look at a module more closely would load it
                continue
            if specs.setdefault(spec.name, spec) is not spec:
                raise ValueError(f"two scores are named {spec.name!r}")
    return sorted(specs.values(), key=lambda spec: (spec.place, spec.name))


SPECS: dict[str, Spec] = {spec.name: spec for spec in _declared()}
JOBS: dict[str, Job] = {spec.job.name: spec.job for spec in SPECS.values()}
METHODS = tuple(SPECS)
METHOD = "laplace"  # unless another is asked for: the most trusted that is cheap and well known
HIDDEN = Family().hidden  # cardinalities of a label's hidden variables, where nothing else is said


def present(methods: Iterable[str]) -> list[str]:
    """The names of scores that occur in ``methods``, each once, in the order of METHODS."""
    names = set(methods)
    return [method for method in METHODS if method in names]


def drawn(figure: str, methods: Iterable[str]) -> list[str]:
    """The ``methods`` that the ``figure`` of this name draws, in the order of METHODS: their `Spec`
    has it among its ``figures``.
    """
    return [method for method in present(methods) if figure in SPECS[method].figures]


def scores_of(job: Job) -> list[Spec]:
    """The `Spec` of each score that is read off the findings of ``job``, as a list."""
    return [spec for spec in SPECS.values() if spec.job.name == job.name]


def jobs_needed(names: Iterable[str]) -> list[Job]:
    """The `Job` of each of ``names``, in a list, and before each of them the jobs whose estimates
    it starts from, each once.
    """
    by_name: dict[str, Job] = {}
    for name in names:
        by_name |= {job.name: job for job in jobs_needed(JOBS[name].needs)}
        by_name[name] = JOBS[name]
    return list(by_name.values())


def run_job(
    job: Job,
    task: Task,
    settings: Mapping[str, int],
    estimates: Mapping[str, Mapping[str, np.ndarray]] | None = None,
    methods: Sequence[str] = METHODS,
) -> tuple[list[Score], Mapping]:
    """A list of the scores of ``methods`` that ``job`` gives for ``task``, ordered by size,
    structure and method; and the findings of the job, by label. ``settings`` has all its settings
    by name, ``estimates`` the log weights (K, H, F) that it starts from, by job and label. Raises
    ValueError where the job or a score cannot be done, and for a structure without score, nan, and
    without reason for that.
    """
    job.check(task)
    for spec in scores_of(job):
        if spec.name in methods:
            spec.refuse(task)
    findings = job.run(task, settings, estimates or {})
    place = {s: i for i, s in enumerate(task.structures)}
    scores = []
    for n in task.sizes or (task.n,):
        of_size = [
            replace(score, method=spec.name, n=n)
            for spec in scores_of(job)
            if spec.name in methods
            for score in spec.read(task.truncated(n), findings)
        ]
        scores += sorted(of_size, key=lambda score: place[score.structure])
    for s in scores:
        if np.isnan(s.score) and not s.reason:
            raise ValueError(f"{s.method} has no score for {s.structure} and gives no reason")
    return scores, findings


def refuse(task: Task, methods: Iterable[str]) -> None:
    """Raise ValueError where one of the ``methods``, names of scores, or a job behind it, cannot be
    done for ``task``.
    """
    specs = [SPECS[method] for method in methods]
    for job in jobs_needed(spec.job.name for spec in specs):
        job.check(task)
    for spec in specs:
        spec.refuse(task)


def compute(
    task: Task, methods: Sequence[str], settings: Mapping[str, int | None] = MappingProxyType({})
) -> tuple[list[Score], dict[str, Mapping]]:
    """The list of scores of ``task`` by several ``methods``, ordered by method, size and structure,
    and a dictionary of what each job found, by name of the job: no job runs twice. ``settings`` are
    by name, for all jobs that have one of that name; None stands for a job's default. Raises
    ValueError as `settings_of` and `run_job` do.
    """
    scores, findings = [], {}
    for job in jobs_needed(SPECS[method].job.name for method in methods):
        estimates = {name: JOBS[name].estimates(findings[name]) for name in job.needs}
        new, findings[job.name] = run_job(job, task, settings_of(job, settings), estimates, methods)
        scores += new
    return [s for method in methods for s in scores if s.method == method], findings


def settings_by_name() -> dict[str, list[tuple[str, Setting]]]:
    """The settings that library and command take, by name: for each a list of pairs, the name of a
    job that has one of that name, and the `Setting` of that job.
    """
    by_name = defaultdict(list)
    for job in JOBS.values():
        for setting in job.settings:
            by_name[setting.name].append((job.name, setting))
    return dict(by_name)


def settings_of(job: Job, settings: Mapping[str, float | None]) -> dict[str, float]:
    """Values of all the job's settings: those given by name and not None, else its defaults; names
    that it does not have are left out. Restarts given without hits set the hits as well, so that
    all are done, and runs given without most_runs set that. Raises ValueError for a value of
    another kind, or below the setting's minimum.
    """
    values = job.defaults()
    settings = {k: v for k, v in settings.items() if k in values and v is not None}
    for name, number_of in (("hits", "restarts"), ("most_runs", "runs")):
        if name in values and number_of in settings:
            values[name] = settings[number_of]
    values |= settings
    for setting in job.settings:
        name, value = setting.name, values[setting.name]
        if isinstance(setting.default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, got {value!r}")
        elif isinstance(setting.default, int):
            integer(name, value, setting.minimum)
        elif not number(name, value) >= setting.minimum:  # nan neither
            raise ValueError(f"{name} must be at least {setting.minimum}, got {value}")
    return values


def settings_used(*methods: str) -> list[str]:
    """The names of the settings of the jobs behind some ``methods``, and of the jobs whose
    estimates these start from, each once.
    """
    jobs = jobs_needed(SPECS[method].job.name for method in methods)
    return list(dict.fromkeys(name for job in jobs for name in job.defaults()))


def check_settings(settings: Mapping[str, float | None], *methods: str) -> None:
    """Raise ValueError where ``settings``, values by name, has a name that is a setting of no job,
    or one with a value, not None, that no job behind these ``methods`` has.
    """
    by_name, used = settings_by_name(), settings_used(*methods)
    for name, value in settings.items():
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else f"; known are {', '.join(by_name)}"
            raise ValueError(f"unknown setting {name!r}{hint}")
        if name not in used and value is not None:
            raise ValueError(
                f"{name!r} is no setting of {' and '.join(methods)}; known are "
                f"{', '.join(used) or 'none'}"
            )


def score_structures(
    cases,
    structures: Sequence[Structure | str],
    method: str = METHOD,
    *,
    alpha: float = Prior.alpha,
    alpha_hidden: float | None = None,
    seed: int = 0,
    key: tuple = (0,),
    report: Callable[[float], object] | None = None,
    cores: int | None = 1,
    **settings: int | None,
) -> list[Score]:
    """A list of the `Score` of each of ``structures``, of one family, on ``cases`` by one of
    METHODS.

    ``cases`` are a `Table`, or a DataFrame, of which `read_table` makes one: ``structures`` may
    then be labels, for two binary hidden variables. Or they are an (n, J) array of integers counted
    from 0, with nan, None or pandas.NA where a value is missing (at random), or `Counts`, for which
    n may be as large as 2^53. With a table BIC does not count the parameters of hidden variables
    without children, which the paper counts.

    A structure stands for its exchange class: its canonical form is scored. ``settings`` are those
    of the jobs behind the scores (``restarts``, ``hits``, ``max_iterations``, ``steps``,
    ``chains``, ``particles``, ``runs``, ...; see ``JOBS``); each has the study's value unless
    given, and restarts that are given without hits are all done. With the seed of a study and
    ``key=(draw,)`` the result is that study's, to the bit, unless its key ``reach`` gives the
    structures different effort.

    ``report`` is called with the work done since its last call, as a number of structures, for each
    of the jobs behind the method. Structures are spread over ``cores`` processes, None for all
    cores; no bit of a score depends on that.

    Raises ValueError naming what is wrong: an unknown method, a setting that it does not have,
    alpha out of range, cases outside their cardinality, or too many cases for a method that takes
    one after the other.

    >>> from latentdag import draw_study
    >>> structures = [Structure.from_label(label) for label in ("0-0-0-0", "1-12-12-2")]
    >>> cases = draw_study(structures[1], Prior(), n=80, seed=2003).cases
    >>> [round(found.score, 2) for found in score_structures(cases, structures, "bic")]
    [-512.57, -567.03]
    """
    cases = named_table(cases)
    codes, structures = checked(cases, structures)
    how = {"alpha": alpha, "alpha_hidden": alpha_hidden, "seed": seed, "key": key}
    how |= {"only_used": isinstance(cases, Table), "report": report, "cores": cores}
    return score_codes(codes, structures, method, **how, **settings)


def score_codes(
    codes: np.ndarray | Counts,
    structures: Sequence[Structure],
    method: str,
    *,
    only_used: bool = False,
    alpha: float = Prior.alpha,
    alpha_hidden: float | None = None,
    seed: int = 0,
    key: tuple = (0,),
    report: Callable[[float], object] | None = None,
    cores: int | None = 1,
    **settings: int | None,
) -> list[Score]:
    """The scores by ``method`` of ``structures`` of one family, brought to canonical form, in their
    order, for ``codes`` (n, J), or `Counts`, that `cases_of` has checked. With ``only_used`` the
    penalties of `bic` and `bic_ml` leave out parameters of hidden variables without children, which
    `Score.n_parameters` counts. All other arguments, and ValueError, are as in `score_structures`.
    """
    if method not in SPECS:
        raise ValueError(f"unknown method {method!r}: it must be one of {', '.join(METHODS)}")
    seed = integer("seed", seed, 0)
    check_settings(settings, method)
    structures = [s.canonical() for s in structures]
    task = Task(structures, codes, Prior(alpha, alpha_hidden), seed, key, only_used=only_used)
    jobs = jobs_needed([SPECS[method].job.name])
    for job in jobs:
        settings_of(job, settings)
    refuse(task, [method])
    part = partial(_scores_of_part, task, method, settings)
    each = report and (lambda n: report(n * len(jobs)))
    return spread(part, structures, check_cores(cores), report, each)


def _scores_of_part(
    task: Task, method: str, settings: Mapping, structures: list[Structure], report
) -> list[Score]:
    return compute(replace(task, structures=structures, report=report), [method], settings)[0]


def what_failed(scores: Sequence[Score]) -> list[str]:
    """A list of at most two lines of text on ``scores``: one counts structures without a score and
    says why, one counts fits that did not converge. Empty where nothing failed.
    """
    lines, of = [], len(scores)
    if without := [s for s in scores if np.isnan(s.score)]:
        reasons = "; ".join(sorted({s.reason for s in without}))
        lines.append(f"{len(without)} of {of} structures have no score: {reasons}")
    if unfinished := sum(s.converged is False for s in scores):
        lines.append(f"{unfinished} of {of} fits did not converge: allow more iterations")
    return lines


def checked(cases, structures: Sequence[Structure | str]) -> tuple[np.ndarray | Counts, list]:
    """The ``cases`` as `cases_of` gives them, codes (n, J) or `Counts`, and ``structures`` as a
    list of `Structure`. Where the cases are a `Table` or a DataFrame, a structure may be a label,
    for two binary hidden variables. Raises ValueError saying what is wrong with cases or
    structures.
    """
    cases = named_table(cases)
    if isinstance(structures, str | Structure):
        raise ValueError(f"structures must be a sequence of Structure, got {structures!r}")
    structures = list(structures)
    if isinstance(cases, Table):
        named = cases.family(HIDDEN)
        structures = [
            Structure.from_label(s, named) if isinstance(s, str) else s for s in structures
        ]
    if not structures:
        raise ValueError("structures are empty: at least one is needed")
    for s in structures:
        if not isinstance(s, Structure):
            raise ValueError(
                f"structures must be of the class Structure, got {s!r}: with a Table or a "
                "DataFrame a label will do, and Structure.from_label(label, family) makes one"
            )
        if s.family != structures[0].family:
            raise ValueError(
                f"structures must be of one family, got {structures[0].family} and {s.family}"
            )
    return cases_of(cases, structures[0].family), structures


def score(cases, structure: Structure | str, method: str = METHOD, **settings) -> Score:
    """The `Score` of one structure; the same as `score_structures` for one, with its keyword
    arguments.

    >>> from latentdag import draw_study
    >>> structure = Structure.from_label("1-12-12-2")
    >>> cases = draw_study(structure, Prior(), n=80, seed=2003).cases
    >>> vb = score(cases, structure, "vb")
    >>> print(f"{vb.score:.2f} nats with {vb.n_parameters} parameters")
    -505.90 nats with 50 parameters
    >>> import pandas as pd
    >>> answers = pd.DataFrame({"first": ["yes", "no"] * 9, "second": ["often", "seldom"] * 9})
    >>> round(score(answers, "1-1", "laplace").score, 2)
    -22.36
    """
    return score_structures(cases, [structure], method, **settings)[0]
