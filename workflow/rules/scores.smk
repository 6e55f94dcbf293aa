# One job per (draw, n, method, block): all structures of the block, spread over the job's threads.


rule map:
    input:
        cases=CASES,
        code=package("scores"),
    output:
        scores=f"{SCORED}/map.{{block}}.csv",
        estimates=f"{SCORED}/map.{{block}}.npz",
    log:
        log_of("map.{draw}.{n}.{block}"),
    benchmark:
        f"{RESULTS}/benchmarks/map.{{draw}}.{{n}}.{{block}}.tsv"
    conda:
        "../../environment.yml"
    threads: config["threads"]
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        model=MODEL,
        method="map",
        n=lambda w: int(w.n),
        draw=lambda w: int(w.draw),
        block=lambda w: (int(w.block), config["blocks"]),
        settings=dict(
            config["restarts"]["map"], max_iterations=config["max_iterations"]
        ),
    message:
        "Draw {wildcards.draw}, {wildcards.n} cases: EM for map, bic and cs (progress: {log})"
    script:
        "../scripts/score.py"


use rule map as ml with:
    output:
        scores=f"{SCORED}/ml.{{block}}.csv",
    log:
        log_of("ml.{draw}.{n}.{block}"),
    benchmark:
        f"{RESULTS}/benchmarks/ml.{{draw}}.{{n}}.{{block}}.tsv"
    conda:
        "../../environment.yml"
    params:
        model=MODEL,
        method="ml",
        n=lambda w: int(w.n),
        draw=lambda w: int(w.draw),
        block=lambda w: (int(w.block), config["blocks"]),
        settings=dict(config["restarts"]["ml"], max_iterations=config["max_iterations"]),
    message:
        "Draw {wildcards.draw}, {wildcards.n} cases: EM for ml and bic_ml (progress: {log})"


use rule map as vb with:
    input:
        cases=CASES,
        estimates=f"{SCORED}/map.{{block}}.npz",
        code=package("scores"),
    output:
        scores=f"{SCORED}/vb.{{block}}.csv",
    log:
        log_of("vb.{draw}.{n}.{block}"),
    benchmark:
        f"{RESULTS}/benchmarks/vb.{{draw}}.{{n}}.{{block}}.tsv"
    conda:
        "../../environment.yml"
    params:
        model=MODEL,
        method="vb",
        n=lambda w: int(w.n),
        draw=lambda w: int(w.draw),
        block=lambda w: (int(w.block), config["blocks"]),
        settings=dict(config["restarts"]["vb"], max_iterations=config["max_iterations"]),
    message:
        "Draw {wildcards.draw}, {wildcards.n} cases: variational Bayesian EM (progress: {log})"


use rule map as ais with:
    output:
        scores=f"{SCORED}/ais.{{block}}.csv",
        chains=f"{SCORED}/ais.{{block}}.chains.csv",
        acceptance=f"{SCORED}/ais.{{block}}.acceptance.csv",
    log:
        log_of("ais.{draw}.{n}.{block}"),
    benchmark:
        f"{RESULTS}/benchmarks/ais.{{draw}}.{{n}}.{{block}}.tsv"
    conda:
        "../../environment.yml"
    params:
        model=MODEL,
        method="ais",
        n=lambda w: int(w.n),
        draw=lambda w: int(w.draw),
        block=lambda w: (int(w.block), config["blocks"]),
        settings=config["ais"],
    message:
        "Draw {wildcards.draw}, {wildcards.n} cases: annealed importance sampling (progress: {log})"


use rule map as exact with:
    output:
        scores=f"{SCORED}/exact.{{block}}.csv",
    log:
        log_of("exact.{draw}.{n}.{block}"),
    benchmark:
        f"{RESULTS}/benchmarks/exact.{{draw}}.{{n}}.{{block}}.tsv"
    conda:
        "../../environment.yml"
    params:
        model=MODEL,
        method="exact",
        n=lambda w: int(w.n),
        draw=lambda w: int(w.draw),
        block=lambda w: (int(w.block), config["blocks"]),
        settings={},
    message:
        "Draw {wildcards.draw}, {wildcards.n} cases: exact evidence"
