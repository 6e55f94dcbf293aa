"""Mistakes in where fits begin, and in which of them go on."""

from mutant import Mutant, by_their_text

FITS = "tests/unit/test_fits.py"
GOES_ON = (f"{FITS}::test_only_the_best_restart_goes_on_to_the_end",)
DISTINCT = (f"{FITS}::test_distinct_optima_are_kept_best_first",)
FROM_MAP = ("tests/unit/scores/test_formulas.py::test_ml_is_never_below_the_likelihood_at_map",)

STARTS = (
    *by_their_text(
        "src/latentdag/fits/restarts.py",
        ("if objective[leader] > finished:", "if objective[leader] >= finished:", GOES_ON),
        ("finished = objective[leader] = best", "finished = best", GOES_ON),
        ("best = yield best, GAIN_TOLERANCE", "pass", GOES_ON),
        ("argsort(-fits.objective", "argsort(fits.objective", DISTINCT),
        ("fits.objective[kept[-1]] - DISTINCT", "fits.objective[kept[-1]]", DISTINCT),
        (
            "return fits[[np.argmax(fits.objective)]]",
            "return fits[[0]]",
            (f"{FITS}::test_the_best_of_known_starts",),
        ),
    ),
    Mutant(
        "ml: no start from map's estimate",
        "src/latentdag/scores/ml.py",
        "first=first, ",
        "",
        FROM_MAP,
    ),
    Mutant(
        "vb_mf: only from VB's best",
        "src/latentdag/scores/vb_mf.py",
        "for x in there]",
        "for x in there[:1]]",
        ("tests/unit/scores/test_vb_mf.py::test_its_fits_begin_at_every_optimum_of_vb",),
    ),
)
