# What only a study of one's own data has.

# rules of a simulated study alone
WITHOUT_TRUTH = {
    *("design", "draw", "anneal", "annealing"),
    *("sandwich", "sandwiches", "priors"),
    *("climb", "climbs", "equal_modes", "plot_climb", "plot_equal_modes"),
    *("ranks", "timing", "article"),
    *("plot_structure", "plot_rank", "plot_annealing", "plot_tightness"),
}
if asked_for := WITHOUT_TRUTH & set(sys.argv):
    sys.exit(
        f"Nothing was run: own data have no true structure for {', '.join(asked_for)}."
    )


rule read_data:
    input:
        started=PLAN.started,
        table=config["data"]["file"],
        code=sources.JOBS,
    output:
        cases=PLAN.per_group("cases.csv", PLAN.sizes[0]).format(draw=0),
        variables=PLAN.table("variables"),
    log:
        PLAN.log("read_data"),
    benchmark:
        PLAN.benchmark("read_data")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        data=config["data"],
    message:
        "cases of {input.table}"
    script:
        "../scripts/read_data.py"


rule structures:
    input:
        started=PLAN.started,
        cases=rules.read_data.output.cases,
        code=sources.STRUCTURES,
    output:
        **PLAN.some("search"),
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
        **PLAN.parameters_of_search(),
        model=PLAN.model,
    message:
        "structures that are scored"
    script:
        "../scripts/own_structures.py"


rule marginals:
    input:
        started=PLAN.started,
        structures=PLAN.table("structures"),
        variables=PLAN.table("variables"),
        posterior=PLAN.table("posterior"),
        code=sources.STATISTICS,
    output:
        causes=PLAN.table("causes"),
        links=PLAN.table("links"),
    log:
        PLAN.log("marginals"),
    benchmark:
        PLAN.benchmark("marginals")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model,
    message:
        "tables causes and links"
    script:
        "../scripts/table.py"


if PLAN.other_alphas:

    rule alpha:
        input:
            started=PLAN.started,
            structures=PLAN.table("structures"),
            variables=PLAN.table("variables"),
            posterior=PLAN.table("posterior"),
            scores=PLAN.table("scores"),
            prior=PLAN.each_draw(*(f"prior/{alpha}.csv" for alpha in PLAN.other_alphas)),
            code=sources.STATISTICS,
        output:
            alpha=PLAN.table("alpha"),
        log:
            PLAN.log("alpha"),
        benchmark:
            PLAN.benchmark("alpha")
        localrule: True
        conda:
            "../../environment.yml"
        threads: 1
        params:
            model=PLAN.model,
            methods=PLAN.under_alphas,
        message:
            "table alpha"
        script:
            "../scripts/table.py"


rule parameters:
    input:
        started=PLAN.started,
        cases=rules.read_data.output.cases,
        variables=PLAN.table("variables"),
        structures=PLAN.table("structures"),
        posterior=PLAN.table("posterior"),
        table=config["data"]["file"],
        code=sources.STATISTICS,
    output:
        **PLAN.some("beside"),
        parameters=PLAN.table("parameters"),
        membership=PLAN.table("membership"),
    log:
        PLAN.log("parameters"),
    benchmark:
        PLAN.benchmark("parameters")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        model=PLAN.model,
        method=PLAN.most_trusted,
        data=config["data"],
        restarts={kind: config["restarts"][kind]["at_most"] for kind in ("map", "ml")},
        draws=config["fit"]["draws"],
    message:
        "tables parameters and membership"
    script:
        "../scripts/parameters.py"


if config["data"]["published"]:

    rule published:
        input:
            started=PLAN.started,
            cases=rules.read_data.output.cases,
            code=sources.STATISTICS,
        output:
            table=PLAN.table("published"),
        log:
            PLAN.log("published"),
        benchmark:
            PLAN.benchmark("published")
        localrule: True
        conda:
            "../../environment.yml"
        threads: 1
        params:
            published=config["data"]["published"],
            observed=PLAN.family["observed"],
            seed=PLAN.model["seed"],
            settings=PLAN.settings(JOBS["ml"]),
        message:
            "table published"
        script:
            "../scripts/published.py"


rule fit:
    input:
        started=PLAN.started,
        cases=rules.read_data.output.cases,
        variables=PLAN.table("variables"),
        structures=PLAN.table("structures"),
        scores=PLAN.table("scores"),
        posterior=PLAN.table("posterior"),
        code=sources.STATISTICS,
    output:
        fit=PLAN.table("fit"),
        residuals=PLAN.table("residuals"),
    log:
        PLAN.log("fit"),
    benchmark:
        PLAN.benchmark("fit")
    conda:
        "../../environment.yml"
    threads: config["threads"]
    params:
        model=PLAN.model,
        equally_probable=config["equally_probable"],
        settings=PLAN.settings(JOBS["ml"]),
        replicates=config["fit"]["replicates"],
    message:
        "tables fit and residuals"
    script:
        "../scripts/fit.py"
