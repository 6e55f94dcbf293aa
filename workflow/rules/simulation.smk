# What only a study of single draws has, as its true structure is known.

OF_TRUTH = {"model": PLAN.model_of, "true_structure": PLAN.truth_of}

step(
    "anneal",
    "AIS of the true structure at one size, by length of the annealing schedule.",
    {"annealing": PLAN.per_draw("annealing/{steps}.csv")},
    inputs={
        "cases": PLAN.per_group("cases.csv", config["annealing"]["n"]),
        "parameters": PLAN.per_group("parameters.json", config["annealing"]["n"]),
    },
    params=OF_TRUTH | {key: config["annealing"][key] for key in ("n", "chains")},
    message="annealing, draw {wildcards.draw}, {wildcards.steps} steps",
    group="annealing",
    priority=10,  # the longest schedule is the longest job: not last
)

step(
    "sandwich",
    "Bounds on both sides of the evidence, where hidden states are known.",
    {"sandwich": PLAN.per_draw("sandwich.csv")},
    inputs={
        "cases": PLAN.per_group("cases.csv", max(PLAN.sizes)),
        "states": PLAN.per_group("states.csv", max(PLAN.sizes)),
    },
    params=OF_TRUTH
    | {key: config["reference"][key] for key in ("upper_runs", "others", "other_sizes")}
    | {"sizes": PLAN.sizes, "settings": PLAN.settings(JOBS["reference"])},
    message="bounds on both sides of the evidence, draw {wildcards.draw}",
    group="evidence",
)

# two pictures for learners: a bound that climbs, and a posterior with two equal modes
step(
    "climb",
    "Each half-step of EM and of VBEM for the true structure.",
    {"climb": PLAN.per_draw("climb.csv")},
    inputs={"cases": PLAN.per_group("cases.csv", PLAN.figure_n)},
    params=OF_TRUTH | {"n": PLAN.figure_n},
    message="half-steps of EM and VBEM, draw {wildcards.draw}",
    group="evidence",
)

step(
    "equal_modes",
    "A posterior with two equal modes, and approximations to it.",
    PLAN.files("equal_modes"),
    params={"model": {key: config[key] for key in ("seed", "alpha", "alpha_hidden")}},
    group="evidence",
)

step(
    "ranks",
    "The rank of the true structure, and of its class, by every score.",
    PLAN.files("ranks"),
    inputs=PLAN.evidence_table() | PLAN.files("scores", "structures"),
    params={"true_structure": PLAN.only_truth, "seed": config["seed"]},
    runs="table",
)

step(
    "timing",
    "Running times of the jobs whose times the paper states.",
    PLAN.files("timing"),
    inputs={"seconds": PLAN.all_parts(PLAN.timed, "seconds.csv")},
    runs="table",
)
