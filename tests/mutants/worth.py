"""Mistakes in what holds many scores side by side: the panel of VB minus BIC, and the sections with
a row for each score.
"""

from mutant import by_their_text

AGAINST_BIC = "tests/unit/study/test_against_bic.py"
CLAIMS = "tests/unit/study/test_claims.py"
SECTIONS = "tests/unit/report/test_sections.py"
TIGHTNESS = "tests/unit/figures/test_figure_tightness.py"
WORTH = "tests/unit/study/test_worth.py"

SIDE_BY_SIDE = (
    *by_their_text(
        "src/latentdag/figures/tightness.py",
        (
            'both["error_nats"] - both["error_nats_bic"]',
            'both["error_nats_bic"] - both["error_nats"]',
            (TIGHTNESS,),
        ),
        ("min(0.0, 1.05 * values.min())", "1.05 * values.min()", (TIGHTNESS,)),
    ),
    *by_their_text(
        "src/latentdag/figures/layout.py",
        ("places[-1] = rows * columns - 1", "pass", (TIGHTNESS,)),
    ),
    *by_their_text(
        "src/latentdag/study/worth.py",
        ("np.abs(np.log(own / n))", "np.abs(own - n)", (WORTH,)),
        ("is not Side.EVIDENCE and", "is not None and", (WORTH,)),
        ("idxmin()", "idxmax()", (WORTH,)),
    ),
    *by_their_text(
        "src/latentdag/study/against_bic.py",
        ("n * WINDOW >= sizes[-1]", "n * WINDOW > sizes[-1]", (AGAINST_BIC,)),
        ("gap[last] - gap[first]", "gap[last]", (AGAINST_BIC,)),
        ("np.log(last / first)", "np.log2(last / first)", (AGAINST_BIC,)),
    ),
    *by_their_text(
        "src/latentdag/study/copies.py",
        ('own["error"] + own["log_copies"]', 'own["error"] - own["log_copies"]', (AGAINST_BIC,)),
        ('own["vb"] - own["reference"]', 'own["reference"] - own["vb"]', (AGAINST_BIC,)),
    ),
    *by_their_text(
        "src/latentdag/study/failures.py",
        ("if k < 0", "if k <= 0", (WORTH,)),
        ("e.abs().idxmax()", "e.idxmax()", (WORTH,)),
        ('sort_values(["n", "structure"])', 'sort_values(["structure", "n"])', (WORTH,)),
    ),
    *by_their_text(
        "src/latentdag/study/claims.py",
        ("abs(growth) < SETTLED", "growth < SETTLED", (CLAIMS,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/what_each_score_is_worth.py",
        ('number(1 - v, "z.3f")', 'number(v, "z.3f")', (SECTIONS,)),
        ("if lost[m][n]", "if not lost[m][n]", (SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/posterior_mass.py",
        ("found[m][n]", "found[m].max()", (SECTIONS,)),
    ),
)
