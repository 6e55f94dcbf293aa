"""Mistakes in the variational bound with a factorised q(s)."""

from mutant import Mutant, by_their_text

FITS = "tests/unit/test_mean_field.py"
SCORE = "tests/unit/scores/test_vb_mf.py"
CONTRACT = "tests/unit/scores/test_contract.py"
STEP = (f"{FITS}::test_one_step_is_the_plain_one",)
START = (f"{FITS}::test_a_start_is_the_marginals_given_theta",)
ABOVE = (f"{FITS}::test_the_joint_form_begins_no_lower_from_there", *STEP)
FROM_IT = (f"{SCORE}::test_vb_starts_from_its_fit",)
ORDER = (f"{SCORE}::test_below_vb_below_the_evidence",)
NEEDED = ("tests/workflow/test_config.py::test_what_a_listed_job_needs_runs_too",)

MEAN_FIELD = (
    *by_their_text(
        "src/latentdag/fits/mean_field.py",
        # a hidden variable is updated with the others' q of the last iteration
        ("            q[:, rows] = np.exp(after[:, rows])\n", "", STEP),
        ("mass * log_q", "q * log_q", STEP),
        ("mass = m.counts * q", "mass = q", STEP),
        # E[ln p(s_h)] is left out
        ("columns[:, :, -1] += ", "columns[:, :, -1] = 0 * ", STEP),
        ("completions = m.counts\n", "completions = np.ones_like(m.counts)\n", STEP),
        ("a for a in axes if a != i", "a for a in axes if a > i", START),
        ("x - logsumexp(x, axis=0) for x", "x for x", START),
        ("return expected_log(batch.slots, u, sums)[0]", "return np.log(u)[0]", ABOVE),
        (
            "occupied = np.flatnonzero(counts)",
            "occupied = np.flatnonzero(counts > 1)",
            STEP,
        ),
    ),
    Mutant(
        "vb_mf: the joint q(s) for all structures",
        "src/latentdag/scores/vb_mf.py",
        "any(len(p) > 1 for p in structure.parents)",
        "any(len(p) > 9 for p in structure.parents)",
        ORDER,
    ),
    Mutant(
        "vb_mf: its estimate for VB is the map's",
        "src/latentdag/scores/vb.py",
        'for job in ("map", "vb_mf")]',
        'for job in ("map", "map")]',
        FROM_IT,
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
