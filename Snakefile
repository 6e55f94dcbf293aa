# The study of Beal & Ghahramani (2003): snakemake --cores 2 [scores | ranks | annealing | figures | report_pages | all]
import logging

from snakemake.utils import min_version

min_version("9.0")
logging.raiseExceptions = False  # a full disk is told once, not at each line that Snakemake cannot add to its log


configfile: "workflow/config/study.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/scores.smk"
include: "workflow/rules/reference.smk"
include: "workflow/rules/annealing.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


# on a cluster, these take less time than to queue: they run where Snakemake does
localrules:
    structures,
    scores,
    annealing,
    ais_chains,
    ais_acceptance,
    sandwiches,
    errors,
    ranks,
    timing,
    summary,
    provenance,
    plot_structure,
    plot_scores,
    plot_rank,
    plot_annealing,
    plot_tightness,
    table_page,
    summary_page,
    provenance_page,


if OWN_DATA:

    localrules:
        read_data,
        parameters,
        plot_best,

else:

    localrules:
        draw,


rule all:
    default_target: True
    input:
        expand(
            f"{RESULTS}/{{table}}.csv",
            table=[
                "structures",
                "scores",
                "ais_chains",
                "ais_acceptance",
                *(
                    ["variables", "parameters"]
                    if OWN_DATA
                    else ["ranks", "annealing", "timing"]
                ),
            ],
        ),
        *EVIDENCE.values(),
        f"{RESULTS}/summary.md",
        f"{RESULTS}/provenance.json",
        rules.figures.input,
    message:
        "The study is complete: see {RESULTS} and {FIGURES}"
