# The article, where typst is installed: it reads the tables of the study, and those of the
# populations that are there.

TABLES_OF_ARTICLE = [*STUDY_IN_ARTICLE[0], *PLAN.there("benchmark")]

step(
    "article",
    {"pdf": shown(PLAN.article[0], "article", ABOUT, page="Article")},
    sources.TEXTS,
    inputs=PLAN.files(*TABLES_OF_ARTICLE)
    | {
        "record": PLAN.record,
        "populations": PLAN.population_files(),
        "figures": list(PLAN.figures_of_article().values()),
        "sources": sources.files("workflow/article/article.typ", "workflow/article/references.bib"),
    },
    params={"tables": TABLES_OF_ARTICLE, "figures": list(PLAN.figures_of_article())},
    message="the article",
)
