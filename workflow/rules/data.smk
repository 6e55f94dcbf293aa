# The structures of the family, and for every draw true parameters and nested data sets, each in a file of its own: one more
# leaves the others alone; or cases of one's own.


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


if OWN_DATA:

    rule read_data:
        input:
            table=config["data"]["file"],
            code=package("data", "tables"),
        output:
            cases=CASES.format(draw=0, n=SIZES[0]),
            variables=f"{RESULTS}/variables.csv",
        log:
            log_of("read_data"),
        benchmark:
            f"{RESULTS}/benchmarks/read_data.tsv"
        conda:
            "../../environment.yml"
        threads: 1
        params:
            data=config["data"],
        message:
            "Read {input.table}"
        script:
            "../scripts/read_data.py"

else:

    rule draw:
        input:
            code=package("model"),
        output:
            parameters=PARAMETERS,
            cases=CASES,
            states=STATES,
        log:
            log_of("draw.{draw}.{n}"),
        benchmark:
            f"{RESULTS}/benchmarks/draw.{{draw}}.{{n}}.tsv"
        conda:
            "../../environment.yml"
        threads: 1
        params:
            model=MODEL,
            true_structure=config["true_structure"],
            n=lambda w: int(w.n),
        message:
            "Draw {wildcards.draw}: true parameters from the prior, and {params.n} cases"
        script:
            "../scripts/draw.py"
