# The study of Beal & Ghahramani (2003):
# snakemake --cores 2 [scores | ranks | annealing | figures | report_pages | all]
import logging

# a full disk is told once, not at each line that Snakemake cannot add to its log
logging.raiseExceptions = False


# what a configuration leaves out is as in workflow/config/study.yaml
include: "workflow/rules/step.smk"
include: "workflow/rules/common.smk"


pathvars:
    results=config["results"],


for name in ("jobs", *PLAN.rule_files, "figures", "report"):

    include: f"workflow/rules/{name}.smk"


if rules.structures.output[0] != PLAN.table("structures"):
    sys.exit(
        "Nothing was run: a module of this workflow has no prefix or replace_prefix: its folders "
        "are those of the keys results and figures."
    )


rule all:
    """The whole study: tables, figures, summary, record, article, page for a class."""
    input:
        PLAN.tables_but().values(),
        PLAN.summary,
        PLAN.datapackage,
        PLAN.record,
        rules.figures.input,
        PLAN.article,
        rules.class_page.output if not PLAN.population else [],
    message:
        f"The study is complete: see {PLAN.results} and {PLAN.figures}"
