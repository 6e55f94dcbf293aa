# The structures of the family, and for every draw true parameters and nested data sets.


rule structures:
    input:
        code=package("structures", "tables"),
    output:
        table=f"{RESULTS}/structures.csv",
    log:
        log_of("structures"),
    benchmark:
        f"{RESULTS}/benchmarks/structures.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=MODEL,
        true_structure=config["true_structure"],
    message:
        "List the structures of the family"
    script:
        "../scripts/structures.py"


rule draw:
    input:
        code=package("model"),
    output:
        parameters=PARAMETERS,
        cases=CASES,
        states=f"{RESULTS}/draws/{{draw}}/states.csv",
    log:
        log_of("draw.{draw}"),
    benchmark:
        f"{RESULTS}/benchmarks/draw.{{draw}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=MODEL,
        true_structure=config["true_structure"],
        n=max(SIZES),
    message:
        "Draw {wildcards.draw}: true parameters from the prior, and {params.n} cases"
    script:
        "../scripts/draw.py"
