# The record of how everything was made, which comes last; and pages of the report: every table, the
# summary and the record as HTML that needs no other file.


report: "../report/workflow.rst"


step(
    "provenance",
    "The record of settings, versions and machine.",
    {"record": PLAN.record},
    inputs={
        "tables": PLAN.tables_but().values(),
        "summary": PLAN.summary,
        "figures": rules.figures.input,
    },
    params={"config": config, "benchmarks": f"{PLAN.results}/benchmarks"},
)


# the scores that the configuration names; none where it leaves them out
asked = config["scores"] or (config["methods"] if set(config["methods"]) != set(JOBS) else [])

step(
    "summary",
    "The summary, and for a study of one draw the findings.",
    {**PLAN.findings, "text": PLAN.summary},
    inputs=PLAN.summary_inputs(),
    params={"settings": PLAN.settings_told(), "model": PLAN.model, "asked": asked},
)

PAGE = PLAN.file("report/{table}.html")
SHOWN = [*PLAN.tables_but(*PLAN.large), *PLAN.there("benchmark", "cost")]


wildcard_constraints:
    table="|".join(SHOWN),


step(
    "table_page",
    "A page of the report: one table.",
    {"page": shown(PAGE, "table", "Tables", table="{table}")},
    inputs={
        "table": PLAN.table("{table}"),
        "templates": places.project_files(
            *(f"workflow/report/{name}" for name in ("table.html", "page.html", "table.js"))
        ),
    },
    message="page of the report: table {wildcards.table}",
)

step(
    "text_pages",
    "Pages of the report: summary; settings, versions and machine.",
    {
        "first": PAGE.format(table="first_page"),
        "summary": shown(PAGE.format(table="summary"), "summary", ABOUT, page="Summary"),
        "provenance": shown(
            PAGE.format(table="provenance"), "provenance", ABOUT, page="Settings and versions"
        ),
    },
    inputs={
        "text": PLAN.summary,
        "record": PLAN.record,
        "figure": PLAN.first_figure(),
        "templates": places.project_files(
            *(
                f"workflow/report/{name}"
                for name in ("first_page.html", "page.html", "provenance.html")
            )
        ),
    },
)


if not PLAN.population:

    rule class_page:
        """A page for a class: how probable each score finds every structure, at every size."""
        input:
            scores="<results>/scores.csv",
            evidence=branch(PLAN.has_reference, "<results>/evidence.csv"),
            structures="<results>/structures.csv",
            others=PLAN.files_of_others(),
            template=places.project_files("workflow/report/class.html"),
        output:
            page=report(
                "<results>/class.html",
                caption="../report/class.rst",
                category="For a class",
                labels={"page": "Which structure made the data?"},
            ),
        log:
            "<results>/logs/class_page.log",
        benchmark:
            "<results>/benchmarks/class_page.tsv"
        localrule: True
        conda:
            "../../environment.yml"
        threads: 1
        params:
            title=PLAN.title_for_a_class,
            model=PLAN.model,
            true_structure=PLAN.only_truth,
            n=PLAN.figure_n,
            variables=PLAN.variables,
            priors=PLAN.priors_for_a_class,
            draws=PLAN.other_draws(),
            population=PLAN.population_of_shares(),
            code=code("class_page.py"),
        script:
            "../scripts/class_page.py"


rule report_pages:
    """All pages of the report."""
    input:
        rules.figures.input,
        expand(PAGE, table=SHOWN),
        rules.text_pages.output,
        rules.class_page.output if not PLAN.population else [],
        PLAN.article,
    message:
        "The pages of the report are written: see {PLAN.results}/report"


# The article, where typst is installed: it reads the tables of the study, and those of the
# populations that are there.
if PLAN.article:
    TABLES_OF_ARTICLE = [*STUDY_IN_ARTICLE[0], *PLAN.there("benchmark")]
    step(
        "article",
        "The article, set by typst from the tables.",
        {"pdf": shown(PLAN.article[0], "article", ABOUT, page="Article")},
        inputs=PLAN.files(*TABLES_OF_ARTICLE)
        | {
            "record": PLAN.record,
            "populations": PLAN.population_files(),
            "figures": list(PLAN.figures_of_article().values()),
            "sources": places.project_files(
                "workflow/article/article.typ", "workflow/article/references.bib"
            ),
        },
        params={"tables": TABLES_OF_ARTICLE, "figures": list(PLAN.figures_of_article())},
    )
