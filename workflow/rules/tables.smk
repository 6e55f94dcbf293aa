# What the jobs found, gathered in one table per kind.


rule scores:
    input:
        parts=scored("csv", ["map", "ml", "vb", "ais", "exact"]) + references(),
        code=package("tables"),
    output:
        table=f"{RESULTS}/scores.csv",
    log:
        log_of("scores"),
    benchmark:
        f"{RESULTS}/benchmarks/scores.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        table="scores",
    message:
        "Gather the scores of all structures"
    script:
        "../scripts/gather.py"


use rule scores as annealing with:
    input:
        parts=annealed(),
        code=package("tables"),
    output:
        table=f"{RESULTS}/annealing.csv",
    log:
        log_of("annealing"),
    benchmark:
        f"{RESULTS}/benchmarks/annealing.tsv"
    conda:
        "../../environment.yml"
    params:
        table="annealing",
    message:
        "Gather the annealing runs"


use rule scores as ais_chains with:
    input:
        parts=scored("chains.csv", ["ais"]),
        code=package("tables"),
    output:
        table=f"{RESULTS}/ais_chains.csv",
    log:
        log_of("ais_chains"),
    benchmark:
        f"{RESULTS}/benchmarks/ais_chains.tsv"
    conda:
        "../../environment.yml"
    params:
        table="ais_chains",
    message:
        "Gather the log weights of the AIS chains"


use rule scores as ais_acceptance with:
    input:
        parts=scored("acceptance.csv", ["ais"]),
        code=package("tables"),
    output:
        table=f"{RESULTS}/ais_acceptance.csv",
    log:
        log_of("ais_acceptance"),
    benchmark:
        f"{RESULTS}/benchmarks/ais_acceptance.tsv"
    conda:
        "../../environment.yml"
    params:
        table="ais_acceptance",
    message:
        "Gather the acceptance rates of the AIS chains"


use rule scores as sandwiches with:
    input:
        parts=expand(f"{RESULTS}/draws/{{draw}}/sandwich.csv", draw=DRAWS),
        code=package("tables"),
    output:
        table=f"{RESULTS}/sandwich.csv",
    log:
        log_of("sandwiches"),
    benchmark:
        f"{RESULTS}/benchmarks/sandwiches.tsv"
    params:
        table="sandwich",
    message:
        "Gather the bounds on both sides of the evidence"


rule errors:
    input:
        scores=rules.scores.output.table,
        code=package("evidence", "tables"),
    output:
        errors=f"{RESULTS}/errors.csv",
        posterior=f"{RESULTS}/posterior.csv",
    log:
        log_of("errors"),
    benchmark:
        f"{RESULTS}/benchmarks/errors.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "Hold every score against the reference evidence"
    script:
        "../scripts/evidence.py"


rule ranks:
    input:
        scores=known_truth(rules.scores.output.table),
        code=package("ranking", "tables"),
    output:
        table=f"{RESULTS}/ranks.csv",
    log:
        log_of("ranks"),
    benchmark:
        f"{RESULTS}/benchmarks/ranks.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        true_structure=config["true_structure"],
        seed=config["seed"],
    message:
        "Rank the true structure"
    script:
        "../scripts/ranks.py"


rule timing:
    input:
        parts=scored("csv", ["map", "vb", "ais"]),  # a benchmark is complete when its job's output is
        code=package("tables"),
    output:
        table=f"{RESULTS}/timing.csv",
    log:
        log_of("timing"),
    benchmark:
        f"{RESULTS}/benchmarks/timing.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        benchmarks=f"{RESULTS}/benchmarks",
        draws=len(DRAWS),
    message:
        "Gather the jobs' running times"
    script:
        "../scripts/timing.py"


# tables that are there only when the references are, and for own data
EVIDENCE = {}
if "reference" in config["methods"] or OWN_DATA:
    EVIDENCE = {
        "errors": rules.errors.output.errors,
        "posterior": rules.errors.output.posterior,
    }
if "reference" in config["methods"] and not OWN_DATA:
    EVIDENCE["sandwich"] = rules.sandwiches.output.table

if OWN_DATA:

    rule parameters:
        input:
            cases=rules.read_data.output.cases,
            variables=rules.read_data.output.variables,
            posterior=rules.errors.output.posterior,
            code=package("scores", "data_summary", "tables"),
        output:
            table=f"{RESULTS}/parameters.csv",
        log:
            log_of("parameters"),
        benchmark:
            f"{RESULTS}/benchmarks/parameters.tsv"
        conda:
            "../../environment.yml"
        threads: 1
        params:
            model=MODEL,
            published=config["data"]["published"],
            restarts=config["restarts"]["map"]["at_most"],
        message:
            "Fit the most probable structure"
        script:
            "../scripts/parameters.py"


# settings that change no number: how the work is cut and where it goes
UNTOLD = {"blocks", "threads", "results", "figures"}
if OWN_DATA:
    UNTOLD |= {"draws", "annealing", "figure_n"}

# what the summary tells of, besides the scores and the evidence
if OWN_DATA:
    TOLD = {
        "variables": rules.read_data.output.variables,
        "parameters": rules.parameters.output.table,
        "cases": rules.read_data.output.cases,
    }
else:
    TOLD = {
        "ranks": rules.ranks.output.table,
        "annealing": rules.annealing.output.table,
        "structures": rules.structures.output.table,
        "timing": rules.timing.output.table,
    }


rule summary:
    input:
        **EVIDENCE,
        **TOLD,
        scores=rules.scores.output.table,
        code=package("data_summary" if OWN_DATA else "summary"),
    output:
        text=f"{RESULTS}/summary.md",
    log:
        log_of("summary"),
    benchmark:
        f"{RESULTS}/benchmarks/summary.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        settings={k: v for k, v in config.items() if v is not None and k not in UNTOLD}
        | {"n": FIGURE_N},
        family=FAMILY,
    message:
        "Write the summary"
    script:
        "../scripts/summary.py"


rule provenance:
    input:
        rules.summary.output.text,
        rules.ais_chains.output.table,
        rules.ais_acceptance.output.table,
    output:
        record=f"{RESULTS}/provenance.json",
    log:
        log_of("provenance"),
    benchmark:
        f"{RESULTS}/benchmarks/provenance.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        config=config,
        benchmarks=f"{RESULTS}/benchmarks",
    message:
        "Record versions, settings and machine"
    script:
        "../scripts/provenance.py"
