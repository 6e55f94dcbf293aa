# AIS of the true structure at one n, by length of the annealing schedule.


rule anneal:
    input:
        cases=at(config["annealing"]["n"], CASES),
        parameters=known_truth(at(config["annealing"]["n"], PARAMETERS)),
        code=package("scores"),
    output:
        table=f"{RESULTS}/draws/{{draw}}/annealing/{{steps}}.csv",
    log:
        log_of("anneal.{draw}.{steps}"),
    benchmark:
        f"{RESULTS}/benchmarks/anneal.{{draw}}.{{steps}}.tsv"
    priority: 10  # the longest schedule is the longest job: not last
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        model=MODEL,
        true_structure=config["true_structure"],
        n=config["annealing"]["n"],
        chains=config["annealing"]["chains"],
    message:
        "Draw {wildcards.draw}: annealing in {wildcards.steps} steps (progress: {log})"
    script:
        "../scripts/anneal.py"
