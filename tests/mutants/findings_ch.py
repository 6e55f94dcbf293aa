"""Mistakes in the findings of Chickering & Heckerman, in the table of other priors, and in the
README's table of what a score is worth.
"""

from mutant import by_their_text

FINDINGS = "tests/unit/study/test_findings.py"
SECTION = "tests/unit/report/test_findings_section.py"
SCRIPTS = "tests/workflow/test_scripts.py::test_another_prior"
CONFIG = "tests/workflow/test_config.py::test_wrong_configuration"
DOCS = "tests/workflow/test_docs.py"
TABLES = "tests/unit/study/test_tables.py::test_parts_are_sorted_by_number"

OF_CHICKERING_AND_HECKERMAN = (
    *by_their_text(
        "src/latentdag/study/findings.py",
        ("p = p.fillna(0.0)", "p = p.dropna()", (FINDINGS,)),
        ('best = at_n["reference"]', 'best = known["score"].idxmin()', (FINDINGS,)),
        ('own["regret"] <= SELECTS', 'own["regret"] < 2 * SELECTS', (FINDINGS,)),
        ('prior["alpha"].min(), prior["alpha"].max()', "0.5, 1.0", (FINDINGS,)),
        ("np.hypot(error_before[m], error_after[m])", "error_after[m]", (FINDINGS,)),
        ('wide["share"] > wide', 'wide["share"] >= wide', (FINDINGS,)),
        ('scores["method"] == "map"', 'scores["method"] == "vb"', (FINDINGS,)),
        ('and not holds["bic"]', "", (FINDINGS,)),
        ("<= ALMOST * own", "< ALMOST * own", (FINDINGS,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/chickering_and_heckerman.py",
        ('reading["cs"] < reading["laplace"]', 'reading["laplace"] < reading["cs"]', (SECTION,)),
        ('near["cs"] < near["laplace"]', 'other["cs"] < other["laplace"]', (SECTION,)),
        ("> findings.SELECTS", "< findings.SELECTS", (SECTION,)),
    ),
    *by_their_text(
        "workflow/scripts/prior.py",
        (
            "Prior(float(alpha), p.alpha_hidden)",
            'Prior(float(alpha), p.model["alpha_hidden"])',
            (SCRIPTS,),
        ),
        ('"key": (draw,)', '"key": (draw, float(alpha))', (SCRIPTS,)),
        ("JOBS[name], task, own, starts", "JOBS[name], task, settings['map'], starts", (SCRIPTS,)),
    ),
    *by_their_text(
        "workflow/lib/settings.py",
        ('        "prior.n": config["prior"]["n"],\n', "", (CONFIG,)),
    ),
    *by_their_text(
        "src/latentdag/study/tables.py",
        ("Kind.NUMBER: float}.get(", "Kind.NUMBER: str}.get(", (TABLES,)),
    ),
    *by_their_text(
        "workflow/lib/docs.py",
        ('errors[errors["draw"] == 0]', "errors", (DOCS,)),
        ('cost[cost["n"] == COST_AT]', 'cost[cost["n"] == 80]', (DOCS,)),
        ('scores[scores["draw"] == 0]', "scores", (DOCS,)),
    ),
)
