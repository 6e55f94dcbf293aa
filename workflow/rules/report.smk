# Pages of the report: every table, the summary and the record of versions as HTML that needs no
# other file.


report: "../report/workflow.rst"


# the scores that the configuration names; none where it leaves them out
asked = [] if set(config["methods"]) == set(JOBS) else config["methods"]
asked = config["scores"] or asked

step(
    "summary",
    {**PLAN.findings, "text": PLAN.summary},
    sources.TEXTS,
    inputs=PLAN.summary_inputs(),
    params={"settings": PLAN.settings_told(), "model": PLAN.model, "asked": asked},
    message="summary of all that was found",
)

PAGE = PLAN.file("report/{table}.html")
SHOWN = [*PLAN.tables_but(*PLAN.large), *PLAN.there("benchmark", "cost")]


wildcard_constraints:
    table="|".join(SHOWN),


step(
    "table_page",
    {"page": shown(PAGE, "table", "Tables", table="{table}")},
    sources.TEXTS,
    inputs={
        "table": PLAN.table("{table}"),
        "templates": sources.files(
            *(f"workflow/report/{name}" for name in ("table.html", "page.html", "table.js"))
        ),
    },
    message="page of the report: table {wildcards.table}",
)

step(
    "text_pages",
    {
        "first": PAGE.format(table="first_page"),
        "summary": shown(PAGE.format(table="summary"), "summary", ABOUT, page="Summary"),
        "provenance": shown(
            PAGE.format(table="provenance"), "provenance", ABOUT, page="Settings and versions"
        ),
    },
    sources.TEXTS,
    inputs={
        "text": PLAN.summary,
        "record": PLAN.record,
        "figure": PLAN.first_figure(),
        "templates": sources.files("workflow/report/*page.html", "workflow/report/provenance.html"),
    },
    message="pages of the report: summary; settings, versions and machine",
)


rule report_pages:
    input:
        rules.figures.input,
        expand(PAGE, table=SHOWN),
        rules.text_pages.output,
        PLAN.article,
    message:
        "The pages of the report are written: see {PLAN.results}/report"
