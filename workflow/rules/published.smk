# What is committed of a run, results/published and figures/published, and whether a run reproduces it.
# make publish
# make compare

NAME = Path(config["results"]).name
PAGES = [] if config["population"] else [*rules.class_page.output]
if config["quoted"] and not config["data"] and not config["population"]:
    PAGES.append("<results>/article.pdf")


rule publish:
    """Copy a complete run to the committed ones; with --allowed-rules publish nothing else is run."""
    input:
        record="<results>/provenance.json",
        results=[
            *(path for name, path in TABLES.items() if name not in NOT_PUBLISHED),
            *("<results>/summary.md", "<results>/datapackage.json"),
            *PAGES,
        ],
        figures=rules.figures.input,
    log:
        "<results>/logs/publish.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        config=config,
        code_sha256=record.code_hash(),
        to_results=str(PROJECT / "results/published" / NAME),
        to_figures=str(PROJECT / "figures/published" / NAME),
    script:
        "../scripts/publish.py"


rule compare:
    """Whether the tables of a run are those that are published; the status is 1 where they are not."""
    log:
        "<results>/comparison.csv",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        results=config["results"],
        published=str(PROJECT / "results/published" / NAME),
    script:
        "../scripts/compare.py"
