# The article of a study of one draw: set by typst from its tables, and from those of published runs.
from lib import article


rule article:
    """The article, set by typst from the tables."""
    input:
        **{name: f"<results>/{name}.csv" for name in article.TABLES_OF_STUDY},
        benchmark=f"{QUOTED}/experiments/benchmark.csv",
        record="<results>/provenance.json",
        populations=[
            f"{QUOTED}/{run}/{name}"
            for run, names in article.FILES_OF_POPULATIONS.items()
            for name in names
        ],
        experiments=[
            f"{QUOTED}/experiments/{name}.csv" for name in article.TABLES_OF_EXPERIMENTS
        ],
        figures=[f"<figures>/{name}.pdf" for name in article.FIGURES_OF_STUDY],
        figures_quoted=[
            f"{config['quoted']['figures']}/{name}.pdf" for name in article.FIGURES_QUOTED
        ],
        sources=[
            str(PROJECT / "workflow/article" / name) for name in ("article.typ", "references.bib")
        ],
    output:
        pdf=report(
            "<results>/article.pdf",
            caption="../report/article.rst",
            category=ABOUT,
            labels={"page": "Article"},
        ),
    log:
        "<results>/logs/article.log",
    benchmark:
        "<results>/benchmarks/article.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("article.py"),
        tables=[*article.TABLES_OF_STUDY, "benchmark"],
    message:
        "{output} from the tables of all runs"
    script:
        "../scripts/article.py"
