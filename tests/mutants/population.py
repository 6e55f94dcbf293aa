"""Mistakes in the verdicts of one draw, and in the statistics of populations of draws."""

from mutant import by_their_text

CALIBRATION = "tests/unit/study/test_calibration.py"
OF_ONE_DRAW = "tests/unit/report/test_summary.py"
CLAIMS_HELD = "tests/unit/study/test_claims_held.py"
POPULATION = "tests/unit/study/test_population.py"
RELIABILITY = "tests/unit/study/test_reliability.py"
VERDICTS = "tests/unit/study/test_verdicts.py"

OF_POPULATIONS = (
    *by_their_text(
        "src/latentdag/study/one_draw.py",
        ('np.searchsorted(sizes, scores["n"])', 'pd.factorize(scores["n"])[0]', (VERDICTS,)),
        ("values[:, m], np.nan_to_num(errors[:, m])", "values[:, m], errors[:, m]", (VERDICTS,)),
        ("weights[~self.known] = 0.0", "", (VERDICTS,)),
        ("if (ran & ~there[..., true]).any()", "if False", (VERDICTS,)),
        ("total - np.log(np.where(members > 0, members, 1.0))", "total", (VERDICTS,)),
        (
            "np.nan_to_num(shares * own.reference_error) ** 2",
            "np.nan_to_num(shares) * own.reference_error**2",
            (VERDICTS,),
        ),
        ("int(numbers[own.true])", "own.true", (VERDICTS,)),
        ("if SPECS[name].posterior]", "]", (VERDICTS,)),
    ),
    *by_their_text(
        "src/latentdag/study/verdicts.py",
        ("(own.scores > of_true", "(own.scores >= of_true", (VERDICTS,)),
        ("np.where(np.isneginf(log_p), 0.0, log_p)", "log_p", (VERDICTS,)),
        ("((p - is_true) ** 2)", "(p - is_true)", (VERDICTS,)),
        ('"expected_brier": 1 - squares', '"expected_brier": squares', (VERDICTS,)),
        ("4 * (p * (p - squares", "2 * (p * (p - squares", (VERDICTS,)),
        ("(at_best - at_picked)", "(at_picked - at_best)", (VERDICTS,)),
        ("~np.isnan(regret) & (best != picked)[..., 0]", "~np.isnan(regret)", (VERDICTS,)),
        ("m in JUDGED and own.by", "own.by", (VERDICTS,)),
        ("np.abs(error).sum(axis=-1)", "np.abs(error.sum(axis=-1))", (VERDICTS,)),
        ("np.roll(own.reference_error, -1, axis=0)", "own.reference_error", (VERDICTS,)),
        ("(possible - mixed) / cases", "possible - mixed", (VERDICTS,)),
        ("-np.inf, log_p + growth", "-np.inf, growth", (VERDICTS,)),
        (".reindex(own.sizes)", "", (VERDICTS,)),
        ("(growth, error)", "(growth, growth)", (VERDICTS,)),
    ),
    *by_their_text(
        "src/latentdag/study/reliability.py",
        ('set(token) - {"0"}', "set(token)", (RELIABILITY,)),
        ("bool(a & b)", "bool(a | b)", (RELIABILITY,)),
        (".round(12), EDGES)", ", EDGES)", (RELIABILITY,)),
        ("shared[own.true]", "shared.any(axis=0)", (RELIABILITY,)),
        (
            'total["sum_probability"] / total["number"]',
            'total["sum_probability"] / total["number"].sum()',
            (RELIABILITY,),
        ),
        (
            'zip(total["number_true"], total["number"], strict=True)',
            'zip(total["number"], total["number"], strict=True)',
            (RELIABILITY,),
        ),
        (
            "np.arange(len(classes.items)) == classes.true",
            "np.arange(len(classes.items)) == 0",
            (RELIABILITY,),
        ),
    ),
    *by_their_text(
        "src/latentdag/study/proportions.py",
        ('proportion_ci(method="wilson")', 'proportion_ci(method="exact")', (POPULATION,)),
    ),
    *by_their_text(
        "src/latentdag/study/population.py",
        ("np.where(np.isnan(ranks), np.inf, ranks)", "ranks[~np.isnan(ranks)]", (POPULATION,)),
        ('method="inverted_cdf"', 'method="nearest"', (POPULATION,)),
        ('("in_five", FEW)', '("in_five", FEW - 1)', (POPULATION,)),
        ("own[name].sem()", "own[name].std()", (POPULATION,)),
        ('own["top_probability"].mean()', 'own["probability"].mean()', (POPULATION,)),
        ("place.get(value, value)", "value", (POPULATION,)),
    ),
    *by_their_text(
        "src/latentdag/study/found.py",
        (
            'table["n"] == table.groupby("draw")["n"].transform("max")',
            'table["n"] > 0',
            (POPULATION,),
        ),
        ("ascending=False", "ascending=True", (POPULATION,)),
        ('(own["n_found"] <= n)', '(own["n_found"] < n)', (POPULATION,)),
    ),
    *by_their_text(
        "src/latentdag/study/comparisons.py",
        ("both = ran[a] & ran[b]", "both = ran[a] | ran[b]", (POPULATION,)),
        ('"draw").fillna(np.inf)', '"draw")', (POPULATION,)),
        (
            "int((a < b).sum()), int((a > b).sum())",
            "int((a > b).sum()), int((a < b).sum())",
            (POPULATION,),
        ),
        ("(known & (a == b))", "(a == b)", (POPULATION,)),
        ("(b[known] / a[known])", "(a[known] / b[known])", (POPULATION,)),
        ("confidence_interval(0.95)", "confidence_interval(0.9)", (POPULATION,)),
        ("share(earlier, earlier + later)", "share(earlier, len(a))", (POPULATION,)),
    ),
    *by_their_text(
        "src/latentdag/study/calibration.py",
        ('(own["top"] == own["truth"])', '(own["rank"] == 1)', (CALIBRATION,)),
        (
            "np.sqrt((p * (1 - p)).sum()) / len(own)",
            "np.sqrt((p * (1 - p)).mean())",
            (CALIBRATION,),
        ),
        ('beside[beside["probability"].notna()]', "beside", (CALIBRATION,)),
        ('("Brier score", "brier", -1)', '("Brier score", "brier", 1)', (CALIBRATION,)),
        ('at = ["draw", "n", "by"]', 'at = ["draw", "n"]', (CALIBRATION,)),
        ("2 * scipy.stats.norm.sf(abs(z))", "scipy.stats.norm.sf(abs(z))", (CALIBRATION,)),
        ("known = own[own[column].notna()]", "known = own", (CALIBRATION,)),
        ("z = np.sign(gap) * np.inf", "z = np.nan", (CALIBRATION,)),
    ),
    *by_their_text(
        "src/latentdag/study/claims_held.py",
        ('own["verdict"].str.startswith(AGREES)', 'own["verdict"] == AGREES', (CLAIMS_HELD,)),
        ("*of_draw[of_draw.map(len).idxmax()], ", "", (CLAIMS_HELD,)),
        ("max(sizes) / n_bic", "np.inf", (CLAIMS_HELD,)),
        ("(np.isfinite(a) & (beyond >= a))", "np.isfinite(a)", (CLAIMS_HELD,)),
        ('join="inner"', 'join="outer"', (CLAIMS_HELD,)),
        ('found[found["by"] == "structure"]', 'found[found["by"] == "class"]', (CLAIMS_HELD,)),
        ("(a <= 1) & (b <= 1)", "(a <= 1) | (b <= 1)", (CLAIMS_HELD,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/claim_by_claim.py",
        ('(*BEST_FIRST, "map", "reference")', '(*BEST_FIRST, "reference")', (CLAIMS_HELD,)),
        ("{row.holds} of {row.draws}", "{row.draws} of {row.holds}", (OF_ONE_DRAW,)),
        ('of_draws.pop(claim.claim, "")', 'of_draws.get(claim.claim, "")', (OF_ONE_DRAW,)),
        (
            "of_ranks.ranks(scores, true_structure, seed, structures)",
            "of_ranks.ranks(scores, true_structure, 0, structures)",
            (CLAIMS_HELD,),
        ),
    ),
)
