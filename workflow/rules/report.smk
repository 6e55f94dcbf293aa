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
            sources.project_file(f"workflow/report/{name}")
            for name in ("table.html", "page.html", "table.js")
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


rule text_pages:
    input:
        text=PLAN.summary,
        record=rules.provenance.output.record,
        figure=PLAN.first_figure(),
        templates=[
            sources.project_file(f"workflow/report/{name}.html")
            for name in ("page", "first_page", "provenance")
        ],
        code=sources.TEXTS,
    output:
        first=PLAN.page("first_page"),
        summary=report(
            PLAN.page("summary"),
            caption="../report/summary.rst",
            category="Summary and settings",
            labels={"page": "Summary"},
        ),
        provenance=report(
            PLAN.page("provenance"),
            caption="../report/provenance.rst",
            category="Summary and settings",
            labels={"page": "Settings and versions"},
        ),
    log:
        PLAN.log("text_pages"),
    benchmark:
        PLAN.benchmark("text_pages")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    message:
        "pages of the report: summary; settings, versions and machine"
    script:
        "../scripts/text_pages.py"


rule report_pages:
    input:
        rules.figures.input,
        expand(rules.table_page.output.page, table=SHOWN),
        rules.text_pages.output,
        PLAN.article,
    message:
        "The pages of the report are written: see {PLAN.results}/report"
