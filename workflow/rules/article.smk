# The article, set by typst from the tables of the study, and from those of the runs over many draws
# that are there.
from lib import article

RUNS = [
    f"{config['results']}/{run}"
    for run in article.POPULATIONS
    if places.present([f"{config['results']}/{run}/provenance.json"])
]
OTHER_FIGURES = (
    *article.FIGURES_OF_PAPER,
    *(f"{PAPERS}/{name}" for name in article.FIGURES_OF_POPULATION),
)
FIGURES_SHOWN = {
    figure.name: f"<figures>/{figure.name}.pdf"
    for name in article.FIGURES_OF_STUDY
    for figure in FIGURES
    if figure.name == name
} | {
    name: path
    for name in OTHER_FIGURES
    for path in places.present([f"{config['figures']}/{name}.pdf"])
}
TABLES_READ = [*article.TABLES_OF_STUDY, *map(lambda path: Path(path).stem, BENCHMARKS)]


rule article:
    """The article, set by typst from the tables."""
    input:
        **{name: f"<results>/{name}.csv" for name in TABLES_READ},
        record="<results>/provenance.json",
        populations=places.present(
            f"{run}/{name}" for run in RUNS for name in article.FILES_OF_POPULATION
        ),
        figures=list(FIGURES_SHOWN.values()),
        sources=[
            str(HERE / "workflow/article" / name) for name in ("article.typ", "references.bib")
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
        tables=TABLES_READ,
        figures=list(FIGURES_SHOWN),
    message:
        "{output} from the tables of all runs"
    script:
        "../scripts/article.py"
