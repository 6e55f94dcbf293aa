"""Mistakes in the statistics of a study and in the sections of its summary."""

from mutant import by_their_text

CLAIMS = "tests/unit/study/test_claims.py"
MARGINALS = "tests/unit/study/test_marginals.py"
DATA_SECTIONS = "tests/unit/report/test_data_sections.py"
ERRORS = "tests/unit/study/test_errors.py"
ORDERING = "tests/unit/study/test_ordering.py"
POSTERIOR = "tests/unit/study/test_posterior.py"
RANKS = "tests/unit/study/test_ranks.py"
SECTIONS = "tests/unit/report/test_sections.py"
STATISTICS = "tests/unit/study/test_statistics.py"
SUMMARY = "tests/unit/report/test_summary.py"
TABLES = "tests/unit/study/test_tables.py"

FINDINGS = (
    *by_their_text(
        "src/latentdag/study/ranks.py",
        ("(scores > scores[", "(scores >= scores[", (RANKS,)),
        (
            "low, high = min(own, int(ends[0])), max(own, int(ends[1]))",
            "low, high = min(own, int(ends[1])), max(own, int(ends[0]))",
            (RANKS,),
        ),
        (
            'generator(seed, "rank", draw, n, method)',
            'generator(seed, "rank", n, method)',
            (RANKS,),
        ),
        ("INTERVAL = (0.05, 0.95)", "INTERVAL = (0.1, 0.9)", (RANKS,)),
        ("sort_index(ascending=False)", "sort_index()", (RANKS,)),
        ("ranks[end].fillna(np.inf)", "ranks['rank'].fillna(np.inf)", (RANKS,)),
        ("(high[a] < low[b])", "(low[a] < high[b])", (RANKS,)),
        ("sizes.min()", "sizes.max()", (RANKS,)),
    ),
    *by_their_text(
        "src/latentdag/study/errors.py",
        (
            'both["score"] - both["score_reference"]',
            'both["score_reference"] - both["score"]',
            (ERRORS,),
        ),
        (
            'on=PAIR, suffixes=("", "_reference")',
            "on=['n','structure'], suffixes=(\"\", \"_reference\")",
            (ERRORS,),
        ),
        ('errors["error_nats"].abs()', 'errors["error_nats"]', (ERRORS,)),
        ('SURE * errors["standard_error"] + SLACK', 'errors["standard_error"] + SLACK', (ERRORS,)),
    ),
    *by_their_text(
        "src/latentdag/scores/reference.py",
        ("if n <= size", "if n < size", (ERRORS,)),
        ("target * next(times", "0.1 * next(times", (ERRORS,)),
    ),
    *by_their_text(
        "src/latentdag/study/posterior.py",
        ("weight.groupby(key)", "weight.groupby([own['draw'], own['method']])", (POSTERIOR,)),
        ("max(methods, key", "min(methods, key", (POSTERIOR,)),
        ("if spec.posterior", "if spec.judged and m!='bic_ml'", (POSTERIOR,)),
    ),
    *by_their_text(
        "src/latentdag/study/ordering.py",
        ("np.maximum(low - r, r - high)", "np.maximum(high - r, r - low)", (ORDERING,)),
        ("known[a] <= known[b]", "known[a] < known[b]", (ORDERING,)),
    ),
    *by_their_text(
        "src/latentdag/study/limits.py",
        ("min(reference, low) > 1", "max(reference, low) > 1", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/annealing.py",
        ('runs["start"] == "true"', 'runs["start"] == "prior"', (STATISTICS,)),
        ("every.max() - every.min()", "prior.max() - prior.min()", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/timing.py",
        ("total / draws", "total", (STATISTICS,)),
        ("own.loc[method], own.loc[other]", "own.loc[other], own.loc[method]", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/fits.py",
        ("hits <= 1", "hits < 1", (STATISTICS,)),
        ("quantile(0.1)", "quantile(0.2)", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/bounds.py",
        ('sandwich["gap"] < -SURE', 'sandwich["gap"] < SURE', (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/exact.py",
        ("beside[high] - beside[low]", "beside[low] - beside[high]", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/variants.py",
        ("wide[a] - wide[b]).dropna()", "wide[b] - wide[a]).dropna()", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/draws.py",
        ('own["n"] < below', 'own["n"] <= below', (STATISTICS,)),
        ("start.fillna(np.inf)", "start.dropna()", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/figure.py",
        ("gap < -2 * error", "gap < -error", (STATISTICS,)),
    ),
    *by_their_text(
        "src/latentdag/study/marginals.py",
        ("not set(p[i]).isdisjoint(p[j])", "set(p[i]).isdisjoint(p[j])", (MARGINALS,)),
    ),
    *by_their_text(
        "src/latentdag/study/claims.py",
        ("close and lower > 0", "close", (CLAIMS,)),
        ("<= ALMOST * tested", "< ALMOST * tested", (CLAIMS,)),
    ),
    *by_their_text(
        "src/latentdag/report/summary.py",
        ('t["draw"] == draw]', 't["draw"] == 0]', (SECTIONS,)),
        ("all_draws.section(every.ranks)", "all_draws.section(one.ranks)", (SECTIONS,)),
        (
            "the_reference_itself.section(every.scores, every.errors, config)",
            "the_reference_itself.section(one.scores, one.errors, config)",
            (SECTIONS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/report/study/ranks_of_the_true_structure.py",
        ("low[m][n], high[m][n]", "high[m][n], low[m][n]", (SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/the_papers_ordering.py",
        ("beats(order[a], order[b])", "beats(order[b], order[a])", (SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/how_far_from_the_evidence.py",
        ('errors["structure"] == truth', 'errors["structure"] != truth', (SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/claim_by_claim.py",
        ("verdict(sign * found > 0", "verdict(found > 0", (SUMMARY,)),
        ("spread <= claims.CONVERGED", "spread > claims.CONVERGED", (SUMMARY,)),
        ("medians[a] < medians[b]", "medians[a] > medians[b]", (SUMMARY,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/computation_time.py",
        ("r.faster", "1 / r.faster", (SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/data/fitted_parameters.py",
        ('parameters["estimate"] == "map"', 'parameters["estimate"] == "ml"', (DATA_SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/data/how_far_from_the_evidence.py",
        ("(r.median, r.min, r.max)", "(r.median, r.max, r.min)", (DATA_SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/fits.py",
        ("r.failed} of {r.fits", "r.fits} of {r.failed", (SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/study/tables.py",
        (
            "rows.sort(key=_place(TABLES[table], methods))",
            "_place(TABLES[table], methods)",
            (TABLES,),
        ),
        ("return methods.index", "return str", (TABLES,)),
    ),
)
