"""Mistakes in figures: other columns, other rows, other places."""

from mutant import by_their_text

ANNEALING = "tests/unit/figures/test_figure_annealing.py"
GRAPHS = "tests/unit/figures/test_figure_graphs.py"
RANK = "tests/unit/figures/test_figure_rank.py"
SCORES = "tests/unit/figures/test_figure_scores.py"
TIGHTNESS = "tests/unit/figures/test_figure_tightness.py"
OWN_DATA = "tests/unit/figures/test_figures_own_data.py"
OVER_DRAWS = "tests/unit/figures/test_figures_over_draws.py"

DRAWINGS = (
    *by_their_text(
        "src/latentdag/figures/rank.py",
        ('"rank": "middle", "rank_low": "low"', '"rank_low": "middle", "rank": "low"', (RANK,)),
        (".rename(columns=columns).sort_index()", ".rename(columns=columns)", (RANK,)),
        ("of_size.median()", "of_size.first()", (RANK,)),
        ('own.groupby("n")["rank"]', 'own.groupby("n")["rank_low"]', (RANK,)),
    ),
    *by_their_text(
        "src/latentdag/figures/band.py",
        (
            'axes.plot(line.index, line["middle"], ls="none"',
            'axes.plot(line.index, line["high"], ls="none"',
            (RANK,),
        ),
    ),
    *by_their_text(
        "src/latentdag/figures/found.py",
        ('found_share["by"] == "structure"', 'found_share["by"] == "class"', (OVER_DRAWS,)),
        ('design["true_structure"].nunique() == 1', "True", (OVER_DRAWS,)),
        ('line["middle"].iloc[-1], _name', 'line["high"].iloc[-1], _name', (OVER_DRAWS,)),
        ('{"vb": "right", "bic": "left"}', '{"vb": "left", "bic": "right"}', (OVER_DRAWS,)),
    ),
    *by_their_text(
        "src/latentdag/figures/over_draws.py",
        ('for figure in ("rank", "tightness")', 'for figure in ("rank",)', (OVER_DRAWS,)),
        ('{middle: "middle", low: "low"', '{low: "middle", middle: "low"', (OVER_DRAWS,)),
        ("{title: [*part, judge] for", "{title: [*part] for", (OVER_DRAWS,)),
    ),
    *by_their_text(
        "src/latentdag/figures/rank_over_draws.py",
        ('("rank_25", "rank_75"): HALF', '("rank_25", "rank_90"): HALF', (OVER_DRAWS,)),
        ('tables[judge.name]["rank_50"]', 'table["rank_50"]', (OVER_DRAWS,)),
    ),
    *by_their_text(
        "src/latentdag/figures/error_over_draws.py",
        ("low=value - 2 * error", "low=value - error", (OVER_DRAWS,)),
        ('own[f"{column}_se"]', 'own["mean_error_se"]', (OVER_DRAWS,)),
    ),
    *by_their_text(
        "src/latentdag/figures/accuracy.py",
        ('population["by"] == kind', 'population["by"] == "structure"', (OVER_DRAWS,)),
        ('"first", "first_low", "first_high"', '"first", "in_five", "first_high"', (OVER_DRAWS,)),
        ('own[own["method"] == judge.name]', 'own[own["method"] == specs[0].name]', (OVER_DRAWS,)),
    ),
    *by_their_text(
        "src/latentdag/figures/reliability.py",
        ('& (reliability["number"] > 0)', "", (OVER_DRAWS,)),
        ('(reliability["n"] == n) & ', "", (OVER_DRAWS,)),
        ('& (here["what"] == what)', "", (OVER_DRAWS,)),
        ("[below, above]", "[above, below]", (OVER_DRAWS,)),
    ),
    *by_their_text(
        "src/latentdag/figures/scores.py",
        ('values="score")', 'values="standard_error")', (SCORES,)),
        (
            'columns="method", values="standard_error")',
            'columns="method", values="score")',
            (SCORES,),
        ),
        ('(scores["draw"] == draw) & ', "", (SCORES,)),
        ("best = values.idxmax()", "best = values.idxmin()", (SCORES,)),
        ('["d", "guide", "structure"]', '["d", "structure"]', (SCORES,)),
        ("values - errors, values + errors", "values - 2 * errors, values + errors", (SCORES,)),
        ("layout.Named(value, spec.label", "layout.Named(values.max(), spec.label", (SCORES,)),
        ("guide = max(specs", "guide = min(specs", (SCORES,)),
        ('layout.wrapped(f"best, {best}", KEY, 7.5)', 'f"best, {best}"', (OWN_DATA,)),
    ),
    *by_their_text(
        "src/latentdag/figures/tightness.py",
        (
            'of_size = own.groupby("n")["error_nats"]',
            'of_size = own.groupby("n")["standard_error"]',
            (TIGHTNESS,),
        ),
        ("of_size.median()", "of_size.mean()", (TIGHTNESS,)),
        ('own["structure"] == true', 'own["structure"] == "0-0-0-0"', (TIGHTNESS,)),
        (
            'here[here["method"] == spec.name]',
            'here[here["method"] == specs[0].name]',
            (TIGHTNESS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/figures/annealing.py",
        ('_means(chains[chains["start"] == "prior"])', "_means(chains)", (ANNEALING,)),
        ('{"prior": DOT, "true": STAR}', '{"true": DOT, "prior": STAR}', (ANNEALING,)),
        ('scores["structure"] == structure', 'scores["structure"] != structure', (ANNEALING,)),
    ),
    *by_their_text(
        "src/latentdag/figures/best_structures.py",
        ('(posterior["method"] == method) & ', "", (GRAPHS,)),
        ('"probability", MOST)', '"probability", 99)', (GRAPHS,)),
        ("max(1, int(WIDEST / panel[0]))", "9", (OWN_DATA,)),
    ),
    *by_their_text(
        "src/latentdag/figures/profiles.py",
        ('& (parameters["estimate"] == "map")', "", (OWN_DATA,)),
        ('posterior[posterior["method"] == method]', "posterior", (OWN_DATA,)),
        ("structure = structure.without_childless()", "pass", (OWN_DATA,)),
        ("value, given = of_value[-1]", "value, given = of_value[0]", (OWN_DATA,)),
        ("[r.low, r.high]", "[r.probability, r.high]", (OWN_DATA,)),
        ("looks[first]", 'looks[r.given.split(", ")[-1]]', (OWN_DATA,)),
        ("ends <= count * LONGEST", "ends <= LONGEST", (OWN_DATA,)),
        ("top += row.height", "top += row.height + SPACE", (OWN_DATA,)),
    ),
    *by_their_text(
        "src/latentdag/figures/shared_causes.py",
        ('links[links["method"] == method]', "links", (OWN_DATA,)),
        (
            "probabilities.loc[r.second_name, r.first_name] = r.probability",
            "probabilities.loc[r.second_name, r.first_name] = 1 - r.probability",
            (OWN_DATA,),
        ),
        ("vmin=0, vmax=1", "vmin=0, vmax=2", (OWN_DATA,)),
        ('.sort_values("variable")', "", (OWN_DATA,)),
        ("(COLOURS(p)) < DARK", "(COLOURS(p)) > DARK", (OWN_DATA,)),
    ),
    *by_their_text(
        "src/latentdag/figures/graph.py",
        ("if childless or i in parents", "if True", (GRAPHS,)),
        ("max(RISE, STEEP *", "min(RISE, STEEP *", (GRAPHS,)),
    ),
)
