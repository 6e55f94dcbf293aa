"""Mistakes in the summary of many draws and its statistics: other rows, other columns."""

from mutant import by_their_text

SUMMARY = "tests/unit/report/test_population_summary.py"
PREDICTION = "tests/unit/study/test_prediction.py"
WHEN_FOUND = "tests/unit/study/test_when_found.py"
SECTIONS = "src/latentdag/report/population"

OVER_DRAWS = (
    *by_their_text(
        "src/latentdag/study/when_found.py",
        (".fillna(np.inf)", ".fillna(0.0)", (WHEN_FOUND,)),
        ('method="inverted_cdf"', 'method="linear"', (WHEN_FOUND,)),
        ('own[own["n"] <= n].iloc[-1]', 'own[own["n"] < n].iloc[-1]', (WHEN_FOUND,)),
        ('own["n"].min() <= n <= own["n"].max()', 'own["n"].min() <= n', (WHEN_FOUND,)),
        ('.sort_values("n")', "", (WHEN_FOUND,)),
    ),
    *by_their_text(
        "src/latentdag/study/prediction.py",
        ('.drop_duplicates([*DRAW, "top"])', "", (PREDICTION,)),
        ("(of_wrong - of_true)", "(of_true - of_wrong)", (PREDICTION,)),
        ('DRAW = ["draw", "n"]', 'DRAW = ["n"]', (PREDICTION,)),
        ('both[both["top"] != both["top_reference"]]', "both", (PREDICTION,)),
        ("gap.sem()", "gap.std()", (PREDICTION,)),
        ("(own > 0).sum()", "(own >= 0).count()", (PREDICTION,)),
    ),
    *by_their_text(
        f"{SECTIONS}/cells.py",
        ('own = frame[frame["by"] == kind]', "own = frame", (SUMMARY,)),
        ("cells.get((m, n)", 'cells.get(("vb", n)', (SUMMARY,)),
        ("*(own & set(SIZES.values()))", "*()", (SUMMARY,)),
    ),
    *by_their_text(
        f"{SECTIONS}/found_for_good.py",
        ("lambda r: share(r.share, r.low", "lambda r: share(r.low, r.share", (SUMMARY,)),
        (": {share(r.share, r.low", ": {share(r.share, r.share", (SUMMARY,)),
        ('design["true_structure"].nunique() == 1', "True", (SUMMARY,)),
    ),
    *by_their_text(
        f"{SECTIONS}/side_by_side.py",
        ('comparisons["method"] == "vb"', 'comparisons["other"] == "vb"', (SUMMARY,)),
        ("(o, m) not in pairs[:i]", "True", (SUMMARY,)),
        ("r.later, r.same", "r.same, r.later", (SUMMARY,)),
    ),
    *by_their_text(
        f"{SECTIONS}/the_draws.py",
        ("if len(truths) == 1:", "if len(truths) == 2:", (SUMMARY,)),
        ('design[["alpha", "alpha_hidden"]]', 'design[["alpha_hidden", "alpha"]]', (SUMMARY,)),
    ),
    *by_their_text(
        f"{SECTIONS}/ranks_over_draws.py",
        ("r.rank_25, r.rank_75", "r.rank_10, r.rank_90", (SUMMARY,)),
    ),
    *by_their_text(
        f"{SECTIONS}/prediction.py",
        ("SURE = 2.0", "SURE = 1.0", (SUMMARY,)),
        ('lambda r: _lost(r, "lost_by_average")', 'lambda r: _lost(r, "lost_by_top")', (SUMMARY,)),
        ("1000 * value", "100 * value", (SUMMARY,)),
    ),
    *by_their_text(
        f"{SECTIONS}/whether_probabilities_come_true.py",
        ('here["what"] == what', 'here["what"] == "class"', (SUMMARY,)),
        ("percent(r.share_true)", "percent(r.mean_probability)", (SUMMARY,)),
        ('(reliability["n"] == n) & ', "", (SUMMARY,)),
    ),
    *by_their_text(
        f"{SECTIONS}/calibration.py",
        ('known[known["z"] < 0]', 'known[known["z"] > 0]', (SUMMARY,)),
        ('calibration["method"] == EVIDENCE', 'calibration["method"] == "vb"', (SUMMARY,)),
        ("({r.expected:z.3f}", "({r.value:z.3f}", (SUMMARY,)),
        ('better["p_value"] < LEVEL', 'better["p_value"] > LEVEL', (SUMMARY,)),
    ),
)
