# What only a study of single draws has, as its true structure is known.


# AIS of the true structure at one size, by length of the annealing schedule


rule anneal:
    input:
        cases=PLAN.per_group("cases.csv", config["annealing"]["n"]),
        parameters=PLAN.per_group("parameters.json", config["annealing"]["n"]),
        code=sources.JOBS,
    output:
        table=PLAN.per_draw("annealing/{steps}.csv"),
    log:
        PLAN.log("anneal.{draw}.{steps}"),
    benchmark:
        PLAN.benchmark("anneal.{draw}.{steps}")
    priority: 10  # the longest schedule is the longest job: not last
    group:
        "annealing"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model_of,
        true_structure=PLAN.truth_of,
        n=config["annealing"]["n"],
        chains=config["annealing"]["chains"],
    message:
        "annealing, draw {wildcards.draw}, {wildcards.steps} steps"
    script:
        "../scripts/anneal.py"


# bounds on both sides of the evidence


rule sandwich:
    input:
        cases=PLAN.per_group("cases.csv", max(PLAN.sizes)),
        states=PLAN.per_group("states.csv", max(PLAN.sizes)),
        code=sources.JOBS,
    output:
        table=PLAN.per_draw("sandwich.csv"),
    log:
        PLAN.log("sandwich.{draw}"),
    benchmark:
        PLAN.benchmark("sandwich.{draw}")
    group:
        "evidence"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model_of,
        true_structure=PLAN.truth_of,
        sizes=PLAN.sizes,
        settings=PLAN.settings(JOBS["reference"]),
        upper_runs=config["reference"]["upper_runs"],
        others=config["reference"]["others"],
        other_sizes=sorted(config["reference"]["other_sizes"]),
    message:
        "bounds on both sides of the evidence, draw {wildcards.draw}"
    script:
        "../scripts/sandwich.py"


# two pictures for learners: a bound that climbs, and a posterior with two equal modes


rule climb:
    input:
        cases=PLAN.per_group("cases.csv", PLAN.figure_n),
        code=sources.JOBS,
    output:
        table=PLAN.per_draw("climb.csv"),
    log:
        PLAN.log("climb.{draw}"),
    benchmark:
        PLAN.benchmark("climb.{draw}")
    group:
        "evidence"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model_of,
        true_structure=PLAN.truth_of,
        n=PLAN.figure_n,
    message:
        "half-steps of EM and VBEM, draw {wildcards.draw}"
    script:
        "../scripts/climb.py"


rule equal_modes:
    input:
        started=PLAN.started,
        code=sources.JOBS,
    output:
        table=PLAN.table("equal_modes"),
    log:
        PLAN.log("equal_modes"),
    benchmark:
        PLAN.benchmark("equal_modes")
    group:
        "evidence"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model={key: config[key] for key in ("seed", "alpha", "alpha_hidden")},
    message:
        "table equal_modes"
    script:
        "../scripts/equal_modes.py"


rule ranks:
    input:
        **PLAN.evidence_table(),
        started=PLAN.started,
        scores=PLAN.table("scores"),
        structures=PLAN.table("structures"),
        code=sources.STATISTICS,
    output:
        ranks=PLAN.table("ranks"),
    log:
        PLAN.log("ranks"),
    benchmark:
        PLAN.benchmark("ranks")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        true_structure=PLAN.only_truth,
        seed=config["seed"],
    message:
        "table ranks"
    script:
        "../scripts/table.py"


rule timing:
    input:
        started=PLAN.started,
        seconds=PLAN.all_parts(PLAN.timed(), "seconds.csv"),
        code=sources.STATISTICS,
    output:
        timing=PLAN.table("timing"),
    log:
        PLAN.log("timing"),
    benchmark:
        PLAN.benchmark("timing")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "table timing"
    script:
        "../scripts/table.py"
