# The evidence, how far each score is from it, and what follows from it, for one draw or one's own
# data.

if PLAN.evidence_table():
    step(
        "evidence",
        "The evidence of every structure, with the method that gave it.",
        PLAN.evidence_table(),
        inputs=PLAN.files("scores"),
    )

step(
    "errors",
    "How far each score is from the evidence, and the posterior that it implies.",
    PLAN.files("errors", "posterior", "classes"),
    inputs=PLAN.evidence_table() | PLAN.files("scores", "structures"),
    params={"model": PLAN.model, "equally_probable": PLAN.equally_probable},
    runs="table",
)

# The cheap scores and the reference of all structures at one size, under a prior of another
# strength.
step(
    "prior",
    "Scores of all structures under a prior of another strength.",
    {"prior": PLAN.per_draw("prior/{alpha}.csv")},
    inputs=PLAN.structures_of_jobs | {"cases": PLAN.per_group("cases.csv", PLAN.prior_n)},
    params={
        "model": PLAN.model,
        "n": PLAN.prior_n,
        "alpha_hidden": PLAN.prior_hidden,
        "settings": {job.name: PLAN.settings(job) for job in PLAN.prior_jobs},
    },
    message="scores under another prior, draw {wildcards.draw}, alpha {wildcards.alpha}",
    group="evidence",
)
