"""Mistakes in the variational bound with a factorised q(s)."""

from mutant import Mutant, by_their_text

FITS = "tests/unit/test_mean_field.py"
SCORE = "tests/unit/scores/test_vb_mf.py"
CONTRACT = "tests/unit/scores/test_contract.py"
STEP = (f"{FITS}::test_one_step_is_the_plain_one",)
START = (f"{FITS}::test_a_start_is_the_marginals_given_theta",)
ORDER = (f"{SCORE}::test_below_vb_below_the_evidence",)
NEEDED = ("tests/workflow/test_config.py::test_what_a_listed_job_needs_runs_too",)

MEAN_FIELD = (
    *by_their_text(
        "src/latentdag/fits/lanes/mean_field.py",
        # a hidden variable is updated with the others' q of the last iteration
        ("store(problem.q, k, exp(load(after, k)))", "pass", STEP),
        ("fma(count, 0.0 - load(log_q, row + cell)", "fma(q, 0.0 - load(log_q, row + cell)", STEP),
        ("count = problem.counts[cell] * q", "count = q", STEP),
        ("everywhere(problem.counts[cell])", "everywhere(1.0)", STEP),
        ("                if j != i:\n", "                if j > i:\n", STEP),
        (
            "if problem.values[state, i] == k:\n                        total",
            "if True:\n                        total",
            START,
        ),
        ("    feasible(problem, log_q)\n    return", "    return", START),
    ),
    Mutant(
        "vb_mf: the joint q(s) for all structures",
        "src/latentdag/scores/vb_mf.py",
        "any(len(p) > 1 for p in structure.parents)",
        "any(len(p) > 9 for p in structure.parents)",
        ORDER,
    ),
    Mutant(
        "restarts: those of the first part only",
        "src/latentdag/fits/restarts.py",
        "range(0, len(fresh), at_once)",
        "range(0, min(len(fresh), at_once), at_once)",
        (
            "tests/unit/test_fits.py::test_every_structure_has_its_own_starts_however_many_are_held_at_once",
        ),
    ),
    Mutant(
        "settings: what a job needs must be listed",
        "workflow/lib/settings.py",
        "    at_all_sizes = {",
        '    yield from (f"methods: {m}" for m in methods if set(JOBS[m].needs) - {*methods})\n'
        "    at_all_sizes = {",
        NEEDED,
    ),
)
