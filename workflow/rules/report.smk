# Pages of the report: every table, the summary and the record of versions as HTML that needs no
# other file.


report: "../report/workflow.rst"


rule summary:
    input:
        **PLAN.of_summary(),
        started=PLAN.started,
        code=sources.TEXTS,
    output:
        **PLAN.findings,
        text=PLAN.summary,
    log:
        PLAN.log("summary"),
    benchmark:
        PLAN.benchmark("summary")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        settings=PLAN.settings_told(),
        model=PLAN.model,
        asked=PLAN.asked,
    message:
        "summary of all that was found"
    script:
        "../scripts/summary.py"


SHOWN = [*PLAN.tables_but(*PLAN.large), *PLAN.there("benchmark", "cost")]


wildcard_constraints:
    table="|".join(SHOWN),


rule table_page:
    input:
        table=PLAN.table("{table}"),
        templates=[
            "workflow/report/table.html",
            "workflow/report/page.html",
            "workflow/report/table.js",
        ],
        code=sources.TEXTS,
    output:
        page=report(
            PLAN.page("{table}"),
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
    log:
        PLAN.log("table_page.{table}"),
    benchmark:
        PLAN.benchmark("table_page.{table}")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "page of the report: table {wildcards.table}"
    script:
        "../scripts/table_page.py"


rule summary_page:
    input:
        text=PLAN.summary,
        figure=PLAN.first_figure(),
        templates=["workflow/report/page.html", "workflow/report/first_page.html"],
        code=sources.TEXTS,
    output:
        first=PLAN.page("first_page"),
        page=report(
            PLAN.page("summary"),
            caption="../report/summary.rst",
            category="Summary and settings",
            labels={"page": "Summary"},
        ),
    log:
        PLAN.log("summary_page"),
    benchmark:
        PLAN.benchmark("summary_page")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "page of the report: summary"
    script:
        "../scripts/summary_page.py"


rule provenance_page:
    input:
        record=rules.provenance.output.record,
        templates=[
            "workflow/report/provenance.html",
            "workflow/report/page.html",
        ],
        code=sources.TEXTS,
    output:
        page=report(
            PLAN.page("provenance"),
            caption="../report/provenance.rst",
            category="Summary and settings",
            labels={"page": "Settings and versions"},
        ),
    log:
        PLAN.log("provenance_page"),
    benchmark:
        PLAN.benchmark("provenance_page")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "page of the report: settings, versions and machine"
    script:
        "../scripts/provenance_page.py"


rule report_pages:
    input:
        rules.figures.input,
        expand(rules.table_page.output.page, table=SHOWN),
        rules.summary_page.output.page,
        rules.provenance_page.output.page,
        PLAN.article,
    message:
        "The pages of the report are written: see {PLAN.results}/report"
