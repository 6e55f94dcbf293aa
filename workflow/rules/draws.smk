# The structures and the draws of a simulated study: the design, and the data sets.

step(
    "structures",
    "All structures of the family: links, parameters, dimension, class.",
    PLAN.files("structures"),
    params={"model": PLAN.model, "true_structure": PLAN.only_truth},
)

step(
    "design",
    "The draws: true structure and prior of each.",
    PLAN.files("design"),
    inputs={"parts": PLAN.part_files("design.csv")},
    params={"rows": PLAN.design_rows},
)

# Data sets of one draw are nested, and each group of sizes has files of its own: one more group
# leaves the others alone.
step(
    "draw",
    "True parameters from the prior, and cases simulated from them.",
    {
        "parameters": PLAN.per_group("parameters.json"),
        "cases": PLAN.per_group("cases.csv"),
        "states": PLAN.per_group("states.csv"),
        "truth": PLAN.per_group("truth.csv"),
    },
    params={
        "model": PLAN.true_model_of,
        "true_structure": PLAN.truth_of,
        "sizes": PLAN.sizes_taken(),
    },
    message=PLAN.message("data"),
)
