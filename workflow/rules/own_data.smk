# What only a study of one's own data has.

# rules of a simulated study alone
WITHOUT_TRUTH = {
    *("design", "draw", "anneal", "annealing"),
    *("sandwich", "sandwiches", "priors"),
    *("climb", "climbs", "equal_modes", "plot_climb", "plot_equal_modes"),
    *("ranks", "timing", "article"),
    *("plot_structure", "plot_rank", "plot_annealing", "plot_tightness"),
}
if asked_for := WITHOUT_TRUTH & set(sys.argv):
    sys.exit(f"Nothing was run: own data have no true structure for {', '.join(asked_for)}.")

CASES = PLAN.per_group("cases.csv", PLAN.sizes[0]).format(draw=0)

step(
    "read_data",
    "The cases and variables of a table.",
    {"cases": CASES, **PLAN.files("variables")},
    inputs={"table": config["data"]["file"]},
    params={"data": config["data"]},
    message="cases of {input.table}",
)

step(
    "structures",
    "The structures that are scored.",
    PLAN.files("structures") | PLAN.some("search"),
    inputs={"cases": CASES},
    params=PLAN.parameters_of_search() | {"model": PLAN.model},
    runs="own_structures",
)

step(
    "marginals",
    "Probabilities of hidden causes and of links.",
    PLAN.files("causes", "links"),
    inputs=PLAN.files("structures", "variables", "posterior"),
    params={"model": PLAN.model},
    runs="table",
)

if PLAN.other_alphas:
    step(
        "alpha",
        "The probabilities of causes under priors of other strengths.",
        PLAN.files("alpha"),
        inputs={
            **PLAN.files("structures", "variables", "posterior", "scores"),
            "prior": PLAN.each_draw(*(f"prior/{a}.csv" for a in PLAN.other_alphas)),
        },
        params={"model": PLAN.model, "methods": PLAN.under_alphas},
        runs="table",
    )

step(
    "parameters",
    "Parameters and memberships of the most probable structures.",
    PLAN.files("parameters", "membership") | PLAN.some("beside"),
    inputs={
        "cases": CASES,
        **PLAN.files("variables", "structures", "posterior"),
        "table": config["data"]["file"],
    },
    params={
        "model": PLAN.model,
        "method": PLAN.most_trusted,
        "data": config["data"],
        "restarts": {kind: config["restarts"][kind]["at_most"] for kind in ("map", "ml")},
        "draws": config["fit"]["draws"],
    },
)

step(
    "fit",
    "How well the structures fit the table.",
    PLAN.files("fit", "residuals"),
    inputs={"cases": CASES, **PLAN.files("variables", "structures", "scores", "posterior")},
    params={
        "model": PLAN.model,
        "equally_probable": config["equally_probable"],
        "settings": PLAN.settings(JOBS["ml"]),
        "replicates": config["fit"]["replicates"],
    },
    local=False,
    threads=config["threads"],
)
