# The article, where typst is installed: it reads the tables of the study, and those of the
# populations that are there.


rule article:
    input:
        **{name: PLAN.table(name) for name in PLAN.tables_of_article()},
        started=PLAN.started,
        record=PLAN.file("provenance.json"),
        populations=PLAN.of_populations(),
        figures=list(PLAN.figures_of_article().values()),
        sources=[
            sources.project_file(f"workflow/article/{name}")
            for name in ("article.typ", "references.bib")
        ],
        code=sources.TEXTS,
    output:
        pdf=report(
            PLAN.article[0],
            caption="../report/article.rst",
            category="Summary and settings",
            labels={"page": "Article"},
        ),
    log:
        PLAN.log("article"),
    benchmark:
        PLAN.benchmark("article")
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    params:
        tables=PLAN.tables_of_article(),
        figures=list(PLAN.figures_of_article()),
    message:
        "the article"
    script:
        "../scripts/article.py"
