# Pages of the report: every table, the summary and the record of versions as HTML that needs no other file.


report: "../report/workflow.rst"


# what each table holds
CONTENT = {
    "structures": "The structures of the family: their links, their free parameters, and which of them made the data.",
    "scores": "Every score of every structure at every size, its standard error, and how its fit went.",
    "ais_chains": "The log weight of each AIS chain.",
    "ais_acceptance": "Acceptance rates of the AIS chains along their temperatures.",
}
if OWN_DATA:
    CONTENT |= {
        "variables": "The observed variables: their values, and how many cases have each.",
        "parameters": "Fitted parameters of the most probable structure, and of the published one if there is one.",
    }
else:
    CONTENT |= {
        "ranks": "The rank of the true structure by every score, with the ranks that its Monte Carlo error allows.",
        "annealing": "Log weights of the annealing runs of the true structure, by length of the schedule.",
        "timing": "Seconds of the scoring jobs, all structures, beside the paper's.",
    }
OF_EVIDENCE = {
    "errors": "How far each score is from the reference evidence.",
    "posterior": "The posterior probability of each structure by the reference, VB, BIC, CS and AIS.",
    "sandwich": "Stochastic bounds on both sides of the evidence.",
}
CONTENT |= {table: OF_EVIDENCE[table] for table in EVIDENCE}
if Path(RESULTS, "benchmark.csv").exists():  # of make bench, not of the study
    CONTENT["benchmark"] = (
        "Processor time of one step of each algorithm, beside the same step written plainly."
    )


wildcard_constraints:
    table="|".join(CONTENT),


rule table_page:
    input:
        table=f"{RESULTS}/{{table}}.csv",
        columns="workflow/config/README.md",
        templates=[
            "workflow/report/table.html",
            "workflow/report/page.html",
            "workflow/report/table.js",
        ],
    output:
        page=report(
            f"{RESULTS}/report/{{table}}.html",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
    log:
        log_of("table_page.{table}"),
    benchmark:
        f"{RESULTS}/benchmarks/table_page.{{table}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        content=lambda w: CONTENT[w.table],
    message:
        "A page of the report: the table {wildcards.table}"
    script:
        "../scripts/page.py"


rule summary_page:
    input:
        text=rules.summary.output.text,
        templates=["workflow/report/page.html"],
    output:
        page=report(
            f"{RESULTS}/report/summary.html",
            caption="../report/summary.rst",
            category="Summary and settings",
            labels={"page": "Summary"},
        ),
    log:
        log_of("summary_page"),
    benchmark:
        f"{RESULTS}/benchmarks/summary_page.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "A page of the report: the summary"
    script:
        "../scripts/page.py"


rule provenance_page:
    input:
        record=rules.provenance.output.record,
        templates=[
            "workflow/report/provenance.html",
            "workflow/report/page.html",
        ],
    output:
        page=report(
            f"{RESULTS}/report/provenance.html",
            caption="../report/provenance.rst",
            category="Summary and settings",
            labels={"page": "Settings and versions"},
        ),
    log:
        log_of("provenance_page"),
    benchmark:
        f"{RESULTS}/benchmarks/provenance_page.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "A page of the report: settings, versions and machine"
    script:
        "../scripts/page.py"


rule report_pages:
    input:
        rules.figures.input,
        expand(rules.table_page.output.page, table=CONTENT),
        rules.summary_page.output.page,
        rules.provenance_page.output.page,
    message:
        "The pages of the report are written: see {RESULTS}/report"
