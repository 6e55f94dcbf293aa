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
    {"cases": CASES, **PLAN.files("variables")},
    inputs={"table": config["data"]["file"]},
    params={"data": config["data"]},
    message="cases of {input.table}",
)

step(
    "structures",
    PLAN.files("structures") | PLAN.some("search"),
    inputs={"cases": CASES},
    params=PLAN.parameters_of_search() | {"model": PLAN.model},
    message="structures that are scored",
    runs="own_structures",
)

step(
    "marginals",
    PLAN.files("causes", "links"),
    inputs=PLAN.files("structures", "variables", "posterior"),
    params={"model": PLAN.model},
    runs="table",
)

if PLAN.other_alphas:
    step(
        "alpha",
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

if config["data"]["published"]:
    step(
        "published",
        PLAN.files("published"),
        inputs={"cases": CASES},
        params={
            "published": config["data"]["published"],
            "observed": PLAN.family["observed"],
            "seed": PLAN.model["seed"],
            "settings": PLAN.settings(JOBS["ml"]),
        },
    )

step(
    "fit",
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
