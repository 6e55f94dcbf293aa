# The structures and the draws of a simulated study: the design, and the data sets.


rule structures:
    input:
        started=PLAN.started,
        code=sources.JOBS,
    output:
        table=PLAN.table("structures"),
    log:
        PLAN.log("structures"),
    benchmark:
        PLAN.benchmark("structures")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model,
        true_structure=PLAN.only_truth,
    message:
        "table structures"
    script:
        "../scripts/structures.py"


rule design:
    input:
        started=PLAN.started,
        parts=PLAN.of_parts("design.csv"),
        code=sources.JOBS,
    output:
        table=PLAN.table("design"),
    log:
        PLAN.log("design"),
    benchmark:
        PLAN.benchmark("design")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        rows=[draw.row() for draw in PLAN.design.values()],
    message:
        "table design"
    script:
        "../scripts/design.py"


# Data sets of one draw are nested, and each group of sizes has files of its own: one more group
# leaves the others alone.


rule draw:
    input:
        code=sources.JOBS,
    output:
        parameters=PLAN.per_group("parameters.json"),
        cases=PLAN.per_group("cases.csv"),
        states=PLAN.per_group("states.csv"),
        truth=PLAN.per_group("truth.csv"),
    log:
        PLAN.log("draw.{draw}.{sizes}"),
    benchmark:
        PLAN.benchmark("draw.{draw}.{sizes}")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model_of,
        true_structure=PLAN.truth_of,
        sizes=PLAN.sizes_taken(),
    message:
        "draw {wildcards.draw}, {wildcards.sizes} cases"
    script:
        "../scripts/draw.py"
