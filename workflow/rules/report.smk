# The data package, the record of how everything was made, and the pages of the report: every table,
# the summary and the record as HTML that needs no other file.
from lib import record
from lib.figures import FIRST


report: "../report/workflow.rst"


ABOUT = "Summary and settings"  # a category of the report


# the settings that the summary reads, of one kind of study or another
READ_BY_SUMMARY = (
    "data",
    "population",
    "design",
    "equally_probable",
    "ais",
    "reference",
    "restarts",
)


rule summary:
    """The page of the study: what its tables say."""
    input:
        **{name: path for name, path in TABLES.items() if name not in NOT_IN_SUMMARY},
        **OTHERS_IN_SUMMARY,
    output:
        text="<results>/summary.md",
    log:
        "<results>/logs/summary.log",
    benchmark:
        "<results>/benchmarks/summary.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("summary.py"),
        settings={key: config[key] for key in READ_BY_SUMMARY} | {"n": SHOWN_N},
        model=MODEL,
        named=NAMED,
    script:
        "../scripts/summary.py"


# neither all scores of a population nor what tells the time
NOT_PUBLISHED = ("seconds", "scores") if config["population"] else ()


rule datapackage:
    """The data package of all tables."""
    output:
        package="<results>/datapackage.json",
    log:
        "<results>/logs/datapackage.log",
    benchmark:
        "<results>/benchmarks/datapackage.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("datapackage.py"),
        tables={
            name: Path(path).name for name, path in TABLES.items() if name not in NOT_PUBLISHED
        },
        title=TITLE,
        of_own_data=bool(config["data"]),
        variables=VARIABLES,
        optional=OPTIONAL,
    script:
        "../scripts/datapackage.py"


rule provenance:
    """The record of settings, versions and machine."""
    input:
        tables=TABLES.values(),
        package="<results>/datapackage.json",
        summary="<results>/summary.md",
        figures=rules.figures.input,
    output:
        record="<results>/provenance.json",
    log:
        "<results>/logs/provenance.log",
    benchmark:
        "<results>/benchmarks/provenance.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("provenance.py"),
        config=config,
        # the record names the sources by which all is current
        code_sha256=record.code_hash(),
    script:
        "../scripts/provenance.py"


# in the report; tables of millions of rows are not
SHOWN = [name for name, path in TABLES.items() if path.endswith(".csv")]


rule table_page:
    """A page of the report: one table."""
    input:
        table="<results>/{table}.csv",
        templates=[
            str(PROJECT / "workflow/report" / name)
            for name in ("table.html", "page.html", "table.js")
        ],
    output:
        page=report(
            "<results>/report/{table}.html",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
    log:
        "<results>/logs/table_page.{table}.log",
    benchmark:
        "<results>/benchmarks/table_page.{table}.tsv"
    wildcard_constraints:
        table="|".join(SHOWN),
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("table_page.py"),
    script:
        "../scripts/table_page.py"


rule text_pages:
    """Pages of the report: summary; settings, versions and machine."""
    input:
        text="<results>/summary.md",
        record="<results>/provenance.json",
        figure=[f"<figures>/{figure.name}.png" for figure in FIGURES if figure.name in FIRST],
        templates=[
            str(PROJECT / "workflow/report" / name)
            for name in ("first_page.html", "page.html", "provenance.html")
        ],
    output:
        first="<results>/report/first_page.html",
        summary=report(
            "<results>/report/summary.html",
            caption="../report/summary.rst",
            category=ABOUT,
            labels={"page": "Summary"},
        ),
        provenance=report(
            "<results>/report/provenance.html",
            caption="../report/provenance.rst",
            category=ABOUT,
            labels={"page": "Settings and versions"},
        ),
    log:
        "<results>/logs/text_pages.log",
    benchmark:
        "<results>/benchmarks/text_pages.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("text_pages.py"),
    script:
        "../scripts/text_pages.py"


rule report_pages:
    """All pages of the report."""
    input:
        rules.figures.input,
        collect("<results>/report/{table}.html", table=SHOWN),
        rules.text_pages.output,
        [] if config["population"] else rules.class_page.output,
