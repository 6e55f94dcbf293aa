# The evidence itself, by collapsed sequential Monte Carlo: one job for some structures and all sizes; and bounds on both sides.


rule reference:
    input:
        cases=at(max(SIZES), CASES),
        code=package("reference"),
    output:
        scores=f"{RESULTS}/draws/{{draw}}/reference/{{block}}.csv",
    log:
        log_of("reference.{draw}.{block}"),
    benchmark:
        f"{RESULTS}/benchmarks/reference.{{draw}}.{{block}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        model=MODEL,
        sizes=SIZES,
        settings={
            key: config["reference"][key]
            for key in ("particles", "runs", "alone_from")
        },
        block=lambda w: (int(w.block), REFERENCE_BLOCKS),
    message:
        "Draw {wildcards.draw}: reference evidence, part {wildcards.block} of {params.block[1]} (progress: {log})"
    script:
        "../scripts/reference.py"


rule sandwich:
    input:
        cases=at(max(SIZES), CASES),
        states=known_truth(at(max(SIZES), STATES)),
        code=package("reference"),
    output:
        table=f"{RESULTS}/draws/{{draw}}/sandwich.csv",
    log:
        log_of("sandwich.{draw}"),
    benchmark:
        f"{RESULTS}/benchmarks/sandwich.{{draw}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        model=MODEL,
        true_structure=config["true_structure"],
        sizes=SIZES,
        settings=config["reference"],
    message:
        "Draw {wildcards.draw}: bounds on both sides of the evidence (progress: {log})"
    script:
        "../scripts/sandwich.py"
