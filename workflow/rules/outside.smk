# What if no structure is true? snakemake --snakefile workflow/rules/outside.smk --cores 2, or
# `make outside`.
from snakemake.utils import min_version

min_version("9.20")


include: "environment.smk"


configfile: str(ROOT / "workflow/config/outside/outside.yaml")


pathvars:
    results=config["results"],
    figures=config["figures"],


TRUTHS = list(config["truths"])  # numbered as in the settings


wildcard_constraints:
    truth=r"\d+",
    draw=r"\d+",


rule all:
    """The summary and the figure."""
    default_target: True
    input:
        "<results>/summary.md",
        "<figures>/outside.png",
    message:
        f"The picks are compared: see {config['results']} and {config['figures']}"


rule picks:
    """The structures that the scores pick on one draw of a truth."""
    output:
        outside_picks="<results>/draws/{truth}.{draw}.csv",
    log:
        "<results>/logs/picks.{truth}.{draw}.log",
    benchmark:
        "<results>/benchmarks/picks.{truth}.{draw}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("outside_picks.py"),
        truth=lambda w: config["truths"][TRUTHS[int(w.truth)]] | {"name": TRUTHS[int(w.truth)]},
        config={key: value for key, value in config.items() if key not in ("truths", "draws")},
    script:
        "../scripts/outside_picks.py"


rule outside:
    """The picks of all draws, compared, and the summary."""
    input:
        picks=collect(
            "<results>/draws/{truth}.{draw}.csv",
            truth=range(len(TRUTHS)),
            draw=range(config["draws"]),
        ),
    output:
        outside_picks="<results>/outside_picks.csv",
        outside="<results>/outside.csv",
        page="<results>/summary.md",
    log:
        "<results>/logs/outside.log",
    benchmark:
        "<results>/benchmarks/outside.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("outside.py"),
        config=config,
    script:
        "../scripts/outside.py"


rule plot_outside:
    """The figure outside: what the picks lose."""
    input:
        outside="<results>/outside.csv",
    output:
        png="<figures>/outside.png",
        pdf="<figures>/outside.pdf",
    log:
        "<results>/logs/plot_outside.log",
    benchmark:
        "<results>/benchmarks/plot_outside.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("plot.py"),
        figure="outside",
        tables=["outside"],
        arguments={},
    script:
        "../scripts/plot.py"
