# The article, where typst is installed: it reads the tables of the study, and those of the
# populations that are there.

step(
    "article",
    {"pdf": shown(PLAN.article[0], "article", ABOUT, page="Article")},
    sources.TEXTS,
    inputs=PLAN.files(*PLAN.tables_of_article())
    | {
        "record": PLAN.record,
        "populations": PLAN.of_populations(),
        "figures": list(PLAN.figures_of_article().values()),
        "sources": [
            sources.project_file(f"workflow/article/{name}")
            for name in ("article.typ", "references.bib")
        ],
    },
    params={
        "tables": PLAN.tables_of_article(),
        "figures": list(PLAN.figures_of_article()),
    },
    message="the article",
)
