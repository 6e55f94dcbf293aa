# The study of Beal & Ghahramani (2003):
# snakemake --cores 2 [scores | ranks | annealing | figures | report_pages | all]
from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/environment.smk"


configfile: str(ROOT / "workflow/config/study.yaml")


include: "workflow/rules/common.smk"


# more jobs for more cores: snakemake --set-scatter structures=136 has one for each structure
scattergather:
    structures=1 if config["population"] else 2,


if config["data"]:

    include: "workflow/rules/own_data.smk"
    include: "workflow/rules/scores.smk"
    include: "workflow/rules/evidence.smk"
    include: "workflow/rules/class_page.smk"

elif config["population"]:

    include: "workflow/rules/simulation.smk"
    include: "workflow/rules/scores.smk"
    include: "workflow/rules/population.smk"

else:

    include: "workflow/rules/simulation.smk"
    include: "workflow/rules/scores.smk"
    include: "workflow/rules/evidence.smk"
    include: "workflow/rules/one_draw.smk"
    include: "workflow/rules/class_page.smk"


include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/published.smk"


if config["quoted"] and not config["data"] and not config["population"]:

    include: "workflow/rules/article.smk"


rule all:
    """The whole study: tables, figures, summary, record, page for a class."""
    input:
        TABLES.values(),
        rules.figures.input,
        [] if config["population"] else rules.class_page.output,
        "<results>/summary.md",
        "<results>/datapackage.json",
        "<results>/provenance.json",
    message:
        f"The study is complete: see {config['results']} and {config['figures']}"
